"""How much is learned from few real steps: PPO in the real game, SimPLe and Dreamer, each with the same number of them.

    python benchmarks/learning.py [--learners ppo dreamer] [--games fruitbot] [--seeds 1 2 3] [--budget-minutes 30]

Easy mode, 200 levels. Each cell (learner, game, seed) is an ordinary run folder under runs/learning, trained by
`worldmodels train` and then measured over many episodes on those levels, the random policy beside it. The same command
again skips what is finished and continues what is not; when the budget is spent, the run at hand is saved. Every call
writes results/learning.json, .md and .png from whatever is finished by then.

Two runs on a core each take less time than one after the other on both:

    taskset -c 0 python benchmarks/learning.py --games coinrun &
    taskset -c 1 python benchmarks/learning.py --games fruitbot
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from learning_report import Cell, read_cell, write_report

from worldmodels.core.files import write_atomic
from worldmodels.core.seeding import Streams

ROOT = Path(__file__).parents[1]
RUNS = ROOT / "runs" / "learning"
GAMES = ("coinrun", "fruitbot")
SEEDS = (1, 2, 3)
"""Settings were chosen on seed 0."""
STEPS = 10_240  # whole experiences of 64 steps of 16 environments
EPISODES, ENVIRONMENTS, MAX_STEPS = 256, 64, 1_000  # of the last measurement of a run

COMMON: dict[str, Any] = {
    "env.num_envs": 16,
    "env.num_levels": 200,
    # Flat colours on black: so few steps and updates are for learning what things do, not how they are painted.
    "env.use_backgrounds": False,
    "env.use_monochrome_assets": True,
    "training.steps": STEPS,
    "schedule.log_every": 2_048,
    "schedule.evaluate_every": 2_560,
    "evaluation.episodes": 64,
    "evaluation.temperatures": [1],
    "evaluation.noops": [0],
    "evaluation.windows": 32,
    "evaluation.max_steps": 500,
}
PPO: dict[str, Any] = {
    "agent.discount": 0.98,
    "agent.images": "nature",
    "agent.reward_transform": "none",
    "agent.entropy": 0.03,
    "agent.minibatch": 256,
    "agent.clip": 0.2,
    "agent.optimizer.learning_rate": 5e-4,
}


class Learner(NamedTuple):
    """A preset, and what is different at so few steps."""

    title: str
    preset: str
    overrides: Mapping[str, Any]


LEARNERS = {
    "ppo": Learner(
        "PPO in the real game",
        "ppo",
        {**PPO, "training.rollout": 64},
    ),
    "simple": Learner(
        "SimPLe",
        "simple_deterministic_small",
        {
            **PPO,
            # As published. With it, an imagined end costs what it cuts off, at the coin too, whose reward is too
            # rare to be learned: the policy then learns to stand still.
            "model.continuation": False,
            "agent.horizon": 20,
            "training.prefill": 4_096,
            "training.collect": 2_048,
            "training.real_rollout": 64,
            "training.fit": 100,
            "training.fit_factors": [4],
            "training.improve": 10,
            "training.starts.context": 4,
        },
    ),
    "dreamer": Learner(
        "Dreamer",
        "dreamer_small",
        {
            "agent.entropy": 5e-3,
            "agent.normalize_returns": False,
            "training.prefill": 2_400,
            "training.pretrain": 300,
            "training.collect": 16,
            "training.fit": 2,
            "training.improve": 2,
        },
    ),
}


def folder(learner: str, game: str, seed: int) -> Path:
    return RUNS / game / f"{learner}_{seed}"


def command(learner: str, game: str, seed: int) -> list[str]:
    chosen = LEARNERS[learner]
    values = {**COMMON, **chosen.overrides, "env.game": game, "seed": seed}
    overrides = [f"{key}={json.dumps(value)}" for key, value in values.items()]
    train = [sys.executable, "-m", "worldmodels", "train", "--config", chosen.preset, *overrides]
    return [*train, "--logdir", str(folder(learner, game, seed))]


def train(learner: str, game: str, seed: int, seconds: float) -> bool:
    """Train one cell, or go on with it; false where time ran out, and the run waits to be continued."""
    if seconds <= 0:
        return False
    # Without AVX-512, TensorFlow leaves out the library that makes strided convolutions three times as fast.
    environment = {"TF_ENABLE_ONEDNN_OPTS": "1", **os.environ}
    with subprocess.Popen(command(learner, game, seed), cwd=ROOT, env=environment) as process:
        try:
            status = process.wait(seconds)
        except subprocess.TimeoutExpired:
            process.terminate()  # it writes a checkpoint first
            process.wait()
            return False
    if status:
        raise SystemExit(status)
    return True


def measure(run: Path) -> None:
    """Play the trained policy and the random one on the same levels, the same for all cells of a game."""
    from worldmodels.runtime.quiet import load_tensorflow

    load_tensorflow()
    from worldmodels.evaluation.measures.policy_returns import evaluate_policy
    from worldmodels.runtime.actor import ModelActor, RandomActor
    from worldmodels.runtime.environment import build_env
    from worldmodels.runtime.load import load_run

    loaded, streams = load_run(run), Streams(0)
    env = build_env(loaded.config, ENVIRONMENTS)
    actors = {
        "policy": ModelActor(loaded.parts.model, loaded.parts.agent, ENVIRONMENTS, streams.key("actor")),
        "random": RandomActor(int(env.single_action_space.n), streams.generator("random")),
    }
    levels = streams.integer("levels")
    played = {name: evaluate_policy(env, actor, EPISODES, MAX_STEPS, levels) for name, actor in actors.items()}
    returns = {name: episodes.returns.tolist() for name, episodes in played.items()}
    write_atomic(result_file(run), json.dumps({"step": loaded.step, **returns}) + "\n")
    env.close()


def result_file(run: Path) -> Path:
    return run / "returns.json"


def all_cells() -> Iterator[tuple[str, str, int]]:
    """Seed by seed, so that an early end leaves all learners compared."""
    for seed in SEEDS:
        for game in GAMES:
            for learner in LEARNERS:
                yield learner, game, seed


def finished_cells() -> Iterator[Cell]:
    for learner, game, seed in all_cells():
        run = folder(learner, game, seed)
        if result_file(run).is_file():
            returns = json.loads(result_file(run).read_text())
            yield read_cell(game, learner, LEARNERS[learner].title, seed, run, returns)


def heading() -> str:
    return f"""# Learning from few steps

