"""The rules of starpilot, checked through the numbers of its state."""

from __future__ import annotations

import math
from collections import Counter

import pytest
from game_states import Record, overlap, records, start, variables

from worldmodels.envs import GameEnv

PLAYER_SHOT, FLYER_SHOT, TURRET_SHOT, FLYER, METEOR, CLOUD, TURRET, FAST_FLYER, FINISH = range(1, 10)
TARGETS = (FLYER, FAST_FLYER, TURRET, METEOR)
DEADLY = (*TARGETS, FLYER_SHOT, TURRET_SHOT)
DOWN, DRIFT, UP, LEFT, RIGHT = 3, 4, 5, 1, 7
FIRE, FIRE_BACKWARDS = 9, 10


def things(env: GameEnv) -> list[Record]:
    return records(env, "entities")


def arrivals_of(mode: str, levels: int) -> list[list[Record]]:
    env = GameEnv("starpilot", distribution_mode=mode, start_level=0, num_levels=0)
    lists = []
    for seed in range(levels):
        env.reset(seed=seed)
        lists.append(records(env, "arrivals"))
    return lists


@pytest.mark.parametrize(
    ("mode", "expected"),
    [
        ("easy", {FLYER: 75.9, FAST_FLYER: 0, TURRET: 0, METEOR: 0, CLOUD: 0}),
        ("hard", {FLYER: 32.2, FAST_FLYER: 10.7, TURRET: 3.7, METEOR: 3.4, CLOUD: 3.6}),
    ],
)
def test_counts_of_arrivals(mode: str, expected: dict[int, float]) -> None:
    levels = 300
    counts = Counter(arrival["type"] for level in arrivals_of(mode, levels) for arrival in level)
    assert counts[FINISH] == levels
    for kind, mean in expected.items():
        # Groups have up to five members, so the standard deviation per level is at most some twelve.
        assert counts[kind] / levels == pytest.approx(mean, abs=0.08 * mean + 0.25)


def test_order_and_times_of_arrivals() -> None:
    for level in arrivals_of("hard", 60):
        steps = [arrival["step"] for arrival in level]
        assert steps == sorted(steps)
        assert steps[0] >= 11
        assert 450 < steps[-1] <= 520
        assert [a["step"] for a in level if a["type"] == FINISH] == [500]


def test_arrivals_fly_as_their_kind_does() -> None:
    speeds = {FLYER: 0.4, FAST_FLYER: 0.6, METEOR: 0.2, CLOUD: 0.2, TURRET: 0.2, FINISH: 0.2}
    arrivals = [arrival for level in arrivals_of("hard", 100) for arrival in level]
    for arrival in arrivals:
        assert math.hypot(arrival["vx"], arrival["vy"]) == pytest.approx(speeds[int(arrival["type"])], abs=1e-5)
        if arrival["type"] != FLYER:
            assert arrival["vy"] == 0
        assert abs(arrival["vy"]) <= abs(arrival["vx"]) * 1.0001  # at most 45 degrees
        if arrival["type"] in (FLYER, FAST_FLYER):
            assert 10 <= arrival["timer"] < 100
        elif arrival["type"] == TURRET:
            assert 20 <= arrival["timer"] < 30
    flyers = [arrival for arrival in arrivals if arrival["type"] == FLYER]
    straight = sum(arrival["vy"] == 0 for arrival in flyers) / len(flyers)
    behind = sum(arrival["vx"] > 0 for arrival in flyers) / len(flyers)
    assert straight == pytest.approx(0.5, abs=0.04)
    assert behind == pytest.approx(0.1, abs=0.03)


def test_nothing_comes_from_behind_in_easy_mode() -> None:
    assert all(arrival["vx"] < 0 for level in arrivals_of("easy", 40) for arrival in level)


