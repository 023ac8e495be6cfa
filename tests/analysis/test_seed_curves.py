from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from worldmodels.analysis.load import Series
from worldmodels.analysis.seed_curves import Panel, SeedCurve, plot_seed_curves


def series(steps: list[int], values: list[float]) -> Series:
    return Series(np.array(steps), np.array(values))


def test_a_curve_is_the_mean_over_seeds_at_the_steps_that_all_have() -> None:
    curve = SeedCurve.over("ppo", [series([10, 20, 30], [1, 2, 9]), series([10, 20], [3, 6])])
    assert curve.steps == [10, 20]
    assert [point.mean for point in curve.estimates] == [2, 4]
    # Student's t with one degree of freedom is 12.706, the standard errors are 1 and 2.
    assert [point.high for point in curve.estimates] == pytest.approx([2 + 12.7062, 4 + 2 * 12.7062], rel=1e-5)


def test_one_seed_has_no_interval_and_none_has_no_curve() -> None:
    (point,) = SeedCurve.over("ppo", [series([10], [1.5])]).estimates
    assert point.mean == 1.5
    assert math.isnan(point.low)
    assert SeedCurve.over("ppo", []).steps == []


def test_a_panel_for_each_game(tmp_path: Path) -> None:
    curves = [SeedCurve.over(name, [series([0, 10], [0, 1]), series([0, 10], [0, 3])]) for name in ("ppo", "dreamer")]
    chart = [Panel("CoinRun", curves, 0.5), Panel("Maze", curves[:1], 0.1)]
    saved = plot_seed_curves(chart, "return", tmp_path / "curves.png")
    with Image.open(saved) as image:
        assert image.size == (1380, 585)
        assert len(image.convert("RGB").getcolors(1 << 24) or []) > 20
