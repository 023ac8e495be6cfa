"""What tests of several packages share."""

from __future__ import annotations

import pytest

import worldmodels  # noqa: F401 (decides how TensorFlow calculates, so it comes first here as it does in the program)


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
