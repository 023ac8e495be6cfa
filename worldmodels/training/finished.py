"""Whether a run has ended is read from its newest checkpoint, without its weights and without TensorFlow."""

from __future__ import annotations

from worldmodels.config.run_config import RunConfig
from worldmodels.config.training_config import ModelBasedConfig, ModelFreeConfig, OffPolicyConfig
from worldmodels.core.errors import CheckpointError
from worldmodels.core.files.checkpoint import Checkpoints
from worldmodels.core.files.run_dir import RunDir
from worldmodels.training.loops.plan import Position, TrainingPlan


def is_finished(run: RunDir, config: RunConfig) -> bool:
    """Return whether a run has done all that `config`, its own one or a longer one, asks for.

    Where the newest checkpoint is damaged it has not: training goes on from the one before.
    """
    return is_trained(run, config.training, config.env.num_envs)


def is_trained(run: RunDir, training: ModelBasedConfig | ModelFreeConfig | OffPolicyConfig, num_envs: int) -> bool:
    """Return the same as `is_finished`, from the sections of the configuration that say it."""
    try:
        state = Checkpoints(run.checkpoints).state()
    except CheckpointError:
        return False
    if isinstance(training, ModelBasedConfig):
        return TrainingPlan(training, num_envs).ends_at(Position(**state["position"]))
    step = state["counters"]["step"]
    if isinstance(training, OffPolicyConfig):
        owed = training.updates_owed(step, num_envs)
        return bool(step >= training.steps and state["counters"]["updates"] >= owed)
    partial_rollout = state["collector"]["buffer"]["steps"]
    return bool(step >= training.steps and not partial_rollout)
