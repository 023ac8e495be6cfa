"""States of foreign environments: what follows a restored one is what followed then, bit for bit."""

from __future__ import annotations

from importlib import import_module
from importlib.util import find_spec

import gymnasium as gym
import numpy as np
import pytest
from gymnasium import wrappers

from worldmodels.core.errors import UserError
from worldmodels.envs import can_save, make_vec
from worldmodels.envs.foreign.copy_state import ENVIRONMENTS, WRAPPERS

PONG = {"options": {"frameskip": 1, "repeat_action_probability": 0.25}, "action_repeat": 4, "frame_max": True}
CASES = {
    "CartPole-v1": {"sticky_actions": 0.3, "action_repeat": 2, "time_limit": 9},
    "Pendulum-v1": {"time_limit": 30},
    "Acrobot-v1": {"time_limit": 30},
    "MountainCar-v0": {"time_limit": 30},
    "MountainCarContinuous-v0": {"time_limit": 30},
    "ALE/Pong-v5": PONG | {"sticky_actions": 0.25, "time_limit": 30},
    "ALE/Breakout-v5": {"time_limit": 30},
    "HalfCheetah-v5": {"time_limit": 30},
    "Humanoid-v5": {},  # its rewards are of places that MuJoCo derived a step before
    "Pusher-v5": {"time_limit": 30},
    "dm_control/walker-walk-v0": {"time_limit": 30},
    "dm_control/reacher-easy-v0": {"time_limit": 30},  # an episode's target is a part of its model
    "dm_control/finger-turn_hard-v0": {"time_limit": 30},
}
PACKAGES = {
    **{"ALE": "ale_py", "HalfCheetah": "mujoco", "Humanoid": "mujoco", "Pusher": "mujoco", "dm_control": "shimmy"},
    **{"Crafter": "crafter", "MiniGrid": "minigrid"},
}


def made(game, **settings):
    for begin, package in PACKAGES.items():
        if game.startswith(begin) and not find_spec(package):
            pytest.skip(f"{package} is not installed")
    return make_vec(game, **{"num_envs": 2, **settings})


def played(env, steps, seed):
    """The bytes of everything that comes under random actions."""
    random, found = np.random.default_rng(seed), []
    for _ in range(steps):
        observation, *others, _ = env.step(env.action_spec.random(env.num_envs, random))
        found += [env.observation_spec.to_bytes(observation).tobytes(), *(each.tobytes() for each in others)]
    return found


@pytest.mark.parametrize("game", CASES)
def test_what_follows_a_restored_state_is_what_followed_then(game):
    env, other = made(game, **CASES[game]), made(game, **CASES[game])
    env.reset(seed=3)
    played(env, 40, seed=0)
    states, shown = env.get_state(), env.observation_spec.to_bytes(env.observe())
    followed = played(env, 60, seed=1)
    env.set_state(states)
    assert env.get_state() == states
    other.reset(seed=9)
    played(other, 7, seed=2)
    other.set_state(states)
    np.testing.assert_array_equal(other.observation_spec.to_bytes(other.observe()), shown)
    assert played(env, 60, seed=1) == followed == played(other, 60, seed=1)
    env.close()
    other.close()


def test_workers_give_and_take_the_same_states():
    alone, apart = make_vec("CartPole-v1", num_envs=3), make_vec("CartPole-v1", num_envs=3, workers=2)
    assert can_save(apart)
    for env in (alone, apart):
        env.reset(seed=5)
        played(env, 30, seed=0)
    states = apart.get_state()
    assert states == alone.get_state()
    followed = played(apart, 30, seed=1)
    apart.set_state(states)
    np.testing.assert_array_equal(apart.observe(), alone.observe())
    assert played(apart, 30, seed=1) == followed == played(alone, 30, seed=1)
    with pytest.raises(UserError, match="3 copies of 'CartPole-v1'; received 2 states"):
        apart.set_state(states[:2])
    with pytest.raises(UserError, match="are no saved state"):
        apart.set_state([b"?"] * 3)
    apart.close()


STACKED = {
    "frames": lambda env: wrappers.FrameStackObservation(env, 3),
    "delay": lambda env: wrappers.DelayObservation(env, 2),
    "time": wrappers.TimeAwareObservation,
    "normalized": lambda env: wrappers.NormalizeReward(wrappers.NormalizeObservation(env)),
    "transformed": lambda env: wrappers.TransformReward(env, abs),
}


