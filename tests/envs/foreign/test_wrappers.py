"""Wrappers of foreign environments, each by the numbers that come out of it."""

from __future__ import annotations

import gymnasium as gym
import numpy as np
import pytest

from worldmodels.config.run_config import RunConfig
from worldmodels.core.configuration.sections import load_config
from worldmodels.core.errors import ConfigError, UserError
from worldmodels.envs import make_vec


class Counter(gym.Env):
    """Shows its step as the brightness of red, and blue in odd steps; pays its step, minus what it was given."""

    observation_space = gym.spaces.Box(0, 255, (20, 30, 3), np.uint8)
    action_space = gym.spaces.Discrete(9)

    def __init__(self, pay=1.0, name="counter"):
        self.pay, self.name, self.actions = pay, name, []

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.steps, self.actions = 0, []
        return self._image(), {}

    def step(self, action):
        self.steps += 1
        self.actions.append(int(action))
        return self._image(), self.pay * self.steps, self.steps == 12, False, {}

    def _image(self):
        image = np.zeros((20, 30, 3), np.uint8)
        image[..., 0] = 10 * self.steps
        image[..., 2] = 100 * (self.steps % 2)
        return image


class Senses(gym.Env):
    """Shows a dictionary."""

    observation_space = gym.spaces.Dict({"touch": gym.spaces.Box(0, 1, (2,), np.float32)})
    action_space = gym.spaces.Discrete(2)

    def reset(self, *, seed=None, options=None):
        return {"touch": np.zeros(2, np.float32)}, {}


gym.register("test/Counter-v0", Counter, max_episode_steps=10)
gym.register("test/Senses-v0", Senses)


def play(actions, **wrappers):
    """The pixels of the corner, the rewards, and the ends of two copies' first one; and the actions that arrived."""
    env = make_vec("test/Counter-v0", num_envs=2, **wrappers)
    observation, _ = env.reset(seed=0)
    corners, rewards, ends = [observation[0, 0, 0].tolist()], [], []
    for action in actions:
        observation, reward, terminated, truncated, _ = env.step([action, action])
        corners.append(observation[0, 0, 0].tolist())
        rewards.append(float(reward[0]))
        ends.append((bool(terminated[0]), bool(truncated[0])))
    arrived = env._copies[0].unwrapped.actions
    env.close()
    return corners, rewards, ends, arrived


def test_an_action_is_repeated_and_its_rewards_summed():
    corners, rewards, _, arrived = play([3, 5], action_repeat=3)
    assert corners == [[0, 0, 0], [30, 0, 100], [60, 0, 0]]
    assert rewards == [1 + 2 + 3, 4 + 5 + 6]
    assert arrived == [3, 3, 3, 5, 5, 5]


def test_the_maximum_of_the_last_two_frames_is_shown():
    corners, rewards, _, _ = play([3, 5], action_repeat=3, frame_max=True)
    assert corners == [[0, 0, 0], [30, 0, 100], [60, 0, 100]]
    assert rewards == [6, 15]


def test_sticky_actions_are_drawn_from_the_seed():
    actions = [1, 2, 3, 4, 5, 6, 7, 8, 1]
    arrived = play(actions, sticky_actions=0.5)[3]
    assert arrived == play(actions, sticky_actions=0.5)[3] != actions
    for before, now, chosen in zip(arrived, arrived[1:], actions[1:], strict=False):
        assert now in (before, chosen)


def test_rewards_are_clipped():
    assert play([0] * 4, reward_clip=2)[1] == [1, 2, 2, 2]
    assert play([0] * 4, options={"pay": -1}, reward_clip=2)[1] == [-1, -2, -2, -2]


def test_a_time_limit_stands_in_place_of_the_registered_one():
    def ending(**wrappers):
        ends = play([0] * 13, **wrappers)[2]
        return next((number, end) for number, end in enumerate(ends, 1) if any(end))

    assert ending() == (10, (False, True))
    assert ending(time_limit=4) == (4, (False, True))
    assert ending(time_limit=100) == (12, (True, False))
    assert ending(time_limit=3, action_repeat=3) == (3, (False, True))
    assert ending(action_repeat=2) == (5, (False, True))


