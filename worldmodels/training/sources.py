"""The sources of a new run: the world model of another run, recorded experience, and demonstrations."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from worldmodels.config.environment import build_env, model_spec
from worldmodels.config.run_config import RunConfig, open_config
from worldmodels.config.training_config import ModelBasedConfig
from worldmodels.core.errors import CheckpointError, ConfigError
from worldmodels.core.files.checkpoint import Checkpoints, fitting
from worldmodels.core.files.run_dir import RunDir
from worldmodels.core.specs import ObservationSpec
from worldmodels.core.types import Step
from worldmodels.datasets import DatasetSpec, open_source, steps_of
from worldmodels.envs.foreign.wrappers import ImageFormat
from worldmodels.models.api import WorldModel
from worldmodels.recordings.demonstrations import load_demonstrations
from worldmodels.replay import Replay


@dataclass(frozen=True)
class Sources:
    """The steps that were found when the sources of a new run were checked."""

    replayed: DatasetSpec | None = None
    """The spec of `training.initial_replay`."""
    demonstrations: Sequence[Step] = ()
    """The steps of `training.demonstrations`, of all environments."""

    @property
    def steps(self) -> int:
        """The steps that the run starts with, summed over the environments."""
        return (self.replayed.steps if self.replayed else 0) + sum(len(step.reward) for step in self.demonstrations)


def check_sources(config: RunConfig) -> Sources:
    """Check whether the runs and recordings named in `config` fit it; of a new run alone, for they may be gone later.

    Raises:
        RunError: there is no such run.
        FileError: there is no such experience, or it is damaged.
        ConfigError: its environment, model or number of environments is another; the text names both sides.
        RecordingError: a demonstration is damaged, or does not agree with its game.
    """
    training = config.training
    if not isinstance(training, ModelBasedConfig):
        return Sources()
    if training.pretrained:
        other = _config_of(training.pretrained)
        _check_same("training.pretrained", other, config, {"model.kind": (other.model.kind, config.model.kind)})
    replayed = _check_initial_replay(config, training) if training.initial_replay else None
    return Sources(replayed, load_demonstrations(training.demonstrations, config.env))


def load_pretrained(model: WorldModel, run: str) -> None:
    """Load the newest world model of another run. Its optimiser begins anew: the other run may have ended with a small
    learning rate, and this run has a schedule of its own.

    Raises:
        CheckpointError: it does not fit; the text names both sizes.
    """
    _, tree = Checkpoints(RunDir.open(run).checkpoints).read()
    try:
        with fitting("this run's world model"):
            model.load(_with_optimizers_of(model.save(), tree["model"]))
    except CheckpointError as error:
        raise CheckpointError(f"training.pretrained '{run}': {error}") from error


def _with_optimizers_of(new: Any, trained: Any) -> Any:
    """Return a trained model's saved tree with the optimizers of a new one's."""
    if not isinstance(trained, Mapping) or not isinstance(new, Mapping):
        return trained
    return {
        name: new.get(name, part) if name == "optimizer" else _with_optimizers_of(new.get(name), part)
        for name, part in trained.items()
    }


def copy_replay(place: str, replay: Replay) -> None:
    """Append all experience of a place; which episodes are held out is decided anew."""
    with closing(open_source(place)) as source:
        for step in steps_of(source):
            replay.append(step)


def _config_of(run: str | Path) -> RunConfig:
    return open_config(RunDir.open(run))


def _check_same(key: str, other: RunConfig, ours: RunConfig, pairs: dict[str, tuple[Any, Any]]) -> None:
    pairs |= {"observations and actions": (_spaces(other), _spaces(ours))}
    for name, (theirs, here) in pairs.items():
        if theirs != here:
            run = getattr(ours.training, key.partition(".")[2])
            raise ConfigError(f"{key} is '{run}', whose {name} is {theirs}; in this run it is {here}.")


def _spaces(config: RunConfig) -> str:
    env = build_env(config, num_envs=1)
    spaces = f"{env.observation_spec} and {env.action_spec}"
    env.close()
    return spaces


def _resizing(place: str, found: ObservationSpec, wanted: ObservationSpec) -> str:
    """Return a sentence, after a space, about images that differ by their size alone; "" for other differences."""
    sizes = {part.shape[1] for _, part in wanted.parts if part.is_image}
    fits = [size for size in sizes if ImageFormat(size).spec(found, place) == wanted]
    return f" 'worldmodels convert {place} OUT --image-size {fits[0]}' resizes images." if fits else ""


def _check_initial_replay(config: RunConfig, training: ModelBasedConfig) -> DatasetSpec:
    """Return what `training.initial_replay` holds; raises ConfigError where the run cannot learn from it."""
    with closing(open_source(training.initial_replay)) as source:
        found = source.spec
    place, spec = f"training.initial_replay '{training.initial_replay}'", model_spec(config)
    if (found.observation, found.action) != (spec.observation, spec.action):
        raise ConfigError(
            f"{place} has observations of {found.observation} and actions that are {found.action}; in this run they "
            f"are {spec.observation} and {spec.action}."
            f"{_resizing(training.initial_replay, found.observation, spec.observation)}"
        )
    if found.num_streams != config.env.num_envs and (training.collect or training.demonstrations):
        raise ConfigError(
            f"{place} holds {found.num_streams} streams, and env.num_envs is {config.env.num_envs}: where more steps "
            f"are added, each stream goes on. Choose env.num_envs={found.num_streams}; or training.collect=0 without "
            "training.demonstrations."
        )
    needed, most = max(training.length, training.starts.context), config.replay.capacity_steps
    if found.length < needed:
        raise ConfigError(
            f"{place} holds {found.length} steps of each environment; training.length and training.starts.context need "
            f"{needed}."
        )
    if not training.collect and found.steps > most:
        raise ConfigError(
            f"{place} holds {found.steps:,} steps, of which replay.capacity_steps={most} would keep the last alone: it "
            f"must be at least {found.steps}."
        )
    return found
