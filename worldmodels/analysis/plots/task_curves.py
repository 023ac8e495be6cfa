"""The returns of runs by method and task."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from typing import NamedTuple

from worldmodels.analysis.plots.curve_panels import RunMetrics, missing_value, sources, warn_of_missing
from worldmodels.analysis.plots.lines import CurveOptions, smoothing_window
from worldmodels.analysis.runs.load import Series, load_metrics
from worldmodels.analysis.runs.reference_scores import Task
from worldmodels.analysis.runs.task_runs import TaskRuns
from worldmodels.core.errors import UserError


class TaskCurves(NamedTuple):
    """One recorded value of all runs."""

    methods: list[str]
    values: list[str]
    """The recorded name of the value for each method."""
    tasks: list[Task]
    """The tasks in which some run has the value."""
    titles: Mapping[Task, str]
    series: Mapping[tuple[int, Task], list[Series]]
    """The key is the method's number with the task; there is no entry where no run has the value."""
    window: int
    """Records that each point averages, the same everywhere."""


def load_task_curves(found: TaskRuns, value: str, options: CurveOptions) -> TaskCurves:
    """Return the curves of a value; runs without it are left out with a warning.

    Raises:
        RunError, FileError: a run's metrics are missing or damaged.
        UserError: no run has the value.
    """
    names = sources(value)
    metrics = {run: load_metrics(run, options.x, names) for runs in found.runs.values() for run in runs}
    return task_curves(found, value, options, metrics)


def task_curves(found: TaskRuns, value: str, options: CurveOptions, metrics: RunMetrics) -> TaskCurves:
    """Return the curves of a value in the metrics of all runs; see `load_task_curves`.

    Where the value is `performance`, a method has one recorded value in all its tasks: the first that it has in each.
    """
    names = sources(value)

    def complete(method: int, name: str) -> bool:
        cells = [runs for (index, _), runs in found.runs.items() if index == method]
        return all(any(name in metrics[run] for run in runs) for runs in cells)

    numbers = range(len(found.methods))
    chosen = [next((name for name in names if complete(method, name)), names[-1]) for method in numbers]
    series: dict[tuple[int, Task], list[Series]] = {}
    lacking = []
    for (method, task), runs in found.runs.items():
        name = chosen[method]
        lacking += [run for run in runs if name not in metrics[run]]
        if own := [metrics[run][name] for run in runs if name in metrics[run]]:
            series[method, task] = own
    if not series:
        raise missing_value(lacking[0], value, options.x)
    warn_of_missing(value, lacking)
    methods = found.methods
    if len(set(chosen)) > 1:
        methods = [f"{method}, {name}" for method, name in zip(methods, chosen, strict=True)]
    tasks = [task for task in found.tasks if any((method, task) in series for method in numbers)]
    window = smoothing_window([one for own in series.values() for one in own], options.smooth)
    return TaskCurves(methods, chosen, tasks, found.titles(), series, window)


def with_shared_tasks(curves: TaskCurves) -> TaskCurves:
    """Return the curves of the tasks that all methods have, since only those compare, with a warning of the others.

    Raises:
        UserError: no task is left.
    """
    numbers = range(len(curves.methods))
    shared = [task for task in curves.tasks if all((number, task) in curves.series for number in numbers)]
    if not shared:
        raise UserError(
            f"No task is shared by all {len(curves.methods)} methods ({', '.join(curves.methods)}), so they cannot be "
            "compared over tasks. Leave methods out by --select or --exclude."
        )
    if left := [curves.titles[task] for task in curves.tasks if task not in shared]:
        warnings.warn(f"Not every method has runs in {', '.join(left)}: left out of what is over tasks.", stacklevel=2)
    return curves._replace(tasks=shared)
