"""The rules of heist, checked through the numbers of its state, and by playing levels to their end."""

from __future__ import annotations

import math
from collections import Counter, deque

import numpy as np
import pytest
from game_states import Record, cells, overlap, records, start

from worldmodels.envs import GameEnv

AGENT, DOOR, KEY, GEM = range(4)
SPACE = 100
LEFT, DOWN, WAIT, UP, RIGHT = 1, 3, 4, 5, 7
MOVES = {LEFT: (-1, 0), DOWN: (0, -1), UP: (0, 1), RIGHT: (1, 0)}
Cell = tuple[int, int]


def things(env: GameEnv) -> list[Record]:
    return records(env, "entities")


def cell(e: Record) -> Cell:
    return math.floor(e["x"]), math.floor(e["y"])


def neighbours(grid: list[list[int]], place: Cell) -> list[Cell]:
    near = [(place[0] + dx, place[1] + dy) for dx, dy in MOVES.values()]
    return [(x, y) for x, y in near if 0 <= x < len(grid) and 0 <= y < len(grid) and grid[y][x] == SPACE]


def path(grid: list[list[int]], start_cell: Cell, goal: Cell, closed: set[Cell]) -> list[Cell]:
    """The cells of a shortest way after the first, empty where there is none."""
    came: dict[Cell, Cell] = {start_cell: start_cell}
    queue = deque([start_cell])
    while queue and goal not in came:
        here = queue.popleft()
        for near in neighbours(grid, here):
            if near not in came and near not in closed:
                came[near] = here
                queue.append(near)
    way = [goal] if goal in came else []
    while way and way[-1] != start_cell:
        way.append(came[way[-1]])
    return way[-2::-1]


