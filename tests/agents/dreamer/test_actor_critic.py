from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
import tensorflow as tf
from line import Line, Place

from worldmodels.agents import build_agent
from worldmodels.agents.api import Experience, Recent, Replayed
from worldmodels.agents.dreamer.config import ActorCriticConfig, RecentConfig
from worldmodels.core.errors import CheckpointError
from worldmodels.core.specs import ActionSpec, ObservationSpec
from worldmodels.imagination.starts import StartStates
from worldmodels.models.config import HeadConfig, LaPropConfig, OptimizerConfig

HEAD = HeadConfig(1, 8)
FAST = OptimizerConfig(learning_rate=0.03)
CONFIG = ActorCriticConfig(
    actor=HEAD,
    critic=HEAD,
    horizon=4,
    discount=0.9,
    reward_transform="none",
    target_every=2,
    target_share=0.5,
    actor_optimizer=FAST,
    critic_optimizer=FAST,
)
CONTINUES = tf.ones((32,))
PLACES = tf.one_hot([2, 3, 4], 7)  # the features of places -1, 0 and 1


def seed(number: int) -> np.ndarray:
    return np.array([number, 5], np.int32)


@pytest.fixture(scope="module")
def build(line):
    def make(number: int = 0, config: ActorCriticConfig = CONFIG):
        return build_agent(config, line.spec, seed(number))

    return make


V3: dict[str, Any] = {
    "value_distribution": "two_hot",
    "value_target": "online",
    "slow_regularizer": 1.0,
    "replay_value_scale": 0.3,
    "target_every": 1,
    "target_share": 0.02,
    "uniform_mix": 0.01,
    "normalize_returns": True,
    "actor_optimizer": LaPropConfig(learning_rate=0.03, warmup=3),
    "critic_optimizer": LaPropConfig(learning_rate=0.03, warmup=3),
}
"""DreamerV3's choices."""


@pytest.mark.parametrize("choices", [{}, {"normalize_returns": True}, V3], ids=["plain", "normalised", "v3"])
def test_learns_to_walk_to_where_it_is_paid(build, line, starts, choices):
    agent = build(config=replace(CONFIG, **choices))
    for i in range(60):
        metrics = agent.update_from_imagination(line, StartStates(starts, CONTINUES), seed(i))
    actions, _, extras = agent.act(PLACES, (), 0.0, seed(0))
    assert actions.numpy().tolist()[:2] == [1, 1]
    # Walking straight on visits places 1, 2 and 3, which pays 1 + 0.9 + 0.81.
    assert float(extras["value"][1]) > 1.5
    assert metrics["policy/entropy"] < 0.6
    assert metrics["policy/finite"] == 1


def test_starts_as_the_uniform_policy(build):
    agent = build()
    actions, state, extras = agent.act(tf.repeat(PLACES, 1000, 0), agent.initial(3000), 1.0, seed(1))
    assert actions.dtype == tf.int32
    assert float(tf.reduce_mean(tf.cast(actions, tf.float32))) == pytest.approx(0.5, abs=0.05)
    assert state == ()
    assert not extras["logits"].numpy().any()


def test_a_policy_with_a_uniform_share_never_gives_an_action_up(build):
    agent = build(config=replace(CONFIG, uniform_mix=0.1))
    tree = agent.save()
    tree["actor"]["actor/dense_1/bias"] = np.array([0.0, 1000.0], np.float32)
    agent.load(tree)
    _, _, extras = agent.act(PLACES, (), 1.0, seed(1))
    np.testing.assert_allclose(tf.nn.softmax(extras["logits"]), [[0.05, 0.95]] * 3, rtol=1e-4)


def test_the_slow_critic_draws_the_critic_to_itself(build, line, starts):
    def loss(regularizer: float, slow_value: float) -> float:
        agent = build(config=replace(CONFIG, slow_regularizer=regularizer))
        tree = agent.save()
        tree["target"]["target/dense_1/bias"] = np.array([slow_value], np.float32)
        agent.load(tree)
        return float(agent.update_from_imagination(line, StartStates(starts, CONTINUES), seed(0))["policy/critic_loss"])

    # The critic says 0, so what is added is half the square of the slow value, times the weight of the steps.
    added = [loss(1.0, value) - loss(0.0, value) for value in (1.5, 3.0)]
    assert 0.5 < added[0] <= 0.5 * 1.5**2
    assert added[1] == pytest.approx(4 * added[0], rel=1e-4)


LONG = Place(tf.constant([[[-2.0], [-1.0], [3.0], [0.0], [1.0], [-1.0], [2.0]]] * 2))
RECORDED = Replayed(
    LONG,
    tf.zeros((2, 7), tf.int32),
    tf.constant([[9.0, 1, 2, 0, 4, 3, 5]] * 2),
    tf.constant([[False, False, True, False, True, False, False]] * 2),
    tf.constant([[False, False, True, False, False, False, False]] * 2),
    tf.constant([1.0, 0.25]),
)
"""Two windows that differ in weight: an episode terminates at step 2, the next one is cut off at step 4."""
HALVES = replace(CONFIG, discount=0.5, return_lambda=0.5, replay_value_scale=0.3)


