"""Makes panels of statistics over tasks: one number of each method's scores in all tasks, with its interval over runs.

Runs are resampled within their task (stratified bootstrap; Agarwal et al., 2021, arXiv:2108.13264). The means that
records normalise, clipped or not, are those of Hafner et al. (2021, arXiv:2010.02193).
"""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np

from worldmodels.analysis.plots.panels import CurveOptions, CurvePanel, Level, Line, smoothed
from worldmodels.analysis.plots.task_panels import Baselines, TaskCurves, check_baselines
from worldmodels.analysis.runs.reference_scores import HUMAN, RECORD, Ends, ReferenceScores, Scale, Task, on_scale
from worldmodels.analysis.statistics.bootstrap import (
    Statistic,
    bootstrap_bands,
    clipped_mean_of_tasks,
    interquartile_mean,
    mean_of_tasks,
    median_of_tasks,
    tasks_above_one,
    tasks_below_one,
)
from worldmodels.analysis.statistics.group_curve import GroupCurve, Numbers, common_positions, interpolate
from worldmodels.core.errors import UserError, unknown

POINTS = 100
"""Positions of a curve at most: every one of them takes thousands of draws."""
EARLY = 0.95
"""A curve that ends before this share of its longest run is said to."""


class Aggregate(NamedTuple):
    """A statistic over the scores of all tasks."""

    title: str
    statistic: Statistic
    ends: Ends | None = None
    """The scores that it takes as 0 and 1; None: returns as they are normalised or not."""


AGGREGATES = {
    "mean": Aggregate("Mean", mean_of_tasks),
    "median": Aggregate("Median", median_of_tasks),
    "iqm": Aggregate("Interquartile mean", interquartile_mean),
    "record_mean": Aggregate("Record mean", mean_of_tasks, RECORD),
    "clipped_record_mean": Aggregate("Clipped record mean", clipped_mean_of_tasks, RECORD),
    "above_human": Aggregate("Tasks above human", tasks_above_one, HUMAN),
    "below_human": Aggregate("Tasks below human", tasks_below_one, HUMAN),
}


def aggregate_panels(
    curves: TaskCurves,
    options: CurveOptions,
    scale: Scale | None,
    baselines: Baselines,
    names: Sequence[str] = (),
) -> list[CurvePanel]:
    """Return a panel for each statistic, with a line for each method, as far as all runs of the method reach.

    Args:
        curves: those of tasks that all methods have; see `with_shared_tasks`.
        scale: of the mean, the median and the interquartile mean; None: returns as they were recorded.
        names: keys of `AGGREGATES`; by default all that have their scores, without a scale the first three.

    Raises:
        UserError: a statistic is unknown or lacks its scores in a task, or runs have no steps in common.
    """
    tasks = curves.tasks
    check_baselines(baselines, tasks)
    panels = []
    for name in names or _possible(tasks, scale, baselines.scores):
        if name not in AGGREGATES:
            raise UserError(unknown("statistic", name, AGGREGATES))
        aggregate = AGGREGATES[name]
        own = Scale(baselines.scores, aggregate.ends, "") if aggregate.ends else scale
        lines = [_line(curves, method, aggregate.statistic, own, options) for method in range(len(curves.methods))]
        panels.append(CurvePanel(aggregate.title, lines, curves.window, _levels(curves, baselines, aggregate, own)))
    return panels


def _possible(tasks: Sequence[Task], scale: Scale | None, scores: ReferenceScores) -> list[str]:
    """Return the statistics of returns, and if there is a scale those that have their scores in all tasks."""
    return [
        name
        for name, (_, _, ends) in AGGREGATES.items()
        if ends is None or (scale is not None and all(Scale(scores, ends, "").has(task) for task in tasks))
    ]


def _levels(curves: TaskCurves, baselines: Baselines, aggregate: Aggregate, scale: Scale | None) -> list[Level]:
    """Return the statistic of each level that all tasks have, but for those that are 0 or 1 by its definition."""
    levels = []
    scores = {task: curves.levels(task, baselines) for task in curves.tasks}
    names = dict.fromkeys(name for own in scores.values() for name in own)
    for name in [name for name in names if name not in (aggregate.ends or ())]:
        if all(name in own for own in scores.values()):
            strata = [on_scale(scale, task, [own[name]]) for task, own in scores.items()]
            levels.append(Level(name, float(aggregate.statistic(strata))))
    return levels


def _line(
    curves: TaskCurves,
    method: int,
    statistic: Statistic,
    scale: Scale | None,
    options: CurveOptions,
) -> Line:
    every = {task: [smoothed(run, curves.window) for run in curves.series[method, task]] for task in curves.tasks}
    x = _shared_positions(curves.methods[method], {curves.titles[task]: runs for task, runs in every.items()}, options)
    strata = [
        on_scale(scale, task, np.stack([interpolate(x, *run) for run in runs], axis=-1)) for task, runs in every.items()
    ]
    count = sum(map(len, every.values()))
    curve = GroupCurve(x, statistic(strata), *bootstrap_bands(statistic, strata), np.full(len(x), count))
    return Line(method, curves.methods[method], curves.values[method], curve, count, None)


def _shared_positions(
    method: str, curves: Mapping[str, Sequence[tuple[Numbers, Numbers]]], options: CurveOptions
) -> Numbers:
    """Return positions that all curves, by task, reach over, within the limits, and no more than `POINTS`."""
    low, high = options.limits
    first = {task: max(float(at[0]) for at, _ in runs) for task, runs in curves.items()}
    last = {task: min(float(at[-1]) for at, _ in runs) for task, runs in curves.items()}
    start, end = max(low, *first.values()), min(high, *last.values())
    latest, earliest = max(first, key=first.__getitem__), min(last, key=last.__getitem__)
    if start > end:
        raise UserError(
            f"The runs of '{method}' have no '{options.x}' in common within the limits: one in {latest} begins at "
            f"{first[latest]:g}, one in {earliest} ends at {last[earliest]:g}."
        )
    positions = [at for runs in curves.values() for at, _ in runs]
    reach = min(high, max(float(at[-1]) for at in positions))
    if end < EARLY * reach:
        warnings.warn(
            f"The curves of '{method}' over tasks end at {end:g} of '{options.x}', where a run in {earliest} "
            f"does; others reach {reach:g}.",
            stacklevel=2,
        )
    every = common_positions(positions)
    inside = every[(every >= start) & (every <= end)]
    return np.union1d(inside, [start, end]) if len(inside) < POINTS else np.linspace(start, end, POINTS)
