"""VPG, TRPO and PPO with two networks: what they have in common."""

from __future__ import annotations

from dataclasses import replace

import bandits
import numpy as np
import pytest
import tensorflow as tf
from line import Line

from worldmodels.agents import build_agent
from worldmodels.agents.api import Rollouts
from worldmodels.agents.on_policy.config import PPOConfig, TRPOConfig, VPGConfig
from worldmodels.imagination.starts import StartStates
from worldmodels.models.config import HeadConfig, OptimizerConfig

HEAD, FAST = HeadConfig(1, 16), OptimizerConfig(learning_rate=0.03, weight_decay=0.0)
METHODS = {
    "vpg": VPGConfig(vectors=HEAD, horizon=4, discount=0.5, value_steps=10, optimizer=FAST, value_optimizer=FAST),
    "trpo": TRPOConfig(
        vectors=HEAD, horizon=4, discount=0.5, kl_limit=0.05, damping=0.01, value_steps=10, value_optimizer=FAST
    ),
    "natural policy gradient": TRPOConfig(
        vectors=HEAD, discount=0.5, kl_limit=0.05, damping=0.01, line_search=False, value_steps=10, value_optimizer=FAST
    ),
    "ppo": PPOConfig(
        vectors=HEAD,
        horizon=4,
        discount=0.5,
        epochs=10,
        minibatch=1000,
        clip=0.2,
        target_kl=0.05,
        entropy=0.0,
        optimizer=FAST,
        value_optimizer=FAST,
    ),
}
each_method = pytest.mark.parametrize("config", METHODS.values(), ids=METHODS)


@each_method
def test_learns_choices(config):
    agent = build_agent(config, bandits.CHOICES, bandits.key(0))
    for i in range(30):
        metrics = agent.update_from_rollouts(bandits.play(agent, bandits.CHOICES, i), bandits.key(i))
    assert agent.act(bandits.PLACES, (), 0.0, bandits.key(0))[0].numpy().tolist() == [0, 1]
    assert metrics["policy/return"] > 0.8
    assert metrics["policy/finite"] == 1


@each_method
def test_learns_a_box(config):
    agent = build_agent(config, bandits.BOX, bandits.key(0))
    for i in range(40):
        metrics = agent.update_from_rollouts(bandits.play(agent, bandits.BOX, i), bandits.key(i))
    action, _, extras = agent.act(bandits.PLACES, (), 0.0, bandits.key(0))
    np.testing.assert_allclose(action, bandits.TARGETS, atol=0.3)
    # Less noise pays: the standard deviation was 0.61.
    assert np.exp(extras["gaussian"][0, 1]) < 0.5
    assert metrics["policy/return"] > 0.6


@each_method
def test_learns_in_imagination(config, starts):
    agent, line = build_agent(config, Line.spec, bandits.key(0)), Line()
    for i in range(30):
        metrics = agent.update_from_imagination(line, StartStates(starts, np.ones(32, np.float32)), bandits.key(i))
    assert agent.act(np.eye(7, dtype=np.float32)[3:4], agent.initial(1), 0.0, bandits.key(0))[0] == 1
    # Going right at once and staying there is worth 1 + 0.5 + 0.25 + ...
    assert float(metrics["policy/return"]) > 1


@each_method
def test_a_start_after_the_end_teaches_nothing(config, starts):
    agent = build_agent(config, Line.spec, bandits.key(0))
    before = agent.save()["network"]
    metrics = agent.update_from_imagination(Line(), StartStates(starts, np.zeros(32, np.float32)), bandits.key(0))
    assert metrics["policy/finite"] == 1
    np.testing.assert_equal(agent.save()["network"], before)


@each_method
def test_the_first_standard_deviation_is_the_same_everywhere(config):
    agent = build_agent(config, bandits.BOX, bandits.key(0))
    extras = agent.act(bandits.PLACES, (), 1.0, bandits.key(0))[2]
    assert extras["gaussian"][:, 1].numpy().tolist() == [-0.5, -0.5]
    # The mean and the value are not: heads on trunks of their own start like any layer.
    assert len(set(extras["gaussian"][:, 0].numpy())) == len(set(extras["value"].numpy())) == 2


def test_on_one_trunk_the_first_policy_is_in_the_middle_of_the_box_and_expects_nothing():
    agent = build_agent(PPOConfig(vectors=HEAD), bandits.BOX, bandits.key(0))
    extras = agent.act(bandits.PLACES, (), 1.0, bandits.key(0))[2]
    assert extras["gaussian"].numpy().tolist() == [[0.0, -0.5]] * 2
    assert extras["value"].numpy().tolist() == [0.0, 0.0]


@each_method
def test_units_do_not_matter_where_they_are_normalised(config):
    """Places at 500 and 1,500, and rewards in thousands, are learned as if both were about 1."""
    config = replace(config, discount=0.0, reward_transform="none", normalize_features=True, normalize_rewards=True)
    agent = build_agent(config, bandits.CHOICES, bandits.key(0))

    class Far:
        def initial(self, batch):
            return agent.initial(batch)

        def act(self, features, state, temperature, seed):
            return agent.act(500 + 1000 * features, state, temperature, seed)

    for i in range(40):
        near = bandits.play(Far(), bandits.CHOICES, i)
        far = near._replace(features=500 + 1000 * near.features, rewards=1000 * near.rewards)
        agent.update_from_rollouts(far, bandits.key(i))
    action, _, extras = agent.act(500 + 1000 * bandits.PLACES, (), 0.0, bandits.key(0))
    assert action.numpy().tolist() == [0, 1]
    np.testing.assert_allclose(extras["value"], 1000.0, atol=300.0)  # in the units in which it was paid


@each_method
def test_the_unit_of_rewards_holds_where_values_are_bootstrapped(config):
    """Each step pays 1, and each episode is truncated after 5: a return at discount 0.99 is 1 / (1 - 0.99) = 100."""
    config = replace(config, discount=0.99, reward_transform="none", normalize_rewards=True)
    if isinstance(config, PPOConfig):
        config = replace(config, epochs=20)
    agent = build_agent(config, bandits.CHOICES, bandits.key(0))
    features = np.tile(bandits.PLACES, (17, 2, 1))  # 17 times 4 environments, alike at all steps
    age, units = np.zeros(4, int), []
    for i in range(150):
        ages = (age + np.arange(17)[:, None]) % 6
        age = ages[-1]
        actions, _, extras = agent.act(features[0], agent.initial(4), 1.0, bandits.key(i))
        extras = {name: tf.stack([x] * 17) for name, x in extras.items()}
        paid = tf.constant(ages > 0, tf.float32)
        rollouts = Rollouts(
            tf.constant(features),
            tf.stack([actions] * 17),
            paid,
            tf.ones((17, 4)),
            tf.constant(ages == 0),
            tf.constant(ages == 5),
            extras,
            (),
        )
        agent.update_from_rollouts(rollouts, bandits.key(i))
        units.append(float(agent.save()["reward_scale"]["variance"][0]) ** 0.5)
    sums = np.cumsum(0.99 ** np.arange(5))  # 1, 1.99, 2.9701, ...: the sum after each step
    assert max(units) < 2
    assert units[-1] == pytest.approx(sums.std(), rel=0.01)
    values = agent.act(features[0], agent.initial(4), 0.0, bandits.key(0))[2]["value"]
    np.testing.assert_allclose(values, 100.0, rtol=0.1)
