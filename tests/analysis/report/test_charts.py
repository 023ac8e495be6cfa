"""Charts: places of values, round numbers, lines and bands as paths."""

from __future__ import annotations

import math

import numpy as np

from worldmodels.analysis.plots.panels import CurvePanel, Line
from worldmodels.analysis.report.charts import ChartFrame, band_of, curve_charts, path_of, ticks, widened
from worldmodels.analysis.report.html import breakable
from worldmodels.analysis.statistics.group_curve import GroupCurve

NAN = math.nan
UNIT = ChartFrame((0, 1), (0, 1))
"""It reaches from 46 to 390 across and from 212 up to 8."""


def line(group: int, estimate: list[float], low: list[float], high: list[float], runs: int) -> Line:
    x, count = np.arange(len(estimate), dtype=float), np.full(len(estimate), runs)
    curve = GroupCurve(x, np.array(estimate), np.array(low), np.array(high), count)
    return Line(group, f"variant {group}", "return", curve, runs, None)


def test_values_have_places() -> None:
    assert list(UNIT.at_x(np.array([0, 0.5, 1]))) == [46, 218, 390]
    assert list(UNIT.at_y(np.array([0, 0.5, 1]))) == [212, 110, 8]


def test_axes_have_round_numbers() -> None:
    assert ticks(0, 1) == [0, 0.2, 0.4, 0.6000000000000001, 0.8, 1]
    assert ticks(-3, 11) == [0, 5, 10]
    assert ticks(0, 1_000_000) == [0, 200_000, 400_000, 600_000, 800_000, 1_000_000]


def test_an_empty_range_is_widened() -> None:
    assert widened(2, 2) == (1, 3) and widened(0, 0) == (-0.5, 0.5)
    assert widened(0, 10, 0.1) == (-1, 11)


def test_a_line_is_interrupted_where_nothing_is_known() -> None:
    assert path_of([1, 2, 3, 4], [5, NAN, 6, 7]) == "M1.0 5.0M3.0 6.0L4.0 7.0"


def test_a_band_goes_there_above_and_back_below() -> None:
    x, low, high = np.array([0, 0.5, 1]), np.array([0, NAN, 0.5]), np.array([0.5, NAN, 7])
    assert band_of(UNIT, x, low, high) == "M46.0 110.0L390.0 8.0L390.0 110.0L46.0 212.0Z"
    assert band_of(UNIT, x[:2], low[:2], high[:2]) == ""


def heights(panel: CurvePanel) -> list[str]:
    """Return the numbers at the left of a chart, from below."""
    (_, charts) = curve_charts([panel], ["variant 0"], "steps")
    return [part.split("<")[0] for part in charts.split('text-anchor="end">')[1:]]


def test_the_interval_of_two_runs_does_not_set_the_scale() -> None:
    """It reaches from -100 to 110; three runs of that spread would have one from -28 to 38, which is shown."""
    panel = CurvePanel("", [line(0, [0, 10], [-100, -90], [100, 110], 2)], 1)
    assert heights(panel) == ["\N{MINUS SIGN}20", "0", "20", "40"]
    panel = CurvePanel("", [line(0, [0, 10], [-100, -90], [100, 110], 3)], 1)
    assert heights(panel) == ["\N{MINUS SIGN}100", "\N{MINUS SIGN}50", "0", "50", "100"]


def test_of_many_groups_every_eight_share_a_chart() -> None:
    lines = [line(group, [0, 1], [NAN] * 2, [NAN] * 2, 1) for group in range(9)]
    found = list(curve_charts([CurvePanel("", lines, 1)], [own.name for own in lines], "steps"))
    assert [text.count("swatch") for text in found] == [8, 0, 1, 0]
    assert [text.count('class="line') for text in found] == [0, 8, 0, 1]
    assert "M46.0 203.4L390.0 16.6" not in found[1] and found[1].count(found[3].split('d="')[1].split('"')[0]) == 8


def test_a_point_alone_is_a_dot() -> None:
    _, charts = curve_charts([CurvePanel("", [line(0, [3], [NAN], [NAN], 1)], 1)], ["variant 0"], "steps")
    assert charts.count("<circle") == 1 and 'class="line' not in charts


def test_names_are_broken_between_words_and_not_inside_numbers() -> None:
    assert breakable("agent.lr_rate=0.01, <b>") == "agent.<wbr>lr_<wbr>rate=<wbr>0.01, &lt;b&gt;"
