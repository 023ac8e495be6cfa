"""Draws measures on training and on test levels over the number of training levels.

The question is that of Cobbe et al. (2019, "Quantifying Generalization in Reinforcement Learning", arXiv:1812.02341),
here for world models, too.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from worldmodels.analysis.plots.legend import INK, QUIET, color_of, panels, plain, save_figure, style_of
from worldmodels.analysis.plots.panels import CurvePanel, Line, band_reach, save_table, shown_range
from worldmodels.analysis.plots.value_panels import warn_of_missing
from worldmodels.analysis.runs.groups import ALL_RUNS, SEED, Grouping, RunGroup, find_groups
from worldmodels.analysis.statistics.group_curve import ESTIMATORS, GroupCurve
from worldmodels.analysis.statistics.last_evaluation import (
    LEVELS,
    EvaluatedValue,
    LastEvaluation,
    last_evaluation,
    over_chance,
    over_copying,
    test_name,
)
from worldmodels.core.errors import UserError, unknown

ASIDE = (SEED, LEVELS, "env.start_level", "precision", "devices")
"""The keys in which the runs of a method may differ; `precision: auto` is what a machine happens to measure."""
RETURN = EvaluatedValue("Return", ("eval/return",))
MEASURES = (
    RETURN,
    EvaluatedValue(
        "Image error over copying, 15 ahead", ("eval/image_error_at_15", "eval/copy_image_error_at_15"), over_copying
    ),
    EvaluatedValue(
        "Rewards foreseen, over chance", ("eval/reward_average_precision", "eval/reward_base_rate"), over_chance
    ),
    EvaluatedValue("Ends foreseen, over chance", ("eval/end_average_precision", "eval/end_base_rate"), over_chance),
    EvaluatedValue("Variables of the game known", ("eval/known",)),
)
"""The measures that are shown by default: the policy's return, and how good its world model is."""

Evaluations = Mapping[Path, LastEvaluation]


def generalisation_panels(
    paths: Sequence[Path | str], values: Sequence[str] = (), estimator: str = "mean", grouping: Grouping = ALL_RUNS
) -> list[CurvePanel]:
    """Return a panel for each measure over the number of training levels.

    Each method has two lines, on training levels and on test levels (`beside`). The panel after the return shows the
    difference of both.

    Each run counts as it was last evaluated. Positions are numbers of levels, infinity where they are without limit.

    Args:
        paths: run folders, folders of runs, or how their names begin; see `find_runs`. A method is what differs in
            their configurations but for levels and seed.
        values: recorded values, `eval/...`, in place of `MEASURES`.
        estimator: a key of `ESTIMATORS`, over the seeds.

    Raises:
        RunError, FileError: there are no such runs, or one cannot be read.
        UserError: no run has a value on test levels, or there is no such value or estimator.
    """
    if estimator not in ESTIMATORS:
        raise UserError(unknown("estimator", estimator, ESTIMATORS))
    if wrong := [value for value in values if not value.startswith("eval/")]:
        raise UserError(f"Values of training and of test levels are called 'eval/...'. Received '{wrong[0]}'.")
    groups = find_groups(paths, grouping, ASIDE)
    evaluations = {run: last_evaluation(run) for group in groups for run in group.runs}
    _warn_of_steps(groups, evaluations)
    panels = []
    for measure in [EvaluatedValue(value, (value,)) for value in values] or MEASURES:
        panels += _panels(measure, groups, evaluations, estimator)
    if not any(line.beside for panel in panels for line in panel.lines):
        raise UserError(
            f"No run has recorded {' or '.join(values) or RETURN.names[0]} on test levels. They are measured at the "
            "end of a run where env.num_levels leaves some, unless evaluation.test_levels is false or "
            "schedule.evaluate_every is 0."
        )
    return panels


def _panels(
    measure: EvaluatedValue, groups: Sequence[RunGroup], evaluations: Evaluations, estimator: str
) -> list[CurvePanel]:
    """Return the panel of a measure, and after that of the return the one of its gap; none where no run has it."""
    lines: list[Line] = []
    gaps: list[Line] = []
    for index, group in enumerate(groups):
        measured = {run: (evaluations[run].levels, *evaluations[run].measure(measure)) for run in group.runs}
        missing = [run for run, (_, *both) in measured.items() if np.isnan(both).any()]
        if len(missing) < len(measured):
            warn_of_missing(measure.title, missing)
        value, numbers = measure.names[0], measured.values()
        lines += _line(index, group.name, value, [(levels, train) for levels, train, _ in numbers], estimator)
        own_test = [(levels, test) for levels, _, test in numbers]
        lines += _line(index, group.name, test_name(value), own_test, estimator, beside=True)
        own_gaps = [(levels, train - test) for levels, train, test in numbers if levels < math.inf]
        gaps += _line(index, group.name, value, own_gaps, estimator)
    panels = [CurvePanel(measure.title, lines, 1)] if lines else []
    if measure is RETURN and gaps:
        panels.append(CurvePanel("Return, training less test levels", gaps, 1))
    return panels


def _line(
    group: int, name: str, value: str, points: Sequence[tuple[float, float]], estimator: str, beside: bool = False
) -> list[Line]:
    """Return the line through the numbers of runs, pairs of levels and value; none where there is no number."""
    cells: dict[float, list[float]] = {}
    for levels, number in sorted(points):
        if math.isfinite(number):
            cells.setdefault(levels, []).append(number)
    if not cells:
        return []
    bands = [ESTIMATORS[estimator].band(np.array(values)[:, None]) for values in cells.values()]
    estimate, low, high = (np.array([float(band[part][0]) for band in bands]) for part in range(3))
    runs = [len(values) for values in cells.values()]
    curve = GroupCurve(np.array(list(cells)), estimate, low, high, np.array(runs))
    return [Line(group, name, value, curve, max(runs), None, beside)]


def _warn_of_steps(groups: Sequence[RunGroup], evaluations: Evaluations) -> None:
    """Warn of a method whose runs were evaluated after different numbers of steps: they do not compare."""
    for group in groups:
        steps = sorted({evaluations[run].step for run in group.runs if evaluations[run].step >= 0})
        if len(steps) > 1:
            warnings.warn(
                f"The last evaluations of '{group.name}' are of {steps[0]:,} to {steps[-1]:,} steps.", stacklevel=2
            )


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