`python benchmarks/learning.py`: {STEPS:,} real steps of {COMMON["env.num_envs"]} environments, easy mode, \
{COMMON["env.num_levels"]} levels in flat colours without backgrounds. Mean return of {EPISODES} episodes at temperature
1 after training, on those levels. The sample of each interval (Student's and Welch's) is the seeds. Minutes are wall
time of training."""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--learners", nargs="+", default=list(LEARNERS), choices=list(LEARNERS))
    parser.add_argument("--games", nargs="+", default=list(GAMES), choices=GAMES)
    parser.add_argument("--seeds", nargs="+", type=int, default=list(SEEDS), choices=SEEDS)
    parser.add_argument("--budget-minutes", type=float, default=float("inf"), help="stop and save after so many")
    arguments = parser.parse_args()
    end = time.monotonic() + 60 * arguments.budget_minutes
    for learner, game, seed in all_cells():
        run = folder(learner, game, seed)
        chosen = learner in arguments.learners and game in arguments.games and seed in arguments.seeds
        if not chosen or result_file(run).is_file():
            continue
        if not train(learner, game, seed, seconds=end - time.monotonic()):
            break
        measure(run)
    write_report(list(finished_cells()), heading(), Path(__file__).parent / "results" / "learning")


if __name__ == "__main__":
    main()
