"""Plan2Explore: what the ensemble disagrees about, whom that pays, and who acts."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
import tensorflow as tf
from line import Place

from worldmodels.agents.api import Experience, Replayed
from worldmodels.agents.dreamer.config import ActorCriticConfig, Plan2ExploreConfig, RecentConfig
from worldmodels.agents.dreamer.plan2explore import Disagreement, Plan2Explore
from worldmodels.core.errors import ConfigError
from worldmodels.core.specs import ActionSpec, ObservationSpec
from worldmodels.imagination.rollout import Trajectory
from worldmodels.imagination.starts import StartStates
from worldmodels.models.api import ModelSpec
from worldmodels.models.config import HeadConfig, OptimizerConfig

HEAD, FAST = HeadConfig(1, 16), OptimizerConfig(learning_rate=1e-2)
ACTOR = ActorCriticConfig(actor=HEAD, critic=HEAD, horizon=3, actor_optimizer=FAST, critic_optimizer=FAST)
CONFIG = Plan2ExploreConfig(task=ACTOR, explorer=ACTOR, members=2, network=HEAD, optimizer=FAST)
SPEC = ModelSpec(ObservationSpec.of(16, 16, 3), ActionSpec(2), ObservationSpec.of(3), latent=2)
KEY = np.array([1, 2], np.int32)


def ensemble(config: Plan2ExploreConfig = CONFIG) -> Disagreement:
    return Disagreement(config, SPEC, np.random.default_rng(0))


def replayed(actions: list[int], is_last: list[bool]) -> Replayed:
    """One window, of which nothing is used but what stands here."""
    none = tf.zeros((1, len(actions)))
    return Replayed((), tf.constant([actions]), none, tf.constant([is_last]), none > 0, tf.ones(1))


def test_disagreement_is_the_standard_deviation_over_members_by_hand():
    """Members that say (0, 1) and (4, 1): deviations 2 and 0, so 1 on average over the latent's two numbers."""
    it = ensemble()
    bias = it._members._biases[-1]
    bias.assign([[[0.0, 1.0]], [[4.0, 1.0]]])
    np.testing.assert_allclose(it.of(tf.zeros((3, 3)), tf.constant([0, 1, 1])), [1, 1, 1], atol=1e-5)


def test_it_has_a_gradient_where_members_agree():
    actions = tf.constant([[1.0, 0.0]])
    with tf.GradientTape() as tape:
        tape.watch(actions)
        disagreement = ensemble().of(tf.zeros((1, 3)), actions)
    assert np.isfinite(tape.gradient(disagreement, actions)).all()


def test_the_loss_by_hand_leaves_out_what_follows_an_end():
    """All members say 0. Steps lead to (1, 2) and, over an end, to (5, 5): half of 1 + 4, over two steps: 1.25."""
    features = tf.constant([[[9.0, 9, 9], [1, 2, 7], [5, 5, 7]]])
    _, loss = ensemble().gradients(features, replayed([0, 1, 0], [False, True, False]))
    assert float(loss) == pytest.approx(1.25)


def test_members_agree_about_what_was_seen_and_not_elsewhere():
    it, random = ensemble(replace(CONFIG, members=5)), np.random.default_rng(3)
    seen = tf.constant(random.normal(size=(1, 64, 3)), tf.float32)
    window = replayed([0] * 64, [False] * 64)
    elsewhere = seen[0] + 4.0
    for _ in range(300):
        gradients, _ = it.gradients(seen, window)
        it.optimizer.apply(gradients, gradients.finite)
    known, unknown = (float(tf.reduce_mean(it.of(x, tf.zeros(64, tf.int32)))) for x in (seen[0], elsewhere))
    other_action = float(tf.reduce_mean(it.of(seen[0], tf.ones(64, tf.int32))))
    assert unknown > 2 * known and other_action > 1.2 * known


def test_the_explorer_is_paid_for_the_action_that_led_to_a_state():
    agent = Plan2Explore(replace(CONFIG, intrinsic_scale=10.0, extrinsic_scale=0.5), SPEC, KEY)
    agent._ensemble.of = lambda features, actions: features[:, 0] + 2.0 * tf.cast(actions, tf.float32)
    features = tf.constant([[[0.1, 0, 0]], [[0.2, 0, 0]], [[0.3, 0, 0]]])
    rewards, ones = tf.constant([[7.0], [0.0], [4.0]]), tf.ones((3, 1))
    trajectory = Trajectory((), features, tf.constant([[1], [0], [1]]), rewards, ones, {})
    paid = agent.explorer.rewards_of(trajectory)
    np.testing.assert_allclose(paid, [[3.5], [10 * 2.1], [10 * 0.2 + 2]], rtol=1e-6)


