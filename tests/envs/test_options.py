"""What each option does, and what it leaves alone."""

from __future__ import annotations

import numpy as np
import pytest

from worldmodels.core.errors import UserError
from worldmodels.envs import GAMES, make, make_vec
from worldmodels.envs.games.table import GAME_INFO

LOOKS = {
    "use_backgrounds": False,
    "use_generated_assets": True,
    "use_monochrome_assets": True,
    "restrict_themes": True,
}
# Nothing in them has several looks, or they mean something.
ONE_LOOK = {"caveflyer", "chaser", "heist", "maze", "miner", "plunder", "random_mazes"}
NO_VELOCITY = {"chaser", "heist", "maze", "miner", "plunder", "random_mazes"}  # paint_vel_info is not for them


def play(game, steps=60, **options):
    """Observations and rewards of one environment under fixed actions."""
    env = make(game, **options)
    frames, rewards = [env.reset(seed=7)[0]], []
    for action in np.random.default_rng(1).integers(0, 15, steps):
        frame, reward, terminated, truncated, _ = env.step(action)
        frames.append(frame)
        rewards.append(reward)
        if terminated or truncated:
            frames.append(env.reset()[0])
    return np.array(frames), rewards, env.get_state()


@pytest.mark.parametrize("option", LOOKS)
@pytest.mark.parametrize("game", GAMES)
def test_looks_change_what_is_seen_and_nothing_else(game, option):
    mode = "hard" if option == "restrict_themes" and "hard" in GAME_INFO[game].modes else "easy"
    plain, rewards, state = play(game, distribution_mode=mode)
    other, other_rewards, other_state = play(game, distribution_mode=mode, **{option: LOOKS[option]})
    assert rewards == other_rewards
    assert state == other_state
    if option != "restrict_themes" or game not in ONE_LOOK:
        assert not np.array_equal(plain, other)


def test_backgrounds_off_is_black():
    frames, _, _ = play("starpilot", use_backgrounds=False)
    assert (frames.reshape(len(frames), -1, 3).max(axis=2) == 0).mean() > 0.8


def test_monochrome_colour_is_that_of_the_type():
    """Type 51, theme 0: index (29 * 52) mod 64 = 36 = digits 2, 1, 0, so (191, 127, 63)."""
    frames, _, _ = play("maze", use_monochrome_assets=True)
    colours, counts = np.unique(frames[0].reshape(-1, 3), axis=0, return_counts=True)
    assert tuple(colours[np.argmax(counts)]) == (191, 127, 63)


@pytest.mark.parametrize("game", GAMES)
def test_velocity_squares(game):
    plain, _, _ = play(game)
    painted, _, _ = play(game, paint_vel_info=True)
    if game in NO_VELOCITY:
        assert np.array_equal(plain, painted)
        return
    assert not np.array_equal(plain, painted), "Canvas::paint_velocity, or NO_VELOCITY if the agent has no momentum"
    assert np.array_equal(plain[:, 16:], painted[:, 16:]), "only the top rows change"
    square = painted[0, 2:10, 2:10]
    assert (square == square[0, 0]).all() and np.ptp(square[0, 0]) == 0, "one grey"
    assert abs(int(square[0, 0, 0]) - 127) <= 1, "standing still is the middle grey"


def test_center_agent_off_shows_the_whole_level():
    centred, _, state = play("coinrun")
    whole, _, other = play("coinrun", center_agent=False)
    assert state == other and not np.array_equal(centred, whole)
    assert np.array_equal(whole[0, 63], whole[1, 63]), "the camera stands still"


def test_debug_mode_of_coinrun():
    """Bits: 2 no pits, 4 no crates, 8 no changes of height."""
    flat = make_vec("coinrun", seed=0, num_envs=64, debug_mode=8 + 4)
    flat.reset()
    for index in range(64):
        numbers = flat._batch.fields(index)
        assert numbers["coin_y"] == 1, "without steps the coin stays on the ground"
        assert 3 not in [value for name, value in numbers.items() if name.endswith("/type")], "no crates"
    stepped = make_vec("coinrun", seed=0, num_envs=64)
    stepped.reset()
    assert max(stepped._batch.fields(index)["coin_y"] for index in range(64)) > 5


@pytest.mark.parametrize("game", GAMES)
def test_levels_stay_in_their_range(game):
    env = make_vec(game, seed=3, num_envs=64, start_level=40, num_levels=5)
    seeds = {int(seed) for _ in range(5) for seed in env.reset()[1]["level_seed"]}
    assert seeds == {40, 41, 42, 43, 44}
    unlimited = make_vec(game, seed=3, num_envs=64, start_level=2**31 - 100)
    assert unlimited.reset()[1]["level_seed"].min() >= 2**31 - 100, "start_level holds without a limit too"


