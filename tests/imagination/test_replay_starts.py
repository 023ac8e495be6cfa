from __future__ import annotations

import numpy as np
import pytest
from image_spaces import image_replay

from worldmodels.core.errors import UserError
from worldmodels.core.types import Step
from worldmodels.imagination.replay_starts import ReplayStarts
from worldmodels.replay import ReplayConfig


def store(folder, length, steps=20):
    """One stream whose pixels count the steps, with episodes of `length` steps."""
    replay = image_replay(folder, 1, (2, 2, 1), ReplayConfig(1000, 1))
    for t in range(steps):
        frame = np.full((1, 2, 2, 1), t, np.uint8)
        last, none = np.array([t % length == length - 1]), np.zeros(1, bool)
        replay.append(Step(frame, np.zeros(1, np.float32), np.array([t % length == 0]), last, none, np.array([t % 5])))
    return replay


def test_a_start_is_a_window_that_does_not_close_an_episode(tmp_path):
    batch = ReplayStarts(store(tmp_path, length=4), context=3)(200, np.random.default_rng(0))
    steps = batch.observation[:, :, 0, 0, 0].astype(int)
    assert set(steps[:, -1]) == {2, 4, 5, 6, 8, 9, 10, 12, 13, 14, 16, 17, 18}
    assert (np.diff(steps) == 1).all()
    np.testing.assert_array_equal(batch.action, steps % 5)  # all fields of a window belong together
    np.testing.assert_array_equal(batch.is_first, steps % 4 == 0)


def test_a_recording_in_which_nothing_goes_on_is_named(tmp_path):
    with pytest.raises(UserError, match="almost no such step"):
        ReplayStarts(store(tmp_path, length=1), context=3)(4, np.random.default_rng(0))


def test_a_recording_that_is_too_short_is_named(tmp_path):
    with pytest.raises(UserError, match="Cannot sample sequences of 30 steps"):
        ReplayStarts(store(tmp_path, length=4), context=30)(4, np.random.default_rng(0))
