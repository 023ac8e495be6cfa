"""Reads the results of runs: one return for each, by variant and task."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np

from worldmodels.analysis.plots.panels import DEFAULT, smoothed
from worldmodels.analysis.plots.task_panels import TaskCurves, task_curves
from worldmodels.analysis.plots.value_panels import sources
from worldmodels.analysis.report.contents import COMPLETE, Contents, noted
from worldmodels.analysis.report.html import counted
from worldmodels.analysis.runs.reference_scores import Scale, Task, find_scale, on_scale
from worldmodels.analysis.statistics.bootstrap import Scores
from worldmodels.analysis.statistics.group_curve import interpolate

AUTOMATIC = ("range", "human")
"""The scales that are taken by default, if all of several tasks have them."""


class Result(NamedTuple):
    """The return of a run."""

    value: float
    step: int
    """Environment steps after which it is measured."""


class Results(NamedTuple):
    """One kind of return of all runs."""

    curves: TaskCurves
    of_runs: Mapping[Path, Result]
    """The runs that count, and their returns."""
    by_task: Mapping[tuple[int, Task], Scores]
    """The returns (S,) of each variant in each task in which some of its runs count."""
    notes: list[str]

    def shared_tasks(self) -> list[Task]:
        """Return the tasks in which every variant that has results has some: only those compare over tasks."""
        methods = self.methods()
        return [task for task in self.curves.tasks if methods and all((own, task) in self.by_task for own in methods)]

    def methods(self) -> list[int]:
        """Return the numbers of the variants that have results."""
        return sorted({method for method, _ in self.by_task})

    def players(self) -> list[str]:
        """Return the names of players without learning whose returns are known in all shared tasks."""
        known = [self.curves.played.get(task, {}) for task in self.shared_tasks()]
        return [
            name for name in dict.fromkeys(name for own in known for name in own) if all(name in own for own in known)
        ]

    def strata_of_player(self, name: str, scale: Scale | None) -> list[Scores]:
        """Return the return of a player without learning in each of the shared tasks, on a scale."""
        return [on_scale(scale, task, [self.curves.played[task][name]]) for task in self.shared_tasks()]

    def strata(self, method: int, scale: Scale | None) -> list[Scores]:
        """Return the returns of a variant in each of the shared tasks, on a scale."""
        return [on_scale(scale, task, self.by_task[method, task]) for task in self.shared_tasks()]


def read_results(contents: Contents, value: str, at: int | None = None) -> Results | None:
    """Return the results of a recorded value, or of `performance`; None where no run has it.

    A run's result is the mean of its last records, as many as a point of its curve averages. Finished runs count.
    If no run is finished, all are compared at the last step that they have in common. If a step `at` is given, all runs
    that reached it are compared there.
    """
    runs = [run for own in contents.found.runs.values() for run in own]
    if not any(name in contents.metrics[run] for name in sources(value) for run in runs):
        return None
    with noted() as notes:
        curves = task_curves(contents.found, value, DEFAULT, contents.metrics)
    recorded = {
        run: contents.metrics[run][name]
        for method, name in enumerate(curves.values)
        for run in contents.runs_of(method)
        if name in contents.metrics[run]
    }
    complete = [run for run in recorded if contents.conditions[run].state in COMPLETE]
    last = {run: int(series.steps[-1]) for run, series in recorded.items()}
    if at is None and not complete:
        at = min(last.values())
        notes.append(f"No run is finished: returns are compared at step {at:,}, which all of them have reached.")
    counting = complete if at is None else [run for run in recorded if recorded[run].steps[0] <= at <= last[run]]
    if left := [run for run in recorded if run not in counting]:
        why = "not finished" if at is None else f"without a record of step {at:,}"
        notes.append(f"{counted(len(left), 'run')} {why} and in the curves alone, not in what follows from results.")
    of_runs = {}
    for run in counting:
        positions, values = smoothed(recorded[run], curves.window)
        step = last[run] if at is None else at
        of_runs[run] = Result(float(interpolate(np.array([float(step)]), positions, values)[0]), step)
    cells = {
        cell: np.array([of_runs[run].value for run in own if run in of_runs])
        for cell, own in contents.found.runs.items()
    }
    return Results(curves, of_runs, {cell: scores for cell, scores in cells.items() if len(scores)}, notes)


def scale_of(tasks: Sequence[Task], normalize: str | None) -> Scale | None:
    """Return the requested scale, or else the published one that all of several tasks have, if any.

    Raises:
        UserError: there is no such scale, or a task lacks its scores.
    """
    if normalize is None:
        scales = [find_scale(name) for name in AUTOMATIC] if len(tasks) > 1 else []
        return next((scale for scale in scales if scale and all(scale.has(task) for task in tasks)), None)
    scale = find_scale(normalize)
    if scale is not None:
        for task in tasks:
            scale.normalised(task, np.zeros(1))
    return scale
