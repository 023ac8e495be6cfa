"""Targets and losses by hand, critics side by side, and what DDPG, TD3 and SAC do with a batch."""

from __future__ import annotations

import numpy as np
import pytest
import tensorflow as tf

from worldmodels.agents import build_agent
from worldmodels.agents.api import Transitions
from worldmodels.agents.off_policy.agent import Critics, StackedMLP, bellman_targets, critic_loss, imagined_transitions
from worldmodels.agents.off_policy.config import DDPGConfig, SACConfig, TD3Config
from worldmodels.agents.off_policy.ddpg import noisy_actions
from worldmodels.agents.off_policy.sac import soft_values, soft_values_of_choices
from worldmodels.agents.off_policy.td3 import smoothed_actions
from worldmodels.core.specs import ActionSpec, ObservationSpec
from worldmodels.imagination.rollout import Trajectory
from worldmodels.models.api import ModelSpec
from worldmodels.models.config import HeadConfig, OptimizerConfig
from worldmodels.models.graph import make_deterministic

SEEN = ObservationSpec.of(2)
BOX = ModelSpec(SEEN, ActionSpec(low=(-2.0,), high=(2.0,)), SEEN)
CHOICES = ModelSpec(SEEN, ActionSpec(3), SEEN)
FAST = OptimizerConfig(learning_rate=1e-2, clip=1e9, weight_decay=0.0)
SLOW = OptimizerConfig(learning_rate=2e-3, clip=1e9, weight_decay=0.0)
SMALL = {"network": HeadConfig(1, 32), "actor_optimizer": SLOW, "critic_optimizer": FAST}
SEED = np.array([3, 4], np.int32)


def floats(*values):
    return tf.constant(values, tf.float32)


def test_a_target_is_the_reward_and_the_discounted_future_unless_that_ended():
    # 1 + 0.5 * 10 = 6;  2 + 0;  0.5 + 0.5 * 0.5 * 4 = 1.5
    targets = bellman_targets(floats(1, 2, 0.5), floats(1, 0, 0.5), floats(10, 10, 4), 0.5)
    assert targets.numpy().tolist() == [6.0, 2.0, 1.5]


def test_the_loss_is_the_mean_squared_error_summed_over_critics():
    # Errors 1 and 3, so 5; errors 0 and 2, so 2.
    assert float(critic_loss(floats([1, 3], [0, 2]), floats(0, 0))) == 7.0


def test_noise_is_clipped_first_and_the_action_afterwards():
    actions = smoothed_actions(floats(0.0, 0.75, -0.25), floats(2.0, 0.25, -0.5), 0.5)
    assert actions.numpy().tolist() == [0.5, 1.0, -0.75]
    assert noisy_actions(floats(0.5, -0.5), floats(0.25, -9.0)).numpy().tolist() == [0.75, -1.0]


def test_the_soft_value_of_a_sample_is_the_smaller_value_and_its_surprise():
    # min(3, 1) - 0.5 * (-2) = 2;  min(4, 5) - 0.5 * 1 = 3.5
    values = soft_values(floats([3, 4], [1, 5]), floats(-2, 1), 0.5)
    assert values.numpy().tolist() == [2.0, 3.5]


def test_the_soft_value_of_choices_is_their_expectation():
    probabilities = np.array([[0.25, 0.75]], np.float32)
    critics = floats([[4.0, 2.0]], [[8.0, 0.0]])  # the smaller ones: 4 and 0
    entropy = -(0.25 * np.log(0.25) + 0.75 * np.log(0.75))
    values = soft_values_of_choices(critics, np.log(probabilities), 0.1)
    np.testing.assert_allclose(values, [0.25 * 4.0 + 0.1 * entropy], rtol=1e-6)


def test_networks_side_by_side_are_each_like_one_alone():
    networks = StackedMLP(2, (3, 4, 1), "relu", np.random.default_rng(0), "heads")
    x = tf.constant(np.random.default_rng(1).normal(size=(5, 3)).astype(np.float32))
    assert not networks(x).numpy().any()  # 0 at first
    for weight in networks.weights:
        weight.assign(np.random.default_rng(2).normal(size=weight.shape))
    kernels, biases = [w.numpy() for w in networks.weights[::2]], [w.numpy() for w in networks.weights[1::2]]
    for i, found in enumerate(networks(x)):
        hidden = np.maximum(x @ kernels[0][i] + biases[0][i], 0.0)
        np.testing.assert_allclose(found, hidden @ kernels[1][i] + biases[1][i], rtol=1e-5)
    np.testing.assert_array_equal(networks(x, count=1)[0], networks(x)[0])


def test_first_weights_are_glorots_for_each_network():
    networks = StackedMLP(2, (300, 300, 1), "relu", np.random.default_rng(0), "heads")
    kernel = networks.weights[0].numpy()
    # Uniform up to sqrt(6 / 600) = 0.1.
    assert 0.099 < abs(kernel).max() <= 0.1 and not np.array_equal(kernel[0], kernel[1])


def test_critics_of_choices_give_the_value_of_the_one_that_was_taken():
    critics = Critics(2, SACConfig(**SMALL), CHOICES, np.random.default_rng(0), "critics")
    for weight in critics.weights:
        weight.assign(np.random.default_rng(2).normal(size=weight.shape))
    features = floats([1, 2], [3, 4])
    each, taken = critics.each(features).numpy(), critics(features, tf.constant([2, 0]))
    np.testing.assert_array_equal(taken, np.stack([each[:, 0, 2], each[:, 1, 0]], 1))


