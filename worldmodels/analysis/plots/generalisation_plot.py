"""The picture of generalisation: measures on training and on test levels over the number of training levels."""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from worldmodels.analysis.plots.curves import ESTIMATORS
from worldmodels.analysis.plots.legend import color_of, plain, style_of
from worldmodels.analysis.plots.lines import CurvePanel, Line
from worldmodels.analysis.plots.panel_range import band_reach, shown_range
from worldmodels.analysis.plots.style import INK, QUIET, panels, save_figure
from worldmodels.analysis.runs.grouping import ALL_RUNS, Grouping
from worldmodels.analysis.statistics.curve_table import save_table
from worldmodels.analysis.statistics.generalisation import generalisation_panels

SPREAD = 0.24
"""The width, in places of the x-axis, over which the intervals at one number of levels stand beside each other."""


def plot_generalisation(
    paths: Sequence[Path | str],
    values: Sequence[str] = (),
    estimator: str = "mean",
    grouping: Grouping = ALL_RUNS,
    save: Path | str = "curves.png",
    export: Path | str | None = None,
) -> Path:
    """Draw measures on training and on test levels over the number of training levels, and return the picture's path.

    Args:
        paths, values, estimator, grouping: those of `generalisation_panels`, which says what is raised, too.
        export: a CSV file for what is drawn; of levels without limit, x is `inf`.
    """
    drawn = generalisation_panels(paths, values, estimator, grouping)
    saved = draw_generalisation(drawn, save, ESTIMATORS[estimator].words)
    if export is not None:
        save_table(drawn, export)
    return saved


def draw_generalisation(drawn: Sequence[CurvePanel], save: Path | str, words: str = "") -> Path:
    """Draw panels of lines over numbers of levels, which are places of equal distance; return the picture's path.

    Args:
        words: what the lines and their intervals are, for the title.
    """
    levels = sorted({float(x) for panel in drawn for line in panel.lines for x in line.curve.x})
    columns = min(3, len(drawn))
    rows = -(-len(drawn) // columns)
    title = f"Training and test levels: {words}" if words else "Training and test levels"
    with panels(rows, columns, 4.2, 3.3, title) as (figure, places):
        for axes, panel in zip(places, drawn, strict=False):
            _draw_panel(axes, panel, levels)
        for axes in places[len(drawn) :]:
            axes.set_visible(False)
        _add_legend(figure, drawn)
        return save_figure(figure, save)


def _draw_panel(axes: Axes, panel: CurvePanel, levels: Sequence[float]) -> None:
    if any((line.curve.estimate < 0).any() for line in panel.lines):
        axes.axhline(0, color=QUIET, linewidth=1, zorder=1)
    shifts = np.linspace(-SPREAD / 2, SPREAD / 2, len(panel.lines)) if len(panel.lines) > 1 else [0.0]
    at = [np.array([levels.index(float(x)) for x in line.curve.x]) for line in panel.lines]
    for line, places, shift in zip(panel.lines, at, shifts, strict=True):
        _draw_line(axes, line, places + shift)
    needed = axes.get_ylim()
    for line, places, shift in zip(panel.lines, at, shifts, strict=True):
        axes.vlines(places + shift, line.curve.low, line.curve.high, color=color_of(line), linewidth=1, alpha=0.6)
    low, high = (np.concatenate(ends) for ends in zip(*(band_reach(line.curve) for line in panel.lines), strict=True))
    axes.set_ylim(shown_range(needed, low, high, axes.get_ylim()))
    axes.set_title(panel.title)
    axes.set_xlabel("training levels")
    axes.set_xticks(range(len(levels)), labels=["all" if math.isinf(count) else f"{count:,.0f}" for count in levels])
    axes.set_xlim(-0.4, len(levels) - 0.6)


def _draw_line(axes: Axes, line: Line, x: np.ndarray) -> None:
    look: dict[str, Any] = {"color": color_of(line), "linestyle": style_of(line)}
    filled = "white" if line.beside else color_of(line)
    axes.plot(x, line.curve.estimate, marker="o", markersize=4.5, markerfacecolor=filled, **look)


def _add_legend(figure: Figure, drawn: Sequence[CurvePanel]) -> None:
    """Name the methods by their colours, and the levels by the kind of line."""
    lines = sorted((line for panel in drawn for line in panel.lines), key=lambda line: line.group)
    handles = {plain(line.name): Line2D([], [], color=color_of(line)) for line in lines}
    handles["training levels"] = Line2D([], [], color=INK, marker="o", markersize=4.5)
    handles["test levels"] = Line2D(
        [], [], color=INK, linestyle="--", marker="o", markersize=4.5, markerfacecolor="white"
    )
    width, height = figure.get_size_inches()
    figure.legend(list(handles.values()), list(handles), loc="outside lower left", ncols=len(handles))
    figure.set_size_inches(width, height + 0.3)
