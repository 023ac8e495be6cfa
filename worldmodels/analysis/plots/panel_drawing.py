"""Draws panels of lines: lines with their bands, dashed levels, titles, and one legend for all."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import EngFormatter
from matplotlib.transforms import ScaledTranslation

from worldmodels.analysis.plots.legend import (
    LEVELS,
    QUIET,
    add_legend,
    color_of,
    label_steps,
    panels,
    room_for,
    save_figure,
    style_of,
    wrapped,
)
from worldmodels.analysis.plots.panels import DEFAULT, CurveOptions, CurvePanel, Line, band_reach, shown_range
from worldmodels.analysis.runs.records import TIME
from worldmodels.analysis.statistics.group_curve import ESTIMATORS

COLUMNS = ((1, 1), (2, 2), (3, 3), (4, 2), (6, 3), (8, 4), (9, 3), (16, 4))
"""The most small panels that stand in so many columns; of more, there are six."""
WIDTH, WIDER = 1.9, 2.2
"""The width of a line, and by how much it is wider for each line that hides it, in points."""
THOUSANDS = 10_000
"""Values from here on are written with k and M."""


class PanelLayout(NamedTuple):
    """Many small panels with one title, in place of a few large ones that each have their own notes."""

    title: str
    notes: str
    unit: str = "seed"
    """The noun for the runs that the legend counts."""
    columns: int | None = None
    """Panels beside each other; by default as many as look well."""


def draw_panels(
    drawn: Sequence[CurvePanel], save: Path | str, options: CurveOptions = DEFAULT, layout: PanelLayout | None = None
) -> Path:
    """Draw panels with one legend, two in a row where there is no layout, and return the picture's path."""
    columns, width, height = _size(len(drawn), layout)
    rows = -(-len(drawn) // columns)
    titles = [wrapped(panel.title, width) for panel in drawn]
    height += room_for(titles)
    with panels(rows, columns, width, height, f"{layout.title}\n" if layout else "") as (figure, places):
        for index, (axes, panel) in enumerate(zip(places, drawn, strict=False)):
            _draw_lines(axes, panel)
            _describe(axes, titles[index], "" if layout else notes(panel, options.estimator))
            _label_x(axes, options.x)
            if layout and index + columns < len(drawn):  # the panels at the bottom say it
                axes.set_xlabel("")
        for axes in places[len(drawn) :]:
            axes.set_visible(False)
        add_legend(figure, places[0], drawn, layout.unit if layout else "seed")
        if layout:
            _add_notes(figure, layout)
        return save_figure(figure, save)


def notes(panel: CurvePanel, estimator: str) -> str:
    """Return words for what is drawn of a panel's value."""
    words = []
    if any(line.runs > 1 for line in panel.lines):
        words.append(ESTIMATORS[estimator].words)
    if panel.window > 1:
        words.append(f"each point averages {panel.window} records")
    return "; ".join(words)


def default_columns(count: int) -> int:
    """Return how many of `count` small panels stand beside each other."""
    return next((columns for most, columns in COLUMNS if count <= most), 6)


def _size(count: int, layout: PanelLayout | None) -> tuple[int, float, float]:
    """Return the columns, and the width and the height of a panel in inches."""
    if layout is None:
        return (1, 7.5, 4.2) if count == 1 else (2, 6.0, 3.9)
    columns = min(count, layout.columns or default_columns(count))
    return columns, *((7.5, 4.4) if columns == 1 else (3.7, 2.9) if columns <= 4 else (3.0, 2.3))


def _draw_lines(axes: Axes, panel: CurvePanel) -> None:
    """Draw lines, what they smooth, dashed levels, and the bands as far as these leave the lines room."""
    lines = panel.lines
    for index, level in enumerate(panel.levels):
        axes.axhline(level.y, color=QUIET, linestyle=LEVELS[index % len(LEVELS)], linewidth=1.4, zorder=1)
    paleness = min(0.25, 1.2 / len(lines))
    for index, line in enumerate(lines):
        _draw(axes, line, WIDTH + WIDER * sum(_is_same(line, later) for later in lines[index + 1 :]))
        if line.raw is not None:
            axes.plot(*line.raw, color=color_of(line), alpha=paleness, linewidth=0.9, zorder=1)
    needed = axes.get_ylim()
    shade = min(0.15, 0.6 / len(lines))
    banded = [line for line in lines if not line.beside]
    for line in banded:
        low, high = line.curve.low, line.curve.high
        axes.fill_between(line.curve.x, low, high, color=color_of(line), alpha=shade, linewidth=0)
    low, high = (np.concatenate(ends) for ends in zip(*(band_reach(line.curve) for line in banded), strict=True))
    axes.set_ylim(shown_range(needed, low, high, axes.get_ylim()))


def _is_same(line: Line, other: Line) -> bool:
    """Return whether one line would hide another."""
    return all(np.array_equal(*pair) for pair in zip(line.curve[:2], other.curve[:2], strict=True))


def _draw(axes: Axes, line: Line, width: float) -> None:
    """Draw a line: thin where some of its runs have ended or not begun."""
    x, estimate, _, _, runs = line.curve
    look: dict[str, Any] = {"color": color_of(line), "linestyle": style_of(line), "linewidth": width}
    missing = runs < line.runs
    axes.plot(x, np.where(missing, np.nan, estimate), marker="o" if len(x) < 2 else None, **look)
    if missing.any():
        thin = missing.copy()  # and to the points where it meets the other part
        thin[1:] |= missing[:-1]
        thin[:-1] |= missing[1:]
        axes.plot(x, np.where(thin, estimate, np.nan), **(look | {"linewidth": 0.9}))


def _label_x(axes: Axes, x: str) -> None:
    if x == TIME:
        axes.set_xlabel("hours of training")
    else:
        label_steps(axes, "environment steps" if x == "step" else x)


def _describe(axes: Axes, title: str, words: str) -> None:
    """Write a title over a panel, and below it what is drawn."""
    axes.set_title(title, pad=22 if words else 8)
    axes.annotate(words, (0, 1), (0, 8), "axes fraction", "offset points", fontsize=8.5, color=QUIET)
    if max(map(abs, axes.get_ylim())) >= THOUSANDS:
        axes.yaxis.set_major_formatter(EngFormatter(sep=""))


def _add_notes(figure: Figure, layout: PanelLayout) -> None:
    """Write the notes of a layout under its title."""
    place = figure.transFigure + ScaledTranslation(0, -0.33, figure.dpi_scale_trans)
    figure.text(0.01, 1, layout.notes, fontsize=9, color=QUIET, va="top", transform=place)
