"""The tables that the kit runs over: every kind of model and of agent, so small that graphs are traced quickly.

A new member needs one entry here, named by its kind, or by its kind and a word where it comes in several layouts.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable
from typing import Any

import pytest

from worldmodels.agents.config import RandomConfig
from worldmodels.agents.conformance import agent_checks, specs
from worldmodels.agents.dreamer.config import ActorCriticConfig, Plan2ExploreConfig
from worldmodels.agents.off_policy.config import DDPGConfig, SACConfig, TD3Config
from worldmodels.agents.on_policy.config import PPOConfig, TRPOConfig, VPGConfig
from worldmodels.models.config import (
    FrameStackConfig,
    HeadConfig,
    LaPropConfig,
    LayerStyle,
    OptimizerConfig,
    PatchConfig,
)
from worldmodels.models.conformance.samples import SPACES
from worldmodels.models.flow.config import FlowConfig
from worldmodels.models.next_frame.config import (
    ConvNetworkConfig,
    DeterministicConfig,
    LatentConfig,
    MotionOutputConfig,
    PatchNetworkConfig,
    SamplingConfig,
    StochasticDiscreteConfig,
)
from worldmodels.models.rssm.config import RSSMConfig

HEAD, FAST = HeadConfig(1, 8), OptimizerConfig(learning_rate=1e-2)
V3, LAPROP = LayerStyle("rms", "silu"), LaPropConfig(learning_rate=1e-2, warmup=2)
PATCH = PatchConfig(patch=2, depth=4)

CONV = ConvNetworkConfig(hidden=4, levels=2, doublings=1)
PATCHES = PatchNetworkConfig(patch=8, depth=8, bottleneck=8, blocks=1)
MOTION = MotionOutputConfig(motions=1, depth=4)
OWN_MOTIONS = {
    "network": dataclasses.replace(PATCHES, patch_motions=True),
    "output": dataclasses.replace(MOTION, patch_motions=True, moved_scale=9.0),
}
LATENT = LatentConfig(bits=4, group=2, units=4, ramp_updates=2, use_ramp_updates=2)
SAMPLING = SamplingConfig(exponential_updates=0, linear_updates=0)  # from the first update on, as often as it gets

MODELS: dict[str, Any] = {
    "deterministic": DeterministicConfig(network=CONV, frames=2, head_units=8),
    "flow": FlowConfig(frames=2, width=8, blocks=1, calls=2, optimizer=FAST),
    "frames": FrameStackConfig(frames=3),
    "deterministic in patches": DeterministicConfig(
        **OWN_MOTIONS, frames=2, features="network", reward="symlog", head_units=8, optimizer=FAST
    ),
    "stochastic_discrete in patches": StochasticDiscreteConfig(
        network=PATCHES, output=MOTION, frames=2, memory=4, latent=LATENT, reward="symlog", head_units=8, optimizer=FAST
    ),
    "stochastic_discrete": StochasticDiscreteConfig(
        network=CONV,
        frames=2,
        features="network",
        memory=4,
        latent=LATENT,
        sampling=SAMPLING,
        head_units=8,
        optimizer=FAST,
    ),
    "stochastic_discrete with events apart": StochasticDiscreteConfig(
        network=PATCHES,
        output=MOTION,
        frames=2,
        memory=4,
        latent=LATENT,
        reward="hurdle",
        event_weight=10.0,
        head_units=8,
        event_depth=4,
        optimizer=FAST,
    ),
    "rssm": RSSMConfig(
        recurrent=16, hidden=12, latents=3, classes=4, encoder=PATCH, decoder=PATCH, heads=HEAD, optimizer=FAST
    ),
    "rssm that copies": RSSMConfig(
        recurrent=16,
        hidden=12,
        latents=3,
        classes=4,
        encoder=PATCH,
        decoder=PATCH,
        picture_every=1,
        heads=HEAD,
        optimizer=FAST,
    ),
    "rssm v3": RSSMConfig(
        recurrent=16,
        hidden=12,
        latents=3,
        classes=4,
        blocks=2,
        uniform_mix=0.01,
        style=V3,
        encoder=PATCH,
        decoder=PATCH,
        heads=HEAD,
        reward_distribution="two_hot",
        optimizer=LAPROP,
    ),
}
IN_BFLOAT16 = ("frames", "flow", "deterministic in patches", "stochastic_discrete in patches", "rssm that copies")
"""Models that keep their contracts in bfloat16 in each run of the tests: of each kind the layout for laptops.

