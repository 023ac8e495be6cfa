"""Defines a measure: the figures that it takes of a run, and each form in which they are shown and kept."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Generic, Literal, TypeAlias, TypeVar

import numpy as np

from worldmodels.core.types import Batch
from worldmodels.envs import can_save, tells_variables
from worldmodels.envs.games.levels import Levels
from worldmodels.evaluation.evaluator import Evaluator
from worldmodels.evaluation.probes import Probes
from worldmodels.evaluation.report.numbers import metrics_tree, number
from worldmodels.imagination.planner_config import PlannerConfig
from worldmodels.recordings.action_recording import ActionRecording
from worldmodels.telemetry.run_table import print_table

Found = TypeVar("Found")
Kind: TypeAlias = Literal["real", "player", "model", "imagined", "training", "shift"]
"""The kinds of occasions; the first four are evaluations by `worldmodels eval`.

`real` takes the policy in the real game, and `player` a planner or random actions there. `model` takes the world model
alone, and `imagined` the policy in it.
"""
USUAL: tuple[Kind, ...] = ("real", "model", "training", "shift")
Need: TypeAlias = Literal["policy", "world model", "experience", "variables", "saved states", "frames and choices"]


@dataclass(frozen=True)
class Occasion:
    """An occasion on which measures are taken."""

    kind: Kind
    levels: Levels = "train"
    """The levels that are played."""
    agent: str = "policy"
    """The player in the real game; see `Request`."""
    planner: PlannerConfig | None = None
    """The configuration of the planner, if that is the player."""
    videos: int = 0
    """Episodes to film under each setting of the real game; 0 for no video at all."""
    held_out: Callable[[], Batch | None] = lambda: None
    """Returns windows of experience that training keeps apart; None if there are none."""


@dataclass(frozen=True)
class Extras:
    """Everything of a measure besides its numbers."""

    videos: Mapping[str, Iterable[np.ndarray]] = field(default_factory=dict)
    """Frames uint8 (H, W, 3), by name. A film that is an array also goes to TensorBoard during training."""
    recordings: Mapping[str, Sequence[ActionRecording]] = field(default_factory=dict)
    """The actions of the episodes of a film, by its name."""
    probes: Probes | None = None
    """Fitted probes of the model's features."""
    message: str = ""
    """A sentence that is printed."""


NOTHING = Extras()


@dataclass(frozen=True)
class Measure(Generic[Found]):
    """A measure of a run. `measures/table.py` lists all measures; eval, training and shift read that list.

    All fields after `metrics` have a default, so the smallest measure is a name and two functions.
    """

    name: str
    """The key in the JSON of an evaluation."""
    run: Callable[[Evaluator, Occasion], Found | None]
    """Takes the measure; returns None if nothing can be measured after all."""
    metrics: Callable[[Found], dict[str, float]]
    """Returns metrics by name, `eval/...`. A metric that is not finite should be left out."""
    needs: tuple[Need, ...] = ()
    """Requirements of the run. A run that does not meet all of them is not measured, see `can_have`."""
    occasions: tuple[Kind, ...] = USUAL
    """The occasions on which the measure is taken."""
    table: Callable[[Found, str], None] | None = None
    """Prints the result; the text names the levels. By default a table of the metrics."""
    tree: Callable[[Found], Any] | None = None
    """Returns the result for JSON. By default the metrics."""
    picture: Callable[[Found, Path], Path] | None = None
    """Draws the result into a file and returns its path. Training draws those that need a world model."""
    picture_name: str = ""
    """The last part of the picture's file name; by default `name`."""
    extras: Callable[[Found, Evaluator, Occasion], Extras] = lambda found, evaluator, occasion: NOTHING
    """Returns videos, recordings and probes."""
    over_steps: tuple[str, ...] = ()
    """Metrics, without `eval/`, that the table of all checkpoints shows; a name that ends in `_` stands for all that
    begin so."""
    shift_columns: Mapping[str, str] = field(default_factory=dict)
    """The columns of `worldmodels shift`: the title of each figure of `shift`, in which `{horizon}` stands for the
    horizon. A figure without a title is in the JSON alone."""
    shift: Callable[[Found], Mapping[str, float]] = lambda found: {}
    """Returns the figures of a world model in one environment, by the names in `shift_columns`."""

    def print(self, found: Found, levels: str) -> None:
        """Print the result on some levels."""
        if self.table is not None:
            self.table(found, levels)
            return
        metrics = self.metrics(found).items()
        rows = [[name.removeprefix("eval/").replace("_", " "), number(value)] for name, value in metrics]
        print_table(f"{self.name.replace('_', ' ').capitalize()}, {levels}", ["figure", ""], rows)

    def as_json(self, found: Found) -> Any:
        """Return the result for JSON."""
        return metrics_tree(self.metrics(found)) if self.tree is None else self.tree(found)


NEEDS: Mapping[Need, Callable[[Evaluator, Occasion], bool]] = {
    # A policy that never learns is not measured while the model trains; `worldmodels eval` plays any.
    "policy": lambda evaluator, occasion: occasion.kind != "training" or evaluator.config.trains_policy,
    "world model": lambda evaluator, occasion: evaluator.spec.imagines,
    "experience": lambda evaluator, occasion: True,
    # One half of the environments fits probes, the other half tests them.
    "variables": lambda evaluator, occasion: tells_variables(evaluator.env) and evaluator.env.num_envs > 1,
    "saved states": lambda evaluator, occasion: can_save(evaluator.env),
    "frames and choices": lambda evaluator, occasion: (
        evaluator.spec.action.is_discrete and evaluator.spec.image == ""  # the only part is an image
    ),
}
"""The check of each need. Experience is played, and its windows are freed after the last measure of it."""


Result: TypeAlias = tuple[Measure[Any], Any]
"""A measure with what it found."""


def can_have(measure: Measure[Any], evaluator: Evaluator, occasion: Occasion) -> bool:
    """Return whether a run meets all needs of a measure."""
    return all(NEEDS[need](evaluator, occasion) for need in measure.needs)


def take(measures: Sequence[Measure[Any]], evaluator: Evaluator, occasion: Occasion) -> Iterator[Result]:
    """Take the measures of an occasion that a run can have, and yield each with its result."""
    wanted = [one for one in measures if occasion.kind in one.occasions and can_have(one, evaluator, occasion)]
    for index, measure in enumerate(wanted):
        found = measure.run(evaluator, occasion)
        if not any("experience" in later.needs for later in wanted[index + 1 :]):
            evaluator.forget_recorded()
        if found is not None:
            yield measure, found
