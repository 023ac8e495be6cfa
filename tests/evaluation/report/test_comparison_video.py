from __future__ import annotations

from types import SimpleNamespace

import numpy as np

from worldmodels.evaluation.predictions.open_loop import OpenLoopPredictor
from worldmodels.evaluation.report.comparison_video import comparison_frames, prediction_video, video_rows

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


def test_windows_without_an_end_are_shown_first(parts: SimpleNamespace) -> None:
    rows = parts.windows([[3, 4, 0, 1], [5, 6, 7, 8], [0, 1, 2, 3]], [[1] * 4] * 3)
    assert video_rows(rows, context=2, most=2).tolist() == [1, 2]
    assert video_rows(rows, context=2, most=9).tolist() == [1, 2, 0]
    predicted = OpenLoopPredictor(parts.CountingModel(), context=2).predict(rows, KEY)
    frames = prediction_video(predicted.frame, rows.observation, context=2)
    # Three pairs of panes below each other, each 2 * 2 pixels large with borders of 4 and a gap of 7 on both sides.
    assert frames.shape == (4, 3 * (4 + 8 + 14) + 22 + 20, 3 * (4 + 8) + 14, 3)
