"""A signal is a wish first, and an order the second time."""

import os
import signal

import pytest

from worldmodels.config.run_config import RunConfig
from worldmodels.core.configuration.sections import load_config
from worldmodels.core.files.checkpoint import Checkpoints
from worldmodels.training import run
from worldmodels.training.interrupt import Interrupted, Interruption
from worldmodels.training.launch import launch


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


class InterruptionAt(Interruption):
    """An interruption at an iteration of the loop."""

    def __init__(self, iteration):
        self._left = iteration

    @property
    def requested(self):
        self._left -= 1
        return self._left == 0

    def __enter__(self):
        return self

    def __exit__(self, *error):
        pass


def test_an_interruption_leaves_the_checkpoints_of_an_undisturbed_run(tmp_path, monkeypatch):
    overrides = ["env.game=maze", "schedule.evaluate_every=0", "schedule.keep_checkpoints=3"]
    config = load_config(RunConfig, ["debug_ppo"], overrides)
    checkpoints = Checkpoints(tmp_path / "run" / "checkpoints")
    # At step 80, where one is due, and twice between two of them: 16 and 4 steps of two environments are an iteration.
    for iteration, there in ((4, [0, 80]), (1, [0, 80, 112]), (1, [0, 80, 120])):
        monkeypatch.setattr(run, "Interruption", lambda iteration=iteration: InterruptionAt(iteration))
        with pytest.raises(Interrupted):
            launch(config, tmp_path / "run")
        assert checkpoints.steps() == there
    monkeypatch.undo()
    launch(config, tmp_path / "run")
    assert checkpoints.steps() == [80, 160, 240]
