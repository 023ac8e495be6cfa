"""The rules of dodgeball, checked through the numbers of its state."""

from __future__ import annotations

import math
from collections import Counter

import pytest
from game_states import Record, overlap, records, start

from worldmodels.envs import GameEnv

EXIT, ENEMY, WALL = 1, 2, 3
MODES = ("easy", "hard", "extreme", "memory")
STAND, LEFT, RIGHT, UP, DOWN, THROW = 4, 1, 7, 5, 3, 9
SIZE = {"easy": 20, "hard": 20, "extreme": 20, "memory": 40}
SPLITS = {"easy": 2, "hard": 4, "extreme": 8, "memory": 16}
# Half the sides of walls (across), the player, enemies, balls, the exit.
RADII = {
    "easy": (0.6, 1.0, 1.0, 0.5, 1.5),
    "hard": (0.45, 0.75, 0.75, 0.375, 0.75),
    "extreme": (0.3, 0.4, 0.5, 0.25, 0.75),
    "memory": (0.45, 0.75, 0.75, 0.375, 0.75),
}


def things(env: GameEnv) -> list[Record]:
    return records(env, "entities")


def of_type(env: GameEnv, kind: int) -> list[Record]:
    return [e for e in things(env) if e["type"] == kind]


def levels(mode: str, count: int) -> list[GameEnv]:
    return [start("dodgeball", level, mode) for level in range(count)]


@pytest.mark.parametrize("mode", MODES)
def test_what_a_level_is_made_of(mode: str) -> None:
    thickness, player, enemy, _, exit_radius = RADII[mode]
    size, enemies, sides, most_walls = SIZE[mode], Counter(), Counter(), 0
    for env in levels(mode, 150):
        agent, way_out, *rest = things(env)
        walls, foes = of_type(env, WALL), of_type(env, ENEMY)
        assert len(rest) == len(walls) + len(foes)
        assert 1 <= len(walls) <= SPLITS[mode]
        most_walls = max(most_walls, len(walls))
        enemies[len(foes)] += 1
        assert agent["rx"] == agent["ry"] == pytest.approx(player)
        assert way_out["rx"] == way_out["ry"] == exit_radius
        assert all(foe["rx"] == foe["ry"] == enemy for foe in foes)
        for wall in walls:
            assert min(wall["rx"], wall["ry"]) == pytest.approx(thickness, abs=1e-4)
        at = [size / 2 + sign * (way_out[axis] - size / 2) - exit_radius for axis in "yx" for sign in (1, -1)]
        assert min(at) == pytest.approx(0, abs=1e-4)
        sides[at.index(min(at))] += 1
        # Nothing lies on anything, and no enemy is near the player.
        movable = [agent, way_out, *foes]
        for i, one in enumerate(movable):
            assert not any(overlap(one, other) for other in [*movable[i + 1 :], *walls])
        assert not any(overlap(dict(agent, rx=player + 0.49, ry=player + 0.49), foe) for foe in foes)
    assert most_walls == SPLITS[mode]
    assert sorted(enemies) == list(range(3, 7 if mode != "memory" else 20))
    assert min(sides[side] for side in range(4)) >= 20


@pytest.mark.parametrize("mode", MODES)
def test_walls_leave_a_way_past_their_open_end(mode: str) -> None:
    """The first wall stands in the middle of the hall and is a quarter, a half or three quarters as long."""
    size, lengths = SIZE[mode], Counter()
    for env in levels(mode, 80):
        wall = of_type(env, WALL)[0]
        upright = wall["rx"] < wall["ry"]
        assert wall["x" if upright else "y"] == pytest.approx(size / 2)
        length = 2 * wall["ry" if upright else "rx"] / size
        assert min(abs(length - part) for part in (0.25, 0.5, 0.75)) < 1e-4
        lengths[round(length, 2), upright] += 1
    assert len(lengths) == 6


@pytest.mark.parametrize(
    ("mode", "speeds"),
    [
        ("easy", [0.3375, 0.4894, 0.5577]),
        ("hard", [0.225, 0.3263, 0.3718, 0.3923, 0.4015, 0.4057]),
        ("extreme", [0.1125, 0.1631, 0.1859, 0.1962]),
    ],
)
def test_acceleration(mode: str, speeds: list[float]) -> None:
    def room_to_the_right(env: GameEnv) -> bool:
        agent = things(env)[0]
        lane = dict(agent, x=agent["x"] + 2, rx=agent["rx"] + 2)
        return lane["x"] + lane["rx"] < 20 and not any(overlap(lane, e) for e in things(env)[1:])

    env = next(env for env in levels(mode, 100) if room_to_the_right(env))
    for expected in speeds:
        env.step(RIGHT)
        assert things(env)[0]["vx"] == pytest.approx(expected, abs=1e-4)


