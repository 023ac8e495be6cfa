"""The planner on a world small enough to know what is best in it."""

from __future__ import annotations

import numpy as np
import pytest
import tensorflow as tf
from image_spaces import image_spec

from worldmodels.imagination import planner as planning
from worldmodels.imagination.planner import Planner, discounted_total
from worldmodels.imagination.planner_config import PLANNERS, PlannerConfig
from worldmodels.imagination.rollout import Trajectory

SEED = tf.constant([1, 2])
ACTIONS = 3


class ForkModel:
    """The first action decides all: it leads to the rewards `paid[action]`, one for each step, and may end things.

    After the action of `deadly` the episode is over at once, whatever is paid later.
    """

    spec = image_spec((1, 1, 3), ACTIONS, (2,))

    def __init__(self, paid: list[list[float]], deadly: int = -1) -> None:
        self.paid, self.deadly = tf.constant(paid, tf.float32), deadly

    def imagine(self, state, action, temperature, seed):
        return {"first": tf.where(state["t"] == 0, action, state["first"]), "t": state["t"] + 1}

    def readable(self, state):
        return state

    def features(self, state):
        return tf.stack([tf.cast(state["first"], tf.float32), tf.cast(state["t"], tf.float32)], 1)

    def reward(self, state):
        step = tf.maximum(state["t"] - 1, 0)
        paid = tf.gather_nd(self.paid, tf.stack([tf.maximum(state["first"], 0), step], 1))
        return tf.where(state["t"] > 0, paid, 0.0)

    def continuation(self, state):
        return tf.where(state["first"] == self.deadly, 0.0, 1.0)


def starts(rows: int) -> dict[str, tf.Tensor]:
    return {"first": tf.fill((rows,), -1), "t": tf.zeros((rows,), tf.int32)}


def plan(model, config: PlannerConfig, rows: int = 2, extras=None, seed: tf.Tensor = SEED):
    def policy(features, memory, seed):
        action = tf.random.stateless_uniform((features.shape[0],), seed, 0, ACTIONS, tf.int32)
        return action, memory, extras(features) if extras else {}

    planner = Planner(model, policy, config)
    return tf.function(lambda: planner.plan(starts(rows), (), 1.0, seed))()


def test_an_earlier_reward_counts_more_than_a_later_one() -> None:
    # Discounted by a half: 2 now against 5 in two steps, worth 1.25. Were the last reward to count most, as
    # 0.5 * (0.5 * 0 + 5) = 2.5, the second action would win.
    model = ForkModel([[2, 0, 0], [0, 0, 5], [0, 1, 0]])
    found = plan(model, PlannerConfig(rollouts=6, horizon=2, discount=0.5))
    assert found.action.numpy().tolist() == [0, 0]
    assert found.totals.numpy().tolist() == [[2, 1.25, 0.5]] * 2
    assert found.counts.numpy().tolist() == [[2, 2, 2]] * 2


def test_a_total_is_rewards_continuations_and_the_last_value() -> None:
    rewards, continuations = [[1.0], [2.0], [4.0]], [[0.5], [1.0], [0.25]]
    none = tf.zeros((3, 1))
    dream = Trajectory((), none, none, tf.constant(rewards), tf.constant(continuations), {})
    # Weights before each reward: 1, 0.5 * 0.5 and 0.25 * 0.5 * 1; after the last one 0.125 * 0.5 * 0.25 = 1 / 64.
    assert discounted_total(dream, 0.5).numpy().tolist() == [1 + 0.5 + 0.5]
    valued = dream._replace(extras={"value": tf.constant([[7.0], [7.0], [64.0]])})
    assert discounted_total(valued, 0.5).numpy().tolist() == [3.0]


def test_the_value_stands_for_what_follows() -> None:
    def value(features):
        return {"value": tf.where(features[:, 0] == 2, 8.0, 0.0)}

    found = plan(ForkModel([[1, 0], [0, 0], [0, 0]]), PlannerConfig(rollouts=3, horizon=1, discount=0.5), extras=value)
    # Two steps on, 8 is worth 8 * 0.5 ** 2 = 2.
    assert found.totals.numpy().tolist() == [[1, 0, 2]] * 2
    assert found.action.numpy().tolist() == [2, 2]


def test_nothing_is_earned_after_the_end() -> None:
    model = ForkModel([[1, 1], [1, 100], [0, 0]], deadly=1)
    found = plan(model, PlannerConfig(rollouts=3, horizon=1, discount=1.0))
    assert found.totals.numpy().tolist() == [[2, 1, 0]] * 2


@pytest.mark.parametrize("rollouts, expected", [(7, [2, 2, 3]), (1, [0, 0, 1]), (6, [2, 2, 2])])
def test_all_first_actions_are_tried_equally_often(rollouts: int, expected: list[int]) -> None:
    found = plan(ForkModel([[0, 0]] * 3), PlannerConfig(rollouts=rollouts, horizon=1), rows=30)
    assert np.sort(found.counts.numpy()).tolist() == [expected] * 30
    if rollouts == 1:  # only what was tried can be chosen, and chance decides what that is
        assert found.action.numpy().tolist() == found.counts.numpy().argmax(1).tolist()
        assert set(found.action.numpy().tolist()) == {0, 1, 2}


def test_many_rollouts_are_made_in_groups(monkeypatch: pytest.MonkeyPatch) -> None:
    model, config = ForkModel([[2, 0], [0, 3], [1, 0]]), PlannerConfig(rollouts=6, horizon=1, discount=0.5)
    whole = plan(model, config)
    monkeypatch.setitem(planning.ROLLOUTS, False, 5)  # twelve rollouts make three groups of four
    grouped = plan(model, config)
    assert grouped.totals.numpy().tolist() == whole.totals.numpy().tolist() == [[2, 1.5, 1]] * 2


def test_the_same_seed_plans_the_same() -> None:
    config = PlannerConfig(rollouts=1, horizon=1)
    actions = [plan(ForkModel([[0, 0]] * 3), config, 20, seed=tf.constant([5, s])).action.numpy() for s in (1, 1, 2)]
    assert (actions[0] == actions[1]).all() and (actions[0] != actions[2]).any()


def test_the_named_sets() -> None:
    figures = {name: (config.rollouts, config.horizon, config.policy) for name, config in PLANNERS.items()}
    assert figures == {"tiny": (1, 2, "random"), "small": (64, 16, "agent"), "base": (96, 8, "agent")}
