"""The rules of chaser, checked through the numbers of its state."""

from __future__ import annotations

import numpy as np
import pytest
from game_states import Record, cells, overlap, records, start

from worldmodels.envs import GameEnv
from worldmodels.envs.native import _native

AGENT, STAR, EGG, DRAGON = range(4)
FIREFLY, WALL = 1, 51
LEFT, DOWN, WAIT, UP, RIGHT = 1, 3, 4, 5, 7
WAYS = {LEFT: (-1, 0), DOWN: (0, -1), UP: (0, 1), RIGHT: (1, 0)}


def things(env: GameEnv, kind: int) -> list[Record]:
    return [e for e in records(env, "entities") if e["type"] == kind]


def cell(e: Record) -> tuple[int, int]:
    return int(e["x"]), int(e["y"])


def open_ways(grid: list[list[int]], place: tuple[int, int]) -> list[tuple[int, int]]:
    size = len(grid)
    near = [(place[0] + dx, place[1] + dy) for dx, dy in WAYS.values()]
    return [(x, y) for x, y in near if 0 <= x < size and 0 <= y < size and grid[y][x] != WALL]


@pytest.mark.parametrize(
    ("mode", "size", "dragons", "stars", "low", "mean", "high"),
    [
        ("easy", 11, 3, 4, 71, 75.8, 80),
        ("hard", 13, 3, 3, 101, 105.9, 112),
        ("extreme", 19, 5, 5, 211, 218.4, 225),
    ],
)
def test_counts(mode: str, size: int, dragons: int, stars: int, low: int, mean: float, high: int) -> None:
    fireflies = []
    for level in range(120):
        env = start("chaser", level, mode)
        grid = cells(env)
        assert len(grid) == len(grid[0]) == size
        assert len(things(env, EGG)) == dragons
        assert len(things(env, STAR)) == stars
        fireflies.append(sum(row.count(FIREFLY) for row in grid))
        assert fireflies[-1] == env.fields()["fireflies"]
        open_cells = [(x, y) for y in range(size) for x in range(size) if grid[y][x] != WALL]
        assert fireflies[-1] + stars == len(open_cells)
        assert all(len(open_ways(grid, place)) >= 2 for place in open_cells), "a dead end"
        placed = [cell(e) for e in records(env, "entities")]
        assert len(set(placed)) == len(placed), "two things in one cell"
        halves = [(x >= size // 2, y >= size // 2) for x, y in map(cell, things(env, STAR))]
        assert len(set(halves)) == (4 if stars > 3 else 3), "a quarter without its star"
    assert low - 3 <= min(fireflies) and max(fireflies) <= high + 3
    assert np.mean(fireflies) == pytest.approx(mean, abs=0.8)  # standard deviation 2 to 3


def test_the_first_step_pays_and_a_firefly_pays_once() -> None:
    env = start("chaser")
    assert env.step(WAIT)[1] == pytest.approx(0.04)
    assert env.step(WAIT)[1] == 0


def test_the_frog_keeps_going_until_a_wall_stops_it() -> None:
    walls = 0
    for level in range(20):
        env = start("chaser", level)
        grid, place = cells(env), cell(things(env, AGENT)[0])
        action = next(
            action for action, way in WAYS.items() if (place[0] + way[0], place[1] + way[1]) in open_ways(grid, place)
        )
        way = WAYS[action]
        x, y = place[0] + 0.5, place[1] + 0.5
        for step in range(12):
            env.step(action if step == 0 else WAIT)
            centred = step % 2 == 0
            ahead = (int(x) + way[0], int(y) + way[1])
            if centred and ahead not in open_ways(grid, (int(x), int(y))):
                agent = things(env, AGENT)[0]
                assert (agent["x"], agent["y"], agent["vx"], agent["vy"]) == (x, y, 0, 0)
                walls += 1
                break
            x, y = x + 0.5 * way[0], y + 0.5 * way[1]
            agent = things(env, AGENT)[0]
            assert (agent["x"], agent["y"]) == (x, y)
            assert (agent["vx"], agent["vy"]) == (0.5 * way[0], 0.5 * way[1])
    assert walls > 5


def test_eggs_hatch_after_50_steps_where_they_lie() -> None:
    env = start("chaser", 3)
    eggs = things(env, EGG)
    for _ in range(49):
        env.step(WAIT)
    assert not things(env, DRAGON)
    env.step(WAIT)
    dragons = things(env, DRAGON)
    assert [(e["x"], e["y"]) for e in dragons] == [(e["x"], e["y"]) for e in eggs]
    assert not things(env, EGG)
    assert all(abs(e["vx"]) + abs(e["vy"]) == 0.5 for e in dragons)  # each has chosen a way at once


def watched_turns(mode: str, levels: int) -> list[tuple[bool, bool, float]]:
    """At each fork: (was the chosen way the only nearest one, is it scared, the number of ways to choose from)."""
    turns = []
    for level in range(levels):
        env = start("chaser", level, mode)
        grid = cells(env)
        random = np.random.default_rng(level)
        after: list[Record] = []
        for _ in range(300):
            before = after
            if env.step(int(random.integers(15)))[2]:
                break
            frog, *others = records(env, "entities")
            after = [e for e in others if e["type"] == DRAGON]
            if not after:
                continue
            scared = env.fields()["scare"] > 0
            if len(before) != len(after):
                continue
            for old, new in zip(before, after, strict=True):
                place = cell(new)
                if (new["x"] % 1, new["y"] % 1) != (0.5, 0.5):
                    assert (old["vx"], old["vy"]) == (new["vx"], new["vy"])  # turns at the middles of cells only
                    continue
                sign = np.sign([old["vx"], old["vy"]]).astype(int)
                ways = [w for w in open_ways(grid, place) if w != (place[0] - sign[0], place[1] - sign[1])]
                chosen = (place[0] + int(np.sign(new["vx"])), place[1] + int(np.sign(new["vy"])))
                assert chosen in ways
                assert abs(new["vx"]) + abs(new["vy"]) == (0.25 if scared else 0.5)
                far = [abs(x + 0.5 - frog["x"]) + abs(y + 0.5 - frog["y"]) for x, y in ways]
                best = max(far) if scared else min(far)
                if len(ways) == 2 and far[0] != far[1]:
                    turns.append((bool(far[ways.index(chosen)] == best), scared, float(len(ways))))
    return turns


def test_dragons_hunt_half_of_the_time() -> None:
    turns = watched_turns("extreme", 14)
    for scared in (False, True):
        good = [hunts for hunts, was_scared, _ in turns if was_scared == scared]
        # Half of the decisions hunt; of the others, half go the same way by chance.
        assert len(good) > 60
        assert np.mean(good) == pytest.approx(0.75, abs=4 * np.sqrt(0.75 * 0.25 / len(good)))


def test_dragons_decide_for_themselves() -> None:
    """Two of three dragons that choose in the same step do not always choose alike."""
    pairs = set()
    for level in range(60):
        env = start("chaser", level, "extreme")
        for _ in range(50):
            env.step(WAIT)
        hatched = things(env, DRAGON)
        pairs.update((e["vx"], e["vy"]) != (hatched[0]["vx"], hatched[0]["vy"]) for e in hatched[1:])
    assert pairs == {True, False}


def test_stars_scare_and_scared_dragons_vanish() -> None:
    scares = vanished = deaths = 0
    for level in range(45, 58):
        env = start("chaser", level)
        random = np.random.default_rng(level)
        ended, numbers, everything = False, env.fields(), records(env, "entities")
        while not ended:
            before, old = numbers, everything
            _, reward, ended, truncated, info = env.step(int(random.integers(15)))
            numbers, everything = env.fields(), records(env, "entities")
            assert sum(e["type"] in (EGG, DRAGON) for e in everything) == 3
            taken = sum(e["type"] == STAR for e in old) - sum(e["type"] == STAR for e in everything)
            assert reward == pytest.approx(0.04 * (before["fireflies"] - numbers["fireflies"] + taken))
            assert numbers["scare"] == (75 if taken else max(before["scare"] - 1, 0))
            # What has only just hatched touches from the next step on.
            dragons = [e for e in everything if e["type"] == DRAGON and e["age"] > 50]
            touched = [e for e in dragons if overlap(e, everything[0])]
            assert bool(touched) == ended
            if ended:
                assert not truncated and numbers["scare"] == 0 and not info["prev_level_complete"]
            scares += taken
            deaths += ended
            vanished += everything[-1]["type"] == EGG and everything[-1]["health"] == 50
    assert scares > 5
    assert vanished > 1  # a new egg lies somewhere for each dragon that vanished
    assert deaths == 13


@pytest.mark.parametrize(("mode", "levels"), [("easy", 300), ("hard", 100), ("extreme", 30)])
def test_levels_can_be_completed(mode: str, levels: int) -> None:
    """A planner plays each level to its end, with the dragons that there are."""
    steps, solved, ended_at_once = _native.certify("chaser", mode, 0, levels, 1)
    assert solved.all()
    assert not ended_at_once.any()
    assert steps.max() <= 1000


def test_the_last_firefly_completes_the_level() -> None:
    """Plays with foresight: goes for the nearest firefly, and goes back in time when that ends badly."""
    env = start("chaser", 0)
    history: list[tuple[bytes, list[int]]] = []
    total, complete = 0.0, False
    for _ in range(3000):
        options = ways_to_fireflies(env)
        history.append((env.get_state(), options))
        while not history[-1][1]:
            history.pop()
        state, options = history[-1]
        env.set_state(state)
        action = options.pop(0)
        ended = [env.step(action) for _ in range(2) if not env.fields()["over"]]
        if ended[-1][2] and not ended[-1][4]["prev_level_complete"]:
            continue
        if ended[-1][2]:
            total, complete = ended[-1][1], True
            break
    assert complete
    assert total >= 10.04 - 1e-4


def ways_to_fireflies(env: GameEnv) -> list[int]:
    """The open ways, that to the nearest firefly first."""
    grid, place = cells(env), cell(things(env, AGENT)[0])
    first: dict[tuple[int, int], int] = {}
    queue = []
    for action, (dx, dy) in WAYS.items():
        near = (place[0] + dx, place[1] + dy)
        if near in open_ways(grid, place):
            first[near] = action
            queue.append(near)
    ways = list(first.values())
    for here in queue:
        if grid[here[1]][here[0]] == FIREFLY:
            return sorted(ways, key=lambda action: action != first[here])
        for near in open_ways(grid, here):
            if near not in first and near != place:
                first[near] = first[here]
                queue.append(near)
    return ways


def test_only_the_cell_of_a_collected_firefly_is_repainted() -> None:
    env = start("chaser", 5, "hard")
    env.observe()
    for action in np.random.default_rng(0).integers(0, 9, 30):
        env.step(int(action))
        env.observe()
    seen = env.observe()
    fresh = start("chaser", 6, "hard")
    fresh.set_state(env.get_state())  # draws its level anew
    np.testing.assert_array_equal(fresh.observe(), seen)