The others do so in slow tests.
"""

AGENTS: dict[str, Any] = {
    "actor_critic": ActorCriticConfig(actor=HEAD, critic=HEAD, horizon=3, actor_optimizer=FAST, critic_optimizer=FAST),
    "actor_critic v3": ActorCriticConfig(
        actor=HEAD,
        critic=HEAD,
        style=V3,
        horizon=3,
        normalize_returns=True,
        uniform_mix=0.01,
        value_distribution="two_hot",
        value_target="online",
        slow_regularizer=1.0,
        replay_value_scale=0.3,
        actor_optimizer=LAPROP,
        critic_optimizer=LAPROP,
    ),
    "actor_critic through the model": ActorCriticConfig(
        actor=HEAD,
        critic=HEAD,
        horizon=3,
        box_distribution="tanh_normal",
        actor_gradient="dynamics",
        entropy="exp(1e-2, 1e-3, 10)",
        normalize_returns=True,
        actor_optimizer=FAST,
        critic_optimizer=FAST,
    ),
    "ddpg": DDPGConfig(network=HEAD, horizon=3, minibatch=12, actor_optimizer=FAST, critic_optimizer=FAST),
    "plan2explore": Plan2ExploreConfig(
        task=ActorCriticConfig(actor=HEAD, critic=HEAD, horizon=3, actor_optimizer=FAST, critic_optimizer=FAST),
        explorer=ActorCriticConfig(actor=HEAD, critic=HEAD, horizon=3, actor_optimizer=FAST, critic_optimizer=FAST),
        members=3,
        network=HEAD,
        extrinsic_scale=0.5,
        optimizer=FAST,
    ),
    "ppo": PPOConfig(vectors=HEAD, horizon=3, minibatch=12, optimizer=FAST),
    "ppo with memory": PPOConfig(vectors=HEAD, lstm=4, horizon=3, minibatch=24, optimizer=FAST),
    "ppo regularised": PPOConfig(
        vectors=HEAD, dropout=0.1, batch_norm=True, augmentation=True, l2=1e-3, horizon=3, optimizer=FAST
    ),
    "ppo with two networks": PPOConfig(
        vectors=HEAD, style=V3, lstm=4, horizon=3, target_kl=0.01, optimizer=FAST, value_optimizer=FAST
    ),
    "ppo normalised": PPOConfig(
        vectors=HEAD, horizon=3, normalize_features=True, normalize_rewards=True, optimizer=FAST
    ),
    "random": RandomConfig(),
    "sac": SACConfig(network=HEAD, horizon=3, minibatch=12, actor_optimizer=FAST, critic_optimizer=FAST),
    "sac with a learned temperature": SACConfig(
        network=HEAD,
        horizon=3,
        minibatch=12,
        learn_alpha=True,
        actor_optimizer=FAST,
        critic_optimizer=FAST,
        alpha_optimizer=FAST,
    ),
    "td3": TD3Config(network=HEAD, horizon=3, minibatch=12, actor_optimizer=FAST, critic_optimizer=FAST),
    "td3 normalised": TD3Config(
        network=HEAD, horizon=3, minibatch=12, normalize_features=True, actor_optimizer=FAST, critic_optimizer=FAST
    ),
    "trpo": TRPOConfig(vectors=HEAD, horizon=3, value_steps=2, value_optimizer=FAST),
    "vpg": VPGConfig(vectors=HEAD, horizon=3, value_steps=2, optimizer=FAST, value_optimizer=FAST),
}


def world_models(names: Iterable[str] = MODELS) -> list[str]:
    """The entries that imagine."""
    return [name for name in names if MODELS[name].spec(*SPACES).imagines]


def pairs(models: Iterable[str]) -> list[tuple[str, str]]:
    """Models, each with the first entry of each kind of agent that can have discrete actions and its features."""
    return [
        (model, agent)
        for model in models
        for agent in one_of_each_kind(AGENTS)
        if "discrete" in AGENTS[agent].action_kinds
        and MODELS[model].spec(*SPACES).feature_kind in AGENTS[agent].feature_kinds
    ]


def agent_cases(names: Iterable[str]) -> list[Any]:
    """The parameters of a test of entries: configuration, check and spec, with each check and spec that it has."""
    return [
        pytest.param(config, check, spec, id=f"{check.__name__.removeprefix('check_')}-{name}-{kind}")
        for name in names
        for config in [AGENTS[name]]
        for check in agent_checks(config)
        for kind, spec in specs(config).items()
    ]


def one_of_each_kind(table: dict[str, Any]) -> list[str]:
    """The first entry of each kind: how a model is laid out is nothing to an agent, nor the other way round."""
    kinds = {config.kind: name for name, config in reversed(table.items())}
    return [name for name in table if name in kinds.values()]