def test_balls_fly_where_the_player_last_walked_to() -> None:
    for walk, direction in ((None, (1, 0)), (LEFT, (-1, 0)), (UP, (0, 1)), (0, (-1, -1)), (8, (1, 1))):
        env = start("dodgeball", 3, "hard")
        for _ in range(6):
            env.step(STAND)
        if walk is not None:
            env.step(walk)
            env.step(STAND)  # standing still does not turn
        env.step(THROW)
        (thrown,) = records(env, "balls")
        agent = things(env)[0]
        assert (thrown["x"], thrown["y"], thrown["rx"]) == (agent["x"], agent["y"], 0.375)
        assert (thrown["vx"], thrown["vy"]) == (0.375 * direction[0], 0.375 * direction[1])


def test_the_direction_is_that_of_the_new_episode() -> None:
    env = start("dodgeball", 3, "hard")
    env.step(LEFT)
    env.reset()
    assert (env.fields()["facing_x"], env.fields()["facing_y"]) == (1, 0)


def test_seven_steps_between_throws() -> None:
    env = start("dodgeball", 3, "hard")
    born = []
    for step in range(1, 24):
        assert not env.step(THROW)[2]
        born += [step for thrown in records(env, "balls") if thrown["age"] == 0]
    assert born == [7, 14, 21]


@pytest.mark.parametrize("mode", MODES)
def test_enemies_walk_straight_and_back_from_walls(mode: str) -> None:
    turns, bounces = [], 0
    for env in levels(mode, 4):
        env.step(STAND)
        since = [0] * len(of_type(env, ENEMY))
        for _ in range(50):  # before anybody throws
            before = of_type(env, ENEMY)
            if env.step(STAND)[2]:
                break
            now, walls = of_type(env, ENEMY), of_type(env, WALL)
            for i, (old, new) in enumerate(zip(before, now, strict=True)):
                since[i] += 1
                assert abs(new["vx"]) + abs(new["vy"]) == pytest.approx(0.05)
                assert abs(new["x"] - old["x"]) + abs(new["y"] - old["y"]) <= 0.0501
                deeper = dict(new, rx=new["rx"] - 0.002, ry=new["ry"] - 0.002)
                assert not any(overlap(deeper, wall) for wall in walls)
                for axis in "xy":
                    assert new["r" + axis] - 0.002 <= new[axis] <= SIZE[mode] - new["r" + axis] + 0.002
                if new["lifetime"] > old["lifetime"]:  # a new direction, for so many steps
                    assert 25 <= new["lifetime"] < 75
                    turns.append(since[i])
                elif (old["vx"], old["vy"]) != (new["vx"], new["vy"]):
                    bounces += 1
                    assert (old["vx"], old["vy"]) == (-new["vx"], -new["vy"])
    assert turns
    assert min(turns) >= 25
    assert bounces > 0


@pytest.mark.parametrize("mode", ["easy", "hard"])
def test_enemies_throw_at_who_stands_in_line(mode: str) -> None:
    radius, thrown = RADII[mode][3], 0
    for env in levels(mode, 8):
        for step in range(1, 150):
            if env.step(STAND)[2]:
                break
            agent, foes = things(env)[0], of_type(env, ENEMY)
            for ball in (ball for ball in records(env, "enemy_balls") if ball["age"] == 0):
                thrown += 1
                assert step >= 60
                (foe,) = [foe for foe in foes if (foe["x"], foe["y"]) == (ball["x"], ball["y"])]
                assert step <= foe["timer"] <= step + 3
                dx, dy = agent["x"] - foe["x"], agent["y"] - foe["y"]
                expected = (0, math.copysign(1, dy)) if abs(dx) < 1 else (math.copysign(1, dx), 0)
                assert abs(dx) < 1 or abs(dy) < 1
                assert (ball["vx"], ball["vy"]) == (radius * expected[0], radius * expected[1])
                assert (foe["vx"], foe["vy"]) == (pytest.approx(0.05 * expected[0]), pytest.approx(0.05 * expected[1]))
    assert thrown > 5