def test_environments_of_one_seed_see_different_levels_and_seeds_repeat():
    first = make_vec("maze", seed=3, num_envs=32).reset()[1]["level_seed"]
    assert len(set(first.tolist())) == 32
    assert np.array_equal(first, make_vec("maze", num_envs=32).reset(seed=3)[1]["level_seed"])
    assert not np.array_equal(first, make_vec("maze", num_envs=32).reset(seed=4)[1]["level_seed"])


def test_sequential_levels_go_on_within_the_episode():
    env = make("maze", start_level=7, num_levels=1, use_sequential_levels=True)
    env.reset(seed=0)
    random = np.random.default_rng(0)
    seen = []
    while len(seen) < 2:
        _, reward, terminated, truncated, info = env.step(random.choice([1, 3, 5, 7]))
        if info["prev_level_complete"]:
            seen.append((reward, terminated, truncated, info["prev_level_seed"], info["level_seed"]))
        if truncated:
            assert not seen, "the clock starts again with each level"
            env.reset()
    assert seen == [(10.0, False, False, 7, 1004), (10.0, False, False, 1004, 2001)]


def test_exploration_is_one_fixed_level():
    for game in GAMES:
        if "exploration" not in GAME_INFO[game].modes:
            continue
        env = make_vec(game, seed=0, num_envs=8, distribution_mode="exploration")
        assert len({*env.reset()[1]["level_seed"].tolist(), *env.reset()[1]["level_seed"].tolist()}) == 1
        with pytest.raises(UserError, match="one fixed level"):
            make(game, distribution_mode="exploration", num_levels=3)


def test_world_sizes_of_maze():
    sizes = {"easy": 15, "hard": 25, "memory": 31}
    for mode, size in sizes.items():
        env = make("maze", distribution_mode=mode)
        env.reset(seed=0)
        assert env.fields()["grid/width"] == env.fields()["grid/height"] == size


@pytest.mark.parametrize(
    ("call", "text"),
    [
        (lambda: make("mase"), "Unknown game 'mase'. Did you mean 'maze'?"),
        (lambda: make("maze", distribution_mode="hrad"), "Did you mean 'hard'?"),
        (lambda: make("maze", distribution_mode="extreme"), "easy, hard, memory"),
        (lambda: make("maze", num_level=3), "Unknown option 'num_level'. Did you mean 'num_levels'?"),
        (lambda: make("maze", num_levels="3"), "takes a value of type int; received '3'"),
        (lambda: make("maze", num_levels=-1), "'num_levels' must be at least 0. Received -1"),
        (lambda: make("maze", start_level=-5), "'start_level' must be at least 0. Received -5"),
        (lambda: make("maze", start_level=2**31), "'start_level' must be between 0 and 2147483647. Received 214748"),
        (lambda: make("maze", debug_mode=-(2**40)), "'debug_mode' must be at least 0. Received -1099511627776"),
        (lambda: make(b"maze"), "The name of a game is text; received b'maze'"),
        (lambda: make("maze", render_mode="rgb_aray"), "Did you mean 'rgb_array'?"),
        (lambda: make_vec("maze", num_envs=0), "num_envs"),
        (lambda: make_vec("maze", num_thread=2), "Did you mean 'num_threads'?"),
    ],
)
def test_mistakes_are_answered(call, text):
    with pytest.raises(UserError) as error:
        call()
    assert text in str(error.value)


@pytest.mark.parametrize("game", GAMES)
def test_the_only_level_always_begins_alike(game):
    """It is built once and restored after that; other options of levels build it each time."""

    def numbers(env):
        return {path: value for path, value in env.fields().items() if not path.startswith(("picker", "previous"))}

    env = make(game, num_levels=1, start_level=77)
    fresh = make(game, num_levels=1, start_level=77, use_sequential_levels=True)
    first, _ = env.reset(seed=0)
    beginning = numbers(env)
    for action in np.random.default_rng(2).integers(0, 15, 40):
        if any(env.step(action)[2:4]):
            break
    again, info = env.reset()
    built, _ = fresh.reset(seed=0)
    assert np.array_equal(first, again) and np.array_equal(first, built)
    assert numbers(env) == beginning == numbers(fresh)
    assert info["level"]["seed"] == 77