def test_an_explorer_that_is_paid_anywhere_avoids_ends_unless_another_episode_follows(world):
    """As long as episodes end for good it turns back from both ends of the line, and else does as it happens to."""
    line, window = world
    places = Place(tf.constant([[-2.0], [-1.0], [1.0], [2.0]] * 8))
    turns_back = []
    for episodic in (True, False):
        explorer = replace(ACTOR, discount=0.8)
        agent = Plan2Explore(replace(CONFIG, explorer=explorer, episodic=episodic), line.spec, KEY)
        agent._ensemble.of = lambda features, actions: tf.ones(features.shape[0])
        for i in range(150):
            agent.update_from_imagination(
                line, StartStates(places, tf.ones(32)), np.array([i, 2], np.int32), Experience(window)
            )
        logits = agent.explorer.act(tf.one_hot([1, 5], 7), (), 1.0, KEY)[2]["logits"]  # beside both ends
        right = tf.nn.softmax(logits)[:, 1].numpy()
        turns_back.append((right[0] + 1.0 - right[1]) / 2)
    assert turns_back[0] > 0.9 and 0.1 < turns_back[1] < 0.8


@pytest.fixture
def world(line):
    """A window in which the agent stood at 0 and at 1."""
    states = Place(tf.constant([[[0.0], [1.0], [0.0], [1.0]]]))
    actions, none = tf.constant([[1, 0, 1, 0]]), tf.zeros((1, 4))
    return line, Replayed(states, actions, none, none > 0, none > 0, tf.ones(1))


def test_the_task_acts_and_the_explorer_collects(world, starts):
    line, window = world
    agent = Plan2Explore(CONFIG, line.spec, KEY)
    for i in range(3):  # at first both are indifferent
        agent.update_from_imagination(
            line, StartStates(starts, tf.ones(32)), np.array([i, 2], np.int32), Experience(window)
        )
    features = tf.eye(7)
    one, other = (who.act(features, (), 1.0, KEY)[2]["logits"] for who in (agent, agent.explorer))
    np.testing.assert_array_equal(one, agent.task.act(features, (), 1.0, KEY)[2]["logits"])
    assert np.abs(one - other).max() > 1e-3


def test_without_rewards_the_explorer_does_not_learn_of_them(world, starts):
    line, window = world
    agents = []
    for reward in (line.reward, lambda state: 100.0 + line.reward(state)):
        agent = Plan2Explore(CONFIG, line.spec, KEY)
        rich = type("Rich", (type(line),), {"reward": staticmethod(reward)})()
        for i in range(3):
            agent.update_from_imagination(
                rich, StartStates(starts, tf.ones(32)), np.array([i, 2], np.int32), Experience(window)
            )
        agents.append(agent.save())
    for name, weights in agents[0]["explorer"]["actor"].items():
        np.testing.assert_array_equal(weights, agents[1]["explorer"]["actor"][name])
    assert any(np.any(w != agents[1]["task"]["actor"][name]) for name, w in agents[0]["task"]["actor"].items())


def test_a_part_that_is_not_finite_leaves_all_parts_as_they_are(world, starts):
    line, window = world
    agent = Plan2Explore(CONFIG, line.spec, KEY)
    poor = type("Poor", (type(line),), {"reward": lambda self, state: line.reward(state) * np.nan})()
    before = agent.save()
    metrics = agent.update_from_imagination(poor, StartStates(starts, tf.ones(32)), KEY, Experience(window))
    assert metrics["policy/finite"] == 0 and metrics["policy/explorer_finite"] == 1
    tf.nest.map_structure(np.testing.assert_array_equal, agent.save(), before)


def test_an_explorer_does_not_learn_from_recorded_rewards():
    with pytest.raises(ConfigError, match="explorer.replay_value_scale .* must be 0. Received 0.3"):
        replace(CONFIG, explorer=replace(ACTOR, replay_value_scale=0.3))


@pytest.mark.parametrize("name", ["task", "explorer"])
def test_neither_learns_from_the_explorers_own_steps(name):
    with pytest.raises(ConfigError, match=f"agent.{name}.recent.policy_scale must be 0.*Received 0.1"):
        replace(CONFIG, **{name: replace(ACTOR, recent=RecentConfig(policy_scale=0.1))})


def test_the_explorers_rewards_are_divided_by_the_running_mean_of_their_size():
    """Rewards of 3 and of 0, so a mean size of 1.5: the running mean goes from 1 to 0.99 + 0.01 * 1.5."""
    agent = Plan2Explore(replace(CONFIG, explorer=replace(ACTOR, reward_transform="none")), SPEC, KEY)
    agent._ensemble.of = lambda features, actions: features[:, 0]
    features, ones = tf.constant([[[3.0, 0, 0]], [[9.0, 0, 0]]]), tf.ones((2, 1))
    trajectory = Trajectory((), features, tf.constant([[1], [0]]), ones, ones, {})
    np.testing.assert_allclose(agent.explorer.learned_rewards(trajectory), [[0], [3 / 1.005]], rtol=1e-6)
    assert float(agent.explorer.save()["reward_mean"]) == pytest.approx(1.005)
    assert "reward_mean" not in agent.task.save()