@pytest.mark.parametrize("kind", STACKED)
def test_what_wrappers_hold_is_saved(kind):
    def make():
        return STACKED[kind](gym.make("CartPole-v1"))

    env, other = make_vec(make, num_envs=2), make_vec(make, num_envs=2)
    env.reset(seed=3)
    played(env, 15, seed=0)
    other.reset(seed=4)
    other.set_state(env.get_state())
    assert played(env, 40, seed=1) == played(other, 40, seed=1)


@pytest.mark.parametrize("name", WRAPPERS | ENVIRONMENTS)
def test_the_tables_name_classes_that_are_there(name):
    module, _, cls = name.rpartition(".")
    assert issubclass(getattr(import_module(module), cls), gym.Env)


class Dice(gym.Env):
    """Shows a throw, and keeps what it threw."""

    observation_space = gym.spaces.Box(0, 6, (1,), np.float32)
    action_space = gym.spaces.Discrete(2)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.thrown = []
        return self.step(0)[0], {}

    def step(self, action):
        self.thrown.append(int(self.np_random.integers(1, 7)))
        return np.float32([self.thrown[-1]]), float(sum(self.thrown)), len(self.thrown) > 9, False, {}


class SavedDice(Dice):
    def get_state(self):
        return {"thrown": list(self.thrown)}

    def set_state(self, state):
        self.thrown = state["thrown"]


def test_an_environment_of_ones_own_may_save_itself():
    env, other = make_vec(SavedDice, num_envs=2), make_vec(SavedDice, num_envs=2)
    assert can_save(env) and not can_save(make_vec(Dice))
    env.reset(seed=1)
    played(env, 4, seed=0)
    other.reset(seed=2)
    other.set_state(env.get_state())
    assert played(env, 20, seed=1) == played(other, 20, seed=1)


def test_what_cannot_be_saved_says_why(monkeypatch):
    class Unknown(gym.Wrapper):
        pass

    for make, why in (
        (Dice, "nobody here knows how to save 'Dice'"),
        (lambda: Unknown(SavedDice()), "nobody here knows how to save 'Unknown'"),
    ):
        env = make_vec(make)
        env.reset(seed=0)
        with pytest.raises(UserError, match=f"cannot be saved: {why}"):
            env.get_state()
    with pytest.raises(UserError, match=r"can be saved once an episode has begun: call reset\(\) first"):
        make_vec(SavedDice).get_state()
    monkeypatch.setattr(SavedDice, "get_state", lambda self: object())
    env = make_vec(SavedDice, num_envs=1)
    env.reset(seed=0)
    with pytest.raises(UserError, match=r"Environment 0 \('python:SavedDice'\), reset of episode 1 failed: .* object"):
        env.get_state()


def test_box2d_says_that_its_world_cannot_be_copied():
    pytest.importorskip("Box2D")
    assert make_vec("LunarLander-v3").why_not_saved == "it is a world of Box2D, which cannot be copied"


def test_states_of_others_are_refused():
    pole, limited = make_vec("CartPole-v1", num_envs=1), make_vec("CartPole-v1", num_envs=1, action_repeat=2)
    dice = make_vec(SavedDice, num_envs=1)
    for env in (pole, limited, dice):
        env.reset(seed=0)
    with pytest.raises(UserError, match="A state is of 'CartPole-v1' here; received one of 'python:SavedDice'"):
        pole.set_state(dice.get_state())
    poles = r"<PassiveEnvChecker<CartPoleEnv>+; received one of RepeatedAction<TimeLimit<"
    with pytest.raises(UserError, match=rf"failed: UserError: A state here is of TimeLimit<OrderEnforcing{poles}"):
        pole.set_state(limited.get_state())


@pytest.mark.parametrize(
    ("game", "why"),
    [
        ("dm_control/quadruped-escape-v0", "its task may hold anything besides physics"),
        ("CrafterReward-v1", "nobody here knows how to save 'CrafterEnv'"),
        ("MiniGrid-Empty-5x5-v0", "nobody here knows how to save 'EmptyEnv'"),
    ],
)
def test_environments_of_extras_say_why_they_cannot_be_saved(game, why):
    assert made(game).why_not_saved == why


def test_a_game_of_atari_whose_console_repeats_actions_is_not_saved():
    """One that was given; those that are made here repeat actions in a way that can be saved."""
    pytest.importorskip("ale_py")
    assert can_save(make_vec("ALE/Pong-v5", num_envs=1))
    why = make_vec(lambda: gym.make("ALE/Pong-v5"), num_envs=1).why_not_saved
    assert why == "ALE repeats its actions at random, and does not tell which; env.sticky_actions can be saved"
    still = make_vec(lambda: gym.make("ALE/Pong-v5", repeat_action_probability=0.0), num_envs=1)
    assert can_save(still)
