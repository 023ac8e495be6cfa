"""The frame of a chart in SVG: where values lie, lines at round numbers, and what is written beside them.

SVG and not pictures by Matplotlib: a chart then has the page's fonts and the colours of its light or dark theme, stays
sharp in print, and takes a few kilobytes and no time.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np

from worldmodels.analysis.plots.curves import Numbers
from worldmodels.analysis.report.markup import Child, Markup, element
from worldmodels.analysis.report.numbers import compact

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
