"""A learned world as Gymnasium sees it: episodes, autoreset, seeds, and Gymnasium's own checks."""

from __future__ import annotations

import gymnasium as gym
import numpy as np
import pytest
import tensorflow as tf
from gymnasium.utils.env_checker import check_env
from gymnasium.vector import AutoresetMode
from image_spaces import image_spec

from worldmodels.core.errors import UserError
from worldmodels.core.specs import ActionSpec, ArraySpec, ObservationSpec
from worldmodels.core.types import Batch
from worldmodels.imagination.vector_env import ImaginedVectorEnv
from worldmodels.models.api import ModelSpec


class Walk:
    """A place from 0 to 255 that the image shows as brightness: action 1 goes one up, 0 one down.

    A step upwards pays 1. An episode ends at place 4 for certain, and at place 7 with probability one in four.
    """

    spec = image_spec((2, 3, 3), 2, (1,))

    def observe_sequence(self, observations, previous_actions, is_first, seed, state=None):
        place = tf.cast(observations[:, :, 0, 0, :1], tf.float32)
        return {"place": place, "paid": tf.zeros_like(place[..., 0])}

    def imagine(self, state, action, temperature, seed):
        move = 2.0 * tf.cast(action, tf.float32) - 1.0
        drift = 10.0 * tf.cast(temperature > 1.5, tf.float32)
        jump = drift * tf.cast(tf.random.stateless_uniform((1,), seed, 0, 3, tf.int32), tf.float32)
        return {"place": state["place"] + move[:, None] + jump, "paid": tf.cast(action, tf.float32)}

    def features(self, state):
        return state["place"]

    def frame(self, state, before=None):
        place = tf.cast(state["place"], tf.uint8)
        return tf.broadcast_to(place[:, None, None, :], (place.shape[0], 2, 3, 3))

    def reward(self, state):
        return state["paid"]

    def continuation(self, state):
        place = state["place"][:, 0]
        return tf.where(place == 4, 0.0, tf.where(place == 7, 0.75, 1.0))


class ImageWalk(Walk):
    spec = image_spec((2, 3, 3), 2, (2, 3, 6))

    def features(self, state):
        return tf.concat([self.frame(state)] * 2, -1)


class CopyingWalk(Walk):
    """The same walk; the second channel is one more than that of the frame before, and 0 without one."""

    spec = Walk.spec._replace(copies=True)

    def frame(self, state, before=None):
        alone = super().frame(state)
        count = tf.zeros_like(alone) if before is None else before + 1
        return tf.stack([alone[..., 0], count[..., 1], alone[..., 2]], -1)


def starting_at(*places):
    """Starts at these places, one after the other, round and round."""
    given = []

    def starts(count, generator):
        chosen = [places[(len(given) + i) % len(places)] for i in range(count)]
        given.extend(chosen)
        observation = np.broadcast_to(np.reshape(chosen, (count, 1, 1, 1, 1)), (count, 2, 2, 3, 3)).astype(np.uint8)
        none = np.zeros((count, 2), bool)
        return Batch(observation, np.zeros((count, 2), np.float32), none, none, none, np.zeros((count, 2), np.int32))

    return starts


def anywhere(count, generator):
    return starting_at(*generator.integers(10, 200, count))(count, generator)


def places(observation):
    return observation[:, 0, 0, 0].tolist()


def make(starts=None, num_envs=2, model=None, **options):
    return ImaginedVectorEnv(model or Walk(), starts or starting_at(100, 2, 50, 60), num_envs, **options)


def test_next_step_spelled_out():
    """World 0 walks up from 100 and is cut after 3 steps; world 1 walks up from 2 and ends at place 4."""
    env = make(horizon=3)
    observation, info = env.reset(seed=0)
    assert places(observation) == [100, 2]
    assert info["continuation"].tolist() == [1, 1]
    story = [env.step([1, 1]) for _ in range(5)]
    assert [places(step[0]) for step in story] == [[101, 3], [102, 4], [103, 50], [60, 51], [61, 52]]
    assert [step[1].tolist() for step in story] == [[1, 1], [1, 1], [1, 0], [0, 1], [1, 1]]
    assert [step[2].tolist() for step in story] == [[False, False], [False, True]] + [[False, False]] * 3
    assert [step[3].tolist() for step in story] == [[False] * 2] * 2 + [[True, False], [False, False], [False, False]]
    assert [step[4]["continuation"].tolist() for step in story] == [[1, 1], [1, 0], [1, 1], [1, 1], [1, 1]]


def test_frames_are_painted_one_after_the_other():
    """Recorded frames show their place in every channel; each step copies from what the step before showed."""

    def counts(frames):
        return [int(frame[0, 0, 1]) for frame in frames]

    env = make(starting_at(100, 2, 50, 60), model=CopyingWalk(), horizon=3, render_mode="rgb_array")
    observation, _ = env.reset(seed=0)
    assert counts(observation) == counts(env.render()) == [101, 3]
    shown = []
    for _ in range(5):
        shown.append(counts(env.step([1, 1])[0]))
        assert counts(env.render()) == shown[-1]
    assert shown == [[101, 3], [102, 4], [103, 51], [61, 51], [61, 52]]


