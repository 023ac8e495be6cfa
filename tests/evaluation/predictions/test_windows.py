from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from image_spaces import image_replay

from worldmodels.acting.collect import Collector
from worldmodels.core.errors import ConfigError
from worldmodels.evaluation.predictions.windows import check_horizon, held_out_windows, play_windows
from worldmodels.replay import ReplayConfig


def test_recorded_windows_are_what_happened(parts: SimpleNamespace) -> None:
    env = parts.CountingEnv([6, 9])
    batch = play_windows(env, parts.ConstantActor(2), windows=40, length=5, seed=3)
    assert batch.observation.shape == (40, 5, 2, 2, 3)
    step = batch.observation[:, :, 0, 0, 0].astype(int)
    forward = np.diff(step, axis=1)
    assert ((forward == 1) | batch.is_first[:, 1:]).all()
    assert (step[batch.is_first] == 0).all()
    assert set(step[batch.is_last]) == {6, 9}
    assert (step[batch.is_terminal] == 6).all()
    assert (batch.reward == np.where(batch.is_first, 0, 2)).all()
    again = play_windows(parts.CountingEnv([6, 9]), parts.ConstantActor(2), windows=40, length=5, seed=3)
    for ours, theirs in zip(batch, again, strict=True):
        np.testing.assert_array_equal(ours, theirs)


def test_a_horizon_that_no_window_reaches_is_refused(parts: SimpleNamespace) -> None:
    rows = parts.windows([[3, 4, 5, 6, 0], [7, 8, 0, 1, 2]], [[1] * 5] * 2)
    check_horizon(rows, context=3)  # what follows the new beginning in the second window is one episode
    with pytest.raises(ConfigError, match="evaluation.horizon is 3, .* The longest stays for 2 steps after the 2"):
        check_horizon(rows, context=2)


def test_held_out_windows_come_from_held_out_episodes(parts: SimpleNamespace, tmp_path: Path) -> None:
    # Episodes of 4 steps, 5 moments each, in one stream; every second one is held out.
    replay = image_replay(tmp_path, 1, (2, 2, 3), ReplayConfig(capacity_steps=1000, held_out_every=2))
    assert held_out_windows(replay, 8, 3, seed=0) is None
    steps = [step for step, _ in Collector(parts.CountingEnv([4]), seed=0).steps(parts.ConstantActor(1), 30)]
    for t, step in enumerate(steps):
        replay.append(step._replace(observation=np.full_like(step.observation, t // 5)))
    found = held_out_windows(replay, 40, 3, seed=0)
    assert found is not None
    assert set(found.observation.ravel().tolist()) == {1, 3, 5}
    again = held_out_windows(replay, 40, 3, seed=0)
    assert again is not None and (again.observation == found.observation).all()
    assert held_out_windows(replay, 8, 6, seed=0) is None