def test_returns_of_recorded_windows_by_hand(build, line):
    imagined = tf.range(0.0, 140.0, 10.0)  # of all states: 0 to 60 in the first window, 70 to 130 in the second
    targets = build(config=HALVES)._recorded_targets(RECORDED, line, imagined)
    np.testing.assert_array_equal(targets.weights, [[1, 1, 0, 1, 0, 1], [0.25, 0.25, 0, 0.25, 0, 0.25]])
    returns = np.where(targets.weights, targets.returns, 0)
    # The terminal step ends with its reward of 2; step 4 and the last one with half of what was imagined from them.
    assert returns[0].tolist() == [1 + 0.5 * (0.5 * 10 + 0.5 * 2), 2, 0, 4 + 0.5 * 40, 0, 5 + 0.5 * 60]
    assert returns[1].tolist() == [1 + 0.5 * (0.5 * 80 + 0.5 * 2), 2, 0, 4 + 0.5 * 110, 0, 5 + 0.5 * 130]
    np.testing.assert_array_equal(tf.argmax(targets.features, -1) - 3, [-2, -1, 3, 0, 1, -1] * 2)


@pytest.mark.parametrize(("target", "value"), [("slow", 10), ("online", 20)])
def test_the_critic_ends_recorded_returns_where_not_all_states_were_imagined_from(build, line, target, value):
    agent = build(config=replace(HALVES, value_target=target))
    tree = agent.save()
    tree["target"]["target/dense_1/bias"] = np.array([10], np.float32)
    tree["critic"]["critic/dense_1/bias"] = np.array([20], np.float32)
    agent.load(tree)
    targets = agent._recorded_targets(RECORDED, line, tf.zeros((3,)))
    assert targets.slow_values.numpy().tolist() == [[10] * 6] * 2
    assert targets.returns[0, 5] == 5 + 0.5 * value


def test_the_critic_learns_from_what_really_followed(build, line):
    """Where the model says that nothing is ever paid, and a recording that it was."""

    class Poor(type(line)):
        def reward(self, state):
            return tf.zeros_like(state.position[:, 0])

    def value(scale: float) -> float:
        agent, world, few = build(config=replace(HALVES, replay_value_scale=scale)), Poor(), Place(tf.zeros((3, 1)))
        for i in range(20):
            metrics = agent.update_from_imagination(
                world, StartStates(few, tf.ones((3,))), seed(i), Experience(RECORDED)
            )
        assert ("policy/replay_critic_loss" in metrics) == (scale > 0)
        return float(agent.act(PLACES[1:2], (), 0.0, seed(0))[2]["value"][0])

    assert value(0.0) == 0
    assert value(3.0) > 1


def test_a_recorded_reward_that_is_not_finite_changes_nothing(build, line, starts):
    agent = build(config=HALVES)
    before = agent.save()
    broken = RECORDED._replace(rewards=RECORDED.rewards * float("nan"))
    assert (
        agent.update_from_imagination(line, StartStates(starts, CONTINUES), seed(0), Experience(broken))[
            "policy/finite"
        ]
        == 0
    )
    np.testing.assert_equal(agent.save(), before)


def test_a_start_after_the_end_teaches_nothing(build, line, starts):
    agent = build()
    before = agent.save()
    agent.update_from_imagination(line, StartStates(starts, tf.zeros((32,))), seed(0))
    after = agent.save()
    for part in ("actor", "critic"):
        for name, value in before[part].items():
            np.testing.assert_allclose(after[part][name], value, rtol=1e-5, atol=1e-7)  # weight decay alone


def test_a_critic_that_is_not_finite_leaves_the_actor_as_it_is(build, line, starts):
    agent = build(config=replace(CONFIG, normalize_returns=True, target_every=1))
    agent.update_from_imagination(line, StartStates(starts, CONTINUES), seed(0))
    tree = agent.save()
    tree["critic"] = {name: value * np.nan for name, value in tree["critic"].items()}
    agent.load(tree)
    assert agent.update_from_imagination(line, StartStates(starts, CONTINUES), seed(1))["policy/finite"] == 0
    np.testing.assert_equal(agent.save(), tree)


def test_target_moves_halfway_every_second_update(build, line, starts):
    agent = build()
    name, target = "dense_1/bias", []
    critic = []
    for i in range(2):
        agent.update_from_imagination(line, StartStates(starts, CONTINUES), seed(i))
        tree = agent.save()
        target.append(tree["target"][f"target/{name}"])
        critic.append(tree["critic"][f"critic/{name}"])
    np.testing.assert_array_equal(target[0], [0.0])
    assert critic[1] != 0
    np.testing.assert_allclose(target[1], 0.5 * critic[1], rtol=1e-6)


