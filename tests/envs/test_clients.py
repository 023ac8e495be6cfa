"""What others do with an environment: play it, film it, wrap it, copy it."""

from __future__ import annotations

import copy
import pickle

import gymnasium as gym
import numpy as np
import pygame
import pytest
from gymnasium.vector import AutoresetMode

import worldmodels.envs.making  # noqa: F401
from worldmodels.envs import GAMES, GameVectorEnv, make, make_vec
from worldmodels.envs.games.game_env import keys_to_action
from worldmodels.envs.games.table import ACTION_KEYS, GAME_INFO

IDS = [GAME_INFO[name].id for name in GAMES]


def codes(*names):
    return tuple(getattr(pygame, f"K_{name.upper() if len(name) > 1 else name}") for name in names)


def meaning(*names, game="starpilot"):
    actions = keys_to_action(GAME_INFO[game].action_meanings)
    return next(action for keys, action in actions.items() if set(keys) == set(codes(*names)))


def test_each_move_has_its_keys_and_none_does_nothing():
    assert [meaning(*keys) for keys in ACTION_KEYS[:9] if keys] == [0, 1, 2, 3, 5, 6, 7, 8]
    assert keys_to_action(GAME_INFO["coinrun"].action_meanings)[""] == 4


def test_special_actions_lie_where_the_player_has_them():
    assert [meaning(key) for key in ("SPACE", "j", "1")] == [9, 9, 9]
    assert [meaning(key) for key in ("k", "2")] == [10, 10]
    assert [meaning(key, game="ninja") for key in ("l", "u")] == [11, 12]
    assert meaning("d") == meaning("right") == 7


def test_combinations_that_mean_no_action_of_their_own():
    assert meaning("left", "right") == 4 and meaning("left", "right", "up") == 5
    assert meaning("right", "SPACE") == 9 and meaning("k", "j", "up") == 9
    assert meaning("a", "up") == 2


@pytest.mark.parametrize("id", IDS)
def test_gymnasium_plays_it(id, monkeypatch):
    """Hold nothing, then up and right, then close the window."""
    from gymnasium.utils.play import play

    monkeypatch.setenv("SDL_VIDEODRIVER", "dummy")
    taken = []

    def watch(before, after, action, *_):
        taken.append(action)
        if len(taken) == 2:
            for key in codes("up", "right"):
                pygame.event.post(pygame.event.Event(pygame.KEYDOWN, key=key))
        if len(taken) == 4:
            pygame.event.post(pygame.event.Event(pygame.QUIT))

    play(gym.make(id, render_mode="rgb_array"), callback=watch, seed=1, fps=1000)
    assert taken == [4, 4, 8, 8]


@pytest.mark.parametrize("id", IDS)
def test_wrappers_of_a_single_environment(id):
    env = gym.wrappers.RecordEpisodeStatistics(gym.wrappers.FrameStackObservation(gym.make(id), 4))
    stack, info = env.reset(seed=0)
    assert stack.shape == (4, 64, 64, 3) and isinstance(info["level"]["seed"], int)
    rewards, moved, over = [], False, False
    env.action_space.seed(0)
    while not over:
        stack, reward, terminated, truncated, info = env.step(env.action_space.sample())
        rewards.append(reward)
        moved |= not np.array_equal(stack[0], stack[3])
        over = terminated or truncated
    assert info["episode"]["r"] == pytest.approx(sum(rewards)) and info["episode"]["l"] == len(rewards)
    assert moved


@pytest.mark.parametrize("mode", AutoresetMode)
def test_wrappers_of_the_vector_environment(mode):
    """Statistics, and info as one dictionary per environment: level information comes along in every mode."""
    env = GameVectorEnv("coinrun,maze", 4, autoreset_mode=mode)
    env = gym.wrappers.vector.DictInfoToList(gym.wrappers.vector.RecordEpisodeStatistics(env))
    _, infos = env.reset(seed=0)
    assert [type(info["level"]["seed"]) for info in infos] == [np.int32] * 4
    random, episodes = np.random.default_rng(0), 0
    for _ in range(520):
        *_, terminated, truncated, infos = env.step(random.integers(0, 9, 4))
        ended = terminated | truncated
        assert [("episode" in info) for info in infos] == ended.tolist()
        assert all("solution" in info["level"] for info in infos)
        episodes += int(ended.sum())
        if mode == AutoresetMode.DISABLED and ended.any():
            env.reset(options={"reset_mask": ended})
    assert episodes > 0


def advance(env, row):
    """One step, and the frame after it; a single environment begins anew by hand."""
    frame, _, terminated, truncated, _ = env.step(row if isinstance(env, GameVectorEnv) else row[0])
    if not isinstance(env, GameVectorEnv) and (terminated or truncated):
        frame, _ = env.reset()
    return frame


@pytest.mark.parametrize("name", GAMES)
def test_copies_and_pickles_keep_the_live_state(name):
    single, vector = make(name, render_mode="rgb_array"), GameVectorEnv(name, 2, reuse_buffers=True)
    actions = np.random.default_rng(0).integers(0, 15, (40, 2)).astype(np.int32)
    single.reset(seed=1)
    vector.reset(seed=1)
    for row in actions[:20]:
        advance(single, row)
        advance(vector, row)
    for env in (single, vector):
        copied, pickled = copy.deepcopy(env), pickle.loads(pickle.dumps(env))
        for twin in (copied, pickled):
            assert twin.get_state() == env.get_state()
        for row in actions[20:]:
            frames = [advance(twin, row) for twin in (env, copied, pickled)]
            assert np.array_equal(frames[0], frames[1]) and np.array_equal(frames[0], frames[2])
    assert single.render().shape == (512, 512, 3)


@pytest.mark.parametrize("mode", list(AutoresetMode))
def test_the_autoreset_mode_stands_where_gymnasium_has_it(mode):
    assert GameVectorEnv("maze", 2, autoreset_mode=mode).autoreset_mode is mode
    assert make_vec("CartPole-v1", num_envs=2).autoreset_mode is AutoresetMode.NEXT_STEP
