"""Draws the results of an evaluation: errors against the horizon, the grid of returns, predicted ends of episodes."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from matplotlib.axes import Axes
from matplotlib.colors import LinearSegmentedColormap
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from worldmodels.analysis.plots.legend import COLORS, INK, QUIET, Panels, label_steps, panels, save_figure
from worldmodels.analysis.statistics.bootstrap import Estimate, Values


class HorizonCurve(NamedTuple):
    """A line over the horizons 1, 2, ..., H."""

    label: str
    values: Values
    """(H,), NaN where nothing was measured."""
    standard_errors: Values | None = None
    """(H,), for a band of two standard errors; None for no band."""
    baseline: bool = False
    """Drawn quietly: something to compare with."""


class StepCurve(NamedTuple):
    """A line over the steps of checkpoints."""

    label: str
    steps: Sequence[int]
    values: Values
    baseline: bool = False
    """Drawn quietly: something to compare with."""


def plot_horizon(
    chart: Mapping[str, Sequence[HorizonCurve]], save: Path | str, title: str = "", columns: int = 4
) -> Path:
    """Draw a panel for each title of `chart`, its curves against the number of steps predicted; return the path.

    Args:
        columns: panels beside each other, at most.
    """
    with _chart_panels(len(chart), columns, title) as (figure, places):
        for axes, (name, curves) in zip(places, chart.items(), strict=False):
            _draw_horizon(axes, name, curves)
        return save_figure(figure, save)


def plot_over_steps(chart: Mapping[str, Sequence[StepCurve]], save: Path | str, title: str = "") -> Path:
    """Draw a panel for each title of `chart`, its curves against the steps of the checkpoints; return the path."""
    with _chart_panels(len(chart), 2, title) as (figure, places):
        for axes, (name, curves) in zip(places, chart.items(), strict=False):
            colors = iter(COLORS * 4)
            for curve in curves:
                color, style = (QUIET, "--") if curve.baseline else (next(colors), "-")
                axes.plot(curve.steps, curve.values, label=curve.label, color=color, linestyle=style, marker="o", ms=4)
            axes.set_title(name)
            label_steps(axes)
            _legend_below(axes)
        return save_figure(figure, save)


@contextmanager
def _chart_panels(count: int, columns: int, title: str) -> Iterator[tuple[Figure, Panels]]:
    rows = -(-count // columns)
    with panels(rows, min(count, columns), 4.6, 3.9, title=title) as (figure, places):
        for axes in places[count:]:
            axes.set_visible(False)
        yield figure, places


def _draw_horizon(axes: Axes, title: str, curves: Sequence[HorizonCurve]) -> None:
    colors = iter(COLORS * 4)
    for curve in curves:
        values = np.asarray(curve.values, np.float64)
        horizon = np.arange(1, len(values) + 1)
        color = QUIET if curve.baseline else next(colors)
        axes.plot(horizon, values, label=curve.label, color=color, linestyle="--" if curve.baseline else "-")
        if curve.standard_errors is not None:
            half = 2 * np.asarray(curve.standard_errors, np.float64)
            axes.fill_between(horizon, values - half, values + half, color=color, alpha=0.15, linewidth=0)
    axes.set_title(title)
    axes.set_xlabel("steps predicted without observations")
    axes.xaxis.set_major_locator(MaxNLocator(integer=True))
    axes.margins(x=0.02)
    if title.endswith("accuracy"):
        axes.set_ylim(min(0.9, axes.get_ylim()[0]), 1.005)
    _legend_below(axes)


def _legend_below(axes: Axes) -> None:
    axes.legend(loc="upper center", bbox_to_anchor=(0.5, -0.2), ncols=2, fontsize=8.5)


def plot_grid(
    estimates: Sequence[Sequence[Estimate]],
    rows: Sequence[str],
    columns: Sequence[str],
    save: Path | str,
    title: str = "",
    notes: Sequence[Sequence[str]] | None = None,
) -> Path:
    """Draw a heat map of means, each cell with its 95 % interval written into it; return the path.

    Args:
        estimates: rows of cells.
        notes: a further line for each cell, "3 unfinished" say; empty for none.
    """
    means = np.array([[cell.mean for cell in row] for row in estimates], np.float64)
    with panels(1, 1, 2.4 + 1.75 * len(columns), 1.5 + 0.85 * len(rows)) as (figure, (axes,)):
        low, high = _color_range(means)
        # Edges rather than centres: a single row or column has no distance to its neighbour.
        edges = (np.arange(len(columns) + 1) - 0.5, np.arange(len(rows) + 1) - 0.5)
        axes.pcolormesh(*edges, means, cmap=_SHADES, vmin=low, vmax=high, edgecolors="white", linewidth=4)
        axes.invert_yaxis()
        axes.set_xticks(range(len(columns)), labels=columns)
        axes.set_yticks(range(len(rows)), labels=rows)
        axes.grid(False)
        axes.spines[:].set_visible(False)
        axes.set_title(title)
        for (i, j), mean in np.ndenumerate(means):
            color = "white" if mean > low + 0.55 * (high - low) else INK
            note = notes[i][j] if notes else ""
            axes.text(j, i - 0.16, f"{mean:.2f}", color=color, ha="center", va="center", fontsize=14, weight="bold")
            below = "\n".join(filter(None, [_interval_text(estimates[i][j]), note]))
            axes.text(j, i + 0.06, below, color=color, ha="center", va="top", fontsize=8.5)
        return save_figure(figure, save)


_SHADES = LinearSegmentedColormap.from_list("returns", ["#eef4fb", "#9cc3e6", "#2f6db5", "#173e70"])


def _color_range(means: npt.NDArray[np.float64]) -> tuple[float, float]:
    known = means[~np.isnan(means)]
    low, high = (float(np.min(known)), float(np.max(known))) if len(known) else (0.0, 1.0)
    # Equal cells should not look as if one were the best: some room at both ends.
    spare = 0.15 * max(high - low, abs(high), 1e-6)
    return low - spare, high + spare


def _interval_text(cell: Estimate) -> str:
    return f"n = {cell.n}" if math.isnan(cell.low) else f"{cell.low:.2f} to {cell.high:.2f}, n = {cell.n}"


def plot_forecast(
    predicted_end: npt.NDArray[np.float64], first_correct: int | None, save: Path | str, title: str
) -> Path:
    """Draw the predicted end against the step of the prediction, and return the path.

    Args:
        predicted_end: (T,), in steps; NaN where none is predicted.
        first_correct: the step from which on the end was always predicted, if it was.
    """
    length = len(predicted_end)
    with panels(1, 1, 7.0, 3.9) as (figure, places):
        axes = places[0]
        axes.axhline(length, color=QUIET, linestyle="--", label=f"the end, step {length}")
        axes.plot([0, length], [0, length], color=QUIET, linewidth=1, label="the step of the prediction")
        axes.plot(np.arange(length), predicted_end, ".", color=COLORS[0], label="predicted end")
        if first_correct is not None:
            label = f"predicted {length - first_correct} steps ahead"
            axes.axvline(first_correct, color=COLORS[1], label=label)
        axes.set(title=title, xlabel="step of the prediction", ylabel="step of the end", ylim=(0, None))
        axes.legend(frameon=False)
        return save_figure(figure, save)