def test_images_may_be_higher_than_wide():
    env = make_vec("test/Counter-v0", num_envs=2, image_size=16, image_height=21)
    assert env.reset(seed=0)[0].shape == (2, 21, 16, 3) and env.observation_spec.only.shape == (21, 16, 3)


def test_colours_become_grey_and_images_another_size():
    env = make_vec("test/Counter-v0", num_envs=2, grey=True, image_size=16)
    env.reset(seed=0)
    observation = env.step([0, 0])[0]
    # A red of 10 and a blue of 100: 0.299 * 10 + 0.114 * 100 = 14.39.
    assert env.observation_spec.only.shape == (16, 16, 1) and observation.shape == (2, 16, 16, 1)
    assert (observation == 14).all()
    assert play([0], image_size=20)[0] == [[0, 0, 0], [10, 0, 100]]
    env.close()


def test_options_reach_the_constructor():
    assert play([0] * 2, options={"pay": 2.5, "name": "other"})[1] == [2.5, 5]


MISTAKES = {
    "no such option": ({"options": {"size": 3}}, "cannot make 'test/Counter-v0' with the options {'size': 3}: TypeErr"),
    "native": ({"num_levels": 3}, "'num_levels' belongs to native games; 'test/Counter-v0'"),
    "no repeat": ({"frame_max": True}, "action_repeat must be at least 2. Received 1."),
    "render_mode": ({"options": {"render_mode": "human"}}, "'render_mode' is none of them"),
    "limit": ({"options": {"max_episode_steps": 3}}, "the key for it is env.time_limit"),
    "size": ({"image_size": 4}, "image_size must be between 8 and 1024. Received 4."),
    "sticky": ({"sticky_actions": 1.0}, "sticky_actions must be at least 0 and below 1"),
}


@pytest.mark.parametrize("what", MISTAKES)
def test_mistakes_are_answered(what):
    wrappers, text = MISTAKES[what]
    with pytest.raises(UserError) as error:
        make_vec("test/Counter-v0", **wrappers)
    assert text in str(error.value)


@pytest.mark.parametrize(
    ("wrappers", "text"),
    [
        (
            {"frame_max": True, "action_repeat": 2},
            "env.frame_max is for a Box of observations; 'test/Senses-v0' has Dict",
        ),
        ({"grey": True}, "env.grey is for images in 3 colours; 'test/Senses-v0' has the observations touch: vector"),
    ],
)
def test_wrappers_that_an_observation_cannot_have_say_so(wrappers, text):
    with pytest.raises(UserError) as error:
        make_vec("test/Senses-v0", num_envs=2, **wrappers)
    assert text in str(error.value)


@pytest.mark.parametrize(
    "wrapper", [{"grey": True}, {"workers": 2}, {"image_size": 32}, {"time_limit": 5}, {"options": {"a": 1}}]
)
def test_native_games_refuse_them(wrapper):
    with pytest.raises(UserError, match=f"'{next(iter(wrapper))}' belongs to Gymnasium environments; 'maze' is a nat"):
        make_vec("maze", **wrapper)


def test_options_are_added_up_from_one_source_to_the_next():
    sources = ["env.options={a: 1, b: 2.0}", "env.options.b=true", "env.options.c=text"]
    options = load_config(RunConfig, [], sources).env.options
    assert options == {"a": 1, "b": True, "c": "text"}
    assert [type(load_config(RunConfig, [], sources[:1]).env.options[key]) for key in "ab"] == [int, float]
    assert load_config(RunConfig, [], [*sources, "env.options={}"]).env.options == {}
    with pytest.raises(ConfigError, match=r"'env.options' takes keys and values, each true or false or an integer or"):
        load_config(RunConfig, [], ["env.options={a: [1]}"])
