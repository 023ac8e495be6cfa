"""Makes panels by task, with a line for each method, and by method, with a line for each task."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from worldmodels.analysis.plots.panels import (
    CurveOptions,
    CurvePanel,
    Level,
    Line,
    curve_line,
    smoothing_window,
    without_empty,
)
from worldmodels.analysis.plots.value_panels import (
    RunMetrics,
    missing_value,
    played_levels,
    players_of,
    sources,
    warn_of_missing,
)
from worldmodels.analysis.runs.records import Series, load_metrics
from worldmodels.analysis.runs.reference_scores import (
    ReferenceScores,
    Scale,
    Task,
    TaskRuns,
    all_packaged_scores,
    on_scale,
)
from worldmodels.core.errors import UserError, unknown


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
    played: Mapping[Task, Mapping[str, float]]
    """The returns of random and of blind play, by the player's name, where the runs of a task recorded them."""

    def levels(self, task: Task, baselines: Baselines) -> dict[str, float]:
        """Return what lines are compared with in a task: the chosen scores, and players without learning."""
        return {**baselines.of(task), **self.played.get(task, {})}


def load_task_curves(found: TaskRuns, value: str, options: CurveOptions) -> TaskCurves:
    """Return the curves of a value; runs without it are left out with a warning.

    Raises:
        RunError, FileError: a run's metrics are missing or damaged.
        UserError: no run has the value.
    """
    names = {*sources(value), *(name for one in sources(value) for name in players_of(one).values())}
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
    of_tasks = {
        task: [metrics[run] for (_, own), runs in found.runs.items() if own == task for run in runs] for task in tasks
    }
    played = {task: played_levels(chosen[0], runs) for task, runs in of_tasks.items() if len(set(chosen)) == 1}
    return TaskCurves(methods, chosen, tasks, found.titles(), series, window, played)


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


class Baselines(NamedTuple):
    """Reference scores that are drawn as dashed lines."""

    names: Sequence[str]
    scores: ReferenceScores

    def of(self, task: Task) -> dict[str, float]:
        """Return the scores that a task has, by name."""
        known = self.scores.of(task)
        return {name: known[name] for name in self.names if name in known}


def check_baselines(baselines: Baselines, tasks: Sequence[Task]) -> None:
    """Warn of each baseline that no task has; raise UserError if there is no such baseline at all."""
    scores, others = baselines.scores, all_packaged_scores().tasks
    anywhere = {name for own in [*scores.tasks.values(), *others.values()] for name in own}
    for name in baselines.names:
        if not any(name in scores.of(task) for task in tasks):
            known = dict.fromkeys(name for task in tasks for name in scores.of(task))
            fact = f"None of the tasks has it in {scores.source}: {unknown('baseline', name, known)}"
            if name not in anywhere:
                raise UserError(fact)
            warnings.warn(f"{fact} It is left out.", stacklevel=2)


def task_panels(
    curves: TaskCurves, options: CurveOptions, scale: Scale | None, baselines: Baselines
) -> list[CurvePanel]:
    """Return a panel for each task, with the lines of all methods and the baselines.

    Args:
        scale: on which returns are shown; None: as they were recorded.
    """
    check_baselines(baselines, curves.tasks)
    panels = []
    for task in curves.tasks:
        numbers = [number for number in range(len(curves.methods)) if (number, task) in curves.series]
        lines = [_line(curves, number, task, scale, options) for number in numbers]
        levels = [
            Level(name, float(on_scale(scale, task, score))) for name, score in curves.levels(task, baselines).items()
        ]
        panels.append(CurvePanel(curves.titles[task], lines, curves.window, levels))
    return without_empty(panels, options)


def method_panels(curves: TaskCurves, options: CurveOptions, scale: Scale | None) -> list[CurvePanel]:
    """Return a panel for each method, with the lines of all tasks; `scale` is that of `task_panels`."""
    panels = []
    for method, name in enumerate(curves.methods):
        lines = [
            _line(curves, method, task, scale, options)._replace(group=number, name=curves.titles[task])
            for number, task in enumerate(curves.tasks)
            if (method, task) in curves.series
        ]
        panels.append(CurvePanel(name, lines, curves.window))
    return without_empty(panels, options)


def _line(curves: TaskCurves, method: int, task: Task, scale: Scale | None, options: CurveOptions) -> Line:
    runs = [run._replace(values=on_scale(scale, task, run.values)) for run in curves.series[method, task]]
    return curve_line(method, curves.methods[method], curves.values[method], runs, curves.window, options)
