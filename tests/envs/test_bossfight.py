"""The rules of bossfight, checked through the numbers of its state."""

from __future__ import annotations

import math
from collections import Counter

import pytest
from game_states import Record, overlap, records, start

from worldmodels.envs import GameEnv

DRIFT, LEFT, RIGHT, UP, DOWN, FIRE = 4, 1, 7, 5, 3, 9
FAN, SPIRAL, RING, RAIN = range(4)
PLAYERS = (1.32, 1.32, 1.493, 1.307)
BOSSES = (1.107, 1.238, 1.226, 0.976)
METEORS = (1.019, 0.972, 0.943, 0.995, 1.202, 1.224, 1.085, 1.021)


def numbers(env: GameEnv) -> dict[str, float]:
    return env.fields()


def things(env: GameEnv) -> list[Record]:
    return records(env, "entities")


def levels(mode: str, count: int) -> list[GameEnv]:
    return [start("bossfight", level, mode) for level in range(count)]


def angle(shot: Record) -> float:
    return math.degrees(math.atan2(shot["vy"], shot["vx"])) % 360


def test_what_a_level_is_made_of() -> None:
    health, rounds, flights, meteors = Counter(), Counter(), Counter(), Counter()
    for env in levels("hard", 400):
        values = numbers(env)
        agent, boss, *rocks = things(env)
        count = sum(name.startswith("attacks/") for name in values)
        assert boss["health"] == values["hits"] * count
        health[values["hits"]] += 1
        rounds[count] += 1
        flights[values["shield_flights"]] += 1
        meteors[len(rocks)] += 1
        assert (boss["x"], boss["y"], boss["rx"]) == (10, 10, 3)
        assert boss["rx"] / boss["ry"] == pytest.approx(BOSSES[int(boss["theme"])])
        assert agent["rx"] / agent["ry"] == pytest.approx(PLAYERS[int(agent["theme"])])
        assert agent["y"] == agent["ry"]
        for rock in rocks:
            assert rock["rx"] / rock["ry"] == pytest.approx(METEORS[int(rock["theme"])])
            assert 2 * agent["ry"] + 1.1 - 1e-5 <= rock["y"] <= 5.4
            assert sum(overlap(rock, other) for other in things(env)) == 1  # itself
    assert sorted(health) == list(range(1, 10))
    assert sorted(rounds) == list(range(1, 6))
    assert sorted(flights) == [2, 3, 4, 5]
    # One, two or three attempts; each later one is in another's way in a few of a hundred levels.
    assert sorted(meteors) == [1, 2, 3]
    assert sum(count * size for size, count in meteors.items()) / 400 == pytest.approx(1.94, abs=0.15)


def test_easy_shields_last_two_or_three_flights() -> None:
    assert {numbers(env)["shield_flights"] for env in levels("easy", 60)} == {2, 3}


def first_drop(env: GameEnv) -> int:
    """The step on which the shield drops; -1 when the ship is hit before."""
    for step in range(1, 200):
        if env.step(DRIFT)[2]:
            return -1
        if numbers(env)["shield_up"] == 0:
            return step
    raise AssertionError("the shield never dropped")


def test_first_shield_drop() -> None:
    seen = {}
    for level in range(120):
        env = start("bossfight", level, "hard")
        flights = numbers(env)["shield_flights"]
        drop = first_drop(env)
        if drop > 0:
            seen.setdefault(flights, set()).add(drop)
    assert seen == {2: {63}, 3: {84}, 4: {105}, 5: {126}}


def test_the_boss_flies_for_21_steps_at_a_time() -> None:
    env = next(env for env in levels("easy", 40) if first_drop_survives(env))
    places = [(10.0, 10.0)]
    for _ in range(64):
        assert not env.step(DRIFT)[2]
        boss = things(env)[1]
        places.append((boss["x"], boss["y"]))
    assert set(places[:22]) == {(10.0, 10.0)}
    for begin in (21, 42):
        steps = [
            (b[0] - a[0], b[1] - a[1]) for a, b in zip(places[begin:], places[begin + 1 : begin + 22], strict=False)
        ]
        assert len(steps) == 21
        for dx, dy in steps:
            assert (dx, dy) == (pytest.approx(steps[0][0], abs=1e-5), pytest.approx(steps[0][1], abs=1e-5))
        x, y = places[begin + 20]  # a twentieth of the way in each step
        assert 3 - 1e-3 <= x <= 17 + 1e-3
        assert 9 - 1e-3 <= y <= 17 + 1e-3


def first_drop_survives(env: GameEnv) -> bool:
    """Whether standing still for 70 steps does; leaves the game as it was."""
    before = env.get_state()
    lives = not any(env.step(DRIFT)[2] for _ in range(70))
    env.set_state(before)
    return lives


