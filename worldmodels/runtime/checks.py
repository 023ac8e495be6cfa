"""Mistakes that no single value of a configuration shows, found before anything is built: without TensorFlow."""

from __future__ import annotations

from typing import Any

from worldmodels.core.errors import ConfigError
from worldmodels.envs.config import spread_mixture
from worldmodels.runtime.config import LoopConfig, ModelFreeConfig, RunConfig
from worldmodels.runtime.environment import build_env, checked_spaces

_LEAST = {
    "steps": 1, "prefill": 0, "pretrain": 0, "collect": 0, "fit": 0, "improve": 0, "turns": 0, "real_rollout": 0,
    "rollout": 1, "batch": 1, "length": 1, "log_every": 0, "log_updates": 0, "evaluate_every": 0, "checkpoint_every": 0,
    "checkpoint_updates": 0, "keep_checkpoints": 1,
}  # fmt: skip


def check_config(config: RunConfig) -> None:
    """Leaves nothing behind.

    Raises:
        UserError: no such game, option or mode; an uneven mixture; spaces that do not fit; numbers of the loop, or
            kinds of loop, model and agent, that do not go together. The text names both sides.
    """
    env = build_env(config, num_envs=1)
    spread_mixture(config.env.games, config.env.num_envs)
    checked_spaces(config.env.game, env)
    env.close()
    _check_least("training", config.training, _LEAST)
    if config.replay.held_out_every < 0 or config.replay.held_out_every == 1:
        raise ConfigError(
            "replay.held_out_every must be 0 for none, or at least 2: every episode held out would leave none to learn "
            f"from. Received {config.replay.held_out_every}."
        )
    if isinstance(config.training, ModelFreeConfig):
        _check_model_free(config)
    else:
        _check_model_based(config, config.training)


def _check_least(section: str, numbers: Any, least: dict[str, int]) -> None:
    for name, minimum in least.items():
        value = getattr(numbers, name, minimum)
        if value < minimum:
            raise ConfigError(f"{section}.{name} must be at least {minimum}. Received {value}.")


def _check_model_free(config: RunConfig) -> None:
    if config.model.kind != "frames":
        raise ConfigError(
            f"training.kind is 'model_free' and model.kind is '{config.model.kind}': a loop that knows no world model "
            "would never train one. Choose model.kind=frames, or training.kind=model_based."
        )
    _check_learns_from_reality(config, "training.kind is 'model_free'")


def _check_learns_from_reality(config: RunConfig, why: str) -> None:
    if not config.agent.learns_from_reality:
        raise ConfigError(
            f"{why}, so the agent must learn from reality; agent.kind is '{config.agent.kind}', which learns in "
            "imagination alone. Choose agent.kind=ppo, for example."
        )


def _check_model_based(config: RunConfig, training: LoopConfig) -> None:
    if config.model.kind == "frames":
        raise ConfigError(
            "training.kind is 'model_based' and model.kind is 'frames', which is no world model: it imagines nothing. "
            "Choose training.kind=model_free, or a world model."
        )
    for name in ("fit_factors", "improve_factors"):
        if min(getattr(training, name), default=0) < 0:
            raise ConfigError(f"training.{name} must be 0 or more. Received {getattr(training, name)}.")
    _check_sources(training)
    _check_recorded(training, config.env.num_envs)
    _check_length(config, training)
    _check_starts(config, training)
    if training.real_rollout:
        _check_real_rollout(config, training)


def _check_sources(training: LoopConfig) -> None:
    """Something to learn, and something to learn it from."""
    if not training.collect and not (training.turns and training.fit + training.improve):
        raise ConfigError(
            "training.collect is 0, so training.turns must say how often to fit and improve, and training.fit or "
            f"training.improve must be above 0. Received turns {training.turns}, fit {training.fit}, improve "
            f"{training.improve}."
        )
    if training.improve and not (training.fit or training.pretrain or training.pretrained):
        raise ConfigError(
            "training.improve lets the policy learn in a world model that nothing trains: training.fit and "
            "training.pretrain are 0, and training.pretrained names no run."
        )
    if training.collect and not training.recording and training.prefill > training.steps:
        raise ConfigError(
            f"training.prefill is {training.prefill}, and training.steps {training.steps}: the run would end before it "
            "learned anything."
        )


def _check_recorded(training: LoopConfig, num_envs: int) -> None:
    """Enough of it before the first update; what another run recorded is only known when it is opened."""
    if training.recording:
        return
    for name, steps, used in (
        ("length", training.length, training.fit + training.pretrain),
        ("starts.context", training.starts.context, training.improve),
    ):
        if used and training.prefill < steps * num_envs:
            raise ConfigError(
                "training.prefill must fill one sequence in every environment before the first update: at least "
                f"training.{name} x env.num_envs = {steps} x {num_envs} = {steps * num_envs} steps. "
                f"Received {training.prefill}."
            )


def _check_length(config: RunConfig, training: LoopConfig) -> None:
    frames = getattr(config.model, "frames", 0)
    if frames and training.length <= frames:
        raise ConfigError(
            f"training.length is {training.length} and model.frames {frames}: a sequence must hold at least one frame "
            "more than the model sees, to predict it."
        )


def _check_starts(config: RunConfig, training: LoopConfig) -> None:
    starts = training.starts
    if not training.improve:
        return
    if starts.context == 0:
        if min(round(factor * training.fit) for factor in (1, *training.fit_factors)) < 1:
            raise ConfigError(
                "training.starts.context is 0: imagination starts where the model was last fitted, so each turn must "
                f"fit. training.fit is {training.fit}, training.fit_factors {training.fit_factors}."
            )
        return
    _check_least("training.starts", starts, {"context": 0, "rollouts": 1, "newest": 0, "beginnings": 0})
    if starts.beginnings > starts.rollouts:
        raise ConfigError(
            f"training.starts.beginnings is {starts.beginnings}, out of {starts.rollouts} in training.starts.rollouts."
        )
    needed = starts.context * config.env.num_envs
    if 0 < starts.newest < needed:
        raise ConfigError(
            "training.starts.newest must hold one context in every environment: training.starts.context x env.num_envs "
            f"= {starts.context} x {config.env.num_envs} = {needed} steps, or be 0 for all. Received {starts.newest}."
        )


def _check_real_rollout(config: RunConfig, training: LoopConfig) -> None:
    _check_learns_from_reality(config, f"training.real_rollout is {training.real_rollout}")
    piece = training.real_rollout * config.env.num_envs
    if training.collect % piece:
        raise ConfigError(
            "What a turn collects must be whole rollouts, for the model changes before the next: training.collect must "
            f"be a multiple of training.real_rollout x env.num_envs = {training.real_rollout} x {config.env.num_envs} "
            f"= {piece}. Received {training.collect}."
        )
