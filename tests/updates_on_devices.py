"""Updates on one device, compared with those on two and with programs of XLA.

A process that compares devices needs two of them.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np
import tensorflow as tf
from members import AGENTS, CONV, FAST, HEAD, LATENT, MODELS

from worldmodels.agents import build_agent
from worldmodels.agents.api import Experience, Replayed, Rollouts, Transitions
from worldmodels.agents.conformance.samples import SPECS
from worldmodels.core.types import Batch
from worldmodels.imagination.starts import StartStates
from worldmodels.models import build_model
from worldmodels.models.conformance.samples import ACTIONS, BOX, SHAPE, SPACES, key
from worldmodels.models.devices import building_on
from worldmodels.models.graph import compile_updates

UPDATES, ROWS, STEPS = 3, 4, 6
Learned = tuple[dict[str, Any], list[dict[str, Any]]]
"""What is saved before all updates; and what is saved after them, with the metrics of each."""
Learn = Callable[[int], Learned]
"""Takes the number of devices."""


def windows(box: bool = False) -> Batch:
    """Windows of noise with borders of episodes, more of them in the share of one device than of the other."""
    random = np.random.default_rng(3)
    is_first, is_last = np.zeros((2, ROWS, STEPS), bool)
    is_first[1, 3:5] = is_first[3, 5] = is_last[1, 2:4] = is_last[3, 4] = True
    images = random.integers(0, 256, (ROWS, STEPS, *SHAPE), np.uint8)
    rewards = random.choice([-1.0, 0.0, 2.0], (ROWS, STEPS)).astype(np.float32)
    choices = random.integers(0, ACTIONS, (ROWS, STEPS)).astype(np.int32)
    numbers = random.uniform(-1, 1, (ROWS, STEPS, 2)).astype(np.float32)
    return Batch(images, rewards, is_first, is_last, is_last, numbers if box else choices)


def fitting(config: Any, weighted: bool = False) -> Learn:
    weights = (tf.constant([0.5, 2.0, 1.0, 0.1]),) if weighted else ()

    def learn(count: int) -> Learned:
        with building_on(count):
            model: Any = build_model(config, *SPACES, key(0))
        fresh = model.save()
        batch = tf.nest.map_structure(tf.constant, windows())
        results = [model.fit(batch, key(i), *weights) for i in range(UPDATES)]
        assert tf.nest.flatten(results[0][1])[0].shape[:2] == (ROWS, STEPS)
        return fresh, [model.save(), *(metrics for metrics, _ in results)]

    return learn


@cache
def fitted(config: Any, box: bool) -> tuple[dict[str, Any], Any]:
    """The weights of a model after an update on one device, and its states along the windows: a world for policies.

    One that differs in the last bits would now and then paint a pixel that is rounded otherwise.
    """
    model: Any = build_model(config, SPACES[0], BOX if box else SPACES[1], key(0))
    _, states = model.fit(tf.nest.map_structure(tf.constant, windows(box)), key(2))
    return model.save(), states


def dreaming(agent_config: Any, model_config: Any, box: bool = False) -> Learn:
    def learn(count: int) -> Learned:
        with building_on(count):
            model = build_model(model_config, SPACES[0], BOX if box else SPACES[1], key(0))
            agent = build_agent(agent_config, model.spec, key(1))
        weights, states = fitted(model_config, box)
        model.load(weights)
        batch, fresh, found = windows(box), agent.save(), []
        starts = tf.nest.map_structure(lambda x: tf.reshape(x, (-1, *x.shape[2:])), states)
        ends = tf.reshape(1.0 - tf.cast(batch.is_terminal, tf.float32), (-1,))
        replayed = tf.nest.map_structure(tf.convert_to_tensor, Replayed.of(states, batch))
        for i in range(UPDATES):
            found.append(
                agent.update_from_imagination(model, StartStates(starts, ends), key(3 + i), Experience(replayed))
            )
        return fresh, [agent.save(), *found]

    return learn


def acting(config: Any) -> Learn:
    """Learning from rollouts that no model imagined."""
    spec, random = SPECS["images"], np.random.default_rng(7)
    features = tf.constant(random.integers(0, 256, (STEPS + 1, ROWS, *spec.feature_shape), np.uint8))
    flags = np.zeros((STEPS + 1, ROWS), bool)
    flags[3, 1] = True
    rewards = tf.constant(random.normal(size=flags.shape).astype(np.float32))

    def learn(count: int) -> Learned:
        with building_on(count):
            agent = build_agent(config, spec, key(1))
        fresh, found = agent.save(), []
        for i in range(UPDATES):
            acted = [agent.act(features[t], (), 1.0, key(50 * i + t)) for t in range(STEPS + 1)]
            actions, _, extras = tf.nest.map_structure(lambda *x: tf.stack(x), *acted)
            ends = (1.0 - tf.cast(flags, tf.float32), tf.constant(np.roll(flags, 1, 0)), tf.constant(flags))
            experience = Rollouts(features, actions, rewards, *ends, extras, ())
            found.append(agent.update_from_rollouts(experience, key(i)))
        return fresh, [agent.save(), *found]

    return learn


def from_transitions(config: Any) -> Learn:
    """Learning from single steps of any age."""
    spec, random = SPECS["box"], np.random.default_rng(9)

    def steps(*shape: int) -> tf.Tensor:
        return tf.constant(random.normal(size=(UPDATES, ROWS, *shape)).astype(np.float32))

    before, after, actions = steps(*spec.feature_shape), steps(*spec.feature_shape), tf.tanh(steps(spec.action.size))
    transitions = Transitions(before, actions, steps(), tf.ones((UPDATES, ROWS)), after)

    def learn(count: int) -> Learned:
        with building_on(count):
            agent = build_agent(config, spec, key(1))
        fresh = agent.save()
        found = [agent.update_from_transitions(transitions, key(i)) for i in range(UPDATES)]
        return fresh, [agent.save(), *found]

    return learn


RSSM = replace(MODELS["rssm"], free_nats=0.01, free_average=True)
NEXT_FRAME = replace(
    MODELS["stochastic_discrete"],
    network=replace(CONV, dropout=0.2, middle_dropout=0.2),
    latent=replace(LATENT, predictor_dropout=0.2),
    pixel_noise=0.1,
    reward="symlog",
)
SOFT = replace(
    FAST, learning_rate=1e-3, epsilon=1e-3
)  # of a gradient that is nearly 0, Adam otherwise makes a step by its last bits
PPO = replace(
    AGENTS["ppo"],
    optimizer=SOFT,
    normalize_advantages="minibatch",
    target_kl=0.05,
    l2=1e-3,
    value_clip=0.2,
    dropout=0.1,
)
CASES: dict[str, Learn] = {
    "RSSM": fitting(replace(RSSM, picture_every=2), weighted=True),
    "RSSM v3": fitting(MODELS["rssm v3"]),
    "Gaussian RSSM": fitting(replace(MODELS["rssm"], classes=0)),
    "next-frame model": fitting(NEXT_FRAME, weighted=True),
    "next-frame model with events apart": fitting(MODELS["stochastic_discrete with events apart"]),
    "deterministic next-frame model": fitting(replace(MODELS["deterministic"], internal_loss=True, pixel_noise=0.1)),
    "actor-critic": dreaming(AGENTS["actor_critic v3"], MODELS["rssm"]),
    "actor-critic with gradients through the model": dreaming(
        AGENTS["actor_critic through the model"], MODELS["rssm"], box=True
    ),
    "Plan2Explore": dreaming(AGENTS["plan2explore"], MODELS["rssm"]),
    "PPO in imagination": dreaming(PPO, MODELS["stochastic_discrete in patches"]),
    "PPO with memory": dreaming(replace(AGENTS["ppo with two networks"], minibatch=24), MODELS["rssm"]),
    "PPO": acting(replace(PPO, vectors=HEAD, minibatch=8, epochs=2)),
}

SLOW: dict[str, Any] = {"actor_optimizer": SOFT, "critic_optimizer": SOFT}
SINGLE: dict[str, Learn] = {
    "flow": fitting(MODELS["flow"], weighted=True),
    "RSSM that copies": fitting(MODELS["rssm that copies"]),
    "TRPO": acting(replace(AGENTS["trpo"], value_optimizer=SOFT)),
    "SAC": from_transitions(replace(AGENTS["sac"], **SLOW)),
    "TD3": from_transitions(replace(AGENTS["td3"], **SLOW)),
    "DDPG": from_transitions(replace(AGENTS["ddpg"], **SLOW)),
}
"""Cases that learn on one device alone."""


def leaves(tree: Any) -> list[np.ndarray]:
    if isinstance(tree, dict):
        return [leaf for name in sorted(tree) for leaf in leaves(tree[name])]
    return [leaf for part in tree for leaf in leaves(part)] if isinstance(tree, list) else [np.asarray(tree)]


def largest(one: Any, other: Any) -> float:
    """The largest difference of two trees, relative to values above 1."""
    pairs = zip(leaves(one), leaves(other), strict=True)
    return max(float(np.max(np.abs(a - b) / np.maximum(1.0, np.abs(a)), initial=0.0)) for a, b in pairs)


def compare_devices(name: str) -> dict[str, float]:
    """Compare a case on one device and on two."""
    return compare(CASES[name](1), CASES[name](2))


def compare_compilers(name: str) -> dict[str, float]:
    """Compare a case with and without XLA; what it compiled has to be an update."""
    plain = (CASES | SINGLE)[name](1)
    compile_updates(by_xla=True)
    try:
        return compare(plain, (CASES | SINGLE)[name](1))
    finally:
        compile_updates(by_xla=False)


def compare(one: Learned, other: Learned) -> dict[str, float]:
    """Return the most by which updates change matrices, and the most by which what is saved or told differs."""
    (fresh, alone), (_, together) = one, other
    changes = [largest([a], [b]) for a, b in zip(leaves(fresh), leaves(alone[0]), strict=True) if a.ndim > 1]
    return {"changed": max(changes), "difference": largest(alone, together)}
