"""The rules of plunder, checked through the numbers of its state."""

from __future__ import annotations

from collections import Counter
from statistics import mean

import numpy as np
import pytest
from game_states import Record, overlap, records, start

from worldmodels.envs import GameEnv

AGENT, BALL, PANEL, SHIP = range(4)
LEFT, WAIT, RIGHT, FIRE = 1, 4, 7, 9
SIZE = {"easy": 1.5, "hard": 1.0}
ASPECT = 1.712
MODES = ["easy", "hard"]


def things(env: GameEnv, kind: int | None = None) -> list[Record]:
    return [one for one in records(env, "entities") if kind is None or one["type"] == kind]


def levels_of(mode: str, count: int) -> list[GameEnv]:
    return [start("plunder", level, mode) for level in range(count)]


@pytest.mark.parametrize("mode", MODES)
def test_the_beginning(mode: str) -> None:
    size, looks = SIZE[mode], Counter()
    for env in levels_of(mode, 60):
        numbers, agent = env.fields(), things(env)[0]
        assert (agent["rx"], agent["ry"]) == (size, pytest.approx(size / ASPECT))
        assert agent["y"] == pytest.approx(1 + size / ASPECT)
        assert 4 + size <= agent["x"] <= 20 - size
        assert numbers["time"] == 1 and numbers["sunk"] == 0
        assert numbers["target"] != agent["theme"]
        looks[numbers["target"]] += 1
        assert not things(env, SHIP) + things(env, BALL)
    assert set(looks) == set(range(6))


def test_acceleration() -> None:
    env = next(env for env in levels_of("hard", 40) if things(env)[0]["x"] < 10)
    for expected in [0.3825, 0.5546, 0.6321, 0.6669, 0.6826]:
        before = things(env)[0]["x"]
        env.step(RIGHT)
        agent = things(env)[0]
        assert agent["vx"] == pytest.approx(expected, abs=1e-4)
        assert agent["x"] - before == pytest.approx(expected, abs=1e-4)


@pytest.mark.parametrize("mode", MODES)
def test_borders(mode: str) -> None:
    env = start("plunder", 1, mode)
    height = things(env)[0]["y"]
    for action in [LEFT] * 40 + [0, 2]:
        env.step(action)
    assert things(env)[0]["x"] == pytest.approx(4 + SIZE[mode])  # not over the legend
    for action in [RIGHT] * 60:
        env.step(action)
    assert things(env)[0]["x"] == pytest.approx(20 - SIZE[mode], abs=0.03)
    for action in (3, 5, 6, 8):
        env.step(action)
    assert things(env)[0]["y"] == height


def test_panels() -> None:
    assert all(not things(env, PANEL) for env in levels_of("easy", 20))
    counts = Counter()
    for env in levels_of("hard", 200):
        panels = things(env, PANEL)
        counts[len(panels)] += 1
        for i, panel in enumerate(panels):
            assert (panel["rx"], panel["ry"]) == (pytest.approx(1.2), pytest.approx(0.5))
            assert 1.2 <= panel["x"] <= 18.8 and 5.5 <= panel["y"] <= 9.5
            assert not any(overlap(panel, other) for other in panels[:i])
    assert set(counts) == {0, 1, 2, 3}
    assert sum(number * count for number, count in counts.items()) / 200 == pytest.approx(1.5, abs=0.25)


def test_shots() -> None:
    env = start("plunder", 2, "easy")
    fired = []
    for step in range(1, 13):
        old = env.fields()["time"]
        env.step(FIRE)
        newborn = [ball for ball in things(env, BALL) if ball["y"] == things(env)[0]["y"]]
        assert env.fields()["time"] == pytest.approx(old - 0.0015 - 0.02 * len(newborn), abs=1e-5)
        if newborn:
            fired.append(step)
            assert (newborn[0]["vx"], newborn[0]["vy"]) == (0, 1)
            assert newborn[0]["rx"] == newborn[0]["ry"] == 0.25
            assert newborn[0]["x"] == things(env)[0]["x"]
    assert fired == [3, 6, 9, 12]
    heights = [ball["y"] - things(env)[0]["y"] for ball in things(env, BALL)]
    assert heights == pytest.approx([9, 6, 3, 0], abs=1e-4)
    for special in (10, 11, 12, 13, 14):
        count = len(things(env, BALL))
        env.step(special)
        assert len(things(env, BALL)) <= count