@pytest.mark.parametrize(("mode", "world", "doors"), [("easy", 9, 1.5), ("hard", 13, 2.1), ("memory", 23, 1.5)])
def test_levels(mode: str, world: int, doors: float) -> None:
    counts, sizes = [], Counter()
    for level in range(200):
        env = start("heist", level, mode)
        grid, everything = cells(env), things(env)
        assert len(grid) == len(grid[0]) == world
        open_cells = [(x, y) for y in range(world) for x in range(world) if grid[y][x] == SPACE]
        size = max(x for x, _ in open_cells) - min(x for x, _ in open_cells) + 1
        sizes[size] += 1
        assert len(open_cells) == 2 * ((size + 1) // 2) ** 2 - 1  # rooms, and passages of a tree
        number = sum(e["type"] == DOOR for e in everything)
        counts.append(number)
        difficulty = (size - 5) // 2
        assert number <= 3 if mode == "memory" else number in (min(difficulty, 3), min(difficulty + 1, 3))
        assert (
            Counter(e["type"] for e in everything) == Counter({AGENT: 1, DOOR: number, KEY: number, GEM: 1}) - Counter()
        )
        assert {e["theme"] for e in everything if e["type"] == KEY} == set(range(number))
        places = [cell(e) for e in everything]
        assert len(set(places)) == len(places), "two things in one cell"
        for e in everything:
            assert grid[cell(e)[1]][cell(e)[0]] == SPACE
            assert overlap_of_cell(e)
            if e["type"] == DOOR:
                assert len(neighbours(grid, cell(e))) > 2  # a fork
                assert (e["rx"], e["ry"]) == (0.5, 0.5)
                assert places[0] not in neighbours(grid, cell(e))
    assert set(sizes) == set(range(5, world + 1, 2))
    assert np.mean(counts) == pytest.approx(doors, abs=0.25)


def overlap_of_cell(e: Record) -> bool:
    """Whether a box lies wholly in its cell."""
    x, y = cell(e)
    return x <= e["x"] - e["rx"] and e["x"] + e["rx"] <= x + 1 and y <= e["y"] - e["ry"] and e["y"] + e["ry"] <= y + 1


def test_sizes_of_boxes() -> None:
    env = start("heist", 34989, "hard")
    boxes = {e["type"]: (e["rx"], e["ry"]) for e in things(env)}
    assert boxes[AGENT] == (0.375, 0.375)
    assert boxes[KEY] == pytest.approx((0.375, 0.375 / 1.615))
    assert boxes[GEM] == pytest.approx((0.375, 0.375 / 1.458))


def test_acceleration() -> None:
    for level in range(100):
        env = start("heist", level, "hard")
        grid, (x, y) = cells(env), cell(things(env)[0])
        if all((x + i, y) in neighbours(grid, (x + i - 1, y)) for i in range(1, 4)):
            break
    if any(e["type"] == DOOR and cell(e)[1] == y for e in things(env)):
        pytest.fail("a door is in the way of this test")
    for expected in (0.3375, 0.4894, 0.5577, 0.5885):
        before = things(env)[0]["x"]
        env.step(RIGHT)
        agent = things(env)[0]
        assert agent["vx"] == pytest.approx(expected, abs=1e-4)
        assert agent["x"] - before == pytest.approx(expected, abs=1e-4)


def walk(env: GameEnv, way: list[Cell]) -> list[tuple[float, bool, bool]]:
    """Walks from cell to cell; (reward, terminated, complete) of each step."""
    results = []
    for x, y in way:
        for _ in range(12):
            agent = things(env)[0]
            dx, dy = x + 0.5 - agent["x"], y + 0.5 - agent["y"]
            if max(abs(dx), abs(dy)) <= 0.12:
                break
            # Where it will come to rest if it stops now: 0.9 * 0.5 of the speed is left in each step.
            dx, dy = dx - 0.82 * agent["vx"], dy - 0.82 * agent["vy"]
            across = 0 if abs(dx) < 0.1 else int(np.sign(dx))
            up = 0 if abs(dy) < 0.1 else int(np.sign(dy))
            _, reward, terminated, _, info = env.step(3 * (across + 1) + up + 1)
            results.append((reward, terminated, bool(info["prev_level_complete"])))
            if terminated:
                return results
    return results


@pytest.mark.parametrize(("mode", "levels"), [("easy", 12), ("hard", 10), ("memory", 8)])
def test_levels_can_be_completed_by_walking(mode: str, levels: int) -> None:
    """Takes the keys in order, opens the doors, ends at the gem."""
    opened = 0
    for level in range(levels):
        env = start("heist", level, mode)
        grid = cells(env)
        total = 0.0
        for colour in range(4):
            key = [e for e in things(env) if e["type"] == KEY and e["theme"] == colour]
            goal = key[0] if key else next(e for e in things(env) if e["type"] == GEM)
            closed = {cell(e) for e in things(env) if e["type"] == DOOR and e["theme"] >= colour}
            way = path(grid, cell(things(env)[0]), cell(goal), closed)
            doors = sum(e["type"] == DOOR for e in things(env))
            assert way, "the way is closed"
            results = walk(env, way)
            total += sum(reward for reward, _, _ in results)
            if key:
                assert env.fields()["held"] == 2 ** (colour + 1) - 1
                assert not any(terminated for _, terminated, _ in results)
                opened += doors - sum(e["type"] == DOOR for e in things(env))
                continue
            assert results[-1] == (10, True, True)
            break
        assert total == 10
    assert opened > 2


def test_a_locked_door_stops_and_an_open_one_vanishes() -> None:
    env = start("heist", 34989, "hard")
    grid, everything = cells(env), things(env)
    door = next(e for e in everything if e["type"] == DOOR and e["theme"] == 0)
    key = next(e for e in everything if e["type"] == KEY and e["theme"] == 0)
    others = {cell(e) for e in everything if e["type"] == DOOR and e["theme"] > 0} | {cell(key)}
    way = path(grid, cell(everything[0]), cell(door), others)
    assert way, "the way to the door leads over its key"
    walk(env, way)
    agent = things(env)[0]
    reach = max(abs(agent["x"] - door["x"]), abs(agent["y"] - door["y"]))
    assert reach == pytest.approx(0.875, abs=0.01)  # its box touches that of the door
    assert env.fields()["held"] == 0
    locked = {cell(e) for e in everything if e["type"] == DOOR}
    walk(env, path(grid, cell(things(env)[0]), cell(key), locked))
    assert env.fields()["held"] == 1
    walk(env, path(grid, cell(things(env)[0]), cell(door), locked - {cell(door)}))
    assert not any(e["type"] == DOOR and e["theme"] == 0 for e in things(env))
    assert env.fields()["held"] == 1  # the key is kept


def test_held_keys_are_shown_at_the_top_right() -> None:
    env = start("heist", 34989, "hard")
    before = env.observe()
    grid, everything = cells(env), things(env)
    key = next(e for e in everything if e["type"] == KEY and e["theme"] == 0)
    locked = {cell(e) for e in everything if e["type"] == DOOR}
    walk(env, path(grid, cell(everything[0]), cell(key), locked))
    changed = np.abs(env.observe().astype(int) - before).sum(2)[:7, 58:]
    assert (changed > 0).mean() > 0.5


def test_nothing_hurts_but_time() -> None:
    env = start("heist", 34989, "hard")
    for _ in range(999):
        assert env.step(WAIT)[1:4] == (0, False, False)
    assert env.step(WAIT)[1:4] == (0, False, True)


def test_keys_stay_told_apart_when_themes_are_restricted() -> None:
    frames = [start("heist", 34989, "hard", restrict_themes=restricted).observe() for restricted in (False, True)]
    np.testing.assert_array_equal(*frames)


def test_boxes_do_not_overlap_at_the_start() -> None:
    for level in range(100):
        everything = things(start("heist", level, "easy"))
        assert not any(overlap(everything[0], other) for other in everything[1:] if other["type"] in (DOOR, GEM))
