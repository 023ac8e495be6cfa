"""A signal is a wish first, and an order the second time."""

import os
import signal

import pytest

from worldmodels.training.interrupt import Interruption


@pytest.fixture(autouse=True)
def usual_handlers():
    """As in a foreground process: one that a shell started in the background ignores Ctrl-C."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


def test_the_first_signal_is_remembered_and_the_second_acts():
    with Interruption() as interruption:
        assert not interruption.requested
        os.kill(os.getpid(), signal.SIGINT)
        assert interruption.requested
        with pytest.raises(KeyboardInterrupt):
            os.kill(os.getpid(), signal.SIGINT)


def test_handlers_are_put_back():
    before = signal.getsignal(signal.SIGTERM)
    with Interruption():
        assert signal.getsignal(signal.SIGTERM) != before
    assert signal.getsignal(signal.SIGTERM) == before