@pytest.mark.parametrize(
    ("mode", "speeds"),
    [
        ("hard", [0.3375, 0.4894, 0.5577, 0.5885, 0.6023]),
        ("extreme", [0.225, 0.3263, 0.3718, 0.3923, 0.4015, 0.4057]),
    ],
)
def test_acceleration(mode: str, speeds: list[float]) -> None:
    env = next(env for env in (start("starpilot", level, mode) for level in range(100)) if things(env)[0]["x"] < 8)
    for expected in speeds:
        before = things(env)[0]["x"]
        env.step(RIGHT)
        agent = things(env)[0]
        assert agent["vx"] == pytest.approx(expected, abs=1e-4)
        assert agent["x"] - before == pytest.approx(expected, abs=1e-4)


def test_the_world_has_walls() -> None:
    env = start("starpilot", 0)
    for _ in range(10):
        env.step(UP)
    for _ in range(25):
        if env.step(LEFT)[2]:
            break
        agent = things(env)[0]
        assert 0.4 - 1e-4 <= agent["x"] <= 15.6 + 1e-4
        assert 0.4 - 1e-4 <= agent["y"] <= 15.6 + 1e-4


@pytest.mark.parametrize(("mode", "radius"), [("easy", 0.4), ("hard", 0.4), ("extreme", 0.2)])
def test_shots(mode: str, radius: float) -> None:
    env = next(env for env in (start("starpilot", level, mode) for level in range(100)) if 6 < things(env)[0]["x"] < 9)
    agent = things(env)[0]
    env.step(FIRE)
    env.step(FIRE_BACKWARDS)  # no cooldown
    moved, ahead, behind = things(env)
    assert (moved["x"], moved["y"]) == (agent["x"], agent["y"])  # firing is not moving
    assert ahead["type"] == behind["type"] == PLAYER_SHOT
    assert ahead["rx"] == ahead["ry"] == pytest.approx(radius)
    assert ahead["x"] == pytest.approx(agent["x"] + 0.4 + 0.8, abs=1e-5)  # has moved once
    assert behind["x"] == pytest.approx(agent["x"] - 0.4, abs=1e-5)  # is just born
    assert (ahead["vx"], behind["vx"]) == (pytest.approx(0.8), pytest.approx(-0.8))
    for action in range(11, 15):
        env.step(action)
        assert things(env)[-1]["vx"] == pytest.approx(0.8)


def test_the_ship_lives_through_the_first_steps() -> None:
    for level in range(150):
        env = start("starpilot", level, "hard")
        assert not any(env.step(DRIFT)[2] for _ in range(11))


def aim(env: GameEnv) -> int:
    """Fires when a target is ahead, otherwise moves to the height of the nearest."""
    agent, *others = things(env)
    ahead = [e for e in others if e["type"] in (FLYER, FAST_FLYER, TURRET) and e["x"] > agent["x"] + 1.5]
    if not ahead:
        return DRIFT
    target = min(ahead, key=lambda e: e["x"])
    difference = target["y"] - agent["y"]
    return FIRE if abs(difference) < 0.4 else UP if difference > 0 else DOWN


@pytest.mark.parametrize("mode", ["easy", "hard", "extreme"])
def test_rewards_and_ends_have_their_causes(mode: str) -> None:
    kills = ends = hits = 0
    for level in range(12):
        env = start("starpilot", level, mode)
        ended = False
        while not ended:
            health = sum(e["health"] for e in things(env) if e["type"] in TARGETS)
            old = Counter(e["type"] for e in things(env) if e["type"] in TARGETS)
            _, reward, ended, truncated, info = env.step(aim(env))
            agent, *others = things(env)
            if reward == 1 and not ended:
                gone = old - Counter(e["type"] for e in others if e["type"] in TARGETS and e["age"] > 0)
                assert sum(gone.values()) >= 1
                kills += 1
            hits += sum(e["health"] for e in others if e["type"] in TARGETS and e["age"] > 0) < health
            # What was shot down in this step is gone: something that is still there must have been touched.
            touched = [e for e in others if e["type"] in (*DEADLY, FINISH) and e["age"] > 0 and overlap(agent, e)]
            assert ended == bool(touched)
            assert bool(info["prev_level_complete"]) == any(e["type"] == FINISH for e in touched)
            ends += ended
            assert not truncated
    assert ends == 12
    assert kills >= 5
    assert hits > kills  # most enemies take more than one shot


