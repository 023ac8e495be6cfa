"""A number of a table with its interval, and a bar that shows both among those of its column."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

from worldmodels.analysis.report.chart_frame import Range, widened
from worldmodels.analysis.report.curve_chart import COLORS
from worldmodels.analysis.report.markup import Markup, element
from worldmodels.analysis.report.numbers import interval_text, rounded

WIDTH, HEIGHT = 120, 10


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
        return round(3 + (value - among[0]) / (among[1] - among[0]) * (WIDTH - 6), 1)

    color, middle = f"g{group % COLORS}", HEIGHT / 2
    drawn = [element("line", x1=0, x2=WIDTH, y1=middle, y2=middle, class_="rail")]
    if not math.isnan(number.low):
        drawn.append(
            element(
                "line", x1=place(number.low), x2=place(number.high), y1=middle, y2=middle, class_=f"interval {color}"
            )
        )
    drawn.append(element("circle", cx=place(number.value), cy=middle, r=3, class_=f"dot {color}"))
    return element("svg", drawn, viewBox=f"0 0 {WIDTH} {HEIGHT}", class_="bar", aria_hidden="true")
