"""PPO learns from what it lived through."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
import tensorflow as tf
from image_spaces import image_spec

from worldmodels.agents import build_agent
from worldmodels.agents.api import Rollouts
from worldmodels.agents.on_policy.config import PPOConfig
from worldmodels.models.config import HeadConfig, OptimizerConfig

STEPS, ROWS = 8, 16
FAST = OptimizerConfig(learning_rate=0.01, clip=0.5, weight_decay=0.0)
CONFIG = PPOConfig(vectors=HeadConfig(1, 16), discount=0.5, clip=0.2, minibatch=32, optimizer=FAST)


def seed(number: int) -> np.ndarray:
    return np.array([number, 5], np.int32)


class Quadrants:
    """One quarter of the picture is bright: the action of the same number pays 1."""

    spec = image_spec((8, 8, 1), 4, (8, 8, 1))

    def live(self, random: np.random.Generator) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        right = random.integers(0, 4, (STEPS + 1, ROWS))
        corners = np.eye(4)[right].reshape(STEPS + 1, ROWS, 2, 2)
        pictures = np.kron(corners, np.full((4, 4), 200))[..., None].astype(np.uint8)
        return pictures, right, np.zeros((STEPS + 1, ROWS), bool)


class Cue:
    """An episode shows one of two cues, then nothing, then is cut: at its second moment the action of the cue's number
    pays 1."""

    spec = image_spec((8, 8, 1), 2, (2,))

    def live(self, random: np.random.Generator) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        is_first = (np.arange(STEPS + 1) % 3 == 0)[:, None].repeat(ROWS, 1)
        cue = random.integers(0, 2, (STEPS + 1, ROWS)) * is_first
        cue = cue[np.arange(STEPS + 1) // 3 * 3]
        second = (np.arange(STEPS + 1) % 3 == 1)[:, None]
        return np.eye(2, dtype=np.float32)[cue] * is_first[..., None], np.where(second, cue, -1), is_first


def live(agent, world, number: int) -> Rollouts:
    features, right, is_first = (tf.constant(x) for x in world.live(np.random.default_rng(number)))
    first_memory = memory = agent.initial(ROWS)
    actions, extras = [], []
    for t in range(STEPS + 1):
        memory = tf.nest.map_structure(lambda x, t=t: tf.where(is_first[t, :, None], 0.0, x), memory)
        action, memory, extra = agent.act(features[t], memory, 1.0, seed(1000 * number + t))
        actions.append(action)
        extras.append(extra)
    actions = tf.stack(actions)
    paid = tf.cast(actions == tf.cast(right, tf.int32), tf.float32)
    return Rollouts(
        features=features,
        actions=actions,
        rewards=tf.concat([tf.zeros((1, ROWS)), paid[:-1]], 0),
        continuations=tf.ones((STEPS + 1, ROWS)),
        is_first=is_first,
        is_last=tf.concat([is_first[1:], is_first[:1]], 0),
        extras=tf.nest.map_structure(lambda *x: tf.stack(x), *extras),
        memory=first_memory,
    )


def mean_reward(world, config: PPOConfig, updates: int) -> float:
    """Of a rollout after some updates, for each action that could be right."""
    agent = build_agent(config, world.spec, seed(0))
    for i in range(updates):
        metrics = agent.update_from_rollouts(live(agent, world, i), seed(i))
        assert metrics["policy/finite"] == 1
    after = live(agent, world, updates)
    chances = (world.live(np.random.default_rng(updates))[1][:-1] >= 0).sum()
    return float(tf.reduce_sum(after.rewards)) / chances


@pytest.mark.parametrize(
    "changes",
    [
        {},
        {"augmentation": True},
        {"dropout": 0.1, "l2": 1e-4},
        {"batch_norm": True, "value_clip": 0.2, "normalize_advantages": "minibatch"},
    ],
    ids=lambda changes: "-".join(changes) or "plain",
)
def test_learns_from_pictures(changes):
    optimizer = replace(FAST, learning_rate=1e-3)
    assert mean_reward(Quadrants(), replace(CONFIG, optimizer=optimizer, **changes), 20) > 0.6


def test_remembers_what_it_no_longer_sees():
    with_memory = replace(CONFIG, lstm=8, minibatch=8 * STEPS)
    assert mean_reward(Cue(), with_memory, 40) > 0.9
    assert mean_reward(Cue(), CONFIG, 40) < 0.7


@pytest.mark.parametrize(
    "changes", [{"dropout": 0.5}, {"augmentation": True}, {"batch_norm": True}], ids=lambda changes: next(iter(changes))
)
def test_what_disturbs_learning_counts_as_no_change_of_the_policy(changes):
    """All samples in the one step of an iteration: nothing has been learned yet that could be clipped."""
    config = replace(CONFIG, epochs=1, minibatch=1000, **changes)
    agent = build_agent(config, Quadrants.spec, seed(0))
    for i in range(3):
        metrics = agent.update_from_rollouts(live(agent, Quadrants(), i), seed(i))
    assert abs(metrics["policy/approximate_kl"]) < 1e-6
    assert metrics["policy/clip_fraction"] == 0


def test_disturbances_change_what_is_learned():
    learned = []
    for changes in ({}, {"dropout": 0.5}, {"augmentation": True}, {"batch_norm": True}):
        agent = build_agent(replace(CONFIG, **changes), Quadrants.spec, seed(0))
        agent.update_from_rollouts(live(agent, Quadrants(), 0), seed(0))
        learned.append(agent.save()["network"]["policy/critic/kernel"])
    assert len({kernel.tobytes() for kernel in learned}) == 4


def test_a_restored_agent_goes_on_bit_for_bit_with_all_that_disturbs_it():
    config = replace(CONFIG, dropout=0.1, augmentation=True, batch_norm=True, l2=1e-4)
    straight, resumed = (build_agent(config, Quadrants.spec, seed(number)) for number in (1, 2))
    straight.update_from_rollouts(live(straight, Quadrants(), 0), seed(0))
    resumed.load(straight.save())
    for agent in (straight, resumed):
        agent.update_from_rollouts(live(agent, Quadrants(), 1), seed(1))
    np.testing.assert_equal(resumed.save(), straight.save())