def test_where_features_are_observed_a_rendered_frame_shows_what_the_state_alone_says():
    env = make(model=CopyingWalk(), observe="features", render_mode="rgb_array")
    env.reset(seed=0)
    env.step([1, 1])
    assert [int(frame[0, 0, 1]) for frame in env.render()] == [0, 0]


def test_the_first_frame_of_an_episode_has_none_to_copy_from():
    def starts(count, generator):
        batch = starting_at(100, 50)(count, generator)
        batch.is_first[0, -1] = True
        return batch

    observation, _ = make(starts, model=CopyingWalk()).reset(seed=0)
    assert [int(frame[0, 0, 1]) for frame in observation] == [0, 51]


def test_same_step_spelled_out():
    env = make(horizon=3, autoreset_mode=AutoresetMode.SAME_STEP)
    env.reset(seed=0)
    story = [env.step([1, 1]) for _ in range(4)]
    assert [places(step[0]) for step in story] == [[101, 3], [102, 50], [60, 51], [61, 52]]
    assert [step[1].tolist() for step in story] == [[1, 1]] * 4
    infos = [step[4] for step in story]
    assert ["final_obs" in info for info in infos] == [False, True, True, False]
    assert [info["_final_obs"].tolist() for info in infos[1:3]] == [[False, True], [True, False]]
    assert places(infos[1]["final_obs"])[1] == 4
    assert places(infos[2]["final_obs"])[0] == 103
    assert infos[1]["final_info"]["continuation"].tolist() == [1, 0]


def test_disabled_waits_for_the_mask():
    env = make(horizon=3, autoreset_mode="Disabled")
    env.reset(seed=0)
    env.step([1, 1])
    env.step([1, 1])
    with pytest.raises(UserError, match="Environment 1: the episode is over"):
        env.step([1, 1])
    observation, info = env.reset(options={"reset_mask": np.array([False, True])})
    assert places(observation) == [102, 50]
    assert info["continuation"].tolist() == [1, 1]
    observation, _, terminated, truncated, _ = env.step([1, 1])
    assert places(observation) == [103, 51]
    assert (terminated.tolist(), truncated.tolist()) == ([False, False], [True, False])


def test_what_was_returned_is_never_overwritten():
    env = make(horizon=3, autoreset_mode="Disabled")
    first, _ = env.reset(seed=0)
    env.step([1, 1])
    second, *_ = env.step([1, 1])
    env.reset(options={"reset_mask": np.array([True, True])})
    assert (places(first), places(second)) == ([100, 2], [102, 4])


def play(env, seed, steps=30):
    observation, _ = env.reset(seed=seed)
    actions = np.random.default_rng(5).integers(0, 2, (steps, env.num_envs))
    return [observation, *(part for row in actions for part in env.step(row)[:4])]


def same(one, other):
    return all(np.array_equal(a, b) for a, b in zip(one, other, strict=True))


def test_seeds_decide_everything_and_rendering_nothing():
    env = make(anywhere, horizon=8, temperature=2.0, render_mode="rgb_array")
    story = play(env, seed=3)
    assert same(story, play(env, seed=3))
    assert same(story, play(make(anywhere, horizon=8, temperature=2.0), seed=3))
    assert not same(story, play(env, seed=4))
    unseeded = [play(env, seed=None), play(env, seed=None)]
    assert not same(*unseeded)
    env.reset(seed=3)
    env.step([1, 0])
    frames = env.render()
    assert [frame.shape for frame in frames] == [(2, 3, 3)] * 2
    assert np.array_equal(np.stack(frames), np.stack(env.render()))
    assert make().render() is None


@pytest.mark.parametrize(("temperature", "share"), [(0.0, 0.0), (0.5, 0.1), (1.0, 0.25)])
def test_episodes_end_as_often_as_the_model_says(temperature, share):
    """0.75 has the logit log 3; at temperature a half it counts twice, and the odds of an end are 1 to 9."""
    env = make(starting_at(6), num_envs=4000, temperature=temperature, horizon=5)
    env.reset(seed=1)
    terminated = env.step(np.ones(4000, int))[2]
    assert terminated.mean() == pytest.approx(share, abs=0.03)


def test_spaces_of_frames_and_features():
    images, vectors, stacks = make(), make(observe="features"), make(model=ImageWalk(), observe="features")
    for env, shape, dtype in ((images, (2, 3, 3), "uint8"), (vectors, (1,), "float32"), (stacks, (2, 3, 6), "uint8")):
        observation, _ = env.reset(seed=0)
        assert (env.single_observation_space.shape, str(env.single_observation_space.dtype)) == (shape, dtype)
        assert env.observation_space.contains(observation)
        assert env.observation_space.contains(env.step(env.action_space.sample())[0])
    assert vectors.reset(seed=0)[0].tolist() == [[50], [60]]


