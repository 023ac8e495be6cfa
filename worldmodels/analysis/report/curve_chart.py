"""Panels of lines as charts: learning curves with their intervals, and their legend."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from worldmodels.analysis.plots.curves import GroupCurve, Numbers, interpolate
from worldmodels.analysis.plots.lines import CurvePanel, Line
from worldmodels.analysis.plots.panel_range import band_reach, shown_range
from worldmodels.analysis.report.chart_frame import ChartFrame, Range, band_of, chart, path_of, widened
from worldmodels.analysis.report.markup import Markup, breakable, element, joined
from worldmodels.analysis.report.numbers import counted

COLORS = 8
"""Lines in a chart at most, each in a colour of its own."""
POINTS = 150
"""Points of a line at most: more than a chart of this size shows."""


def curve_charts(panels: Sequence[CurvePanel], names: Sequence[str], x_label: str) -> Iterator[Markup]:
    """Yield a legend with the charts of all panels, once for every eight of the groups that `names` has."""
    for first in range(0, len(names), COLORS):
        shown = range(first, min(first + COLORS, len(names)))
        chosen = [panel._replace(lines=[line for line in panel.lines if line.group in shown]) for panel in panels]
        drawn = [_figure(panel, whole, x_label) for panel, whole in zip(chosen, panels, strict=True) if panel.lines]
        if drawn:
            yield legend([(group, names[group]) for group in shown])
            yield element("div", drawn, class_="charts")


def legend(entries: Sequence[tuple[int, str]]) -> Markup:
    """Return the colours of groups with their names."""
    items = (element("li", variant(group, name)) for group, name in entries)
    return element("ul", items, class_="legend")


def swatch(group: int) -> Markup:
    """Return the colour of a group as a sign before its name."""
    return element("span", class_=f"swatch g{group % COLORS}")


def variant(group: int, name: str) -> Markup:
    """Return the name of a group behind its colour."""
    return joined(swatch(group), " ", breakable(name))


def _figure(panel: CurvePanel, whole: CurvePanel, x_label: str) -> Markup:
    """Return the chart of some lines, in the ranges of all lines of the panel."""
    frame = _frame(whole.lines)
    drawn = [*map(lambda line: _band(frame, line), panel.lines), *map(lambda line: _lines(frame, line), panel.lines)]
    label = f"{panel.title}, {', '.join(line.name for line in panel.lines)}"
    return element("figure", element("figcaption", panel.title), chart(frame, label, x_label, drawn))


def _frame(lines: Sequence[Line]) -> ChartFrame:
    x = np.concatenate([line.curve.x for line in lines])
    return ChartFrame(widened(float(x.min()), float(x.max())), _values_shown([line.curve for line in lines]))


def _values_shown(curves: Sequence[GroupCurve]) -> Range:
    estimates = np.concatenate([curve.estimate for curve in curves])
    low, high = (np.concatenate(ends) for ends in zip(*map(band_reach, curves), strict=True))
    needed = (float(np.nanmin(estimates)), float(np.nanmax(estimates)))
    whole = (float(np.nanmin([needed[0], *low])), float(np.nanmax([needed[1], *high])))
    return widened(*shown_range(needed, low, high, whole), 0.04)


def _band(frame: ChartFrame, line: Line) -> Markup | None:
    x, _, low, high = _thinned(line.curve)
    outline = band_of(frame, x, low, high)
    return element("path", d=outline, class_=f"band g{line.group % COLORS}") if outline else None


def _lines(frame: ChartFrame, line: Line) -> Markup:
    x, estimate, _, _ = _thinned(line.curve)
    name = element("title", f"{line.name} ({counted(line.runs, 'run')})")
    color = f"g{line.group % COLORS}"
    if len(x) == 1:
        return element("circle", name, cx=frame.at_x(x)[0], cy=frame.at_y(estimate)[0], r=3, class_=f"dot {color}")
    return element("path", name, d=path_of(list(frame.at_x(x)), list(frame.at_y(estimate))), class_=f"line {color}")


def _thinned(curve: GroupCurve) -> tuple[Numbers, Numbers, Numbers, Numbers]:
    """Return position, estimate and both ends of the interval at no more than `POINTS` positions."""
    x = curve.x if len(curve.x) <= POINTS else np.linspace(curve.x[0], curve.x[-1], POINTS)
    estimate, low, high = (interpolate(x, curve.x, part) for part in curve[1:4])
    return x, estimate, low, high
