from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from image_spaces import image_replay

from worldmodels.core.errors import UserError
from worldmodels.core.types import Batch, Step
from worldmodels.replay import ReplayConfig, previous_actions
from worldmodels.replay.sampling import draw_windows


def test_every_window_is_drawn_as_often_as_any_other() -> None:
    # 3 streams with steps 10 to 15 hold 3 x 4 windows of 3 steps.
    streams, starts = draw_windows(3, range(10, 16), 24_000, 3, np.random.default_rng(0))
    assert set(zip(streams.tolist(), starts.tolist(), strict=True)) == {(s, t) for s in range(3) for t in range(10, 14)}
    counts = np.bincount(streams * 4 + starts - 10)
    # 24,000 draws over 12 windows: 2,000 each, with a standard deviation of 43.
    assert abs(counts - 2000).max() < 4 * 43


def test_the_same_generator_draws_the_same_windows() -> None:
    draws = [draw_windows(4, range(100), 16, 10, np.random.default_rng(3)) for _ in range(2)]
    np.testing.assert_array_equal(*draws)


def test_windows_run_across_episodes_of_a_single_step(tmp_path: Path) -> None:
    replay = image_replay(tmp_path, 1, (1, 1, 1), ReplayConfig(100, 1))
    true = np.ones(1, bool)
    for t in range(6):
        frame = np.full((1, 1, 1, 1), t, np.uint8)
        replay.append(Step(frame, np.ones(1, np.float32), true, true, true, np.full(1, t, np.int32)))
    batch = replay.sample(5, 6, np.random.default_rng(0))
    assert batch.observation[:, :, 0, 0, 0].tolist() == [[0, 1, 2, 3, 4, 5]] * 5
    assert batch.is_first.all() and batch.is_last.all() and batch.is_terminal.all()


def test_too_long_a_window_is_refused(tmp_path: Path) -> None:
    replay = image_replay(tmp_path, 1, (1, 1, 1), ReplayConfig(100, 1))
    with pytest.raises(UserError, match="Cannot sample sequences of 2 steps: each of the 1 streams holds 0 steps"):
        replay.sample(1, 2, np.random.default_rng(0))
    with pytest.raises(UserError, match="Steps 0 to 0 of stream 0 are not in the replay store"):
        replay.window(0, 0, 1)


def test_previous_actions_are_shifted_within_the_window() -> None:
    none = np.zeros((2, 3), bool)
    action = np.array([[4, 5, 6], [7, 8, 9]], np.int32)
    batch = Batch(np.zeros((2, 3, 1, 1, 1), np.uint8), np.zeros((2, 3), np.float32), none, none, none, action)
    shifted = previous_actions(batch)
    assert shifted.tolist() == [[0, 4, 5], [0, 7, 8]]
    assert shifted.dtype == np.int32
