"""Builds the loop of a run, and the replay store that the loop needs."""

from __future__ import annotations

from worldmodels.acting.build import Parts
from worldmodels.acting.step_source import StepSource
from worldmodels.config.training_config import ModelBasedConfig, ModelFreeConfig, OffPolicyConfig
from worldmodels.replay import Replay
from worldmodels.replay.layout import Layout
from worldmodels.training.check import CheckedRun
from worldmodels.training.loops.loop import Loop
from worldmodels.training.loops.model_based import ModelBasedLoop
from worldmodels.training.loops.model_free import ModelFreeLoop
from worldmodels.training.loops.off_policy import OffPolicyLoop


def build_loop(checked: CheckedRun, source: StepSource, parts: Parts) -> tuple[Loop, Replay | None]:
    """Return the loop of a configuration, and its replay store, if it has one."""
    training = checked.config.training
    if isinstance(training, ModelFreeConfig):
        return ModelFreeLoop(parts, training, source), None
    replay = _open_replay(checked, training, parts)
    if isinstance(training, OffPolicyConfig):
        return OffPolicyLoop(parts, training, source, replay), replay
    return ModelBasedLoop(parts, training, source, replay, checked.demonstrations), replay


def _open_replay(checked: CheckedRun, training: ModelBasedConfig | OffPolicyConfig, parts: Parts) -> Replay:
    return Replay(
        checked.run_dir.replay,
        _num_streams(checked, training),
        parts.model.spec.observation,
        parts.model.spec.action,
        checked.config.replay,
        # The sources of a run that continues may be gone, and are in its own store already.
        expected_steps=checked.sources.steps + training.collected_steps,
        checkpoints=checked.config.schedule.keep_checkpoints,
    )


def _num_streams(checked: CheckedRun, training: ModelBasedConfig | OffPolicyConfig) -> int:
    """Return the number of streams of the replay store: one for each environment.

    A run that collects nothing has those of its data.
    """
    if not isinstance(training, ModelBasedConfig) or training.collect or not training.initial_replay:
        return checked.config.env.num_envs
    replayed = checked.sources.replayed
    return replayed.num_streams if replayed else Layout.read(checked.run_dir.replay).num_streams
