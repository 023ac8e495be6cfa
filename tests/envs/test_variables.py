"""What games say about themselves, against what their states and pictures say."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

import numpy as np
import pytest
from game_states import Record, cells, records, start, variables

from worldmodels.core.errors import UserError
from worldmodels.envs import GameEnv, GameVectorEnv
from worldmodels.envs.games.table import variable_units

LEFT, DOWN, WAIT, UP, RIGHT, FIRE = 1, 3, 4, 5, 7, 9


def moments(
    game: str, mode: str = "easy", levels: int = 6, steps: int = 60, actions: Sequence[int] = range(15)
) -> Iterator[GameEnv]:
    """Every fifth moment of random play in some levels."""
    for level in range(levels):
        env, random = start(game, level, mode), np.random.default_rng(level)
        for step in range(steps):
            _, _, terminated, truncated, _ = env.step(int(random.choice(actions)))
            if terminated or truncated:
                break
            if step % 5 == 0:
                yield env


def nearest(things: list[Record], agent: Record, view: tuple[float, float, float]) -> dict[str, float]:
    """The nearest thing of those that are in the view (its middle and its side), as seen from the agent."""
    x, y, side = view
    seen = [e for e in things if abs(e["x"] - x) < side / 2 + e["rx"] and abs(e["y"] - y) < side / 2 + e["ry"]]
    if not seen:
        return dict.fromkeys(("dx", "dy", "vx", "vy"), math.nan)
    e = min(seen, key=lambda e: math.hypot(e["x"] - agent["x"], e["y"] - agent["y"]))
    return {"dx": e["x"] - agent["x"], "dy": e["y"] - agent["y"], "vx": e["vx"], "vy": e["vy"]}


def check_nearest(found: Record, name: str, *wanted_from: object) -> bool:
    """Compare the variables of a kind with those worked out from the state; whether there was one."""
    wanted = nearest(*wanted_from)  # type: ignore[arg-type]
    for part, value in wanted.items():
        if f"{name}.{part}" in found:
            assert found[f"{name}.{part}"] == pytest.approx(value, abs=1e-4, nan_ok=True), (name, part)
    return not math.isnan(wanted["dx"])


def test_coinrun_runs_and_jumps() -> None:
    env = start("coinrun", debug_mode=14)  # without pits, crates and steps
    coin_x, coin_y = env.fields()["coin_x"] + 0.5, env.fields()["coin_y"] + 0.5
    speed, x = 0.0, 1.5
    for _ in range(4):
        now = variables(env, debug_mode=14)
        assert (now["agent.x"], now["agent.vx"]) == pytest.approx((x, speed))
        assert (now["coin.dx"], now["coin.dy"]) == pytest.approx((coin_x - x, coin_y - 1.5787))
        assert (now["agent.supported"], now["open.down"]) == (1, 0)
        assert now["open.left"] == math.floor(x) - 1
        assert now["coin.seen"] == (abs(coin_x - x) < 7)
        env.step(RIGHT)
        speed = 0.8 * speed + 0.2 * 0.5
        x += speed
    env.step(UP)
    now = variables(env, debug_mode=14)
    assert (now["agent.supported"], now["agent.vy"]) == (0, 1.5)
    assert now["agent.y"] == pytest.approx(1.5787 + 1.5)


def test_coinrun_things() -> None:
    met = set()
    for env in moments("coinrun", "hard", levels=30, actions=(RIGHT, 8)):
        found, (agent, *others) = variables(env, "hard"), records(env, "entities")
        for kind, name in enumerate(("saw", "walker", "crate"), start=1):
            things = [e for e in others if e["type"] == kind]
            if check_nearest(found, name, things, agent, (agent["x"], agent["y"], 13)):
                met.add(name)
        lava = [
            {"x": x + 0.5, "y": y + 0.5, "rx": 0.5, "ry": 0.5, "vx": 0, "vy": 0}
            for y, row in enumerate(cells(env))
            for x, cell in enumerate(row)
            if cell in (17, 18)
        ]
        if check_nearest(found, "lava", lava, agent, (agent["x"], agent["y"], 13)):
            met.add("lava")
    assert met == {"saw", "walker", "crate", "lava"}


def test_starpilot() -> None:
    met = set()
    for env in moments("starpilot", "hard", levels=12, steps=300):
        found, (agent, *others) = variables(env, "hard"), records(env, "entities")
        assert (found["agent.x"], found["agent.vy"]) == (agent["x"], agent["vy"])
        kinds = {"flyer": (4, 8), "enemy_shot": (2, 3), "meteor": (5,), "cloud": (6,), "turret": (7,)}
        for name, types in kinds.items():
            things = [e for e in others if e["type"] in types]
            if check_nearest(found, name, things, agent, (8, 8, 16)):
                met.add(name)
        assert found["own_shots"] <= sum(e["type"] == 1 for e in others)
        assert math.isnan(found["rocket.dx"])
    assert met == {"flyer", "enemy_shot", "meteor", "cloud", "turret"}


def test_starpilot_moves_fires_and_meets_its_rocket() -> None:
    env = start("starpilot")
    before = variables(env)
    env.step(RIGHT if before["agent.x"] < 8 else LEFT)
    after = variables(env)
    assert abs(after["agent.x"] - before["agent.x"]) == pytest.approx(0.3375, abs=1e-4)
    assert (before["own_shots"], after["own_shots"]) == (0, 0)
    env.step(FIRE)
    assert variables(env)["own_shots"] == 1
    assert "meteor.dx" not in before  # no such thing comes in easy mode


def test_bossfight() -> None:
    fired = 0
    for env in moments("bossfight", "hard", levels=8, steps=200):
        found, (agent, boss, *meteors) = variables(env, "hard"), records(env, "entities")
        assert (found["boss.dx"], found["boss.dy"]) == pytest.approx((boss["x"] - agent["x"], boss["y"] - agent["y"]))
        assert (found["boss.vx"], found["boss.health"]) == pytest.approx((boss["vx"], boss["health"]))
        assert found["boss.shield"] == env.fields()["shield_up"]
        check_nearest(found, "meteor", meteors, agent, (10, 10, 20))
        fired += check_nearest(found, "boss_shot", records(env, "boss_shots"), agent, (10, 10, 20))
    assert fired > 50


def test_bossfight_waits_between_shots() -> None:
    env, may_fire, shots = start("bossfight"), [], []
    for action in (WAIT, WAIT, FIRE, WAIT, WAIT, FIRE):
        env.step(action)
        found = variables(env)
        may_fire.append(found["agent.may_fire"])
        shots.append(found["own_shots"])
    assert may_fire == [0, 1, 0, 0, 1, 0]
    assert shots == [0, 0, 1, 1, 1, 2]


def test_ninja_charges_jumps_and_throws() -> None:
    env = start("ninja")
    first, goal = variables(env), records(env, "entities")[1]
    assert (first["agent.x"], first["agent.y"]) == (1.5, 32.5)
    assert (first["mushroom.dx"], first["mushroom.dy"]) == (goal["x"] - 1.5, goal["y"] - 32.5)
    assert (first["agent.supported"], first["agent.charge"], first["agent.facing"]) == (1, 0, 1)
    env.step(UP)
    assert variables(env)["agent.charge"] == 1
    env.step(WAIT)
    jumped = variables(env)
    assert (jumped["agent.charge"], jumped["agent.supported"], jumped["agent.vy"]) == (0, 0, 1.25)
    assert jumped["agent.y"] == pytest.approx(32.5 + 1.25)
    assert math.isnan(jumped["star.dx"])
    env.step(FIRE)
    thrown = variables(env)
    assert (thrown["star.dx"], thrown["star.dy"], thrown["agent.pause"]) == (0, 0, 3)


def test_leaper_hops() -> None:
    env = next(env for env in (start("leaper", level) for level in range(50)) if not records(env, "lanes"))
    heights, hops, ways = [], [], []
    for _ in range(5):
        env.step(UP)
        found = variables(env)
        heights.append(found["agent.y"])
        hops.append(found["agent.hops"])
        ways.append(found["lilies.dy"])
    assert heights == pytest.approx([0.8, 1.1, 1.3, 1.4, 1.4], abs=1e-6)
    assert hops == [1] * 5
    assert ways == pytest.approx([1.7, 1.4, 1.2, 1.1, 1.1], abs=1e-6)  # the lilies are in row 2
    assert math.isnan(found["car.dx"]) and math.isnan(found["above.vx"])


def test_leaper_traffic() -> None:
    met = set()
    for env in moments("leaper", "hard", levels=12):
        found = variables(env, "hard")
        agent = {"x": found["agent.x"], "y": found["agent.y"]}
        fields = env.fields()
        lanes = records(env, "lanes")
        for river, name in enumerate(("car", "log")):
            things = []
            for index, lane in enumerate(lanes):
                if lane["river"] != river:
                    continue
                places = [
                    v for path, v in fields.items() if f"lanes/{index}/travellers/" in path and path.endswith("/x")
                ]
                body = {"y": lane["row"] + 0.5, "rx": 2, "ry": 0.5, "vx": lane["velocity"], "vy": 0}
                things += [{"x": x, **body} for x in places]
            if check_nearest(found, name, things, agent, (7.5, 7.5, 15)):
                met.add(name)
        above = [lane["velocity"] for lane in lanes if lane["row"] == math.floor(agent["y"]) + 1]
        assert found["above.vx"] == pytest.approx(above[0] if above else math.nan, nan_ok=True)
    assert met == {"car", "log"}


@pytest.mark.parametrize(("mode", "width"), [("easy", 10), ("hard", 20)])
def test_fruitbot(mode: str, width: int) -> None:
    met = set()
    for env in moments("fruitbot", mode, levels=8, steps=200):
        found, (robot, *others) = variables(env, mode), records(env, "entities")
        view = (width / 2, robot["y"] + width / 2 - 0.8, width)
        for kind, name in enumerate(("lock", "key", "present", "fruit", "food"), start=3):
            if check_nearest(found, name, [e for e in others if e["type"] == kind], robot, view):
                met.add(name)
        bars = [e for e in others if e["type"] == 1]
        walls = [(a["y"], a["x"] + a["rx"], b["x"] - b["rx"]) for a, b in zip(bars[::2], bars[1::2], strict=True)]
        ahead = [wall for wall in walls if wall[0] + 0.3 >= robot["y"] - 0.4]
        if not ahead or ahead[0][0] - 0.3 >= view[1] + width / 2:
            assert math.isnan(found["opening.dy"])
            continue
        y, left, right = ahead[0]
        opening = [found[f"opening.{part}"] for part in ("left", "right", "dy")]
        assert opening == pytest.approx([left - robot["x"], right - robot["x"], y - robot["y"]], abs=1e-4)
        met.add("opening")
    assert met >= {"fruit", "food", "opening"}


def test_fruitbot_steers() -> None:
    env = start("fruitbot")
    before = variables(env)
    env.step(RIGHT if before["agent.x"] < 5 else LEFT)
    after = variables(env)
    assert after["agent.x"] - before["agent.x"] == pytest.approx(after["agent.vx"], abs=1e-5)
    assert abs(after["agent.vx"]) > 0.3


def test_maze_and_its_picture() -> None:
    env = start("maze", 3)
    scale = 64 / 15
    picture, before = env.observe().astype(int), variables(env)
    grid = cells(env)
    x, y = math.floor(before["agent.x"]), math.floor(before["agent.y"])
    free = {
        side: next((n for n in range(4) if grid[y + dy * (n + 1)][x + dx * (n + 1)] == 51), 4)
        for side, dx, dy in (("right", 1, 0), ("up", 0, 1))
    }
    assert (before["open.left"], before["open.down"]) == (0, 0)  # the mouse begins in the lower left corner
    assert {side: before[f"open.{side}"] for side in free} == free
    side = "right" if free["right"] else "up"
    env.step(RIGHT if side == "right" else UP)
    after = variables(env)
    moved = (after["agent.x"] - before["agent.x"], after["agent.y"] - before["agent.y"])
    assert moved == ((1, 0) if side == "right" else (0, 1))
    assert (after["cheese.dx"], after["cheese.dy"]) == (
        before["cheese.dx"] - moved[0],
        before["cheese.dy"] - moved[1],
    )
    rows, columns = np.nonzero(np.abs(env.observe() - picture).sum(-1))  # where the mouse was, and where it is
    for values, places in ((columns, ("agent.x", 1)), (15 * scale - 1 - rows, ("agent.y", 1))):
        name, _ = places
        low, high = (before[name] - 0.5) * scale, (after[name] + 0.5) * scale
        assert values.min() >= low - 1.5 and values.max() <= high + 1.5
    cheese = env.observe()[int(64 - (after["agent.y"] + after["cheese.dy"]) * scale)][
        int((after["agent.x"] + after["cheese.dx"]) * scale)
    ].astype(int)
    assert cheese[0] > 180 and cheese[2] < 120  # yellow


def test_what_is_far_away_is_not_seen() -> None:
    for env in moments("maze", "memory", levels=10, steps=20):
        found = variables(env, "memory")
        near = abs(found["cheese.dx"]) < 4.5 and abs(found["cheese.dy"]) < 4.5
        assert found["cheese.seen"] == near


def test_the_camera_decides_what_is_seen() -> None:
    env = start("coinrun", 3)
    assert variables(env)["coin.seen"] == 0
    assert variables(env, center_agent=False)["coin.seen"] == 1


def test_variables_belong_to_one_game() -> None:
    mixture = GameVectorEnv("coinrun,maze", 2)
    mixture.reset(seed=0)
    with pytest.raises(UserError, match="mixture of coinrun, maze"):
        mixture.variables()
    with pytest.raises(UserError, match="Did you mean 'maze'"):
        variable_units("mase")
    with pytest.raises(UserError, match="maze distribution mode"):
        variable_units("maze", "extreme")


def test_there_is_nothing_to_read_before_the_first_episode() -> None:
    with pytest.raises(RuntimeError, match="call reset first"):
        GameVectorEnv("maze").variables()


@pytest.mark.parametrize("mode", ["easy", "hard"])
def test_a_single_environment_tells_the_same(mode: str) -> None:
    env = start("coinrun", 3, mode)
    for action in (RIGHT, RIGHT, UP):
        env.step(action)
        state, told = env.get_state(), env.variables()
        np.testing.assert_equal(told, variables(env, mode))
        assert list(told) == list(variable_units("coinrun", mode))
        assert env.get_state() == state
