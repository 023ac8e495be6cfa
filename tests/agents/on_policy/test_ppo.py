from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
import tensorflow as tf
from line import Line, Place

from worldmodels.agents import build_agent
from worldmodels.agents.api import Rollouts
from worldmodels.agents.on_policy.config import PPOConfig
from worldmodels.core.errors import CheckpointError
from worldmodels.imagination.starts import StartStates
from worldmodels.models.config import HeadConfig, OptimizerConfig

CONFIG = PPOConfig(
    vectors=HeadConfig(1, 8),
    horizon=4,
    discount=0.5,
    minibatch=64,
    clip=0.2,
    optimizer=OptimizerConfig(learning_rate=0.03, clip=0.5, weight_decay=0.0),
)
ONE_STEP = replace(CONFIG, value_optimizer=CONFIG.optimizer, epochs=1, minibatch=1000, discount=0.0)
"""An iteration is one optimiser step of a policy with a network of its own."""
CONTINUES = tf.ones((32,))
PLACES = tf.one_hot([2, 3, 4], 7)  # the features of places -1, 0 and 1


def seed(number: int) -> np.ndarray:
    return np.array([number, 5], np.int32)


def build(number: int = 0, config: PPOConfig = CONFIG):
    return build_agent(config, Line.spec, seed(number))


def weights(agent) -> dict[str, np.ndarray]:
    return agent.save()["network"]


def test_learns_in_imagination_to_walk_to_where_it_is_paid(line, starts):
    agent = build(config=replace(CONFIG))
    for i in range(30):
        metrics = agent.update_from_imagination(line, StartStates(starts, CONTINUES), seed(i))
    actions, _, extras = agent.act(PLACES, agent.initial(3), 0.0, seed(0))
    assert actions[1] == 1  # all rollouts start at place 0, so it hardly knows the one to the left
    # Going right at once and staying there is worth 1 + 0.5 + 0.25 + ... = 2.
    assert float(extras["value"][1]) == pytest.approx(2, abs=0.2)
    assert metrics["policy/entropy"] < 0.3
    assert metrics["policy/finite"] == 1


def test_starts_as_the_uniform_policy_that_expects_nothing():
    agent = build()
    actions, memory, extras = agent.act(tf.repeat(PLACES, 1000, 0), agent.initial(3000), 1.0, seed(1))
    assert actions.dtype == tf.int32
    assert float(tf.reduce_mean(tf.cast(actions, tf.float32))) == pytest.approx(0.5, abs=0.05)
    assert memory == ()
    assert not extras["logits"].numpy().any()
    assert extras["value"].shape == (3000,)


def test_a_start_after_the_end_teaches_nothing(line, starts):
    agent = build()
    before = weights(agent)
    agent.update_from_imagination(line, StartStates(starts, tf.zeros((32,))), seed(0))
    np.testing.assert_equal(weights(agent), before)


@pytest.mark.parametrize("lstm", [0, 4])
def test_a_restored_agent_goes_on_bit_for_bit(line, starts, lstm):
    """Also a test that updates repeat exactly."""
    config = replace(CONFIG, lstm=lstm, decay=10)
    straight, resumed = build(1, config), build(2, config)
    for i in range(2):
        straight.update_from_imagination(line, StartStates(starts, CONTINUES), seed(i))
    resumed.load(straight.save())
    for agent in (straight, resumed):
        for i in range(2, 4):
            agent.update_from_imagination(line, StartStates(starts, CONTINUES), seed(i))
    np.testing.assert_equal(resumed.save(), straight.save())


def test_a_reward_that_is_not_finite_changes_nothing(line, starts):
    class Broken(Line):
        def reward(self, state):
            return super().reward(state) / tf.cast(state.position[:, 0] != 2, tf.float32)

    agent = build(config=replace(CONFIG, reward_transform="none", decay=3))
    before = agent.save()
    assert agent.update_from_imagination(Broken(), StartStates(starts, CONTINUES), seed(0))["policy/finite"] == 0
    np.testing.assert_equal(agent.save(), before)


def test_minibatches_before_one_that_is_not_finite_are_undone(line, starts):
    agent = build(config=replace(CONFIG, epochs=1, minibatch=4))
    agent.update_from_imagination(line, StartStates(starts, CONTINUES), seed(0))  # so that there are moments to keep
    shape, features = (3, 16), np.tile(PLACES[0], (3, 16, 1))
    features[1, 7] = np.nan  # one of 32 samples, so that the first of 8 minibatches is most likely sound
    zeros, never = tf.zeros(shape), tf.zeros(shape, tf.bool)
    extras = {"logits": tf.zeros((*shape, 2)), "value": zeros}
    actions = tf.zeros(shape, tf.int32)
    experience = Rollouts(tf.constant(features), actions, zeros + 1, zeros + 1, never, never, extras, ())
    before = agent.save()
    metrics = [agent.update_from_rollouts(experience, seed(number)) for number in range(4)]
    assert [float(one["policy/finite"]) for one in metrics] == [0, 0, 0, 0]
    np.testing.assert_equal(agent.save(), before)


def test_learning_rate_falls_linearly_to_nothing(line, starts):
    """With one optimiser step for each iteration, whose gradients hardly change, a step is as long as its rate."""
    optimizer = replace(CONFIG.optimizer, learning_rate=1e-4, beta1=0.0, beta2=0.0)
    agent = build(config=replace(CONFIG, decay=2, epochs=1, minibatch=1000, optimizer=optimizer))
    bias = [weights(agent)["policy/critic/bias"]]
    for i in range(3):
        agent.update_from_imagination(line, StartStates(starts, CONTINUES), seed(i))
        bias.append(weights(agent)["policy/critic/bias"])
    np.testing.assert_allclose(np.diff(bias, axis=0)[:, 0], [1e-4, 0.5e-4, 0], rtol=1e-2)


