"""The benchmark of sharpness compares frames with hand-made ones, and its report has a row for each way to draw."""

from __future__ import annotations

import numpy as np
import pytest
import sharp

from worldmodels.core.types import Batch
from worldmodels.evaluation.measures import sharpness


def windows(last: int) -> Batch:
    """Two windows: 20 frames of 0, then frames of 8 with columns of 0; the second window's episode ends at `last`."""
    observation = np.zeros((2, 25, 4, 4, 3), np.uint8)
    observation[:, 20:, :, ::2] = 8
    ends = np.zeros((2, 25), bool)
    ends[1, last] = True
    return Batch(observation, np.zeros((2, 25), np.float32), ends, ends, ends, np.zeros((2, 25), np.int32))


def test_frames_of_half_the_contrast_have_half_of_copying_s_deviation(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sharpness, "told_apart", lambda real, drawn, seed: 0.75)
    played = windows(last=22)
    found = sharp.frame_figures(played, played.observation[:, 20:] // 2)
    # Columns of 8 and 0 drawn as 4 and 0: squared differences 16 and 0, those of copying 64 and 0.
    assert found["error"] == {1: 0.25, 5: 0.25}
    # The deviation is 2, really 4; neighbours differ by 4, really by 8, and squares count.
    assert found["contrast"] == {1: 0.5, 5: 0.5}
    assert found["small_structures"] == {1: 0.25, 5: 0.25}
    assert found["told_apart"] == found["told_apart_coarse"] == {1: 0.75, 5: 0.75}
    assert found["windows"] == {1: 2, 5: 1}  # the second episode is over after 3 steps


def test_the_report_has_both_ways_to_draw() -> None:
    figures = {name: {"1": 0.5, "5": 0.25} for name in sharp.FIGURES}
    cell = {
        "world": "fruitbot",
        "minutes": 30.0,
        "family": "flow_small",
        "seed": 0,
        "updates": 4_321,
        "processor": "2 cores",
        "readings": {"eval/reading_error_at_1": 0.25, "eval/reading_error_at_5": 1.5},
        "made_by": {"commit": "abc", "date": "2026-01-01", "processor": "one"},
        **{f"{drawn}_{name}": by for drawn in sharp.DRAWN for name, by in figures.items()},
    }
    text = sharp.report([cell])
    assert "## fruitbot, 30 minutes" in text
    assert "| flow_small, mean, seed 0 | 4,321 | 0.5 / 0.25 | 0.5 / 0.25 |" in text
    assert "| flow_small, sample, seed 0 | 4,321 |" in text
    assert "| flow_small, seed 0 | 0.25 / 1.5 / nan / nan / nan |" in text  # nothing further ahead was read
