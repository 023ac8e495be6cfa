"""The actor-critic in boxes of actions: it learns, by either gradient, and what follows schedules does so exactly."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
import tensorflow as tf
from point import Point, PointState

from worldmodels.agents import build_agent
from worldmodels.agents.dreamer.config import ActorCriticConfig
from worldmodels.imagination.starts import StartStates
from worldmodels.models.config import HeadConfig, OptimizerConfig

HEAD, FAST = HeadConfig(1, 8), OptimizerConfig(learning_rate=0.03)
CONFIG = ActorCriticConfig(
    actor=HEAD,
    critic=HEAD,
    horizon=4,
    discount=0.9,
    entropy=1e-3,
    reward_transform="none",
    target_every=2,
    target_share=0.5,
    actor_optimizer=FAST,
    critic_optimizer=FAST,
)
CONTINUES, WORLD = tf.ones((32,)), Point()


def seed(number: int) -> np.ndarray:
    return np.array([number, 5], np.int32)


def starts(number: int) -> PointState:
    return PointState(tf.random.stateless_uniform((32, 1), seed(number), -2.0, 2.0))


def distance(agent, temperature: float) -> float:
    """How far from the goal points are on average, four steps after they started at 64 places."""
    state = PointState(tf.linspace(-1.0, 2.0, 64)[:, None])
    for t in range(4):
        state = WORLD.imagine(state, agent.act(state.x, (), temperature, seed(t))[0], 1.0, seed(t))
    return float(tf.reduce_mean(tf.abs(state.x - 1.0)))


@pytest.mark.parametrize(
    "choices",
    [
        {"actor_gradient": "dynamics"},
        {"actor_gradient": "dynamics", "box_distribution": "tanh_normal", "normalize_returns": True},
        {"actor_gradient": "reinforce"},
    ],
    ids=["dynamics", "dynamics normalised", "reinforce"],
)
def test_learns_to_push_the_point_to_its_goal(choices):
    agent = build_agent(replace(CONFIG, **choices), Point.spec, seed(0))
    assert distance(agent, 1.0) > 0.75  # as random as it starts
    for i in range(120):
        metrics = agent.update_from_imagination(WORLD, StartStates(starts(i), CONTINUES), seed(i))
    assert distance(agent, 0.0) < 0.3
    assert metrics["policy/finite"] == 1


SCHEDULED = replace(
    CONFIG,
    horizon=2,
    actor_gradient="dynamics",
    entropy="exp(0.5, 0, 1)",
    normalize_returns=True,
)


def test_schedules_follow_the_updates_and_everything_goes_on_bit_for_bit():
    straight, resumed = (build_agent(SCHEDULED, Point.spec, seed(number)) for number in (1, 2))
    figures = [straight.update_from_imagination(WORLD, StartStates(starts(i), CONTINUES), seed(i)) for i in range(2)]
    resumed.load(straight.save())
    for agent in (straight, resumed):
        more = [agent.update_from_imagination(WORLD, StartStates(starts(i), CONTINUES), seed(i)) for i in range(2, 4)]
    np.testing.assert_equal(resumed.save(), straight.save())
    figures += more
    assert [float(found["policy/entropy_scale"]) for found in figures] == [0.5, 0.25, 0.125, 0.0625]


def test_what_is_not_finite_changes_nothing():
    """A gradient that is not finite alone: rewards and returns are, and so are the critic's."""

    class Torn(Point):
        def imagine(self, state, action, temperature, seed):
            moved = super().imagine(state, action, temperature, seed)
            return PointState(moved.x + tf.sqrt(tf.stop_gradient(moved.x) - moved.x))  # 0, with an infinite slope

    agent = build_agent(SCHEDULED, Point.spec, seed(0))
    before = agent.save()
    metrics = agent.update_from_imagination(Torn(), StartStates(starts(0), CONTINUES), seed(0))
    assert np.isfinite(metrics["policy/return"]) and np.isfinite(metrics["policy/critic_gradient_norm"])
    assert metrics["policy/finite"] == 0
    np.testing.assert_equal(agent.save(), before)
