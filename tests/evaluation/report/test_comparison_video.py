from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest

from worldmodels.evaluation.predictions.open_loop import OpenLoopPredictor
from worldmodels.evaluation.report.comparison_video import (
    colours_note,
    comparison_frames,
    enlarged,
    prediction_video,
    video_rows,
)

KEY = np.array([1, 2], np.int32)


def test_frames_stand_side_by_side() -> None:
    truth = np.full((2, 3, 4, 4, 3), 200, np.uint8)
    model = truth.copy()
    model[:, 2] = 100
    frames = comparison_frames(truth.repeat(4, 2).repeat(4, 3), model.repeat(4, 2).repeat(4, 3), context=2)
    # Three panes of 32 pixels with 2 of border and 2 around on both sides, and 7 around; two of them, header and line.
    assert frames.shape == (3, 2 * (32 + 8 + 14) + 22 + 20, 3 * (32 + 8) + 14, 3)
    middle = frames[:, 22 + 27, [27, 67, 107]]
    assert middle[:2].tolist() == [[[200] * 3, [200] * 3, [0] * 3]] * 2
    assert middle[2, :2].tolist() == [[200] * 3, [100] * 3]
    assert middle[2, 2].tolist() == [255, 45, 0]


@pytest.mark.parametrize("channels, note", [(1, ""), (2, "mean of 2 channels"), (3, ""), (12, "channels 1 to 3 of 12")])
def test_images_of_any_channels_are_shown_and_a_note_says_which(channels: int, note: str) -> None:
    image = np.arange(10, 10 * channels + 1, 10, dtype=np.uint8).reshape(1, 1, channels)
    shown = {1: [10, 10, 10], 2: [15, 15, 15], 3: [10, 20, 30], 12: [10, 20, 30]}[channels]
    assert enlarged(image, 2).tolist() == [[shown] * 2] * 2 and colours_note(channels) == note
    several = np.zeros((2, 3, 40, 40, channels), np.uint8)
    assert comparison_frames(several, several, context=2).shape[-1] == 3


def test_windows_without_an_end_are_shown_first(parts: SimpleNamespace) -> None:
    rows = parts.windows([[3, 4, 0, 1], [5, 6, 7, 8], [0, 1, 2, 3]], [[1] * 4] * 3)
    assert video_rows(rows, context=2, most=2).tolist() == [1, 2]
    assert video_rows(rows, context=2, most=9).tolist() == [1, 2, 0]
    predicted = OpenLoopPredictor(parts.CountingModel(), context=2).predict(rows, KEY)
    frames = prediction_video(predicted.frame, rows.observation, context=2)
    # Three pairs of panes below each other, each 2 * 2 pixels large with borders of 4 and a gap of 7 on both sides.
    assert frames.shape == (4, 3 * (4 + 8 + 14) + 22 + 20, 3 * (4 + 8) + 14, 3)
