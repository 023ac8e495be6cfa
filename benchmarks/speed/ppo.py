"""PPO in the real game: samples per second of acting, the game and learning together, with the game's share apart.

16 environments of coinrun or of Atari's Pong, 128 steps between updates, the Nature network, minibatches of 256. Where
the Python of a virtual environment with Stable-Baselines3 is given, its PPO does the same in turn with ours, in a
process of its own (`speed/sb3_peer.py`).
"""

from __future__ import annotations

import json
import subprocess
import time
from pathlib import Path
from typing import Any, NamedTuple

from speed.stopwatch import Stopwatch, precisions
from worldmodels.acting.build import build_parts
from worldmodels.acting.step_source import LocalSource
from worldmodels.config.environment import build_env
from worldmodels.config.run_config import RunConfig
from worldmodels.core.configuration.sections import load_config
from worldmodels.training.loops.model_free import ModelFreeLoop

ENVS, STEPS, MINIBATCH = 16, 128, 256
STABLE_BASELINES3 = "Stable-Baselines3"


class World(NamedTuple):
    """What PPO plays, and how often it goes through what it saw."""

    title: str
    game: str
    words: str
    """What the agent sees of it."""
    frames: int
    passes: int
    env: tuple[str, ...] = ()


COINRUN = World("the real game", "coinrun", "coinrun, the Nature network on one frame", frames=1, passes=3)
PONG = World(
    "Atari",
    "ALE/Pong-v5",
    "Atari's Pong in one process, a step each four of its frames, the Nature network on four grey ones of 84 x 84",
    frames=4,
    passes=4,
    env=(
        "env.options={frameskip: 1, repeat_action_probability: 0.0}",
        "env.action_repeat=4",
        "env.frame_max=true",
        "env.grey=true",
        "env.image_size=84",
        "env.reward_clip=1",
    ),
)
"""As Stable-Baselines3 wraps Atari, but for what it does at the beginning of an episode."""


def settings(world: World) -> list[str]:
    """Return the overrides of a run of ours."""
    return [
        f"env.game={world.game}",
        *world.env,
        f"env.num_envs={ENVS}",
        "model.kind=frames",
        f"model.frames={world.frames}",
        "agent.kind=ppo",
        "agent.images=nature",
        f"agent.epochs={world.passes}",
        f"agent.minibatch={MINIBATCH}",
        "training.kind=model_free",
        f"training.rollout={STEPS}",
    ]


class TimedEnv:
    """A vector environment that notes how long its own steps take."""

    def __init__(self, env: Any):
        self._env, self.seconds = env, 0.0

    def step(self, actions: Any) -> Any:
        start = time.perf_counter()
        result = self._env.step(actions)
        self.seconds += time.perf_counter() - start
        return result

    def __getattr__(self, name: str) -> Any:
        return getattr(self._env, name)


class Ours:
    """The loop that `worldmodels train` runs."""

    def __init__(self, world: World, precision: str):
        config = load_config(RunConfig, [], [*settings(world), f"precision={precision}"])
        self._env = TimedEnv(build_env(config))
        parts = build_parts(config, self._env)
        self._loop = ModelFreeLoop(parts, config.training, LocalSource(parts, self._env))
        self._loop.begin()
        self.game: list[float] = []
        self.iterations = Stopwatch()

    def iterate(self) -> None:
        before, updates = self._env.seconds, self._loop.updates
        with self.iterations():
            while self._loop.updates == updates:
                self._loop.iterate()
        self.game.append(self._env.seconds - before)

    def figures(self) -> dict[str, float]:
        return _figures(self.iterations.wall(), self.iterations.processor(), self.game)


class Peer:
    """Another process that does an iteration when it is told to."""

    def __init__(self, world: World, python: str):
        program = Path(__file__).parent / "sb3_peer.py"
        numbers = map(str, (world.game, ENVS, STEPS, world.passes, MINIBATCH))
        self._process = subprocess.Popen(
            [python, program, *numbers], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        self._rows: list[dict[str, float]] = []

    def iterate(self) -> None:
        self._process.stdin.write("go\n")
        self._process.stdin.flush()
        self._rows.append(json.loads(self._process.stdout.readline()))

    def figures(self) -> dict[str, float]:
        self._process.stdin.close()
        self._process.wait()
        wall, processor = ([row[name] for row in self._rows[1:]] for name in ("wall", "processor"))
        return _figures(_median(wall), _median(processor), [row["game"] for row in self._rows])


def measure(world: World, iterations: int, peer_python: str | None) -> dict[str, Any]:
    learners: dict[str, Ours | Peer] = {f"ours, {precision}": Ours(world, precision) for precision in precisions()}
    if peer_python:
        learners[STABLE_BASELINES3] = Peer(world, peer_python)
    for _ in range(iterations + 1):  # the first one traces
        for learner in learners.values():
            learner.iterate()
    return {"iterations": iterations, "rows": {name: learner.figures() for name, learner in learners.items()}}


def _figures(wall: float, processor: float, game: list[float]) -> dict[str, float]:
    samples, game_seconds = ENVS * STEPS, _median(game[1:])
    return {
        "samples_per_second": samples / wall,
        "without_the_game": samples / (wall - game_seconds),
        "game_seconds": game_seconds,
        "processor_seconds": processor,
    }


def _median(values: list[float]) -> float:
    return sorted(values)[len(values) // 2]