def test_nobody_throws_before_step_60() -> None:
    for env in levels("hard", 30):
        for _ in range(59):
            if env.step(STAND)[2]:
                break
            assert not records(env, "enemy_balls")


def test_balls_break_at_walls_and_at_the_edge() -> None:
    broken = Counter()
    for env in levels("hard", 15):
        for step in range(60):
            before = records(env, "balls")
            if env.step(THROW if step % 7 == 6 else STAND)[2]:
                break
            kept = {(ball["x"], ball["y"]) for ball in records(env, "balls")}
            for ball in before:
                moved = dict(ball, x=ball["x"] + ball["vx"], y=ball["y"] + ball["vy"])
                at_wall = any(overlap(moved, wall) for wall in of_type(env, WALL))
                at_edge = moved["x"] + ball["rx"] > 20.002
                if at_wall or at_edge:
                    assert (moved["x"], moved["y"]) not in kept
                    broken["wall" if at_wall else "edge"] += 1
    assert broken["wall"] > 0
    assert broken["edge"] > 0


def hunt(env: GameEnv, horizon: int = 5) -> int:
    """Walks until an enemy is in line, throws, and when all are gone walks to the exit; shuns what ends the episode."""
    agent, way_out, *_ = things(env)
    foes = of_type(env, ENEMY)
    goal = min(foes, key=lambda e: math.hypot(e["x"] - agent["x"], e["y"] - agent["y"])) if foes else way_out
    dx, dy = goal["x"] - agent["x"], goal["y"] - agent["y"]
    across, along = (RIGHT if dx > 0 else LEFT), (UP if dy > 0 else DOWN)
    line_up = [across, along] if abs(dx) < abs(dy) else [along, across]
    facing = (env.fields()["facing_x"], env.fields()["facing_y"])
    wishes = [across, along] if not foes else line_up
    if foes and min(abs(dx), abs(dy)) < 0.6:
        towards = (0, math.copysign(1, dy)) if abs(dx) < abs(dy) else (math.copysign(1, dx), 0)
        wishes = [THROW] if facing == towards else [along if abs(dx) < abs(dy) else across]
    before = env.get_state()
    for action in [*wishes, STAND, LEFT, RIGHT, UP, DOWN]:
        safe = True
        for ahead in range(horizon):
            _, reward, ended, _, _ = env.step(action if ahead == 0 else STAND)
            if ended:
                safe = reward >= 10
                break
        env.set_state(before)
        if safe:
            return action
    return STAND


def test_rewards_and_ends_have_their_causes() -> None:
    knocked_out = wins = deaths = 0
    for level in (2, 3, 5, 8, 23):  # the hunter is no master: of these he completes one
        env = start("dodgeball", level)
        ended, steps = False, 0
        while not ended and steps < 350:
            before, was_open = len(of_type(env, ENEMY)), env.fields()["exit_open"]
            _, reward, ended, _, info = env.step(hunt(env))
            steps += 1
            gone = before - len(of_type(env, ENEMY))
            agent, way_out, *rest = things(env)
            won = bool(was_open) and overlap(agent, way_out)
            touched = any(overlap(agent, e) for e in [*rest, *(b for b in records(env, "enemy_balls") if b["age"] > 0)])
            assert reward == 2 * gone + 10 * won
            assert bool(info["prev_level_complete"]) == won
            assert ended == (won or touched)
            assert bool(env.fields()["exit_open"]) == (before - gone == 0)
            knocked_out += gone
            wins += won
            deaths += touched
    assert knocked_out >= 7
    assert wins >= 1


def test_walls_end_the_episode_and_the_edge_does_not() -> None:
    ends = Counter()
    for env in levels("easy", 30):
        for _ in range(40):
            ended = env.step(RIGHT)[2]
            agent = things(env)[0]
            assert agent["x"] <= 19.0201  # corners are probed at 98 % of the box
            if ended:
                ends["wall"] += any(overlap(agent, wall) for wall in of_type(env, WALL))
                break
        else:
            assert agent["x"] == pytest.approx(19, abs=0.0201)
            ends["edge"] += 1
    assert ends["wall"] > 3
    assert ends["edge"] > 3


def test_the_player_starts_in_peace() -> None:
    for mode in MODES:
        for env in levels(mode, 60):
            assert not any(env.step(STAND)[2] for _ in range(9))