def test_imagined_steps_become_batches_in_random_order():
    def by_time(first):  # two rollouts of three steps
        return first + tf.constant([[0.0, 10.0], [1.0, 11.0], [2.0, 12.0], [3.0, 13.0]])

    trajectory = Trajectory((), by_time(0.0)[..., None], by_time(100.0), by_time(200.0), by_time(300.0), {})
    found = imagined_transitions(trajectory, 4, SEED)
    assert found.rewards.shape == (1, 4) and found.features.shape == (1, 4, 1)  # two are left over
    start = found.features[0, :, 0].numpy()
    assert len(set(start)) == 4 and set(start) <= {0.0, 1.0, 2.0, 10.0, 11.0, 12.0}
    np.testing.assert_array_equal(found.actions[0], start + 100.0)
    np.testing.assert_array_equal(found.rewards[0], start + 201.0)  # they arrived after the step
    np.testing.assert_array_equal(found.continuations[0], start + 301.0)
    np.testing.assert_array_equal(found.next_features[0, :, 0], start + 1.0)
    assert imagined_transitions(trajectory, 100, SEED).rewards.shape == (1, 6)


def built(config, spec=BOX):
    make_deterministic()
    return build_agent(config, spec, SEED)


def bandit(spec, updates=300, rows=64):
    """Steps that end at once; the best action of a box is 0.25, that of three choices the last."""
    random = np.random.default_rng(0)
    actions = spec.action.random(updates * rows, random)
    rewards = (actions == 2) if spec.action.is_discrete else -4.0 * np.square(actions[:, 0] - 0.25)
    seen = tf.ones((updates, rows, 2))
    actions = tf.constant(actions.reshape(updates, rows, *spec.action.shape))
    rewards = tf.constant(rewards.reshape(updates, rows), tf.float32)
    return Transitions(seen, actions, rewards, tf.zeros((updates, rows)), seen)


@pytest.mark.parametrize("config", [DDPGConfig(**SMALL), TD3Config(**SMALL), SACConfig(alpha=0.01, **SMALL)])
def test_the_best_action_of_a_box_is_found(config):
    agent = built(config)
    metrics = agent.update_from_transitions(bandit(BOX), SEED)
    assert metrics["policy/finite"] == 1
    action = agent.act(tf.ones((1, 2)), (), 0.0, SEED)[0]
    np.testing.assert_allclose(action, [[0.25]], atol=0.15)


def test_the_best_choice_is_found_and_the_others_stay_as_probable_as_alpha_says():
    agent = built(SACConfig(alpha=0.5, **SMALL), CHOICES)
    agent.update_from_transitions(bandit(CHOICES), SEED)
    action, _, extras = agent.act(tf.ones((1, 2)), (), 0.0, SEED)
    assert action.numpy().tolist() == [2]
    # The best policy is the softmax of Q / alpha, of 0, 0 and 1 / 0.5 = 2.
    best = np.exp([0.0, 0.0, 2.0]) / (2.0 + np.exp(2.0))
    np.testing.assert_allclose(tf.nn.softmax(extras["logits"][0]), best, atol=0.06)


@pytest.mark.parametrize("spec", [BOX, CHOICES])
def test_a_learned_temperature_brings_entropy_to_its_target(spec):
    agent = built(SACConfig(learn_alpha=True, target_share=0.5, alpha_optimizer=FAST, **SMALL), spec)
    for _ in range(3):
        metrics = agent.update_from_transitions(bandit(spec), SEED)
    target = 0.5 * np.log(3) if spec.action.is_discrete else -1.0
    assert abs(float(metrics["policy/entropy"]) - target) < 0.25
    assert float(metrics["policy/alpha"]) != pytest.approx(0.2, abs=1e-3)


def test_a_fixed_temperature_stays():
    agent = built(SACConfig(**SMALL))
    assert float(agent.update_from_transitions(bandit(BOX, 2), SEED)["policy/alpha"]) == pytest.approx(0.2)
    assert "alpha" not in agent.save()


def weights(agent, name):
    return np.concatenate([value.ravel() for value in agent.save()[name].values()])


def test_target_networks_keep_their_share():
    agent = built(DDPGConfig(polyak=0.75, **SMALL))
    before = weights(agent, "target_critics"), weights(agent, "target_actor")
    np.testing.assert_array_equal(before[0], weights(agent, "critics"))
    agent.update_from_transitions(bandit(BOX, 1), SEED)
    for name, old in zip(("critics", "actor"), before, strict=True):
        np.testing.assert_allclose(
            weights(agent, f"target_{name}"), 0.75 * old + 0.25 * weights(agent, name), 1e-5, 1e-7
        )


def test_td3_delays_its_policy_across_calls():
    agent, changes = built(TD3Config(policy_delay=3, **SMALL)), []
    for _ in range(7):
        before = weights(agent, "actor")
        agent.update_from_transitions(bandit(BOX, 1), SEED)
        changes.append(bool((weights(agent, "actor") != before).any()))
    # The critic is 0 at first, and so is its slope: the first update of the policy changes what is learned after it.
    assert changes[1:3] == [False, False] and changes[3:] == [True, False, False, True]


def test_temperature_scales_the_noise():
    agent, seen = built(DDPGConfig(noise=0.1, **SMALL)), tf.ones((4000, 2))
    actions = agent.act(seen, (), 1.0, SEED)[0].numpy()
    assert abs(actions.std() - 0.1) < 0.01
    assert agent.act(seen, (), 0.0, SEED)[0].numpy().std() == 0.0
