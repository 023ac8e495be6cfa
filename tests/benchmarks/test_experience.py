"""The experience that the benchmarks of learning are fed with."""

from __future__ import annotations

import numpy as np
from speed.experience import ENVS, SHAPE, record, windows


def test_a_recording_has_the_steps_of_all_environments_and_windows_are_parts_of_it():
    recording = record("coinrun", "test", steps=6, hold=2, num_levels=2)
    assert recording.observation.shape == (ENVS, 6, *SHAPE)
    assert recording.action.shape == recording.reward.shape == (ENVS, 6)
    assert recording.is_first[:, 0].all()

    drawn = windows(recording, 3, 4, np.random.default_rng(0))
    assert drawn.observation.shape == (3, 4, *SHAPE)
    possible = [recording.action[row, time : time + 4].tolist() for row in range(ENVS) for time in range(3)]
    assert all(row in possible for row in drawn.action.tolist())
