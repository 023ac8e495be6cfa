"""Learning curves: values of runs, a line for each group of runs that differ in their seed alone."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from worldmodels.analysis.curve_panels import CurvePanel, Line, curve_panels
from worldmodels.analysis.curve_table import save_table
from worldmodels.analysis.curves import ESTIMATORS, Numbers
from worldmodels.analysis.load import TIME
from worldmodels.analysis.run_folders import find_runs
from worldmodels.analysis.run_groups import group_runs
from worldmodels.analysis.style import COLORS, QUIET, label_steps, panels, save_figure
from worldmodels.core.errors import UserError
from worldmodels.core.lookup import unknown

STYLES: tuple[Any, ...] = ("-", (0, (4, 1.2)), (0, (1, 1.2)))
"""The lines of the groups that have the same colour because there are more groups than colours."""
BAND_TAIL = 10
"""The percentage of points of bands that may be cut off at either end of a panel; else a few would flatten lines."""
BAND_ROOM = 0.5
"""The share of the height of everything else by which such points may yet widen a panel at either end."""
LONGEST = 90
"""Letters of a name in a legend; of a longer one the middle is left out."""
LETTER = 0.075
"""The width of a letter in a legend, in inches."""


class Grouping(NamedTuple):
    """A grouping says which of the runs are drawn, and as which lines."""

    select: Sequence[str] = ()
    """Texts that the path of a run must contain."""
    exclude: Sequence[str] = ()
    """Texts of which it must contain none."""
    each: bool = False
    """Every run is a line of its own."""
    names: Sequence[str] = ()
    """Names of the groups in the legend, in their order; by default what tells them apart."""


ALL_RUNS = Grouping()


def plot_runs(
    paths: Sequence[Path | str],
    values: str | Sequence[str],
    smooth: int | None = None,
    save: Path | str = "curves.png",
    x: str = "step",
    estimator: str = "mean",
    grouping: Grouping = ALL_RUNS,
    export: Path | str | None = None,
) -> Path:
    """Draw values of runs, a panel for each value and in it a line for each group of runs; return the picture's path.

    Args:
        paths: run folders, folders of runs, or how their names begin; see `find_runs`.
        values: names of recorded values, or `performance`: the evaluation's return where there is one, else that of
            the episodes of training.
        smooth: records that each point averages, itself and those before; the raw line of a single run stays behind
            it, pale. By default an eighth of the records of the longest run.
        x: real environment steps, another recorded counter such as `model/updates`, or `time`, in hours.
        estimator: over the runs of a group: mean, median, min, max or iqm.
        export: a CSV file for what is drawn.

    Raises:
        RunError: there are no such runs.
        UserError: no run has a value, or what is asked for is out of range.
    """
    if smooth is not None and smooth < 1:
        raise UserError(f"Curves are smoothed over at least 1 record; received {smooth}.")
    if estimator not in ESTIMATORS:
        raise UserError(unknown("estimator", estimator, ESTIMATORS))
    groups = group_runs(find_runs(paths, grouping.select, grouping.exclude), grouping.each, grouping.names)
    names = [values] if isinstance(values, str) else list(dict.fromkeys(values))
    drawn = curve_panels(groups, names, x, smooth, estimator)
    saved = draw_panels(drawn, save, x, estimator)
    if export is not None:
        save_table(drawn, export)
    return saved


def draw_panels(drawn: Sequence[CurvePanel], save: Path | str, x: str = "step", estimator: str = "mean") -> Path:
    """Draw panels beside each other, two in a row, with one legend, and return the picture's path."""
    columns = min(2, len(drawn))
    rows = -(-len(drawn) // columns)
    width, height = (7.5, 4.2) if len(drawn) == 1 else (6.0, 3.9)
    with panels(rows, columns, width, height) as (figure, places):
        for axes, panel in zip(places, drawn, strict=False):
            _draw_lines(axes, panel.lines)
            _describe(axes, panel, estimator)
            _label_x(axes, x)
        for axes in places[len(drawn) :]:
            axes.set_visible(False)
        _add_legend(figure, places[0], drawn)
        return save_figure(figure, save)


def _draw_lines(axes: Axes, lines: Sequence[Line]) -> None:
    """Draw lines, what they smooth, and their bands as far as these leave the lines room."""
    paleness = min(0.25, 1.2 / len(lines))
    for line in lines:
        _draw(axes, line)
        if line.raw is not None:
            axes.plot(*line.raw, color=_color(line), alpha=paleness, linewidth=0.9, zorder=1)
    needed = axes.get_ylim()
    shade = min(0.15, 0.6 / len(lines))
    banded = [line for line in lines if not line.beside]
    for line in banded:
        low, high = line.curve.low, line.curve.high
        axes.fill_between(line.curve.x, low, high, color=_color(line), alpha=shade, linewidth=0)
    low, high = (np.concatenate(ends) for ends in zip(*(line.curve[2:4] for line in banded), strict=True))
    axes.set_ylim(shown_range(needed, low, high, axes.get_ylim()))


def shown_range(
    needed: tuple[float, float], low: Numbers, high: Numbers, whole: tuple[float, float]
) -> tuple[float, float]:
    """Return the range of values that a panel shows: `whole`, cut where few points of the bands reach far.

    Args:
        needed: the range of the lines.
        low, high: the ends of all bands, (P,); NaN where there are none.
    """
    known = ~np.isnan(low)
    if not known.any():
        return whole
    bottom = min(needed[0], float(np.percentile(low[known], BAND_TAIL)))
    top = max(needed[1], float(np.percentile(high[known], 100 - BAND_TAIL)))
    room = BAND_ROOM * (top - bottom)
    return max(whole[0], bottom - room), min(whole[1], top + room)


def _draw(axes: Axes, line: Line) -> None:
    """Draw a line: thin where some of its runs have ended or not begun."""
    x, estimate, _, _, runs = line.curve
    look: dict[str, Any] = {"color": _color(line), "linestyle": _style(line)}
    missing = runs < line.runs
    axes.plot(x, np.where(missing, np.nan, estimate), marker="o" if len(x) < 2 else None, **look)
    if missing.any():
        thin = missing.copy()  # and to the points where it meets the other part
        thin[1:] |= missing[:-1]
        thin[:-1] |= missing[1:]
        axes.plot(x, np.where(thin, estimate, np.nan), linewidth=0.9, **look)


def _color(line: Line) -> str:
    return COLORS[line.group % len(COLORS)]


def _style(line: Line) -> Any:
    return "--" if line.beside else STYLES[line.group // len(COLORS) % len(STYLES)]


def _label_x(axes: Axes, x: str) -> None:
    if x == TIME:
        axes.set_xlabel("hours of training")
    else:
        label_steps(axes, "environment steps" if x == "step" else x)


def _describe(axes: Axes, panel: CurvePanel, estimator: str) -> None:
    """Write the value over a panel, and below it what is drawn of it."""
    notes = []
    if any(line.runs > 1 for line in panel.lines):
        notes.append(ESTIMATORS[estimator].words)
    if panel.window > 1:
        notes.append(f"each point averages {panel.window} records")
    axes.set_title(_plain(panel.value), pad=22 if notes else 10)
    axes.annotate("; ".join(notes), (0, 1), (0, 8), "axes fraction", "offset points", fontsize=8.5, color=QUIET)


def _add_legend(figure: Figure, axes: Axes, drawn: Sequence[CurvePanel]) -> None:
    """Put the legend into the one panel where it is small, else below the panels, which keep their size."""
    lines = [line for panel in drawn for line in panel.lines]
    seeds = {name: max(line.runs for line in lines if line.name == name) for name in {line.name for line in lines}}
    counted = max(seeds.values()) > 1
    handles = {line.name: Line2D([], [], color=_color(line), linestyle=_style(line)) for line in lines}
    labels = [_plain(name) + (f" ({seeds[name]} seed{'s' * (seeds[name] > 1)})" if counted else "") for name in handles]
    if len(labels) == 1 and not counted:
        return
    longest = max(map(len, labels))
    if len(drawn) == 1 and len(labels) <= 5 and longest <= 45:
        axes.legend(list(handles.values()), labels)
        return
    width, height = figure.get_size_inches()
    columns = max(1, min(len(labels), int(width / (0.6 + LETTER * longest))))
    figure.legend(list(handles.values()), labels, loc="outside lower left", ncols=columns)
    figure.set_size_inches(width, height + 0.1 + 0.2 * -(-len(labels) // columns))


def _plain(name: str) -> str:
    """Return a name on one line and of a length that fits, in which no sign means anything to Matplotlib."""
    name = " ".join(name.split()).encode(errors="replace").decode()
    if len(name) > LONGEST:
        name = f"{name[: LONGEST // 2]}…{name[-(LONGEST // 2 - 1) :]}"
    return name.replace("$", r"\$")
