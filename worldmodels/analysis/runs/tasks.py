"""Sorts runs by method and task. A task is a game in a distribution mode; runs of a method differ in task and seed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from worldmodels.analysis.runs.groups import ALL_RUNS, SEED, Grouping, RunGroup, find_groups
from worldmodels.analysis.runs.reference_scores import Task, name_in_id
from worldmodels.analysis.runs.settings import read_settings
from worldmodels.core.errors import RunError, UserError
from worldmodels.core.lookup import unknown

GAME, MODE = "env.game", "env.distribution_mode"
BESIDE_METHOD = (SEED, GAME, MODE)
"""The keys in which runs of one method may differ."""


class TaskRuns(NamedTuple):
    """The runs of each method in each task."""

    methods: list[str]
    tasks: list[Task]
    runs: Mapping[tuple[int, Task], list[Path]]
    """The key is the method's number with the task; there is no entry where there is no run."""

    def titles(self) -> dict[Task, str]:
        """Return a title for each task: its game, with the mode where tasks differ in nothing else."""
        times = Counter(task.game for task in self.tasks)
        return {task: task.game if times[task.game] == 1 else f"{task.game} ({task.mode})" for task in self.tasks}


def find_task_runs(paths: Sequence[Path | str], grouping: Grouping = ALL_RUNS, chosen: Sequence[str] = ()) -> TaskRuns:
    """Return the runs that `paths` stand for by method and task, in the order in which they are found.

    Args:
        chosen: the games of the tasks, in their order; `Pong` stands for `ALE/Pong-v5`, too. By default all.

    Raises:
        RunError: there are no such runs, or the configuration of one cannot be read.
        UserError: there is no such task.
    """
    if grouping.by == "run":
        raise UserError(
            "A method has a line in each of its tasks, so runs cannot each be a line: --count does not fit."
        )
    return task_runs(find_groups(paths, grouping, BESIDE_METHOD), chosen)


def task_runs(groups: Sequence[RunGroup], chosen: Sequence[str] = ()) -> TaskRuns:
    """Return the runs of groups, which are methods, by task; see `find_task_runs`."""
    found: dict[tuple[int, Task], list[Path]] = {}
    for index, group in enumerate(groups):
        for run in group.runs:
            found.setdefault((index, read_task(run)), []).append(run)
    tasks = list(dict.fromkeys(task for _, task in found))
    if chosen:
        tasks = list(dict.fromkeys(task for name in chosen for task in _called(name, tasks)))
        found = {cell: runs for cell, runs in found.items() if cell[1] in tasks}
    return TaskRuns([group.name for group in groups], tasks, found)


def read_task(run: Path) -> Task:
    """Return the task of a run; RunError where its configuration does not tell it."""
    try:
        settings = read_settings(run)
    except FileNotFoundError:
        raise RunError(f"The task of '{run}' is not known: it has no config.yaml.") from None
    if not settings.get(GAME):
        raise RunError(f"The task of '{run}' is not known: its config.yaml has no {GAME}.")
    return Task(settings[GAME], settings.get(MODE, ""))


def _called(name: str, tasks: Sequence[Task]) -> list[Task]:
    found = [task for task in tasks if name in (task.game, name_in_id(task.game))]
    if not found:
        raise UserError(unknown("task", name, dict.fromkeys(name_in_id(task.game) for task in tasks)))
    return found