class Row(gym.Env):
    """One world of a vector environment, as Gymnasium's checker wants it."""

    def __init__(self, env):
        self.env = env
        self.observation_space, self.action_space = env.single_observation_space, env.single_action_space
        self.metadata, self.render_mode = {"render_modes": ["rgb_array"], "render_fps": 15}, "rgb_array"

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        observation, info = self.env.reset(seed=seed, options=options)
        return observation[0], info

    def step(self, action):
        observation, reward, terminated, truncated, info = self.env.step(np.array([action]))
        return observation[0], float(reward[0]), bool(terminated[0]), bool(truncated[0]), info

    def render(self):
        return self.env.render()[0]


@pytest.mark.parametrize("observe", ["frames", "features"])
def test_gymnasium_checks_it(observe):
    check_env(Row(make(anywhere, num_envs=1, observe=observe, render_mode="rgb_array")), skip_render_check=True)


@pytest.mark.parametrize("mode", AutoresetMode)
def test_gymnasiums_wrappers_work(mode):
    env = make(starting_at(100, 2), horizon=3, autoreset_mode=mode)
    assert env.autoreset_mode is AutoresetMode(mode)
    env = gym.wrappers.vector.DictInfoToList(gym.wrappers.vector.RecordEpisodeStatistics(env))
    env.reset(seed=0)
    episodes = []
    for _ in range(6):
        *_, terminated, truncated, infos = env.step(np.array([1, 1]))
        episodes += [(info["episode"]["r"], info["episode"]["l"]) for info in infos if "episode" in info]
        if mode == AutoresetMode.DISABLED and (terminated | truncated).any():
            env.reset(options={"reset_mask": terminated | truncated})
    assert (3, 3) in episodes
    assert (2, 2) in episodes
    assert {length for _, length in episodes} == {2, 3}


def test_mistakes_are_named():
    with pytest.raises(UserError, match="Did you mean 'NextStep'"):
        make(autoreset_mode="NextStp")
    with pytest.raises(UserError, match="kind of observation 'pixels'"):
        make(observe="pixels")
    with pytest.raises(UserError, match="render mode 'human'"):
        make(render_mode="human")
    with pytest.raises(UserError, match="received 2, 0 and 1.0"):
        make(horizon=0)
    env = make()
    with pytest.raises(gym.error.ResetNeeded):
        env.step([0, 0])
    env.reset(seed=0)
    for actions in ([2, 0], [0, -1], [0], [0.0, 1.0]):
        with pytest.raises(UserError, match="2 integers from 0 to 1"):
            env.step(actions)
    with pytest.raises(UserError, match="reset mask is bool"):
        env.reset(options={"reset_mask": np.array([1, 0])})
    with pytest.raises(UserError, match="'mask'"):
        env.reset(options={"mask": np.array([True, False])})


class Drift:
    """A place and a speed, which a number from -1 to 1 pushes; the two are parts of an observation without images."""

    spec = ModelSpec(
        ObservationSpec((("place", ArraySpec((1,))), ("speed", ArraySpec((1,))))),
        ActionSpec(low=(-4.0,), high=(4.0,)),
        ObservationSpec.of(2),
    )

    def observe_sequence(self, observations, previous_actions, is_first, seed, state=None):
        return tf.concat([observations["place"], observations["speed"]], -1)

    def imagine(self, state, action, temperature, seed):
        speed = state[:, 1:] + action
        return tf.concat([state[:, :1] + speed, speed], -1)

    def features(self, state):
        return state

    def vectors(self, state):
        return {"place": state[:, :1], "speed": state[:, 1:]}

    def reward(self, state):
        return -tf.abs(state[:, 0])

    def continuation(self, state):
        return tf.ones(tf.shape(state)[:1])


def test_a_world_of_vectors_takes_numbers_and_shows_its_parts_side_by_side():
    one = np.ones((2, 1), bool)
    parts = {"place": np.full((2, 1, 1), 3, np.float32), "speed": np.full((2, 1, 1), 0.5, np.float32)}
    window = Batch(parts, np.zeros((2, 1), np.float32), one, ~one, ~one, np.zeros((2, 1, 1), np.float32))
    env = ImaginedVectorEnv(Drift(), lambda count, generator: window, 2, horizon=3, observe="vectors")
    assert env.single_observation_space.shape == (2,) and env.single_action_space.shape == (1,)
    observation, _ = env.reset(seed=0)
    assert observation.tolist() == [[3, 0.5]] * 2
    observation, reward, *_ = env.step(np.array([[0.25], [-1.0]], np.float32))
    assert observation.tolist() == [[3.75, 0.75], [2.5, -0.5]] and reward.tolist() == [-3.75, -2.5]
    with pytest.raises(UserError, match="Unknown kind of observation 'frames'.*vectors, features"):
        ImaginedVectorEnv(Drift(), lambda count, generator: window)