def test_a_dream_in_which_advantages_differ_less_than_in_reality_moves_the_policy_less(line, starts):
    config = replace(ONE_STEP, scale_imagined_policy=True, discount=0.5)
    norms, values = [], []
    for real in (0.0, 1e-3, 10.0, 20.0):
        agent = build(config=config)
        agent.load(agent.save() | {"real_advantages": {"value": real}})
        metrics = agent.update_from_imagination(line, StartStates(starts, CONTINUES), seed(0))
        norms.append(float(metrics["policy/gradient_norm"]))
        values.append(float(metrics["policy/value_gradient_norm"]))
        assert agent.save()["real_advantages"] == {"value": pytest.approx(real)}
    assert norms[0] == norms[1] > 10 * norms[2]  # unknown, or smaller than the dream's: 1
    assert norms[3] == pytest.approx(norms[2] / 2, rel=1e-4)
    assert len(set(values)) == 1


def paid_once(scale: float) -> Rollouts:
    """Two environments, two steps, values of 0; the first steps are paid 1 and 3 times the scale."""
    rewards = scale * tf.constant([[0.0, 0.0], [1.0, 3.0], [0.0, 0.0]])
    shape = rewards.shape
    never, extras = tf.zeros(shape, tf.bool), {"logits": tf.zeros((*shape, 2)), "value": tf.zeros(shape)}
    features = tf.reshape(tf.tile(PLACES, (2, 1)), (*shape, 7))
    return Rollouts(features, tf.zeros(shape, tf.int32), rewards, tf.ones(shape), never, never, extras, ())


@pytest.mark.parametrize(("imagined_epochs", "steps"), [(0, (6, 6)), (1, (2, 6)), (4, (8, 6))])
def test_imagined_samples_may_be_passed_through_another_number_of_times(line, starts, imagined_epochs, steps):
    """128 imagined samples and 4 real ones, both in two minibatches: each of their passes is two optimiser steps."""
    done = []
    for minibatch, imagines in ((64, True), (2, False)):
        agent = build(config=replace(CONFIG, epochs=3, imagined_epochs=imagined_epochs, minibatch=minibatch))
        if imagines:
            agent.update_from_imagination(line, StartStates(starts, CONTINUES), seed(0))
        else:
            agent.update_from_rollouts(paid_once(1.0), seed(0))
        done.append(agent.save()["optimizer"]["updates"])
    assert tuple(done) == steps


def test_what_really_happens_says_how_much_advantages_differ_there():
    agent = build(config=replace(ONE_STEP, scale_imagined_policy=True, reward_transform="none"))
    agent.update_from_rollouts(paid_once(1.0), seed(0))
    assert agent.save()["real_advantages"]["value"] == pytest.approx(np.std([1, 3, 0, 0]))
    agent.update_from_rollouts(paid_once(6.0), seed(0))  # twice as much, by a fifth
    assert agent.save()["real_advantages"]["value"] == pytest.approx(2 * np.std([1, 3, 0, 0]))


def test_real_advantages_are_whole_in_any_unit():
    agents = [build(config=replace(ONE_STEP, scale_imagined_policy=True, reward_transform="none")) for _ in range(2)]
    for agent in agents:
        agent.update_from_rollouts(paid_once(1.0), seed(0))
    norms = [
        float(agent.update_from_rollouts(paid_once(scale), seed(0))["policy/gradient_norm"])
        for agent, scale in zip(agents, (1.0, 0.125), strict=True)
    ]
    assert norms[0] == pytest.approx(norms[1], rel=1e-4) and norms[0] > 0


def test_l2_shrinks_all_weights_but_biases(line, starts):
    """Where nothing counts, nothing but the penalty is left."""
    agent = build(config=replace(CONFIG, l2=0.1))
    agent.update_from_imagination(
        line, StartStates(starts, CONTINUES), seed(0)
    )  # so that biases and heads are no longer 0
    before = weights(agent)
    fresh = build(config=replace(CONFIG, l2=0.1))
    fresh.load(fresh.save() | {"network": before})
    fresh.update_from_imagination(line, StartStates(starts, tf.zeros((32,))), seed(1))
    for name, value in weights(fresh).items():
        if name.endswith("bias"):
            np.testing.assert_array_equal(value, before[name])
        else:
            assert (value**2).sum() < (before[name] ** 2).sum(), name


def test_a_checkpoint_of_another_size_is_refused():
    with pytest.raises(CheckpointError, match="the policy"):
        build(config=replace(CONFIG, vectors=HeadConfig(1, 9))).load(build().save())


def test_imagines_at_its_temperature(starts):
    class Scaled(Line):
        """Each step is as long as the temperature."""

        def imagine(self, state, action, temperature, seed):
            to = super().imagine(state, action, temperature, seed)
            return Place(state.position + temperature * (to.position - state.position))

    returns = {}
    for temperature in (0.0, 1.0):
        agent = build(config=replace(CONFIG, imagined_temperature=temperature))
        metrics = agent.update_from_imagination(Scaled(), StartStates(starts, CONTINUES), seed(0))
        returns[temperature] = float(metrics["policy/return"])
    assert returns[0.0] == 0  # nobody leaves place 0, which pays nothing
    assert returns[1.0] > 0
