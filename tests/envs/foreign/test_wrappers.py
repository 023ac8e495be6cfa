"""Wrappers of foreign environments, each by the numbers that come out of it."""

from __future__ import annotations

from typing import Any

import gymnasium as gym
import numpy as np
import pytest

from worldmodels.config.run_config import RunConfig
from worldmodels.core.configuration.sections import load_config
from worldmodels.core.errors import ConfigError, UserError
from worldmodels.envs import make_vec
from worldmodels.envs.config import InfoConfig
from worldmodels.envs.foreign.wrappers import RepeatedAction


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


class Noisy(gym.Env):
    """Shows and pays random numbers, which its actions change; ends at random."""

    observation_space = gym.spaces.Box(-np.inf, np.inf, (3,), np.float64)
    action_space = gym.spaces.Discrete(5)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        return self.np_random.normal(size=3), {}

    def step(self, action):
        shown = self.np_random.normal(size=3) * (action + 1)
        return shown, self.np_random.normal(), self.np_random.uniform() < 0.01, False, {}


@pytest.mark.parametrize("steps, frame_max", [(1, False), (4, False), (2, True), (4, True)])
def test_whole_repetitions_have_the_numbers_of_the_wrappers_of_gymnasium(steps, frame_max):
    theirs: Any = gym.wrappers.StickyAction(Noisy(), 0.25)
    if frame_max:
        theirs = gym.wrappers.MaxAndSkipObservation(theirs, steps)
    elif steps > 1:
        theirs = gym.wrappers.RepeatAction(theirs, steps)
    ours, random, ends = RepeatedAction(Noisy(), steps, frame_max, 0.25), np.random.default_rng(0), 0
    np.testing.assert_array_equal(theirs.reset(seed=3)[0], ours.reset(seed=3)[0])
    for action in random.integers(5, size=300):
        (left, *others), (right, *own) = theirs.step(action), ours.step(action)
        assert others == own
        ended = own[1]
        if not (ended and frame_max):
            np.testing.assert_array_equal(left, right)
        if ended:
            np.testing.assert_array_equal(theirs.reset()[0], ours.reset()[0])
            ends += 1
    assert ends


class Clock(gym.Env):
    """Shows 100 plus its step, and ends at a step; halves what it is given, in place."""

    observation_space = gym.spaces.Box(0, 255, (8, 8, 3), np.uint8)
    action_space = gym.spaces.Box(-1, 1, (1,), np.float64)

    def __init__(self, end=6):
        self.end, self.given = end, []

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.steps = 0
        return self._image(), {}

    def step(self, action):
        self.steps += 1
        self.given.append(float(action[0]))
        action *= 0.5
        info = {"one": 1, "step": self.steps, "success": self.steps == 2}
        return self._image(), 1.0, self.steps == self.end, False, info

    def _image(self):
        return np.full((8, 8, 3), 100 + self.steps, np.uint8)


@pytest.mark.parametrize(("end", "last"), [(1, 101), (2, 102), (5, 105), (6, 106), (8, 108)])
@pytest.mark.parametrize("frame_max", [True, False])
def test_the_last_picture_of_an_episode_is_its_own(end, last, frame_max):
    env = make_vec(lambda: Clock(end), num_envs=1, action_repeat=4, frame_max=frame_max, image_size=8)
    env.reset()
    for _ in range(-(-end // 4)):
        seen, _, terminated, *_ = env.step(np.float32([[0.8]]))
    assert terminated[0] and (seen == last).all()


def test_an_action_that_is_changed_in_place_is_repeated_as_it_was():
    clock = Clock(12)
    env = make_vec(clock, num_envs=1, action_repeat=4, sticky_actions=0.5)
    env.reset(seed=0)
    for _ in range(3):
        env.step(np.float32([[0.5]]))
    assert clock.given == [0.5] * 12


@pytest.mark.parametrize("workers", [0, 2])
def test_numbers_of_infos_are_those_of_all_steps(workers):
    info = InfoConfig(sum=("one",), mean=("step",), max=("success", "step"))
    env = make_vec("test/Clock-v0", num_envs=2, workers=workers, action_repeat=4, info=info)
    env.reset()
    found = [env.step(np.zeros((2, 1), np.float32))[4]["recorded"].tolist() for _ in range(2)]
    env.close()
    # Steps 1 to 4; then 5 and 6, with which the episode ends.
    assert found == [[[4, 2.5, 1, 4]] * 2, [[2, 5.5, 0, 6]] * 2]


gym.register("test/Clock-v0", Clock, disable_env_checker=True)


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
