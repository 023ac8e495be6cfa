"""Environments that are given as objects or factories."""

from __future__ import annotations

from functools import partial

import gymnasium as gym
import numpy as np
import pytest

from worldmodels.core.errors import ForeignEnvError, UserError
from worldmodels.envs import EnvConfig, make_vec
from worldmodels.envs.foreign.given import given_name, giving


class Lamp(gym.Env):
    """Shows how often it was stepped, and whether it is closed."""

    observation_space = gym.spaces.Box(0, 99, (1,), np.float32)
    action_space = gym.spaces.Discrete(2)
    closed = False

    def __init__(self, start=0):
        self.start = start

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.steps = self.start
        return np.float32([self.steps]), {}

    def step(self, action):
        self.steps += 1
        return np.float32([self.steps]), 1.0, False, False, {}

    def close(self):
        self.closed = True


def make_lamp():
    return Lamp()


class Maker:
    def __call__(self):
        return Lamp()


def test_names():
    assert given_name(Lamp()) == given_name(Lamp) == given_name(partial(Lamp, 3)) == "python:Lamp"
    assert given_name(gym.wrappers.TimeLimit(Lamp(), 3)) == "python:Lamp"
    assert given_name(make_lamp) == "python:make_lamp"
    assert given_name(lambda: Lamp()) == "python:lambda"
    assert given_name(Maker()) == "python:Maker"
    with pytest.raises(UserError, match="Received int"):
        given_name(3)


@pytest.mark.parametrize("factory", [Lamp, make_lamp, Maker(), lambda: Lamp(), partial(Lamp, start=0)])
def test_a_factory_makes_any_number_of_copies(factory):
    env = make_vec(factory, num_envs=3)
    env.reset(seed=0)
    assert env.step([0, 1, 0])[0].tolist() == [[1], [1], [1]]
    env.close()


def test_an_object_is_one_copy_and_stays_open():
    lamp = Lamp(start=4)
    for _ in range(2):
        env = make_vec(lamp, num_envs=1, time_limit=2)
        assert env.reset(seed=0)[0].tolist() == [[4]]
        assert [bool(env.step([0])[3][0]) for _ in range(3)] == [False, True, False]
        env.close()
    assert not lamp.closed


def test_an_object_is_used_once_at_a_time():
    lamp = Lamp()
    env = make_vec(lamp, num_envs=1)
    with pytest.raises(UserError, match="'python:Lamp' is an object that is in use, and a second copy is needed"):
        make_vec(lamp, num_envs=1)
    env.close()
    make_vec(lamp, num_envs=1).close()


@pytest.mark.parametrize(
    ("given", "settings", "text"),
    [
        (
            Lamp(),
            {},
            "'python:Lamp' is an object, which is one copy of an environment; num_envs is 16. Give a function",
        ),
        (Lamp(), {"num_envs": 2, "workers": 2}, "is one copy of an environment; num_envs is 2"),
        (Lamp, {"options": {"start": 3}}, "'python:Lamp' is given as it is, and makes its own. Received start."),
        (Lamp, {"num_levels": 3}, "'num_levels' belongs to native games"),
        (partial(lambda lamp: lamp, Lamp()), {}, "made the same environment twice"),
    ],
)
def test_mistakes_are_answered(given, settings, text):
    with pytest.raises(UserError) as error:
        make_vec(given, **settings)
    assert text in str(error.value)


def test_factories_that_fail_are_named():
    def broken():
        raise OSError("no power")

    with pytest.raises(ForeignEnvError, match=r"^The factory 'python:broken' failed: OSError: no power \(.*test_given"):
        make_vec(broken)
    with pytest.raises(ForeignEnvError, match=r"^The factory 'python:dict' returned dict; a factory returns a gymnas"):
        make_vec(dict)


def test_a_configuration_finds_what_is_given_within_a_block():
    config = EnvConfig("python:Lamp", num_envs=2)
    with giving("python:Lamp", Lamp):
        make_vec(config).close()
    with pytest.raises(UserError, match=r"'python:Lamp' was given in Python.*worldmodels.load\(RUN, env=env\)"):
        make_vec(config)
    with pytest.raises(UserError, match="The environment of this run is 'maze'"), giving("maze", Lamp):
        pass