def test_idling_runs_out_of_time() -> None:
    env = start("plunder", 4, "hard")
    steps, ended = 0, False
    while not ended:
        _, reward, ended, _, info = env.step(WAIT)
        steps += 1
        assert reward == 0
    assert steps == 667  # 0.0015 of the time a step
    assert not info["prev_level_complete"]


@pytest.mark.parametrize("mode", MODES)
def test_ships(mode: str) -> None:
    size = SIZE[mode]
    lanes = {10 + (0.4 + 0.11 * k) * (10 - size): k for k in range(5)}
    for env in levels_of(mode, 6):
        numbers = env.fields()
        speeds, friend = velocities(numbers), things(env)[0]["theme"]
        assert all(0.15 <= abs(speed) <= 0.25 for speed in speeds)
        for _ in range(60):
            env.step(WAIT)
            ships = things(env, SHIP)
            for ship in ships:
                lane = min(lanes, key=lambda height: abs(height - ship["y"]))
                assert ship["y"] == pytest.approx(lane, abs=1e-4)
                assert ship["vx"] == pytest.approx(speeds[lanes[lane]])
                assert ship["theme"] in (numbers["target"], friend)
                assert ship["mirrored"] == (ship["vx"] < 0)
                assert (ship["rx"], ship["ry"]) == (size, pytest.approx(size / ASPECT))
            fresh = [ship for ship in ships if abs(ship["x"] - 10) == pytest.approx(10 + size, abs=1e-5)]
            assert len(fresh) <= 1
            for ship in fresh:
                assert (ship["vx"] > 0) == (ship["x"] < 0)
                assert not any(overlap(ship, other) for other in ships if other is not ship)


@pytest.mark.parametrize(("mode", "rate"), [("easy", 0.042), ("hard", 0.049)])
def test_how_often_enemies_come(mode: str, rate: float) -> None:
    levels, steps, enemies = 60, 280, 0
    for env in levels_of(mode, levels):
        for _ in range(steps):
            env.step(WAIT)
        enemies += int(env.fields()["enemies"])
    # Half of all ships; some of the 0.06 a step find their place taken, more of the large ones.
    assert enemies / (levels * steps) == pytest.approx(rate / 2, abs=0.0035)


def velocities(numbers: dict[str, float]) -> list[float]:
    return [numbers[f"lanes/{k}"] for k in range(5)]


def test_enough_enemies_come() -> None:
    for level in range(12):
        env = start("plunder", level, "easy")
        for step in range(1, 660):
            env.step(WAIT)
            # The lane that is drawn for one that is overdue may be taken for a while.
            assert env.fields()["enemies"] >= (step - 280) / 42 - 1


def flies_into(ball: Record, other: Record) -> bool:
    moved = {**ball, "y": ball["y"] + ball["vy"]}
    return overlap(moved, {**other, "x": other["x"] + other["vx"]})


def gunner(env: GameEnv) -> int:
    """Goes where a ball would meet the nearest enemy, and fires there if no friend and no panel is in the way."""
    agent, *others = things(env)
    enemies = [one for one in others if one["type"] == SHIP and one["theme"] == env.fields()["target"]]

    def meets(x: float, other: Record) -> bool:
        flight = other["y"] - agent["y"]
        return abs(other["x"] + other["vx"] * flight - x) < other["rx"] + 0.35

    def doomed(enemy: Record) -> bool:
        return any(
            abs(enemy["x"] + enemy["vx"] * (enemy["y"] - ball["y"]) - ball["x"]) < enemy["rx"] + 0.2
            for ball in others
            if ball["type"] == BALL and ball["y"] < enemy["y"]
        )

    blocked = any(meets(agent["x"], one) for one in others if one["type"] != BALL and one not in enemies)
    aims = [e["x"] + e["vx"] * (e["y"] - agent["y"]) - agent["x"] for e in enemies if not doomed(e)]
    reachable = [aim for aim in aims if 4 + agent["rx"] <= aim + agent["x"] <= 20 - agent["rx"]]
    if not reachable:
        return WAIT
    aim = min(reachable, key=abs)
    if abs(aim) < 0.5 * agent["rx"] and not blocked:
        return FIRE
    return LEFT if aim < 0 else RIGHT


@pytest.mark.parametrize("mode", MODES)
def test_twenty_enemies_complete_the_level(mode: str) -> None:
    for level in range(6):
        env = start("plunder", level, mode)
        total, ended = 0.0, False
        while not ended:
            _, reward, ended, _, info = env.step(gunner(env))
            total += reward
        if info["prev_level_complete"]:
            assert total == 20 + 10
            assert reward >= 10 + 1
            return
        assert total < 20 and env.fields()["time"] <= 0
    pytest.fail("no level was completed")


