"""The runs that are played: their configurations, specs and checkpoints, read before TensorFlow is loaded."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from worldmodels.config.environment import model_spec
from worldmodels.config.run_config import RunConfig, open_config
from worldmodels.core.errors import UserError
from worldmodels.core.files.checkpoint import Checkpoints
from worldmodels.core.files.run_dir import RunDir
from worldmodels.models.api import ModelSpec
from worldmodels.player.session.options import PlayOptions


@dataclass(frozen=True)
class Run:
    """A run's configuration and checkpoints, read before TensorFlow is loaded."""

    path: Path
    config: RunConfig
    steps: tuple[int, ...]
    """The steps of its checkpoints."""
    name: str = ""
    """The path as it was given, if it is another one: that of a pack differs from its folder."""
    wanted: int | None = None
    """The step near which a checkpoint was asked for."""

    @classmethod
    def open(cls, path: str | Path) -> Run:
        """Open the folder of a run, or `FOLDER@STEP`; raise UserError if there is none, or a damaged one."""
        name, wanted = str(path), None
        if (found := re.fullmatch(r"(.+)@(\d{1,15})", name)) and not Path(name).exists():
            name, wanted = found[1], int(found[2])
        run_dir = RunDir.open(name)
        steps = tuple(Checkpoints(run_dir.checkpoints).steps())
        return cls(run_dir.path, open_config(run_dir), steps, name, wanted)

    @property
    def step(self) -> int:
        """The step of the checkpoint that is played: the newest one, or the nearest to the wanted step."""
        wanted = self.wanted
        return max(self.steps) if wanted is None else min(self.steps, key=lambda step: abs(step - wanted))

    @cached_property
    def spec(self) -> ModelSpec:
        """The spec of the run's model, which decides what can be played and shown."""
        return model_spec(self.config)

    @property
    def replay(self) -> Path:
        """The folder of its experience."""
        return RunDir.open(self.path).replay

    @property
    def has_experience(self) -> bool:
        """Whether the run keeps experience."""
        return self.replay.is_dir()

    @property
    def given(self) -> Path:
        """The path as it was given."""
        return Path(self.name or self.path)

    @property
    def title(self) -> str:
        """Its name above a picture, if there are two."""
        return self.given.name if self.wanted is None else f"{self.given.name} {self.step:,}"

    @property
    def source(self) -> str:
        """The run and its checkpoint, for people; of a long path only the end has room."""
        shown = self.given.name if self.given.is_absolute() else self.given
        return f"{shown}, step {self.step:,}"


def check_together(runs: Sequence[Run]) -> None:
    """Raise UserError unless it is one run, or two runs with world models of the same game."""
    if len(runs) > 2:
        raise UserError(f"The player shows one run, or two side by side. Received {len(runs)}.")
    if len(runs) < 2:
        return
    for run in runs:
        if not run.spec.imagines or not run.steps:
            why = "has no checkpoint yet" if run.spec.imagines else "has no world model"
            raise UserError(f"Two runs are played as two models beside one real game, and the run '{run.path}' {why}.")
    games = [run.config.env.games[0] for run in runs]
    if games[0] != games[1]:
        raise UserError(
            f"Two models are played beside one real game, so both must be of that game: '{runs[0].path}' is of "
            f"'{games[0]}', '{runs[1].path}' of '{games[1]}'."
        )


def count_models(runs: Sequence[Run], options: PlayOptions) -> int:
    """Return the number of models that are played; raise UserError if a model is to be played alone and there is
    none."""
    if options.alone == "model" and not runs[0].spec.imagines:
        raise UserError(f"The run '{runs[0].path}' has no world model to play alone.")
    return len(runs) if runs[0].spec.imagines and options.alone != "real" else 0
