"""The rules of bigfish, checked through the numbers of its state."""

from __future__ import annotations

from statistics import mean

import numpy as np
import pytest
from game_states import Record, overlap, records, start

from worldmodels.envs import GameEnv

DOWN, DRIFT, UP, LEFT, RIGHT = 3, 4, 5, 1, 7
MOVES = range(9)
ASPECTS = [1.696, 1.273, 1.862]
START_RADIUS = {"easy": 1.0, "hard": 0.5}
GROWTH = {"easy": 1 / 30, "hard": 0.05}
MODES = ["easy", "hard"]


def things(env: GameEnv) -> list[Record]:
    return records(env, "entities")


def newcomers(levels: int, steps: int) -> tuple[list[Record], int]:
    """Fish at the moment of their arrival, and the number of steps looked at."""
    found, seen = [], 0
    env = GameEnv("bigfish", distribution_mode="hard", start_level=0, num_levels=0)
    for seed in range(levels):
        env.reset(seed=seed)
        for _ in range(steps):
            seen += 1
            if env.step(DRIFT)[2]:
                break
            found += [fish for fish in things(env)[1:] if fish["age"] == 0]
    return found, seen


@pytest.mark.parametrize("mode", MODES)
def test_the_beginning(mode: str) -> None:
    places = []
    for level in range(60):
        env = start("bigfish", level, mode)
        (player,) = things(env)
        radius = START_RADIUS[mode]
        assert player["rx"] == player["ry"] == radius
        assert player["y"] == 1 + radius
        assert radius <= player["x"] <= 20 - radius
        places.append(player["x"])
    assert max(places) - min(places) > 15


def test_acceleration() -> None:
    env = next(env for env in (start("bigfish", level) for level in range(50)) if things(env)[0]["x"] < 8)
    for expected in [0.225, 0.3263, 0.3718, 0.3923, 0.4015, 0.4057]:
        before = things(env)[0]["x"]
        env.step(RIGHT)
        player = things(env)[0]
        assert player["vx"] == pytest.approx(expected, abs=1e-4)
        assert player["x"] - before == pytest.approx(expected, abs=1e-4)


def test_diagonals_and_specials() -> None:
    env = start("bigfish", 1, "hard")
    env.step(8)
    player = things(env)[0]
    assert (player["vx"], player["vy"]) == (pytest.approx(0.225), pytest.approx(0.225))
    for special in range(9, 15):
        speed = things(env)[0]["vx"]
        env.step(special)
        assert things(env)[0]["vx"] == pytest.approx(0.45 * speed)  # as if nothing were pressed


def test_the_player_looks_where_it_last_swam_to() -> None:
    env = start("bigfish", 3)
    for action, mirrored in [(LEFT, 1), (UP, 1), (DRIFT, 1), (RIGHT, 0), (DOWN, 0), (0, 1)]:
        env.step(action)
        assert things(env)[0]["mirrored"] == mirrored


def test_arrivals() -> None:
    fish, steps = newcomers(levels=150, steps=60)
    assert len(fish) / steps == pytest.approx(0.1, abs=0.012)
    for one in fish:
        assert 0.25 <= one["rx"] <= 2
        assert one["ry"] == pytest.approx(one["rx"] / ASPECTS[int(one["theme"])], rel=1e-5)
        assert 0.15 <= abs(one["vx"]) <= 0.4 and one["vy"] == 0
        assert one["x"] == pytest.approx(-one["rx"] if one["vx"] > 0 else 20 + one["rx"])
        assert one["mirrored"] == (one["vx"] < 0)
        # Wholly inside the sea: nothing swims half below the ground.
        assert one["ry"] - 1e-4 <= one["y"] <= 20 - one["ry"] + 1e-4
    # The mean of 1.75 U^1.4 + 0.25 is 1.75 / 2.4 + 0.25.
    assert mean(one["rx"] for one in fish) == pytest.approx(0.979, abs=0.06)
    assert np.median([one["rx"] for one in fish]) == pytest.approx(0.25 + 1.75 * 0.5**1.4, abs=0.08)
    assert mean(one["y"] for one in fish) == pytest.approx(10, abs=0.7)
    assert mean(one["vx"] > 0 for one in fish) == pytest.approx(0.5, abs=0.07)
    for theme in range(3):
        assert mean(one["theme"] == theme for one in fish) == pytest.approx(1 / 3, abs=0.06)


def test_fish_cross_the_sea_and_leave() -> None:
    env = start("bigfish", 0, "hard")
    for _ in range(60):
        before = {one["y"]: one for one in things(env)[1:]}
        if env.step(LEFT)[2]:
            break
        after = {one["y"]: one for one in things(env)[1:]}
        for height, one in before.items():
            moved = one["x"] + one["vx"]
            gone = moved + one["rx"] < 0 or moved - one["rx"] > 20
            if not gone and height in after:
                assert after[height]["x"] == pytest.approx(moved, abs=1e-4)
            assert not (gone and height in after)


