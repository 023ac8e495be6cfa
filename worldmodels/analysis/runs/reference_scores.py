"""Reads reference scores of tasks, and puts returns of different tasks on one scale.

A file of scores is a YAML mapping from tasks to named numbers, `Pong: {random: -20.7, human: 14.6}`. The package has
some of Atari's 57 games and of Procgen's 16. On a scale one score of each task becomes 0 and another one 1.

Sorts runs by method and task. A task is a game in a distribution mode; runs of a method differ in task and seed.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from worldmodels.analysis.runs.folders import read_settings
from worldmodels.analysis.runs.groups import ALL_RUNS, SEED, Grouping, RunGroup, find_groups
from worldmodels.core.configuration.values import received
from worldmodels.core.errors import RunError, UserError, shortened, unknown
from worldmodels.core.files.yaml_files import parse_value

FOLDER = Path(__file__).parent / "scores"
PACKAGED = ("atari", "procgen")
LARGEST = 1e100
"""Scores are smaller, so that differences of them are finite."""


class Task(NamedTuple):
    """A task that an agent is trained for."""

    game: str
    """The key `env.game`."""
    mode: str = ""
    """The key `env.distribution_mode`, on which the returns of native games depend."""


class ReferenceScores(NamedTuple):
    """The named scores of tasks."""

    source: str
    """The file or the files, for errors."""
    tasks: Mapping[str, Mapping[str, float]]

    def of(self, task: Task) -> Mapping[str, float]:
        """Return the scores of a task by name; none where the task is not known.

        A task is looked for as `coinrun (hard)`, as `coinrun`, and by the name in Atari's ids, `Pong` in `ALE/Pong-v5`.
        """
        names = (f"{task.game} ({task.mode})", task.game, name_in_id(task.game))
        return next((self.tasks[name] for name in names if name in self.tasks), {})

    def names(self) -> list[str]:
        """Return the names of all scores, in their order."""
        return list(dict.fromkeys(name for scores in self.tasks.values() for name in scores))


def name_in_id(game: str) -> str:
    """Return `Pong` of `ALE/Pong-v5` and of `PongNoFrameskip-v4`; anything else as it is."""
    found = re.fullmatch(r"(?:ALE/)?(\w+?)(?:NoFrameskip|Deterministic)?-v\d+", game)
    return found[1] if found else game


def read_scores(path: Path) -> ReferenceScores:
    """Read a file of scores.

    Raises:
        UserError: it is missing, or not a mapping from tasks to named finite numbers.
    """
    try:
        tree = parse_value(path.read_text(encoding="utf-8"), str(path))
    except OSError as error:
        raise UserError(f"The scores in '{shortened(str(path))}' cannot be read: {error.strerror}.") from error
    except UnicodeDecodeError as error:
        raise UserError(f"The scores in '{path}' are not text in UTF-8 (byte {error.start}).") from error
    if not isinstance(tree, Mapping) or not tree:
        rule = "A file of scores holds lines of the form 'task: {random: 0, human: 1}'"
        raise UserError(f"{rule}; received {received(tree)} in '{path}'.")
    return ReferenceScores(f"'{path}'", {str(task): _checked(scores, task, path) for task, scores in tree.items()})


@cache
def packaged_scores(name: str) -> ReferenceScores:
    """Return the scores of the package that are called so: `atari` or `procgen`."""
    return read_scores(FOLDER / f"{name}.yaml")._replace(source=f"the published scores ({name})")


def all_packaged_scores() -> ReferenceScores:
    """Return all scores of the package."""
    tasks = {task: own for name in PACKAGED for task, own in packaged_scores(name).tasks.items()}
    return ReferenceScores("the published scores", tasks)


def _checked(scores: Any, task: Any, path: Path) -> dict[str, float]:
    where = f"'{path}': the scores of '{shortened(str(task))}' are names with finite numbers, as in {{random: 0}}"
    if not isinstance(scores, Mapping) or not scores:
        raise UserError(f"{where}; received {received(scores)}.")
    for name, score in scores.items():
        if isinstance(score, bool) or not isinstance(score, int | float) or not abs(score) < LARGEST:
            raise UserError(f"{where}; received {received(score)} for '{shortened(str(name))}'.")
    return {str(name): float(score) for name, score in scores.items()}


Ends = tuple[str, str]
"""The names of the scores that become 0 and 1."""
HUMAN: Ends = ("random", "human")
RECORD: Ends = ("random", "record")
RANGE: Ends = ("low", "high")
SCALES: Mapping[str, tuple[str, Ends, str]] = {
    "human": ("atari", HUMAN, "human-normalised"),
    "range": ("procgen", RANGE, "normalised by the published ranges"),
}
"""The scales that the package has: their file of scores, their ends, and words for a picture."""


class Scale(NamedTuple):
    """A scale of returns."""

    scores: ReferenceScores
    ends: Ends
    words: str

    def has(self, task: Task) -> bool:
        """Return whether both ends are known for a task."""
        return set(self.ends) <= self.scores.of(task).keys()

    def normalised(self, task: Task, values: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
        """Return returns of a task on the scale, of any shape.

        Raises:
            UserError: an end is not known for the task.
        """
        if not self.has(task):
            raise UserError(
                f"'{task.game}' has no scores '{self.ends[0]}' and '{self.ends[1]}' in {self.scores.source}, so its "
                "returns cannot be normalised by them. --normalize also takes a YAML file with scores of your own."
            )
        zero, one = (self.scores.of(task)[name] for name in self.ends)
        return (values - zero) / (one - zero)


def on_scale(scale: Scale | None, task: Task, values: npt.ArrayLike) -> npt.NDArray[np.float64]:
    """Return returns of a task on a scale, or as they are where there is none; see `Scale.normalised`."""
    returns = np.asarray(values, np.float64)
    return returns if scale is None else scale.normalised(task, returns)


def normalised_return(game: str, distribution_mode: str, value: float) -> float | None:
    """Return `value` on the scale `range`: 0 for a policy without observations, 1 for the best practical policy.

    None for a game or a mode without constants published with Procgen (`scores/procgen.yaml`).
    """
    scale, task = find_scale("range"), Task(game, distribution_mode)
    return float(scale.normalised(task, np.float64(value))) if scale and scale.has(task) else None


def find_scale(normalize: str) -> Scale | None:
    """Return the scale that is called `human` or `range`, None for `none`, or that of a file of scores.

    A file's scores `low` and `high` become 0 and 1, or else its `random` and `human`.

    Raises:
        UserError: there is no such file, or it holds something else.
    """
    if normalize == "none":
        return None
    if normalize in SCALES:
        name, ends, words = SCALES[normalize]
        return Scale(packaged_scores(name), ends, words)
    path = Path(normalize)
    if not path.exists():
        raise UserError(
            f"There is no file of scores '{shortened(normalize)}'. --normalize takes none, {', '.join(SCALES)} or a "
            "YAML file of yours."
        )
    scores = read_scores(path)
    found = next((ends for ends in (RANGE, HUMAN) if set(ends) <= set(scores.names())), None)
    if found is None:
        raise UserError(
            f"{scores.source} names no scores to normalise by: a task needs 'low' and 'high', or 'random' and 'human'. "
            f"Names in it: {', '.join(scores.names())}."
        )
    _check_order(scores, found)
    return Scale(scores, found, f"normalised by {path.name}")


def _check_order(scores: ReferenceScores, ends: Ends) -> None:
    for task, own in scores.tasks.items():
        if set(ends) <= own.keys() and not own[ends[0]] < own[ends[1]]:
            raise UserError(
                f"{scores.source}: the score '{ends[0]}' of '{task}' must be below '{ends[1]}'; received "
                f"{own[ends[0]]:g} and {own[ends[1]]:g}."
            )


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
