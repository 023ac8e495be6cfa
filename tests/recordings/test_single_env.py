"""One copy of a foreign environment, without the axis of copies."""

from __future__ import annotations

import numpy as np

from worldmodels.envs import EnvConfig
from worldmodels.recordings.action_replay import SingleEnv, make_one


def test_it_takes_one_action_and_shows_one_observation():
    env = SingleEnv(EnvConfig(game="Pendulum-v1"))
    first, info = env.reset(seed=3)
    assert first.shape == (3,) and first.dtype == np.float32 and info == {}
    observation, reward, terminated, truncated, _ = env.step((1.0,))
    assert observation.shape == (3,) and type(reward) is float and (terminated, truncated) == (False, False)
    assert env.action_names() == ["action 0"] and env.picture() is None
    assert env.can_save and env.why_not_saved == ""
    state = env.get_state()
    after = env.step((-0.5,))[0]
    env.set_state(state)
    np.testing.assert_array_equal(env.step((-0.5,))[0], after)
    env.close()


def test_choices_are_numbers():
    env = SingleEnv(EnvConfig(game="CartPole-v1"))
    env.reset(seed=3)
    assert env.step(1)[1] == 1.0
    env.close()


def test_an_environment_in_the_mode_for_it_draws_itself():
    env = SingleEnv(EnvConfig(game="CartPole-v1"))
    env._envs.close()
    env._envs = make_one(EnvConfig(game="CartPole-v1"), "rgb_array")
    env.reset(seed=3)
    assert env.picture().shape == (400, 600, 3)
    env.close()
