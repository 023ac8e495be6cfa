"""Checks that the sections of a configuration go together, before anything is built and without TensorFlow.

Ranges of single numbers are checked by the dataclasses themselves.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from worldmodels.agents import AGENTS, check_fits
from worldmodels.config.devices import check_devices
from worldmodels.config.environment import model_spec
from worldmodels.config.run_config import RunConfig
from worldmodels.config.training_config import ModelBasedConfig, ModelFreeConfig, OffPolicyConfig
from worldmodels.core.errors import ConfigError
from worldmodels.envs.config import spread_mixture
from worldmodels.models.api import ModelSpec
from worldmodels.replay.layout import memory_steps, plan_layout
from worldmodels.telemetry.trackers import check_trackers

WAYS = {
    "imagination": "in imagination (training.kind=model_based)",
    "rollouts": "from whole rollouts (training.kind=model_free)",
    "transitions": "from single steps of any age (training.kind=off_policy)",
}
"""The loop for each kind of experience of an agent, in words."""


def check_config(config: RunConfig) -> None:
    """Check that the sections of a configuration go together; leave nothing behind.

    Raises:
        UserError: no such game, option or mode; an uneven mixture; spaces that do not fit; numbers of the loop, or
            kinds of loop, model and agent, that do not go together. The text names both sides.
    """
    spread_mixture(config.env.games, config.env.num_envs)
    _check_collectors(config)
    check_trackers(config.telemetry.sinks)
    spec = model_spec(config)
    check_fits(config.agent, spec)
    check_devices(config, spec)
    config.agent.check(config)
    if not isinstance(config.training, ModelFreeConfig):
        memory_steps(config.replay, plan_layout(config.replay, config.env.num_envs, spec.observation, spec.action))
    if isinstance(config.training, ModelBasedConfig):
        _check_model_based(config, config.training, spec)
        return
    _check_is_no_world_model(config, spec)
    if isinstance(config.training, ModelFreeConfig):
        _check_learns_from_rollouts(config, "training.kind is 'model_free'")
    else:
        _check_off_policy(config, config.training, spec)


def _check_collectors(config: RunConfig) -> None:
    """Check that the environments can be shared out evenly."""
    collectors, num_envs, games = config.training.collectors, config.env.num_envs, len(config.env.games)
    if collectors and num_envs % (collectors * games):
        mixture = f" x {games} games" if games > 1 else ""
        raise ConfigError(
            "Collectors share the environments evenly: env.num_envs must be a multiple of training.collectors"
            f"{mixture}, {collectors * games}. Received {num_envs}."
        )


def _check_is_no_world_model(config: RunConfig, spec: ModelSpec) -> None:
    if spec.imagines:
        raise ConfigError(
            f"training.kind is '{config.training.kind}' and model.kind is '{config.model.kind}': a loop without a "
            "world model would never train one. Choose model.kind=frames, or training.kind=model_based."
        )


def _check_off_policy(config: RunConfig, training: OffPolicyConfig, spec: ModelSpec) -> None:
    why = "training.kind is 'off_policy', so the agent must learn from single recorded steps"
    _check_learns(config, "transitions", why)
    if training.first_update(config.env.num_envs) > training.steps:
        raise ConfigError(
            f"The first update is due after {training.first_update(config.env.num_envs)} steps (training.update_after, "
            f"in pieces of training.collect), and training.steps is {training.steps}: the run would end before it "
            "learned anything."
        )
    num_envs = config.env.num_envs
    first, needed = training.first_update(num_envs), (spec.frames_before + 2) * num_envs
    if first < needed:
        raise ConfigError(
            "There must be a step to learn from at the first update, and what arrived after it: training.update_after "
            f"must be at least {spec.frames_before + 2} x env.num_envs = {needed} steps. Received "
            f"{training.update_after}."
        )


def _check_learns_from_rollouts(config: RunConfig, why: str) -> None:
    _check_learns(config, "rollouts", f"{why}, so the agent must learn from real experience")


def _check_learns(config: RunConfig, experience: str, why: str) -> None:
    """Check that the agent learns from the experience of a loop; the error says which agents and loops do."""
    agent = config.agent
    if experience in agent.experience:
        return
    ways = [words for kind, words in WAYS.items() if kind in agent.experience]
    others: Mapping[str, Any] = AGENTS
    able = [kind for kind, other in others.items() if experience in other.experience and kind != "random"]
    raise ConfigError(
        f"{why}; agent.kind is '{agent.kind}', which learns {' or '.join(ways)}. Agents that can: {', '.join(able)}."
    )


def _check_model_based(config: RunConfig, training: ModelBasedConfig, spec: ModelSpec) -> None:
    if not spec.imagines:
        raise ConfigError(
            f"training.kind is 'model_based' and model.kind is '{config.model.kind}', which is no world model: it "
            "imagines nothing. Choose training.kind=model_free, or a world model."
        )
    _check_work(training)
    _check_prefill(training, config.env.num_envs)
    _check_choices(training, spec)
    _check_length(training, spec)
    _check_starts(config, training)
    _check_imagination_weight(config, training)
    if training.real_rollout:
        _check_real_rollout(config, training)


def _check_work(training: ModelBasedConfig) -> None:
    """Check that there is something to learn, and something to learn it from."""
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
    if training.collect and not training.initial_replay and training.prefill > training.steps:
        raise ConfigError(
            f"training.prefill is {training.prefill}, and training.steps {training.steps}: the run would end before it "
            "learned anything."
        )


def _check_imagination_weight(config: RunConfig, training: ModelBasedConfig) -> None:
    """Check that what a turn collects fills a window in which the model can be measured."""
    length, num_envs = config.evaluation.context + config.evaluation.horizon, config.env.num_envs
    if training.imagination_weight != "constant" and training.collect < length * num_envs:
        raise ConfigError(
            f"training.imagination_weight is '{training.imagination_weight}', which measures the model on the steps of "
            "each turn: training.collect must be at least (evaluation.context + evaluation.horizon) x env.num_envs = "
            f"{length} x {num_envs} = {length * num_envs}. Received {training.collect}."
        )


def _check_prefill(training: ModelBasedConfig, num_envs: int) -> None:
    """Check that enough is collected before the first update; an initial replay is checked when it is opened."""
    if training.initial_replay:
        return
    for name, steps, used in (
        ("length", training.length, training.fit + training.pretrain),
        ("starts.context", training.starts.context, training.improve),
    ):
        if used and training.prefill < steps * num_envs:
            raise ConfigError(
                "training.prefill must fill one sequence in every environment before the first update: at least "
                f"training.{name} x env.num_envs = {steps} x {num_envs} = {steps * num_envs} steps. "
                f"Received {training.prefill}, and no training.initial_replay to learn from instead."
            )


def _check_choices(training: ModelBasedConfig, spec: ModelSpec) -> None:
    """Check that nothing holds one of a number of actions where an action is a point of a box."""
    if spec.action.is_discrete:
        if training.exploration.noise:
            raise ConfigError(
                "training.exploration.noise is added to actions that are numbers; this environment takes "
                f"{spec.action}, so it must be 0. Received {training.exploration.noise:g}."
            )
        return
    if training.prefill_policy == "held":
        raise ConfigError(
            f"training.prefill_policy is 'held', which holds discrete actions; this environment takes {spec.action}. "
            "Choose 'random' or 'agent'."
        )


def _check_length(training: ModelBasedConfig, spec: ModelSpec) -> None:
    if training.length < spec.min_sequence_length:
        raise ConfigError(
            f"training.length is {training.length}; a sequence must hold at least {spec.min_sequence_length} steps, "
            "one more than the frames that the model sees (model.frames), to predict it."
        )


def _check_starts(config: RunConfig, training: ModelBasedConfig) -> None:
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
    if starts.rollouts < 1:
        raise ConfigError(
            f"training.starts.rollouts must be at least 1 where training.starts.context is {starts.context}: each "
            f"rollout starts after a context of its own. Received {starts.rollouts}."
        )
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


def _check_real_rollout(config: RunConfig, training: ModelBasedConfig) -> None:
    _check_learns_from_rollouts(config, f"training.real_rollout is {training.real_rollout}")
    piece = training.real_rollout * config.env.num_envs
    if training.collect % piece:
        raise ConfigError(
            "What a turn collects must be whole rollouts, for the model changes before the next: training.collect must "
            f"be a multiple of training.real_rollout x env.num_envs = {training.real_rollout} x {config.env.num_envs} "
            f"= {piece}. Received {training.collect}."
        )
    if training.exploration.is_on:
        raise ConfigError(
            "With training.real_rollout the agent learns from its own actions, so nothing else may act in its place: "
            "training.exploration.epsilon and .noise must be 0. Received "
            f"{training.exploration.epsilon:g} and {training.exploration.noise:g}."
        )
