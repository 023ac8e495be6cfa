"""Draws learning curves: by value, by task, by method, over all tasks, and the number of seeds."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
from matplotlib.ticker import MaxNLocator

from worldmodels.analysis.plots.legend import COLORS, INK, panels, plain, room_for, save_figure, wrapped
from worldmodels.analysis.plots.panel_drawing import PanelLayout, draw_panels
from worldmodels.analysis.plots.panels import DEFAULT, CurveOptions, CurvePanel, check_options, save_table
from worldmodels.analysis.plots.statistic_panels import aggregate_panels
from worldmodels.analysis.plots.task_panels import (
    Baselines,
    TaskCurves,
    load_task_curves,
    method_panels,
    task_panels,
    with_shared_tasks,
)
from worldmodels.analysis.plots.value_panels import PERFORMANCE, curve_panels
from worldmodels.analysis.runs.groups import ALL_RUNS, Grouping, find_groups
from worldmodels.analysis.runs.reference_scores import (
    ReferenceScores,
    Scale,
    TaskRuns,
    all_packaged_scores,
    find_scale,
    find_task_runs,
    read_scores,
)
from worldmodels.analysis.statistics.group_curve import ESTIMATORS
from worldmodels.core.errors import UserError, unknown


def plot_runs(
    paths: Sequence[Path | str],
    values: str | Sequence[str],
    options: CurveOptions = DEFAULT,
    grouping: Grouping = ALL_RUNS,
    save: Path | str = "curves.png",
    export: Path | str | None = None,
) -> Path:
    """Draw values of runs, a panel for each value and in it a line for each group of runs; return the picture's path.

    Args:
        paths: run folders, folders of runs, or how their names begin; see `find_runs`.
        values: names of recorded values, or `performance`: the evaluation's return where there is one, else that of
            the episodes of training.
        export: a CSV file for what is drawn.

    Raises:
        RunError: there are no such runs.
        UserError: no run has a value, or what is asked for is out of range.
    """
    names = [values] if isinstance(values, str) else list(dict.fromkeys(values))
    drawn = curve_panels(find_groups(paths, grouping), names, options)
    saved = draw_panels(drawn, save, options)
    if export is not None:
        save_table(drawn, export)
    return saved


VIEWS = ("tasks", "methods", "aggregate", "seeds")


class TaskView(NamedTuple):
    """A view of methods in several tasks."""

    kind: str
    """A panel for each task, for each method, or for each statistic over tasks; or bars of seeds: one of `VIEWS`."""
    value: str = PERFORMANCE
    tasks: Sequence[str] = ()
    """The games of the tasks, in their order; by default all."""
    normalize: str = "none"
    """The scale of returns: none, human, range or a file of scores; see `find_scale`."""
    scores: str | None = None
    """A file of scores for baselines and statistics; by default that of the scale, or else those of the package."""
    baselines: Sequence[str] = ()
    """Names of scores that are drawn as dashed lines."""
    statistics: Sequence[str] = ()
    """Keys of `AGGREGATES`; by default all that have the scores that they need."""
    columns: int | None = None
    """Panels beside each other."""


def plot_tasks(
    paths: Sequence[Path | str],
    view: TaskView,
    options: CurveOptions = DEFAULT,
    grouping: Grouping = ALL_RUNS,
    save: Path | str = "curves.png",
    export: Path | str | None = None,
) -> Path:
    """Draw a view of runs in several tasks, and return the picture's path.

    Args:
        paths: run folders, folders of runs, or how their names begin; see `find_runs`.
        export: a CSV file for what is drawn.

    Raises:
        RunError: there are no such runs, or the task of one is not known.
        UserError: what is asked for is unknown or out of range, or a task lacks the scores to normalise by.
    """
    _check(view)
    check_options(options)
    scale = find_scale(view.normalize)
    baselines = Baselines(view.baselines, _scores(view, scale))
    found = find_task_runs(paths, grouping, view.tasks)
    if view.kind == "seeds":
        return draw_seed_bars(found, save)
    curves = load_task_curves(found, view.value, options)
    if view.kind == "aggregate":
        curves = with_shared_tasks(curves)
    drawn = _panels(view, curves, options, scale, baselines)
    saved = draw_panels(drawn, save, options, _layout(view, curves, drawn, options, scale))
    if export is not None:
        save_table(drawn, export)
    return saved


def _check(view: TaskView) -> None:
    if view.kind not in VIEWS:
        raise UserError(unknown("view", view.kind, VIEWS))
    if view.normalize != "none" and view.value != PERFORMANCE and "return" not in view.value:
        raise UserError(f"Only returns can be normalised, and '{view.value}' is none; --normalize none draws it.")
    if view.columns is not None and view.columns < 1:
        raise UserError(f"At least 1 panel stands in a row; received {view.columns}.")


def _scores(view: TaskView, scale: Scale | None) -> ReferenceScores:
    if view.scores is not None:
        return read_scores(Path(view.scores))
    return scale.scores if scale else all_packaged_scores()


def _panels(
    view: TaskView, curves: TaskCurves, options: CurveOptions, scale: Scale | None, baselines: Baselines
) -> list[CurvePanel]:
    if view.kind == "tasks":
        return task_panels(curves, options, scale, baselines)
    if view.kind == "methods":
        return method_panels(curves, options, scale)
    return aggregate_panels(curves, options, scale, baselines, view.statistics)


def _layout(
    view: TaskView, curves: TaskCurves, drawn: Sequence[CurvePanel], options: CurveOptions, scale: Scale | None
) -> PanelLayout:
    values = " or ".join(dict.fromkeys(curves.values))
    title = f"{values}, {scale.words}" if scale else values
    several = any(line.runs > 1 for panel in drawn for line in panel.lines)
    words = []
    if view.kind == "aggregate":
        title = f"{title}: over {len(curves.tasks)} tasks"
        words += ["95 % stratified bootstrap interval over runs"] * several
    else:
        words += [ESTIMATORS[options.estimator].words] * several
    if curves.window > 1:
        words.append(f"each point averages {curves.window} records")
    return PanelLayout(title, "; ".join(words), "run" if view.kind == "aggregate" else "seed", view.columns)


ROW, PANEL = 0.24, 3.0
"""The height of a task and the width of a method, in inches."""


def draw_seed_bars(found: TaskRuns, save: Path | str) -> Path:
    """Draw a panel for each method, in it a bar for each task, and return the picture's path."""
    titles = [plain(title) for title in found.titles().values()]
    rows = np.arange(len(titles))
    counts = [[len(found.runs.get((number, task), ())) for task in found.tasks] for number in range(len(found.methods))]
    most = max(map(max, counts))
    methods = [wrapped(name, PANEL) for name in found.methods]
    height = 1.4 + ROW * len(titles) + room_for(methods)
    with panels(1, len(counts), PANEL, height, "Seeds of each method by task") as (figure, places):
        for number, (axes, own) in enumerate(zip(places, counts, strict=True)):
            axes.barh(rows, own, 0.7, color=COLORS[number % len(COLORS)])
            for row, count in zip(rows, own, strict=True):
                axes.annotate(
                    str(count), (count, row), (4, 0), textcoords="offset points", va="center", color=INK, size=9
                )
            axes.set(
                title=methods[number],
                xlim=(0, 1.15 * most),
                ylim=(len(titles) - 0.5, -0.5),
                xlabel="seeds",
            )
            axes.set_yticks(rows, titles if number == 0 else [""] * len(titles))
            axes.xaxis.set_major_locator(MaxNLocator(6, integer=True))
            axes.grid(visible=False, axis="y")
        return save_figure(figure, save)
