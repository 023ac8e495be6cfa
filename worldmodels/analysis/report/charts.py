"""Draws charts in SVG: learning curves with their intervals, and bars beside the numbers of a table.

Charts are SVG and not pictures by Matplotlib. A chart then has the page's fonts and the colours of its light or dark
theme, stays sharp in print, and takes a few kilobytes and no time.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np

from worldmodels.analysis.plots.panels import CurvePanel, Level, Line, band_reach, shown_range
from worldmodels.analysis.report.html import (
    Child,
    Markup,
    breakable,
    compact,
    counted,
    element,
    interval_text,
    joined,
    rounded,
)
from worldmodels.analysis.statistics.group_curve import GroupCurve, Numbers, interpolate

WIDTH, HEIGHT = 400, 250
LEFT, RIGHT, TOP, BOTTOM = 46, 10, 8, 38
"""The margins around the plotted area, in the units of the chart: pixels on most screens."""
STEPS = (1.0, 2.0, 2.5, 5.0, 10.0)
Range = tuple[float, float]


class ChartFrame(NamedTuple):
    """The ranges of values between the ends of both axes."""

    x: Range
    y: Range

    def at_x(self, values: Numbers) -> Numbers:
        """Return the places of values from left to right."""
        low, high = self.x
        return LEFT + (values - low) / (high - low) * (WIDTH - LEFT - RIGHT)

    def at_y(self, values: Numbers) -> Numbers:
        """Return the places of values from top to bottom."""
        low, high = self.y
        return HEIGHT - BOTTOM - (values - low) / (high - low) * (HEIGHT - TOP - BOTTOM)


def widened(low: float, high: float, share: float = 0.0) -> Range:
    """Return a range that is wider by a share at both ends, and is not empty."""
    spare = share * (high - low) or (0.0 if high > low else 0.5 * max(abs(high), 1.0))
    return low - spare, high + spare


def ticks(low: float, high: float, most: int = 5) -> list[float]:
    """Return up to about `most` round numbers from `low` to `high`, `low` being less than `high`."""
    power = 10.0 ** math.floor(math.log10((high - low) / most))
    step = next(power * factor for factor in STEPS if power * factor >= 0.999 * (high - low) / most)
    first, last = math.ceil(low / step - 1e-9), math.floor(high / step + 1e-9)
    return [number * step for number in range(first, last + 1)]


def chart(frame: ChartFrame, label: str, x_label: str, drawn: Child) -> Markup:
    """Return a chart with its grid.

    Args:
        label: what the chart shows, for who cannot see it.
        drawn: what lies inside the frame.
    """
    grid = element("g", _grid(frame), class_="grid")
    below = element("text", x_label, x=(LEFT + WIDTH - RIGHT) / 2, y=HEIGHT - 4, text_anchor="middle", class_="axis")
    name = element("title", label)
    return element("svg", name, grid, below, drawn, viewBox=f"0 0 {WIDTH} {HEIGHT}", role="img", class_="chart")


def path_of(xs: Sequence[float], ys: Sequence[float]) -> str:
    """Return the `d` of a path through points; it is interrupted where one is NaN."""
    parts, broken = [], True
    for x, y in zip(xs, ys, strict=True):
        if math.isnan(x) or math.isnan(y):
            broken = True
            continue
        parts.append(f"{'M' if broken else 'L'}{x:.1f} {y:.1f}")
        broken = False
    return "".join(parts)


def band_of(frame: ChartFrame, x: Numbers, low: Numbers, high: Numbers) -> str:
    """Return the `d` of the area between two lines, as far as both are known; nothing where they are not."""
    known = ~np.isnan(low) & ~np.isnan(high)
    if known.sum() < 2:
        return ""
    bottom, top = (np.clip(ends[known], *frame.y) for ends in (low, high))
    places = np.concatenate([frame.at_x(x[known]), frame.at_x(x[known])[::-1]])
    return path_of(list(places), list(np.concatenate([frame.at_y(top), frame.at_y(bottom)[::-1]]))) + "Z"


def _grid(frame: ChartFrame) -> Iterator[Markup]:
    for value in ticks(*frame.y):
        y = round(float(frame.at_y(np.array(value))), 1)
        yield element("line", x1=LEFT, x2=WIDTH - RIGHT, y1=y, y2=y)
        yield element("text", compact(value), x=LEFT - 6, y=y + 4, text_anchor="end")
    marks = ticks(*frame.x)
    for value in marks:
        x = round(float(frame.at_x(np.array(value))), 1)
        yield element("text", compact(value), x=x, y=HEIGHT - BOTTOM + 15, text_anchor="middle")


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
    frame = _frame(whole)
    levels = [_level(frame, level) for level in panel.levels]
    drawn = [*levels, *(_band(frame, line) for line in panel.lines), *(_lines(frame, line) for line in panel.lines)]
    names = [*(line.name for line in panel.lines), *(level.name for level in panel.levels)]
    label = f"{panel.title}, {', '.join(names)}"
    return element("figure", element("figcaption", panel.title), chart(frame, label, x_label, drawn))


def _frame(panel: CurvePanel) -> ChartFrame:
    x = np.concatenate([line.curve.x for line in panel.lines])
    low, high = _values_shown([line.curve for line in panel.lines])
    reached = [low, high, *(level.y for level in panel.levels)]
    spare = 0.04 * (high - low) if panel.levels else 0.0
    shown = (min(low, min(reached) - spare), max(high, max(reached) + spare))
    return ChartFrame(widened(float(x.min()), float(x.max())), shown)


def _level(frame: ChartFrame, level: Level) -> Markup:
    """Return a dashed line across the chart with its name above it."""
    y = round(float(frame.at_y(np.array(level.y))), 1)
    line = element("line", x1=LEFT, x2=WIDTH - RIGHT, y1=y, y2=y)
    return element("g", line, element("text", level.name, x=LEFT + 4, y=y - 4), class_="level")


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


BAR_WIDTH, BAR_HEIGHT = 120, 10


class Measured(NamedTuple):
    """A number with the ends of its interval, NaN where there is none."""

    value: float
    low: float
    high: float


def shared_range(numbers: Sequence[Measured | None]) -> Range:
    """Return the range in which all numbers of a column, and their intervals, lie; None is one that is not known."""
    ends = [end for number in numbers if number for end in (number.value, number.low, number.high)]
    known = [end for end in ends if math.isfinite(end)]
    return widened(min(known), max(known), 0.02) if known else (0.0, 1.0)


def interval_cell(number: Measured | None, among: Range, group: int, note: str = "") -> Markup:
    """Return the cell of a number: in a chosen range, in the colour of its group; a dash where it is not known."""
    if number is None or not math.isfinite(number.value):
        return element("td", "–", class_="number")
    ends = interval_text(number.low, number.high)
    words = element("small", ", ".join(filter(None, [ends, note])))
    return element("td", element("b", rounded(number.value)), " ", words, _bar(number, among, group), class_="number")


def _bar(number: Measured, among: Range, group: int) -> Markup:
    def place(value: float) -> float:
        return round(3 + (value - among[0]) / (among[1] - among[0]) * (BAR_WIDTH - 6), 1)

    color, middle = f"g{group % COLORS}", BAR_HEIGHT / 2
    drawn = [element("line", x1=0, x2=BAR_WIDTH, y1=middle, y2=middle, class_="rail")]
    if not math.isnan(number.low):
        drawn.append(
            element(
                "line", x1=place(number.low), x2=place(number.high), y1=middle, y2=middle, class_=f"interval {color}"
            )
        )
    drawn.append(element("circle", cx=place(number.value), cy=middle, r=3, class_=f"dot {color}"))
    return element("svg", drawn, viewBox=f"0 0 {BAR_WIDTH} {BAR_HEIGHT}", class_="bar", aria_hidden="true")
