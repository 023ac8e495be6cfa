"""The games in WebAssembly play what the Python package plays, byte for byte."""

from __future__ import annotations

import hashlib
import json
import subprocess
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from worldmodels.envs import GameVectorEnv
from worldmodels.envs.conformance import games_and_modes
from worldmodels.envs.games.table import NUM_ACTIONS

ROOT = Path(__file__).parents[3]
HERE = Path(__file__).parent
SCRIPT = ROOT / "worldmodels" / "player" / "page" / "engine.js"

STEPS = 1000
OPTIONS: list[dict[str, Any]] = [
    {"num_levels": 3, "start_level": 50, "use_backgrounds": False},
    {"use_generated_assets": True, "center_agent": False, "use_sequential_levels": True},
    {"use_monochrome_assets": True, "paint_vel_info": True, "restrict_themes": True, "debug_mode": 6},
]


def task(game: str, options: dict[str, Any], seed: int) -> dict[str, Any]:
    actions = np.random.default_rng(seed).integers(0, NUM_ACTIONS, STEPS)
    return {"game": game, "options": options, "seed": seed, "actions": actions.tolist()}


def played(game: str, options: dict[str, Any], seed: int, actions: list[int]) -> dict[str, str]:
    """Return the digests of a game in Python, of what `play_games.mjs` reports."""
    env = GameVectorEnv(game, 1, render_mode="rgb_array", **options)
    frames, rules = hashlib.sha256(), hashlib.sha256()

    def report(observation: Any, reward: float, terminated: bool, truncated: bool, info: dict[str, Any]) -> None:
        frames.update(observation.tobytes())
        rules.update(np.float32(reward).tobytes())
        flags = (terminated, truncated, info["level_seed"][0], info["prev_level_complete"][0])
        rules.update(np.array(flags, np.int32).tobytes())

    observation, info = env.reset(seed=seed)
    report(observation, 0.0, False, False, info)
    for action in actions:
        observation, reward, terminated, truncated, info = env.step([action])
        report(observation, reward[0], terminated[0], truncated[0], info)
    frames.update(np.asarray(env.render()).tobytes())
    return {"frames": frames.hexdigest(), "rules": rules.hexdigest()}


@pytest.fixture(scope="module")
def tasks() -> list[dict[str, Any]]:
    """Every game in every mode, and one game for each set of options."""
    modes = [task(game, {"distribution_mode": mode}, seed) for seed, (game, mode) in enumerate(games_and_modes())]
    games = ("coinrun", "caveflyer", "maze", "starpilot")
    return modes + [task(game, options, 2**32 + seed) for seed, game in enumerate(games) for options in OPTIONS]


def test_the_same_frames_and_rewards_as_in_python(node: str, engine: Path, tasks: list[dict[str, Any]]) -> None:
    command = [node, str(HERE / "play_games.mjs"), str(SCRIPT), str(engine)]
    done = subprocess.run(command, input=json.dumps(tasks), capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    for one, found in zip(tasks, json.loads(done.stdout), strict=True):
        assert found == played(**one), f"{one['game']} {one['options']}"


def test_the_module_refuses_and_saves(node: str, engine: Path) -> None:
    command = [node, "--test", str(HERE / "engine.test.mjs")]
    done = subprocess.run(command, env={"ENGINE": str(engine)}, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout
