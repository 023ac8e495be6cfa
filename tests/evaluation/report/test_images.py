from __future__ import annotations

import numpy as np

from worldmodels.evaluation.report.comparison_video import difference_image


def test_the_difference_is_black_where_nothing_differs_and_white_at_most() -> None:
    truth = np.array([[[0, 0, 0], [10, 20, 30], [0, 0, 0]]], np.uint8)
    model = np.array([[[0, 0, 0], [10, 20, 58], [255, 0, 0]]], np.uint8)
    # A difference of 28 is 84 of red; red is full from 85 on, then green and blue follow.
    assert difference_image(truth, model).tolist() == [[[0, 0, 0], [84, 0, 0], [255, 255, 255]]]
