"""Rollouts that begin with random actions, held, and what is learned from them."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
import tensorflow as tf
from line import Line, Place

from worldmodels.agents import build_agent
from worldmodels.agents.dreamer.actor_critic_config import ActorCriticConfig
from worldmodels.agents.dreamer.exploring_starts import Given, beginning_with_given, chosen_by_policy, draw_given
from worldmodels.core.errors import ConfigError
from worldmodels.core.specs import ActionSpec
from worldmodels.imagination.rollout import RolloutOptions, rollout
from worldmodels.models.config import HeadConfig, OptimizerConfig

HEAD, FAST = HeadConfig(1, 8), OptimizerConfig(learning_rate=0.03)
CONFIG = ActorCriticConfig(
    actor=HEAD,
    critic=HEAD,
    horizon=4,
    discount=0.9,
    reward_transform="none",
    entropy=0.0,
    target_every=1,
    actor_optimizer=FAST,
    critic_optimizer=FAST,
)
SEED = np.array([1, 2], np.int32)


def always_left(features, memory, seed):
    return tf.zeros(tf.shape(features)[:1], tf.int32), memory, {"noise": features[:, 0]}


def test_so_many_begin_with_each_action_for_each_number_of_steps() -> None:
    given = draw_given(0.25, 3, ActionSpec(4), 8000, tf.constant(SEED))
    begins = given.steps.numpy() > 0
    assert begins.mean() == pytest.approx(0.25, abs=0.02)
    steps, actions = given.steps.numpy()[begins], given.action.numpy()[begins]
    np.testing.assert_allclose(np.bincount(steps, minlength=4)[1:] / len(steps), [1 / 3] * 3, atol=0.04)
    np.testing.assert_allclose(np.bincount(actions, minlength=4) / len(actions), [1 / 4] * 4, atol=0.04)
    assert not (draw_given(0.0, 3, ActionSpec(4), 100, tf.constant(SEED)).steps.numpy() > 0).any()
    assert (draw_given(1.0, 3, ActionSpec(4), 100, tf.constant(SEED)).steps.numpy() > 0).all()


def test_what_is_given_is_taken_first_and_then_what_the_policy_says() -> None:
    given = Given(tf.constant([1, 1, 1]), tf.constant([0, 2, 5]))
    starts = Place(tf.constant([[0.0]] * 3))
    policy = beginning_with_given(always_left)
    trajectory = rollout(Line(), policy, starts, given, RolloutOptions(3), tf.constant(SEED))
    np.testing.assert_array_equal(np.transpose(trajectory.actions), [[0, 0, 0, 0], [1, 1, 0, 0], [1, 1, 1, 1]])
    np.testing.assert_array_equal(
        np.transpose(chosen_by_policy(trajectory)), [[1, 1, 1, 1], [0, 0, 1, 1], [0, 0, 0, 0]]
    )
    assert "noise" in trajectory.extras, "the policy's own extras stay"
    plain = rollout(Line(), always_left, starts, (), RolloutOptions(3), tf.constant(SEED))
    assert chosen_by_policy(plain) is None


@pytest.mark.parametrize(("share", "learns"), [(0.0, False), (0.5, True)])
def test_a_policy_that_is_certain_learns_of_what_it_never_does(line, share, learns) -> None:
    """It goes left, where nothing is paid, and is so sure of it that it never sees the other side."""
    agent = build_agent(replace(CONFIG, exploring_starts=share, exploring_steps=2), Line.spec, SEED)
    tree = agent.save()
    tree["actor"]["actor/dense_1/bias"] = np.array([12.0, 0.0], np.float32)
    agent.load(tree)
    starts = Place(tf.constant([[-1.0], [0.0], [1.0], [2.0]] * 8))
    for i in range(150):
        metrics = agent.update_from_imagination(line, starts, tf.ones((32,)), np.array([i, 5], np.int32))
        assert metrics["policy/finite"] == 1
    _, _, extras = agent.act(tf.one_hot([3, 4], 7), (), 1.0, SEED)
    probability = tf.nn.softmax(extras["logits"])[:, 1].numpy()
    assert (probability > 0.9).all() if learns else (probability < 1e-3).all()


def test_the_critic_learns_nothing_where_the_action_was_given() -> None:
    """All steps but the last are given, and the policy goes left from there: values are those of the policy."""
    agent: Any = build_agent(replace(CONFIG, exploring_starts=1.0, exploring_steps=1), Line.spec, SEED)
    starts = Place(tf.constant([[0.0]] * 64))
    imagined, _ = agent._imagine(Line(), starts, tf.ones((64,)), tf.constant(SEED))
    np.testing.assert_array_equal(imagined.value_weights[0], np.zeros(64))
    np.testing.assert_array_equal(imagined.value_weights[1:], imagined.weights[1:])
    np.testing.assert_array_equal(imagined.weights[0], np.ones(64))
    # A step is worth its reward and the critic's value behind it, 0 at first, wherever the next action is given.
    long: Any = build_agent(replace(CONFIG, exploring_starts=1.0, exploring_steps=60_000), Line.spec, SEED)
    imagined, _ = long._imagine(Line(), starts, tf.ones((64,)), tf.constant(SEED))
    assert not imagined.value_weights.numpy().any()
    np.testing.assert_allclose(imagined.returns, imagined.trajectory.rewards[1:])


def test_gradients_through_the_model_and_boxes_are_refused() -> None:
    through = replace(CONFIG, exploring_starts=0.5, actor_gradient="dynamics")
    text = "agent.exploring_starts must be 0 unless actions are choices and the policy learns by .*Received 0.5"
    with pytest.raises(ConfigError, match=text):
        build_agent(through, Line.spec, SEED)
    boxes = Line.spec._replace(action=ActionSpec(low=(-1.0, -1.0), high=(1.0, 1.0)))
    with pytest.raises(ConfigError, match=text):
        build_agent(replace(through, actor_gradient="reinforce"), boxes, SEED)
