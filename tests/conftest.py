"""What tests of several packages share."""

from __future__ import annotations

import signal
from contextlib import suppress

import pytest

import worldmodels  # noqa: F401 (decides how TensorFlow calculates, so it comes first here as it does in the program)

# Where tests are started in the background, a shell lets them ignore Ctrl-C, which some of them send.
with suppress(ValueError):  # not the main thread
    signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture(scope="session")
def line():
    """See `line.py`."""
    from line import Line

    return Line()


@pytest.fixture
def starts():
    """32 states, all at place 0."""
    import tensorflow as tf
    from line import Place

    return Place(tf.zeros((32, 1)))