@pytest.mark.parametrize(("mode", "speed"), [("easy", 0.5), ("hard", 0.75)])
def test_attack_patterns(mode: str, speed: float) -> None:
    periods = {FAN: 8, SPIRAL: 5, RING: 10, RAIN: 4}
    seen = Counter()
    for env in levels(mode, 40):
        attack = int(numbers(env)["attacks/0"])
        for step in range(1, 60):
            if env.step(DRIFT)[2]:
                break
            newborn = [shot for shot in records(env, "boss_shots") if shot["age"] == 0]
            assert bool(newborn) == (step % periods[attack] == 0)
            if not newborn:
                continue
            seen[attack] += 1
            boss = things(env)[1]
            for shot in newborn:
                assert math.hypot(shot["vx"], shot["vy"]) == pytest.approx(speed, abs=1e-4)
                assert (shot["x"], shot["y"], shot["rx"]) == (boss["x"], boss["y"], 0.5)
            angles = [angle(shot) for shot in newborn]
            if attack == FAN:
                assert angles == pytest.approx([225, 247.5, 270, 292.5, 315], abs=0.01)
            elif attack == SPIRAL:
                swing = abs(8 - (step // 5) % 16)
                expected = [(225 + 11.25 * swing + 90 * i) % 360 for i in range(4)]
                assert [math.cos(math.radians(a - b)) for a, b in zip(angles, expected, strict=True)] == pytest.approx(
                    [1] * 4, abs=1e-6
                )
            elif attack == RING:
                assert len(angles) == 8
                assert [(b - angles[0]) % 360 for b in angles[1:]] == pytest.approx(
                    [45 * i for i in range(1, 8)], abs=0.01
                )
            else:
                assert len(angles) == 1
                assert 180 <= angles[0] <= 360
    assert set(seen) == set(periods)


def test_player_shots_and_their_interval() -> None:
    env = start("bossfight", 0)
    born = []
    for step in range(1, 13):
        if env.step(FIRE)[2]:
            break
        born += [step for shot in records(env, "player_shots") if shot["age"] == 0]
    assert born == [3, 6, 9, 12]
    shot = records(env, "player_shots")[0]
    assert (shot["vx"], shot["vy"], shot["rx"], shot["ry"]) == (0, 1, 0.25, 0.25)
    assert records(env, "player_shots")[-1]["x"] == things(env)[0]["x"]
    for action in range(10, 15):
        env.step(action)
    assert all(shot["age"] > 0 for shot in records(env, "player_shots"))


def test_acceleration() -> None:
    env = next(env for env in levels("easy", 50) if things(env)[0]["x"] < 8)
    for expected in (0.3825, 0.5546, 0.6321, 0.6669, 0.6826):
        env.step(RIGHT)
        assert things(env)[0]["vx"] == pytest.approx(expected, abs=1e-4)


def aim(env: GameEnv, horizon: int = 6) -> int:
    """Fires whenever that is safe below a boss without a shield; otherwise lives, under the boss if possible."""
    agent, boss, *_ = things(env)
    towards = RIGHT if boss["x"] > agent["x"] else LEFT
    near = abs(boss["x"] - agent["x"]) < 1.5
    wishes = ([FIRE] if near else [towards]) + [DRIFT, LEFT, RIGHT, DOWN, UP, 0, 6]
    before = env.get_state()
    for action in wishes:
        safe = True
        for ahead in range(horizon):
            _, reward, ended, _, _ = env.step(action if ahead == 0 else DRIFT)
            if ended:
                safe = reward > 0
                break
        env.set_state(before)
        if safe:
            return action
    return DRIFT


def test_rounds_rewards_and_the_end() -> None:
    wins = rounds_won = reflected = 0
    for level in range(14):
        env = start("bossfight", level)
        values = numbers(env)
        hits, flights = values["hits"], values["shield_flights"]
        if hits > 4:
            continue
        ended, step, round_start = False, 0, None
        while not ended and step < 500:
            health, up = things(env)[1]["health"], numbers(env)["shield_up"]
            _, reward, ended, _, info = env.step(aim(env))
            step += 1
            agent, boss, *rocks = things(env)
            if up:
                assert boss["health"] == health  # nothing gets through
                reflected += bool(records(env, "reflected"))
            lost = health - boss["health"]
            if reward == 0:
                assert not info["prev_level_complete"]
                if lost:
                    assert boss["health"] % hits != 0
                if ended:
                    shots = records(env, "boss_shots")
                    assert any(overlap(agent, e) for e in [boss, *rocks, *shots])
            elif boss["health"] == 0:
                assert reward == 11
                assert ended
                assert info["prev_level_complete"]
                wins += 1
            else:
                assert reward == 1
                assert boss["health"] % hits == 0
                values = numbers(env)
                assert values["shield_up"] == 1
                assert (boss["vx"], boss["vy"]) == (0, 0)
                round_start = step
                rounds_won += 1
            if round_start is not None and reward == 0:
                quiet = step - round_start
                newborn = [shot for shot in records(env, "boss_shots") if shot["age"] == 0]
                if quiet <= 40:
                    assert not newborn
                if not ended:
                    # The first flight begins 40 steps after the round, each takes 21, and then the shield drops.
                    assert bool(numbers(env)["shield_up"]) == (quiet < 40 + 21 * flights)
    assert wins >= 1
    assert rounds_won >= 2
    assert reflected > 0


def test_meteors_stop_both_sides() -> None:
    stopped = Counter()
    for level in range(30):
        env = start("bossfight", level)
        _, _, *rocks = things(env)
        for _ in range(40):
            before = {name: records(env, name) for name in ("player_shots", "boss_shots")}
            if env.step(FIRE)[2]:
                break
            for name, shots in before.items():
                now = {(shot["x"], shot["y"], shot["age"]) for shot in records(env, name)}
                for shot in shots:
                    moved = dict(shot, x=shot["x"] + shot["vx"], y=shot["y"] + shot["vy"])
                    if any(overlap(moved, rock) for rock in rocks):
                        assert (moved["x"], moved["y"], shot["age"] + 1) not in now
                        stopped[name] += 1
            assert len(things(env)) == 2 + len(rocks)  # meteors stand everything
    assert stopped["player_shots"] > 0
    assert stopped["boss_shots"] > 0


def test_nothing_ends_the_first_steps() -> None:
    for mode in ("easy", "hard"):
        for env in levels(mode, 100):
            assert not any(env.step(DRIFT)[2] for _ in range(10))