def test_hits() -> None:
    sunk = Counter()
    for env in levels_of("hard", 4):
        generator = np.random.default_rng(0)
        target, ended = env.fields()["target"], False
        while not ended:
            old, time = things(env), env.fields()["time"]
            action = int(generator.choice([FIRE, FIRE, LEFT, RIGHT]))
            _, reward, ended, _, info = env.step(action)
            numbers, new = env.fields(), things(env)
            shot = any(one["type"] == BALL and one["y"] == new[0]["y"] for one in new)
            met = {kind: 0 for kind in ("enemy", "friend", "panel")}
            for ball in (one for one in old if one["type"] == BALL):
                for other in reversed(old):
                    if other["type"] in (SHIP, PANEL) and flies_into(ball, other):
                        enemy = other["theme"] == target
                        met["panel" if other["type"] == PANEL else "enemy" if enemy else "friend"] += 1
                        break
            if not info["prev_level_complete"]:
                assert reward == met["enemy"]
            change = 0.1 * (met["enemy"] - met["friend"]) - 0.02 * shot - 0.0015
            assert numbers["time"] == pytest.approx(min(time + change, 1), abs=1e-4)
            assert ended == (numbers["time"] <= 0 or numbers["sunk"] == 20)
            if not ended:
                assert len(records(env, "explosions")) >= met["enemy"] + met["friend"]
            # Balls that met something are gone.
            flying = sum(one["type"] == BALL and one["y"] + 1 - 0.25 <= 20 for one in old)
            assert sum(one["type"] == BALL for one in new) == flying - sum(met.values()) + shot
            sunk.update(met)
    assert min(sunk[kind] for kind in ("enemy", "friend", "panel")) > 5


def colours(frame: np.ndarray) -> Counter:
    return Counter(tuple(pixel) for pixel in frame.reshape(-1, 3).tolist())


def test_bars() -> None:
    time_colour, goal_colour = (66, 245, 135), (245, 66, 144)
    env = start("plunder", 0, "easy")
    frame = env.step(WAIT)[0]
    assert (frame[1:3, 1:] == time_colour).all()  # 20 cells long from a quarter of a cell on: it leaves the picture
    assert goal_colour not in colours(frame)
    for _ in range(332):
        frame = env.step(WAIT)[0]
    assert colours(frame)[time_colour] == 2 * 32  # half the time is left
    env = start("plunder", 0, "easy")
    while env.fields()["sunk"] < 5:
        frame = env.step(gunner(env))[0]
    assert (frame[3:5, 1:17] == goal_colour).all()  # 5 of 20
    assert colours(frame)[goal_colour] == 2 * 16


def flat_colour(type_number: int, theme: int = 0) -> tuple[int, int, int]:
    index = (29 * (type_number + 1) + 19 * theme) % 64
    return (64 * (index // 16 + 1) - 1, 64 * (index // 4 % 4 + 1) - 1, 64 * (index % 4 + 1) - 1)


def test_the_legend_shows_the_target() -> None:
    style = {"use_monochrome_assets": True, "use_backgrounds": False, "restrict_themes": True}
    for level in range(8):
        env = start("plunder", level, "hard", **style)
        frame = env.step(WAIT)[0]
        numbers = env.fields()
        assert tuple(frame[57, 6]) == flat_colour(7, int(numbers["target"]))
        assert tuple(frame[57, 1]) == flat_colour(3)
        x, y = (int(3.2 * value) for value in (things(env)[0]["x"], 20 - things(env)[0]["y"]))
        assert tuple(frame[y, x]) == flat_colour(7, int(things(env)[0]["theme"]))


def test_generated_ships_can_be_told_apart() -> None:
    legends = {}
    for level in range(30):
        env = start("plunder", level, "hard", use_generated_assets=True, use_backgrounds=False)
        frame = env.step(WAIT)[0]
        legends[env.fields()["target"]] = frame[53:61, 4:9].tobytes()
    assert len(set(legends.values())) == len(legends) == 6


def test_the_sea_is_one_of_four() -> None:
    seas = {int(env.fields()["background"]) for env in levels_of("easy", 40)}
    assert seas == {0, 1, 2, 3}
    assert mean(things(env)[0]["x"] for env in levels_of("hard", 40)) == pytest.approx(12, abs=2)
