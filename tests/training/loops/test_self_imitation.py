"""Which recorded steps a policy imitates. In this world the critic's value of a frame is the frame's grey."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest
import tensorflow as tf
from image_spaces import image_replay

from worldmodels.acting.actor import PolicyOutput
from worldmodels.agents.dreamer.actor_critic_config import ActorCriticConfig
from worldmodels.core.configuration.sections import from_dict
from worldmodels.core.seeding import Streams
from worldmodels.core.types import Step
from worldmodels.replay import ReplayConfig
from worldmodels.training.loops.self_imitation import CONTEXT, SelfImitation, returns_to_go

CONFIG = ActorCriticConfig(discount=0.5, reward_transform="none", imitation_scale=1.0)


class Greys:
    """The state of a model is the grey of the frame that it sees."""

    def observe_sequence(self, observations, previous_actions, is_first, seed):
        return tf.cast(observations[:, :, 0, 0, :1], tf.float32)

    def features(self, state):
        return state


class Expecting:
    """An agent whose critic expects the feature."""

    def act(self, features, state, temperature, seed):
        return tf.zeros(features.shape[:1], tf.int32), state, {"value": features[:, 0]}


PARTS = SimpleNamespace(world_model=Greys(), agent=Expecting(), streams=Streams(3))


def store(folder, streams=1, capacity=1000, **more):
    return image_replay(folder, streams, (8, 8, 3), from_dict(ReplayConfig, {"capacity_steps": capacity, **more}))


def imitation(replay, batch=4, length=4, config=CONFIG):
    return SelfImitation(PARTS, config, replay, batch, length)  # type: ignore[arg-type]


def play(replay, learner, rewards, grey=0, ended=True, action=1):
    """Append an episode of one stream, whose first reward must be 0, and let the learner take it in."""
    for t, reward in enumerate(rewards):
        last = np.array([t == len(rewards) - 1])
        frame = np.full((1, 8, 8, 3), grey, np.uint8)
        flags = np.array([t == 0]), last, last & ended
        step = Step(frame, np.array([reward], np.float32), *flags, np.array([action]))
        replay.append(step)
        learner.add(step, PolicyOutput(step.action))


def test_returns_are_discounted_sums_of_what_came_after() -> None:
    found = returns_to_go(np.array([0, 1, 0, 4], np.float32), 0.5)
    np.testing.assert_array_equal(found, [1 + 0.5**2 * 4, 0.5 * 4, 4, 0])


def test_nothing_is_imitated_before_an_episode_that_paid(tmp_path) -> None:
    replay = store(tmp_path)
    learner = imitation(replay)
    play(replay, learner, [0, 0, 0, 0, 0, 0])
    play(replay, learner, [0, 0, 0, 0, 0, 8], ended=False)  # what would have come is not known
    assert learner.draw(0) is None
    play(replay, learner, [0, 0, 8])
    assert learner.draw(0) is not None


def test_steps_count_by_how_much_better_they_went_than_expected(tmp_path) -> None:
    replay = store(tmp_path)
    learner = imitation(replay, batch=1)
    play(replay, learner, [0, 0, 0, 8], grey=3)
    imitated = learner.draw(0)
    # Returns 2, 4, 8 and nothing after the last, where 3 is expected: the first did worse.
    np.testing.assert_array_equal(imitated.advantages, [0, 1, 5, 0])
    np.testing.assert_array_equal(imitated.actions, [1, 1, 1, 1])
    np.testing.assert_array_equal(imitated.features[:, 0], [3, 3, 3, 3])


def test_a_window_that_begins_inside_an_episode_is_imitated_once_the_model_has_seen_enough(tmp_path) -> None:
    replay = store(tmp_path)
    learner = imitation(replay, batch=64, length=6)
    play(replay, learner, [0] * 7 + [1024])
    rows = np.reshape(learner.draw(0).advantages, (64, 6))
    first = rows[:, 0] > 0
    np.testing.assert_array_equal(rows[first][0], 1024 / 2.0 ** np.arange(6, 0, -1))
    assert (rows[~first][:, :CONTEXT] == 0).all() and (rows[~first][:, CONTEXT] > 0).all()
    assert 0 < first.sum() < 64


def test_what_is_mastered_gives_way_to_what_is_not(tmp_path) -> None:
    replay = store(tmp_path)
    learner = imitation(replay, batch=16)
    play(replay, learner, [0, 0, 0, 8], grey=8, action=0)  # as good as expected
    play(replay, learner, [0, 0, 0, 8], grey=0, action=1)
    learner.draw(0)
    chosen = [np.asarray(learner.draw(update).actions) for update in range(1, 9)]
    assert np.mean(chosen) > 0.99


def test_held_out_episodes_are_not_imitated(tmp_path) -> None:
    replay = store(tmp_path, held_out_every=2)
    learner = imitation(replay, batch=32)
    rewards = 2.0 ** np.arange(8)
    for reward in rewards:
        play(replay, learner, [0, 0, 0, reward])
    held_out = [replay.training_rewards(0, range(4 * i, 4 * i + 4)).size == 0 for i in range(8)]
    assert sum(held_out) == 4
    imitated = np.unique(np.reshape(learner.draw(0).advantages, (32, 4))[:, 2])
    assert set(imitated) <= set(rewards[~np.array(held_out)])


def test_rewards_are_those_that_the_critic_learns(tmp_path) -> None:
    replay = store(tmp_path)
    learner = imitation(replay, batch=1, config=ActorCriticConfig(reward_transform="clip", imitation_scale=1.0))
    play(replay, learner, [0, 0, 0, 8])
    assert float(tf.reduce_max(learner.draw(0).advantages)) == 1


def test_an_episode_at_the_stores_end_may_be_shorter_than_a_window(tmp_path) -> None:
    replay = store(tmp_path)
    learner = imitation(replay, batch=2)
    play(replay, learner, [0, 0, 0, 0])
    play(replay, learner, [0, 8])
    np.testing.assert_array_equal(np.reshape(learner.draw(0).advantages, (2, 4)), [[0, 0, 8, 0]] * 2)


def test_what_the_store_has_dropped_is_forgotten(tmp_path) -> None:
    replay = store(tmp_path, capacity=32)
    learner = imitation(replay)
    play(replay, learner, [0, 0, 0, 8])
    play(replay, learner, [0] * 60)
    assert replay.span.start > 3 and learner.draw(0) is None


def test_only_the_most_promising_episodes_are_kept(tmp_path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("worldmodels.training.loops.self_imitation.MOST", 2)
    replay = store(tmp_path)
    learner = imitation(replay, batch=32)
    for reward in (4, 1, 8):
        play(replay, learner, [0, 0, 0, reward])
    assert set(np.reshape(learner.draw(0).advantages, (32, 4))[:, 2].tolist()) == {4, 8}


def test_goes_on_as_it_was(tmp_path) -> None:
    replay = store(tmp_path)
    straight, resumed = imitation(replay), imitation(replay)
    play(replay, straight, [0, 0, 0, 8])
    play(replay, straight, [0, 0, 0, 4])
    straight.draw(0)
    resumed.load(straight.save())
    one, other = straight.draw(1), resumed.draw(1)
    tf.nest.map_structure(np.testing.assert_array_equal, one, other)
    tf.nest.map_structure(np.testing.assert_array_equal, straight.save(), resumed.save())
