"""The rules of fruitbot, checked through the numbers of its state."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from itertools import pairwise

import numpy as np
import pytest
from game_states import Record, overlap, records, start

from worldmodels.envs import GameEnv
from worldmodels.envs.native import _native

ROBOT, BARRIER, DOOR, LOCK, KEY, PRESENT, FRUIT, FOOD = range(8)
LEFT, ON, RIGHT, THROW = 1, 4, 7, 9
MODES = ["easy", "hard"]
WIDTH = {"easy": 10, "hard": 20}
FRUIT_ASPECTS = [0.964, 0.8, 1.364, 0.645, 1.0, 0.846]
FOOD_ASPECTS = [0.56, 2.154, 1.0, 1.05, 0.917, 1.0]


def things(env: GameEnv, *kinds: int) -> list[Record]:
    return [e for e in records(env, "entities") if not kinds or e["type"] in kinds]


def levels(mode: str, count: int) -> Iterator[GameEnv]:
    env = GameEnv("fruitbot", distribution_mode=mode)
    for seed in range(count):
        env.reset(seed=seed)
        yield env


def walls_of(env: GameEnv) -> list[tuple[float, float, float]]:
    """Height, left and right end of the opening of each wall, from below."""
    return walls_among(things(env))


def walls_among(everything: list[Record]) -> list[tuple[float, float, float]]:
    bars = [e for e in everything if e["type"] == BARRIER]
    return [(a["y"], a["x"] + a["rx"], b["x"] - b["rx"]) for a, b in zip(bars[::2], bars[1::2], strict=True)]


def steer(env: GameEnv) -> int:
    """Towards the next opening, or under its lock to throw a key."""
    robot, *others = things(env)
    ahead = [wall for wall in walls_among(others) if wall[0] + 0.3 > robot["y"] - 0.4]
    if not ahead:
        return ON
    y, left, right = ahead[0]
    target = min(max(robot["x"], left + 0.7), right - 0.7)
    for lock in others:
        if lock["type"] == LOCK and abs(lock["y"] - y) < 1:
            target = lock["x"]
            if abs(robot["x"] - target) < 0.4 and y - robot["y"] < 4.5:
                return THROW
    off = target - robot["x"] - 0.82 * robot["vx"]
    return ON if abs(off) < 0.36 else RIGHT if off > 0 else LEFT


def test_motion() -> None:
    env = next(env for env in levels("hard", 20) if things(env)[0]["x"] < 10)
    upwards = [0.0765, 0.1109, 0.1264, 0.1334, 0.1365]
    sideways = [0.3825, 0.5546, 0.6321, 0.6669, 0.6826]
    for vx, vy in zip(sideways, upwards, strict=True):
        before = things(env)[0]
        env.step(RIGHT)
        robot = things(env)[0]
        assert (robot["vx"], robot["vy"]) == (pytest.approx(vx, abs=1e-4), pytest.approx(vy, abs=1e-4))
        assert robot["x"] - before["x"] == pytest.approx(vx, abs=1e-4)
        assert robot["y"] - before["y"] == pytest.approx(vy, abs=1e-4)


def test_borders_stop_the_robot() -> None:
    env = start("fruitbot", 3)
    for _ in range(14):
        env.step(LEFT)
    for _ in range(3):
        env.step(LEFT)
        assert things(env)[0]["x"] >= 0.4 - 1e-5


@pytest.mark.parametrize("mode", MODES)
def test_walls(mode: str) -> None:
    width, count = WIDTH[mode], {"easy": 5, "hard": 10}[mode]
    narrowest = {"easy": 0.2, "hard": 0.1}[mode]
    doors = candidates = 0
    for env in levels(mode, 120):
        walls, closed = walls_of(env), {door["y"]: door for door in things(env, DOOR)}
        assert len(walls) == count
        heights = [0.0, *(y for y, _, _ in walls)]
        assert heights[-1] == 56
        for (below, y), (_, left, right) in zip(pairwise(heights), walls, strict=True):
            assert y - below >= 4
            assert y == int(y)
            assert -1e-4 <= left < right <= width + 1e-4
            candidates += y - below > 5
            if y in closed:
                doors += 1
                assert y - below > 5
                tiles = (right - left - 1) / 1.95
                assert tiles == pytest.approx(round(tiles), abs=1e-3)
                assert closed[y]["rx"] == pytest.approx((right - left - 0.5) / 2, abs=1e-4)
            else:
                assert narrowest * width - 1e-3 <= right - left <= (narrowest + 0.2) * width + 1e-3
        for lock in things(env, LOCK):
            door = next(door for door in closed.values() if abs(door["y"] - lock["y"]) < 1)
            assert (lock["rx"], lock["ry"]) == (0.25, pytest.approx(0.45))
            assert lock["y"] + lock["ry"] == pytest.approx(door["y"] + 0.3, abs=1e-4)
            assert abs(lock["x"] - door["x"]) == pytest.approx(lock["rx"] + door["rx"], abs=1e-4)
    assert doors == 0 if mode == "easy" else doors / candidates == pytest.approx(0.125, abs=0.03)


@pytest.mark.parametrize("mode", MODES)
def test_things(mode: str) -> None:
    kinds = {"easy": 2, "hard": 6}[mode]
    counts: Counter[int] = Counter()
    for env in levels(mode, 60):
        everything = things(env)
        numbers = Counter(int(e["type"]) for e in everything)
        assert 10 <= numbers[FRUIT] <= 19
        assert 10 <= numbers[FOOD] <= 19
        counts += numbers
        presents = [(e["x"], e["y"]) for e in everything if e["type"] == PRESENT]
        assert presents == [(i + 0.5, 59.5) for i in range(WIDTH[mode])]
        for e in everything:
            if e["type"] not in (FRUIT, FOOD):
                continue
            assert 0 <= e["theme"] < kinds
            aspect = (FRUIT_ASPECTS if e["type"] == FRUIT else FOOD_ASPECTS)[int(e["theme"])]
            assert e["rx"] / e["ry"] == pytest.approx(aspect, abs=1e-3)
            assert max(e["rx"], e["ry"]) == 0.5
            assert sum(overlap(e, other) for other in everything) == 1  # itself alone
    assert counts[FRUIT] / 60 == pytest.approx(14.5, abs=1.4)
    assert counts[FOOD] / 60 == pytest.approx(14.5, abs=1.4)


def test_keys() -> None:
    env = next(env for env in levels("hard", 300) if walls_of(env)[0][0] > 8)
    thrown = []
    for step in range(1, 22):
        env.step(THROW)
        keys = things(env, KEY)
        thrown += [step for key in keys if key["age"] == 0]
        for key in keys:
            assert (key["rx"], key["ry"], key["vx"], key["vy"]) == (0.25, 0.25, 0, 0.5)
    assert thrown == [8, 16]
    ages = []
    for _ in range(12):
        env.step(ON)
        ages += [key["age"] for key in things(env, KEY)]
    assert max(ages) == 8  # moves nine times, and is gone after the ninth


def test_a_key_breaks_on_a_wall() -> None:
    env = start("fruitbot", next(i for i in range(99) if walls_of(start("fruitbot", i))[0][0] < 6))
    y, left, right = walls_of(env)[0]
    while not things(env, KEY):
        robot = things(env)[0]
        under = not left - 0.3 < robot["x"] < right + 0.3
        steps_left = y - robot["y"] < 4
        aside = LEFT if left > 1 else RIGHT
        env.step(THROW if under and steps_left else ON if under else aside)
    for _ in range(9):
        key = things(env, KEY)
        if not key:
            break
        age = key[0]["age"]
        assert key[0]["y"] + 0.25 <= y - 0.3 + 1e-4
        env.step(ON)
    assert not things(env, KEY)
    assert age < 8


def test_a_key_in_its_lock_opens_the_door() -> None:
    opened = 0
    for env in levels("hard", 150):
        if not things(env, DOOR) or abs(things(env, DOOR)[0]["y"] - walls_of(env)[0][0]) > 1:
            continue
        y = walls_of(env)[0][0]
        doors = len(things(env, DOOR))
        while things(env)[0]["y"] < y + 0.8:
            if env.step(steer(env))[2]:
                break
        else:
            opened += 1
            assert len(things(env, DOOR)) == len(things(env, LOCK)) == doors - 1
    assert opened >= 3


def test_a_closed_door_ends_the_episode() -> None:
    for env in levels("hard", 60):
        y, left, right = walls_of(env)[0]
        if not things(env, DOOR) or things(env, DOOR)[0]["y"] != y or not left + 1 < things(env)[0]["x"] < right - 1:
            continue
        over = False
        while not over:
            _, _, over, _, info = env.step(ON)
        assert not info["prev_level_complete"]
        assert things(env)[0]["y"] + 0.4 == pytest.approx(y - 0.3, abs=0.15)
        return
    pytest.fail("no robot starts below a door")


@pytest.mark.parametrize("mode", MODES)
def test_rewards_and_ends_have_their_causes(mode: str) -> None:
    random = np.random.default_rng(0)
    seen: Counter[str] = Counter()
    for env in levels(mode, 12):
        over, before = False, Counter(int(e["type"]) for e in things(env))
        while not over:
            _, reward, over, _, info = env.step(int(random.integers(15)))
            robot, *others = things(env)
            after = Counter(int(e["type"]) for e in others)
            fruit, food = before[FRUIT] - after[FRUIT], before[FOOD] - after[FOOD]
            assert reward == fruit - 4 * food
            assert over == any(overlap(robot, e) for e in others if e["type"] in (BARRIER, DOOR))
            assert not info["prev_level_complete"]
            seen.update(fruit=fruit, food=food)
            before = after
    assert min(seen["fruit"], seen["food"]) > 0


def test_every_present_that_is_touched_counts() -> None:
    rewards = []
    for env in levels("easy", 8):
        over = False
        for _ in range(425):
            _, reward, over, _, info = env.step(steer(env))
            if over:
                break
        robot, *others = things(env)
        touched = sum(overlap(robot, e) for e in others if e["type"] == PRESENT)
        assert bool(info["prev_level_complete"]) == (touched > 0)
        if touched:
            assert reward == 10 * touched
            rewards.append(reward)
    assert set(rewards) == {10, 20}
    assert rewards.count(20) > rewards.count(10)


@pytest.mark.parametrize("mode", MODES)
def test_the_presents_of_every_level_can_be_reached(mode: str) -> None:
    steps, solvable, ends_at_once = _native.certify("fruitbot", mode, 0, 300, 1)
    assert np.all(solvable)
    assert not np.any(ends_at_once)
    assert set(np.asarray(steps)) == {420}


def test_styles_leave_the_boxes_alone() -> None:
    plain = start("fruitbot", 5, "hard")
    for option in ("use_generated_assets", "use_monochrome_assets", "restrict_themes"):
        assert things(start("fruitbot", 5, "hard", **{option: True})) == things(plain)


def test_restricted_themes_show_the_first_fruit_and_food_in_every_shape() -> None:
    def colours(**options: object) -> set[tuple[int, ...]]:
        style = {"use_monochrome_assets": True, "use_backgrounds": False, **options}
        frames = [start("fruitbot", level, "hard", **style).observe() for level in range(6)]
        return {tuple(map(int, pixel)) for frame in frames for pixel in frame.reshape(-1, 3)}

    apple, soda = (191, 191, 63), (127, 63, 127)  # types 7 and 4: numbers 40 = 220 and 17 = 101 in base 4
    plain, restricted = colours(), colours(restrict_themes=True)
    assert {apple, soda} <= restricted
    # Black, the two, robot, barrier, outside, and perhaps lock and door: no colour of another theme.
    assert len(restricted) <= 8
    assert len(plain - restricted) >= 6
