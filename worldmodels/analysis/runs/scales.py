"""Scales on which the returns of different tasks compare: one reference score of each becomes 0, another one 1."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from worldmodels.analysis.runs.reference_scores import ReferenceScores, Task, packaged_scores, read_scores
from worldmodels.core.errors import UserError
from worldmodels.core.lookup import shortened

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
