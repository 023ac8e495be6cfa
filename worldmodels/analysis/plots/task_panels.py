"""Panels by task, with a line for each method, and by method, with a line for each task."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from worldmodels.analysis.plots.lines import CurveOptions, CurvePanel, Level, Line, curve_line, without_empty
from worldmodels.analysis.plots.task_curves import TaskCurves
from worldmodels.analysis.runs.reference_scores import ReferenceScores, Task
from worldmodels.analysis.runs.scales import Scale, on_scale
from worldmodels.core.errors import UserError
from worldmodels.core.lookup import unknown


class Baselines(NamedTuple):
    """Reference scores that are drawn as dashed lines."""

    names: Sequence[str]
    scores: ReferenceScores

    def of(self, task: Task) -> dict[str, float]:
        """Return the scores that a task has, by name."""
        known = self.scores.of(task)
        return {name: known[name] for name in self.names if name in known}


def check_baselines(baselines: Baselines, tasks: Sequence[Task]) -> None:
    """Raise UserError where no task has a baseline."""
    for name in baselines.names:
        if not any(name in baselines.scores.of(task) for task in tasks):
            known = dict.fromkeys(name for task in tasks for name in baselines.scores.of(task))
            raise UserError(
                f"None of the tasks has it in {baselines.scores.source}: {unknown('baseline', name, known)}"
            )


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
        levels = [Level(name, float(on_scale(scale, task, score))) for name, score in baselines.of(task).items()]
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