def forage(env: GameEnv, steps: int, growth: float) -> tuple[float, bool]:
    """Looks a few steps ahead in every direction, and takes the one that brings it to the nearest meal alive."""
    total = 0.0
    for _ in range(steps):
        before, best, choice = env.get_state(), -1e9, DRIFT
        for action in MOVES:
            env.set_state(before)
            worth = 0.0
            for _ in range(7):
                _, reward, ended, _, info = env.step(action)
                worth += 10 * reward
                if ended and not info["prev_level_complete"]:
                    worth = -1e6
                if ended:
                    break
            player, *others = things(env)
            edible = [one for one in others if one["rx"] <= player["rx"]]
            worth -= min((abs(one["x"] - player["x"]) + abs(one["y"] - player["y"]) for one in edible), default=30)
            if worth > best:
                best, choice = worth, action
        env.set_state(before)
        old = things(env)
        _, reward, ended, _, info = env.step(choice)
        check_meals(env, old, growth, reward, ended, bool(info["prev_level_complete"]))
        total += reward
        if ended:
            return total, bool(info["prev_level_complete"])
    return total, False


def check_meals(env: GameEnv, old: list[Record], growth: float, reward: float, ended: bool, complete: bool) -> None:
    player = things(env)[0]
    meals = reward - (10 if complete else 0)
    assert player["rx"] - old[0]["rx"] == pytest.approx(meals * growth, abs=1e-5)
    # Growing pushes the player off the border, where it could not move.
    slack = 0.02 * player["rx"] + 1e-4  # walls are felt a little inside the box
    if meals:
        slack = 1e-4
    assert player["rx"] - slack <= player["x"] <= 20 - player["rx"] + slack
    assert player["rx"] - slack <= player["y"] <= 20 - player["rx"] + slack
    if ended and not complete:
        assert any(one["rx"] > player["rx"] and overlap(one, player) for one in things(env)[1:])
    elif not ended:
        assert not any(overlap(one, player) for one in things(env)[1:] if one["age"] > 0)


@pytest.mark.parametrize("mode", MODES)
def test_thirty_meals_complete_the_level(mode: str) -> None:
    results = []
    for level in range(3):
        env = start("bigfish", level, mode)
        results.append(forage(env, 900, GROWTH[mode]))
        if results[-1][1]:
            assert results[-1][0] == 30 + 10
            assert things(env)[0]["rx"] == pytest.approx(2)
            return
    pytest.fail(f"no level was completed: {results}")


def test_a_wider_fish_ends_the_episode() -> None:
    ends = 0
    for level in range(12):
        env = start("bigfish", level, "hard")
        generator = np.random.default_rng(level)
        for _ in range(150):
            old = things(env)
            _, reward, ended, _, info = env.step(int(generator.integers(9)))
            check_meals(env, old, GROWTH["hard"], reward, ended, bool(info["prev_level_complete"]))
            if ended:
                ends += 1
                break
    assert ends > 3


def test_pictures_are_as_wide_as_boxes() -> None:
    scale, checked = 512 / 20, 0
    for level in range(6):
        env = start("bigfish", level, "hard", use_backgrounds=False, render_mode="rgb_array")
        if any(env.step(DRIFT)[2] for _ in range(40)):
            continue
        everybody = things(env)
        for one in everybody:
            at_height = [other for other in everybody if abs(other["y"] - one["y"]) < other["ry"] + one["ry"] + 0.1]
            if len(at_height) > 1 or not one["rx"] < one["x"] < 20 - one["rx"]:
                continue
            top, bottom = (int((20 - one["y"] + side * one["ry"]) * scale) for side in (-1, 1))
            width = env.render()[top:bottom].any(axis=(0, 2)).sum() / scale
            assert width == pytest.approx(2 * one["rx"], rel=0.08, abs=0.12)
            checked += 1
    assert checked > 8


def test_themes_decide_no_box() -> None:
    plain, restricted = (start("bigfish", 7, "hard", restrict_themes=restrict) for restrict in (False, True))
    pictures = []
    for _ in range(60):
        a, b = plain.step(UP), restricted.step(UP)
        assert plain.fields() == restricted.fields()
        pictures.append((a[0] == b[0]).all())
        if a[2]:
            break
    assert not all(pictures)


def test_speed_is_painted() -> None:
    env = start("bigfish", 5, paint_vel_info=True)
    frame = env.step(8)[0]  # right and up: 0.45 of the greatest speed
    assert {tuple(pixel) for pixel in frame[:12, :24].reshape(-1, 3).tolist()} == {(184, 184, 184)}
