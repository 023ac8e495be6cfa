"""Defines the comparison: methods on environments, with the same numbers for both sides."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import Any, NamedTuple

SIDES = ("ours", "peer")
ON_POLICY, OFF_POLICY = "on-policy", "off-policy"


class Task(NamedTuple):
    """An environment, and the steps for which each family of methods learns in it."""

    title: str
    env: str
    options: Mapping[str, Any]
    """Of the environment's constructor."""
    steps: Mapping[str, int]
    methods: Sequence[str]
    action_numbers: int = 0
    """Numbers of an action in a box; 0 for choices."""


class Method(NamedTuple):
    """A method with the settings that both sides have."""

    title: str
    family: str
    envs: int
    """Copies of the environment that step together."""
    preset: str
    overrides: Mapping[str, Any]
    """By the dotted keys of our configuration."""
    peer: str
    """The class in Stable-Baselines3, or in its contrib; empty where it has none."""
    peer_settings: Mapping[str, Any]
    """The same settings by the peer's names."""
    for_each_number: Mapping[str, float] = MappingProxyType({})
    """By the dotted keys of our configuration, what the peer counts for each number of an action and we for all."""


TWO_64 = {"net_arch": [64, 64], "activation": "tanh"}
TWO_256 = {"net_arch": [256, 256], "activation": "relu"}
OFF_POLICY_PEER = {
    "learning_rate": 1e-3,
    "batch_size": 100,
    "gamma": 0.99,
    "tau": 0.005,
    "train_freq": 50,
    "gradient_steps": 50,
    **TWO_256,
}

METHODS = {
    "vpg": Method("VPG", ON_POLICY, 4, "vpg", {}, "", {}),
    "trpo": Method(
        "TRPO",
        ON_POLICY,
        4,
        "trpo",
        {},
        "TRPO",
        {
            "n_steps": 1000,
            "batch_size": 4000,
            "gamma": 0.99,
            "gae_lambda": 0.97,
            "target_kl": 0.01,
            "cg_max_steps": 10,
            "cg_damping": 0.1,
            "line_search_shrinking_factor": 0.8,
            "line_search_max_iter": 10,
            "n_critic_updates": 80,
            "learning_rate": 1e-3,
            **TWO_64,
        },
        # The peer takes the mean of the KL over the numbers of an action. The KL of the action is their sum.
        {"agent.kl_limit": 0.01, "agent.damping": 0.1},
    ),
    "ppo": Method(
        "PPO",
        ON_POLICY,
        4,
        "ppo_clip",
        {
            "training.rollout": 512,
            "agent.minibatch": 64,
            "agent.epochs": 10,
            "agent.target_kl": 0.0,
            "agent.gae_lambda": 0.95,
            "agent.normalize_advantages": "minibatch",
            "agent.optimizer.clip": 0.5,
            "agent.value_optimizer.clip": 0.5,
            "agent.value_optimizer.learning_rate": 3e-4,
        },
        "PPO",
        {
            "n_steps": 512,
            "batch_size": 64,
            "n_epochs": 10,
            "learning_rate": 3e-4,
            "gamma": 0.99,
            "gae_lambda": 0.95,
            "clip_range": 0.2,
            **TWO_64,
        },
    ),
    "ddpg": Method("DDPG", OFF_POLICY, 1, "ddpg", {}, "DDPG", {**OFF_POLICY_PEER, "noise": 0.1}),
    "td3": Method("TD3", OFF_POLICY, 1, "td3", {}, "TD3", {**OFF_POLICY_PEER, "noise": 0.1}),
    "sac": Method("SAC", OFF_POLICY, 1, "sac", {}, "SAC", {**OFF_POLICY_PEER, "ent_coef": 0.2}),
}

LONG = {ON_POLICY: 500_000, OFF_POLICY: 200_000}
BOX_METHODS = ("vpg", "trpo", "ppo", "ddpg", "td3", "sac")

TASKS = {
    "cartpole": Task("CartPole", "CartPole-v1", {}, {ON_POLICY: 100_000, OFF_POLICY: 20_000}, ("vpg", "trpo", "ppo")),
    "pendulum": Task(
        "Pendulum", "Pendulum-v1", {}, {ON_POLICY: 200_000, OFF_POLICY: 20_000}, ("ddpg", "td3", "sac"), 1
    ),
    "lunarlander": Task("LunarLander", "LunarLander-v3", {}, LONG, ("vpg", "trpo", "ppo")),
    "lunarlander_continuous": Task(
        "LunarLander, continuous", "LunarLander-v3", {"continuous": True}, LONG, ("ppo", "td3", "sac"), 2
    ),
    "halfcheetah": Task("HalfCheetah", "HalfCheetah-v5", {}, LONG, BOX_METHODS, 6),
    "hopper": Task("Hopper", "Hopper-v5", {}, LONG, BOX_METHODS, 3),
}

START_STEPS = {20_000: 1_000, 200_000: 10_000}
"""Random steps before an off-policy method acts, by the steps of all."""


class Cell(NamedTuple):
    """One side's run of one method on one task, with one seed."""

    task: str
    method: str
    side: str
    seed: int

    @property
    def name(self) -> str:
        """The path of its files, without what they end in."""
        return f"{self.task}/{self.method}_{self.side}_{self.seed}"

    @property
    def steps(self) -> int:
        return TASKS[self.task].steps[METHODS[self.method].family]

    @property
    def settings(self) -> dict[str, Any]:
        """What decides its numbers, for JSON."""
        task, method = TASKS[self.task], METHODS[self.method]
        start = START_STEPS[self.steps] if method.family == OFF_POLICY else 0
        both = {
            "env": task.env,
            "options": dict(task.options),
            "num_envs": method.envs,
            "steps": self.steps,
            "seed": self.seed,
        }
        if self.side == "peer":
            starts = {"learning_starts": start} if start else {}
            return {**both, "class": method.peer, "settings": {**method.peer_settings, **starts}}
        starts = {"training.prefill": start} if start else {}
        numbers = task.action_numbers
        wider = {key: numbers * value for key, value in method.for_each_number.items()}
        boxes = wider if numbers else {}
        return {**both, "preset": method.preset, "overrides": {**method.overrides, **boxes, **starts}}


def cells(tasks: Sequence[str], methods: Sequence[str], seeds: Sequence[int], sides: Sequence[str]) -> Iterator[Cell]:
    """Yield the cells seed by seed, both sides of a method one after the other."""
    for seed in seeds:
        for task in tasks:
            for method in methods:
                if method not in TASKS[task].methods:
                    continue
                for side in sides:
                    if side == "ours" or METHODS[method].peer:
                        yield Cell(task, method, side, seed)
