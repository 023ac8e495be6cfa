"""Measures samples per second of PPO in the real game, and the share of the game.

16 environments of coinrun or of Atari's Pong, 128 steps between updates, the Nature network, minibatches of 256; or
IMPALA's network as in Procgen's study. Where the Python of a virtual environment with Stable-Baselines3 is given, its
PPO does the same in turn with ours, in a process of its own (`speed/sb3_peer.py`).
"""

from __future__ import annotations

import time
from typing import Any, NamedTuple

from speed.peer import Peer
from speed.stopwatch import Stopwatch, precisions
from worldmodels.acting.build import build_parts
from worldmodels.acting.collected_steps import CollectedSteps
from worldmodels.acting.step_source import LocalSource
from worldmodels.config.environment import build_env
from worldmodels.config.run_config import RunConfig
from worldmodels.core.configuration.sections import load_config
from worldmodels.training.loops.model_free import ModelFreeLoop

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
    network: str = "nature"
    envs: int = 16
    steps: int = 128
    minibatch: int = 256

    @property
    def samples(self) -> int:
        """Samples of an iteration."""
        return self.envs * self.steps


COINRUN = World("the real game", "coinrun", "coinrun, the Nature network on one frame", frames=1, passes=3)
IMPALA = World(
    "the real game with IMPALA's network",
    "coinrun",
    "coinrun, IMPALA's network on one frame",
    frames=1,
    passes=3,
    network="impala",
    envs=64,
    steps=64,
    minibatch=2_048,
)
"""As in Procgen's study, with a quarter of its 256 steps: the operations of a sample are the same."""
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
        f"env.num_envs={world.envs}",
        "model.kind=frames",
        f"model.frames={world.frames}",
        "agent.kind=ppo",
        f"agent.images={world.network}",
        f"agent.epochs={world.passes}",
        f"agent.minibatch={world.minibatch}",
        "training.kind=model_free",
        f"training.rollout={world.steps}",
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
        self._world, self._env = world, TimedEnv(build_env(config))
        parts = build_parts(config, self._env)
        collected = CollectedSteps(LocalSource(parts, self._env), config.training.rollout_steps)
        self._loop = ModelFreeLoop(parts, config.training, collected)
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
        return _figures(self._world, self.iterations.wall(), self.iterations.processor(), self.game[1:])


def measure(world: World, iterations: int, peer_python: str | None) -> dict[str, Any]:
    learners = {f"ours, {precision}": Ours(world, precision) for precision in precisions()}
    numbers = (world.game, world.network, world.envs, world.steps, world.passes, world.minibatch)
    peer = Peer(peer_python, "sb3_peer.py", *numbers) if peer_python else None
    for _ in range(iterations + 1):  # the first one traces
        for learner in learners.values():
            learner.iterate()
        if peer:
            peer.turn()
    rows = {name: learner.figures() for name, learner in learners.items()}
    if peer:
        found = peer.end()
        wall, processor = (_median([row[name] for row in found]) for name in ("wall", "processor"))
        rows[STABLE_BASELINES3] = _figures(world, wall, processor, [row["game"] for row in found])
    return {"iterations": iterations, "rows": rows}


def _figures(world: World, wall: float, processor: float, game: list[float]) -> dict[str, float]:
    samples, game_seconds = world.samples, _median(game)
    return {
        "samples_per_second": samples / wall,
        "without_the_game": samples / (wall - game_seconds),
        "game_seconds": game_seconds,
        "processor_seconds": processor,
    }


def _median(values: list[float]) -> float:
    return sorted(values)[len(values) // 2]