def test_a_restored_agent_goes_on_bit_for_bit(build, line, starts):
    """Two updates, save, load into another agent, and two more; also a test that updates repeat exactly."""
    straight, resumed = build(1), build(2)
    for i in range(2):
        straight.update_from_imagination(line, StartStates(starts, CONTINUES), seed(i))
    resumed.load(straight.save())
    for agent in (straight, resumed):
        for i in range(2, 4):
            agent.update_from_imagination(line, StartStates(starts, CONTINUES), seed(i))
    np.testing.assert_equal(resumed.save(), straight.save())


def test_a_reward_that_is_not_finite_changes_nothing(build, line, starts):
    class Broken(type(line)):
        def reward(self, state):
            return super().reward(state) * float("nan")

    agent = build()
    before = agent.save()
    metrics = agent.update_from_imagination(Broken(), StartStates(starts, CONTINUES), seed(0))
    assert metrics["policy/finite"] == 0
    np.testing.assert_equal(agent.save(), before)


def test_the_tanh_of_rewards_is_learned_from_when_asked(build, line, starts):
    metrics = build(config=replace(CONFIG, reward_transform="tanh")).update_from_imagination(
        line, StartStates(starts, CONTINUES), seed(0)
    )
    plain = build().update_from_imagination(line, StartStates(starts, CONTINUES), seed(0))
    assert float(metrics["policy/return"]) == pytest.approx(np.tanh(1.0) * float(plain["policy/return"]), rel=1e-4)


def test_a_checkpoint_of_another_size_is_refused(build):
    with pytest.raises(CheckpointError, match="the actor"):
        build(config=replace(CONFIG, actor=HeadConfig(1, 9))).load(build().save())


class SeenLine(Line):
    """The line as pictures: a bright column stands where the walker is."""

    spec = Line.spec._replace(features=ObservationSpec.of(7, 7, 3))

    def features(self, state):
        bright = 200 * tf.cast(super().features(state), tf.uint8)
        return tf.tile(bright[:, None, :, None], (1, 7, 1, 3))


def test_learns_from_pictures_too(starts):
    agent, world = build_agent(CONFIG, SeenLine.spec, seed(0)), SeenLine()
    for i in range(40):
        metrics = agent.update_from_imagination(world, StartStates(starts, CONTINUES), seed(i))
    places = world.features(type(starts)(tf.constant([[-1.0], [0.0]])))
    assert agent.act(places, (), 0.0, seed(0))[0].numpy().tolist() == [1, 1]
    assert metrics["policy/finite"] == 1
    assert float(agent.critic(places)[1]) > 1.0


def test_parameters_of_the_published_size(line):
    agent = build_agent(
        ActorCriticConfig(), line.spec._replace(action=ActionSpec(18), features=ObservationSpec.of(1624)), seed(0)
    )
    sizes = {part: sum(weight.size for weight in agent.save()[part].values()) for part in ("actor", "critic")}
    trunk = 1624 * 400 + 400 + 3 * (400 * 400 + 400)
    assert sizes == {"actor": trunk + 400 * 18 + 18, "critic": trunk + 401}


def probability_of_left(agent) -> float:
    logits = agent.act(PLACES, (), 1.0, seed(0))[2]["logits"]
    return float(tf.nn.softmax(logits)[1, 0])


def test_learns_from_what_really_followed_its_own_steps(build, line, starts):
    # At place 0, going left paid 2 and going right nothing, and then it was over; nothing is imagined to follow.
    places = tf.stack([tf.gather(PLACES, [1, 0]), tf.gather(PLACES, [1, 2])])
    rewards, ended = tf.constant([[0.0, 2.0], [0.0, 0.0]]), tf.constant([[False, True], [False, True]])
    recent = Recent(places, tf.constant([[0, 0], [1, 0]]), {"logits": tf.zeros((2, 2, 2))}, rewards, ended, ended)
    learning = replace(CONFIG, entropy=0.0, recent=RecentConfig(policy_scale=0.3))
    agent, alone = build(config=learning), build(config=replace(CONFIG, entropy=0.0))
    for i in range(20):
        metrics = agent.update_from_imagination(
            line, StartStates(starts, tf.zeros((32,))), seed(i), Experience(recent=recent)
        )
        alone.update_from_imagination(line, StartStates(starts, tf.zeros((32,))), seed(i))
    assert probability_of_left(agent) > 0.9 > probability_of_left(alone) + 0.2
    # It does not go right any more, as it did then with one half.
    assert float(metrics["policy/recent_ratio"]) < 0.7
    for i in range(200):
        metrics = agent.update_from_imagination(
            line, StartStates(starts, tf.zeros((32,))), seed(i), Experience(recent=recent)
        )
    # Of two steps with returns 2 and 0 the critic expects the mean.
    assert float(agent.critic(PLACES)[1]) == pytest.approx(1.0, abs=0.2)
    assert metrics["policy/finite"] == 1
