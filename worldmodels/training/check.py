"""A run is checked once, before anything is written; imports no TensorFlow.

Whether a run has ended is read from its newest checkpoint, without its weights and without TensorFlow.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import product
from pathlib import Path
from typing import Any

from worldmodels.config.checks import check_config
from worldmodels.config.run_config import Compiler, Precision, RunConfig
from worldmodels.config.training_config import ModelBasedConfig, ModelFreeConfig, OffPolicyConfig
from worldmodels.core.configuration.sections import differences, load_config, to_dict
from worldmodels.core.errors import CheckpointError, RunError
from worldmodels.core.files.checkpoint import Checkpoints, fitting
from worldmodels.core.files.packs import is_pack
from worldmodels.core.files.run_dir import RunDir
from worldmodels.core.types import Step
from worldmodels.replay.layout import Layout
from worldmodels.training.loops.plan import Position, TrainingPlan
from worldmodels.training.sources import Sources, check_sources

MAY_CHANGE = ("steps", "turns")
"""Keys of `training` in which a run that continues may differ: it may be made longer."""


@dataclass(frozen=True)
class CheckedRun:
    """A run that was checked and may be trained; only `check_run` makes it."""

    config: RunConfig
    run_dir: RunDir
    is_new: bool
    sources: Sources = field(default_factory=Sources)
    checkpoint: int | None = None
    """The step from whose checkpoint a run continues; None: the newest."""

    @property
    def num_streams(self) -> int:
        """The number of streams of the replay store: one for each environment.

        A run that collects nothing has the streams of its data.
        """
        training = self.config.training
        if not isinstance(training, ModelBasedConfig) or training.collect or not training.initial_replay:
            return self.config.env.num_envs
        replayed = self.sources.replayed
        return replayed.num_streams if replayed else Layout.read(self.run_dir.replay).num_streams

    @property
    def demonstrations(self) -> Sequence[Step]:
        """The steps of all environments that a new run starts with."""
        return self.sources.demonstrations


def check_run(config: RunConfig, path: str | Path, checkpoint: int | None = None) -> CheckedRun:
    """Check a configuration, what it starts from, and the folder; leave nothing behind.

    Raises:
        ConfigError: the configuration does not fit together, or not to the runs that it starts from.
        RunError: the folder holds a run of another configuration, or something else.
        CheckpointError: the run has no such checkpoint.
        RecordingError: a demonstration is damaged, or does not agree with its game.
    """
    if is_pack(path):
        raise RunError(
            f"'{path}' is a pack, which no run continues. Begin a run with its world model in another folder: "
            f"training.pretrained={path}."
        )
    run_dir = RunDir(path)
    if run_dir.exists():
        run_dir = RunDir.open(path)
        config = _continued(load_config(RunConfig, [run_dir.config]), config, Path(path))
        check_config(config)
        begun = _begun(run_dir, checkpoint)
        # Killed before its first checkpoint, it starts again with what a new run starts with.
        sources = Sources() if begun else check_sources(config)
        return CheckedRun(config, run_dir, is_new=False, sources=sources, checkpoint=checkpoint)
    if checkpoint is not None:
        raise CheckpointError(f"There is no run in '{path}' to continue from a checkpoint of step {checkpoint}.")
    check_config(config)
    # If creating this run was cut off, what was decided then stays decided.
    config = run_dir.check_free(config, *_decided(config)) or config
    return CheckedRun(config, run_dir, is_new=True, sources=check_sources(config))


def _decided(config: RunConfig) -> list[RunConfig]:
    """Return what may become of a configuration in which something is decided only when the run is built."""
    deterministic = (True, False) if config.deterministic is None else (config.deterministic,)
    precisions: tuple[Precision, ...] = ("float32", "bfloat16") if config.precision == "auto" else (config.precision,)
    compilers: tuple[Compiler, ...] = ("off", "xla") if config.compile == "auto" else (config.compile,)
    return [
        replace(config, deterministic=d, precision=p, compile=c)
        for d, p, c in product(deterministic, precisions, compilers)
    ]


def _begun(run_dir: RunDir, checkpoint: int | None) -> bool:
    """Return whether a run has a checkpoint to continue from; raise CheckpointError where it has lost those it had."""
    checkpoints = Checkpoints(run_dir.checkpoints)
    if checkpoint is not None:
        checkpoints.check(checkpoint)
    if not checkpoints.steps() and run_dir.metrics.is_file() and run_dir.metrics.stat().st_size:
        # Nothing is recorded before the first checkpoint is written.
        raise CheckpointError(
            f"The run in '{run_dir.path}' has records and no checkpoint: its checkpoints were taken away. Bring one "
            "back, or train anew in another folder."
        )
    return bool(checkpoints.steps())


def _continued(saved: RunConfig, asked: RunConfig, path: Path) -> RunConfig:
    """Return the configuration of a run that continues; other changes would make its numbers a mixture.

    One in bfloat16 may go on in float32, where it would crawl otherwise. Any may go on with another compiler, or on
    another number of devices.
    """
    if saved.precision == "auto":  # it is older than this setting
        saved = replace(saved, precision="float32")
    if asked.compile == "auto":
        asked = replace(asked, compile="off" if saved.compile == "auto" else saved.compile)
    saved = replace(saved, devices=asked.devices, compile=asked.compile)
    if asked.deterministic is None:
        asked = replace(asked, deterministic=saved.deterministic)
    if asked.precision == "auto":
        asked = replace(asked, precision=saved.precision)
    if asked.precision == "float32":
        saved = replace(saved, precision="float32")
    lengths = {name: value for name in MAY_CHANGE if (value := getattr(asked.training, name, None)) is not None}
    if type(saved.training) is type(asked.training):
        saved = replace(saved, training=replace(saved.training, **lengths))
    if saved == asked:
        return asked
    different = ", ".join(
        f"{key} (saved {old!r}, asked for {new!r})" for key, old, new in differences(to_dict(saved), to_dict(asked))
    )
    raise RunError(
        f"The folder '{path}' holds a run of another configuration. A run continues with its own configuration; only "
        "compile, devices, training.steps or training.turns may change, and precision from bfloat16 to float32. "
        f"Different: {different}. Choose another --logdir, or leave the differences out."
    )


def is_finished(run: RunDir, config: RunConfig) -> bool:
    """Return whether a run has done all that `config`, its own one or a longer one, asks for.

    Where the newest checkpoint is damaged it has not: training goes on from the one before.
    """
    return is_trained(run, config.training, config.env.num_envs)


def is_trained(run: RunDir, training: ModelBasedConfig | ModelFreeConfig | OffPolicyConfig, num_envs: int) -> bool:
    """Return the same as `is_finished`, from the sections of the configuration that say it."""
    try:
        with fitting(f"'{run.path}'"):
            return _is_trained(Checkpoints(run.checkpoints).state(), training, num_envs)
    except CheckpointError:
        return False


def _is_trained(
    state: Mapping[str, Any], training: ModelBasedConfig | ModelFreeConfig | OffPolicyConfig, num_envs: int
) -> bool:
    if isinstance(training, ModelBasedConfig):
        return TrainingPlan(training, num_envs).ends_at(Position(**state["position"]))
    step = state["counters"]["step"]
    if isinstance(training, OffPolicyConfig):
        owed = training.updates_owed(step, num_envs)
        return bool(step >= training.steps and state["counters"]["updates"] >= owed)
    partial_rollout = state["collector"]["buffer"]["steps"]
    return bool(step >= training.steps and not partial_rollout)