@pytest.mark.parametrize(("mode", "flyer", "fast"), [("easy", 2, 1), ("hard", 2, 1), ("extreme", 5, 2)])
def test_health(mode: str, flyer: int, fast: int) -> None:
    seen = {}
    for level in range(30):
        env = start("starpilot", level, mode)
        for _ in range(120):
            if env.step(DRIFT)[2]:
                break
            seen.update({e["type"]: e["health"] for e in things(env)})
    assert seen[FLYER] == flyer
    assert seen.get(FAST_FLYER, fast) == fast
    assert seen.get(TURRET, 0) in (0, 10 if mode == "extreme" else 5)


def test_enemies_aim_at_the_ship() -> None:
    fired = Counter()
    for level in range(40):
        env = start("starpilot", level, "hard")
        for _ in range(150):
            shooters = things(env)[1:]
            if env.step(DRIFT)[2]:
                break
            agent, *others = things(env)
            newborn = [e for e in others if e["type"] in (FLYER_SHOT, TURRET_SHOT) and e["age"] == 0]
            for shot in newborn:
                kinds = (TURRET,) if shot["type"] == TURRET_SHOT else (FLYER, FAST_FLYER)
                source = [e for e in others if e["type"] in kinds and (e["x"], e["y"]) == (shot["x"], shot["y"])]
                assert len(source) >= 1
                if shot["type"] == TURRET_SHOT:
                    assert source[0]["age"] % source[0]["timer"] == 0
                else:
                    assert source[0]["age"] == source[0]["timer"]
                dx, dy = agent["x"] - shot["x"], agent["y"] - shot["y"]
                distance = math.hypot(dx, dy)
                assert shot["vx"] == pytest.approx(0.8 * dx / distance, abs=1e-4)
                assert shot["vy"] == pytest.approx(0.8 * dy / distance, abs=1e-4)
                fired[shot["type"]] += 1
            assert len(shooters) < 200
    assert fired[FLYER_SHOT] > 0
    assert fired[TURRET_SHOT] > 0


def survive(env: GameEnv, steps: int) -> tuple[float, bool, bool]:
    """Acts with foresight: takes the first action after which the ship can live on for a while."""
    for _ in range(steps):
        before = env.get_state()
        for action in (DRIFT, UP, DOWN, LEFT, RIGHT, 0, 2, 6, 8):
            if not any(env.step(action)[2] for _ in range(9)):
                break
            env.set_state(before)
        env.set_state(before)
        _, reward, ended, _, info = env.step(action)
        if ended:
            return reward, ended, bool(info["prev_level_complete"])
    return 0.0, False, False


def test_the_rocket_completes_the_level() -> None:
    env = next(env for env in (start("starpilot", level) for level in range(20)) if not survive(env, 500)[1])
    rocket = next(e for e in things(env) if e["type"] == FINISH)
    assert rocket["ry"] == 8
    assert rocket["rx"] / rocket["ry"] == pytest.approx([0.326, 0.508, 0.375, 0.369][int(rocket["theme"])])
    assert rocket["x"] == pytest.approx(16 + rocket["rx"])
    env.step(DRIFT)  # and the rocket flies in, as high as the world
    found = variables(env)
    assert (found["rocket.dx"], found["rocket.dy"]) == pytest.approx((16 - 0.2 - found["agent.x"], 0))
    for _ in range(100):
        _, reward, ended, _, info = env.step(RIGHT)
        if ended:
            break
    assert reward >= 10
    assert info["prev_level_complete"]
