"""Measures policies that were learned in a world model whose steps were collected without rewards.

    python benchmarks/explored_world.py [--seeds 1 2 3] [--updates 50] [--jobs 2]

The game is CoinRun, with the levels, steps and seeds of `few` in benchmarks/learning.py, so their runs compare:

explored   Plan2Explore collects 20,000 steps, rewarded by disagreement only; its first steps are uniformly random
zero-shot  the task's policy, which learned beside the explorer from the rewards that the world model predicts
few-shot   a new policy, PPO, after --updates updates in the finished world, from states of the recorded steps
PPO, SimPLe, Dreamer   learned from as many real steps, with rewards (`learning.py --experiments few --games coinrun`)

Each seed takes one core. Runs are kept under runs/explored_world, results in results/explored_world.jsonl. The same
command goes on with the cells that are missing. Every call writes results/explored_world.md from the finished cells.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import learning
import numpy as np
from archive import Archive
from few_steps.cells import Cell
from kept_cells import heading
from provenance import made_line

from worldmodels.analysis.statistics.bootstrap import estimate
from worldmodels.core.files.writing import write_atomic
from worldmodels.core.processor import this_processor
from worldmodels.experiments.engine import core_shares

HERE = Path(__file__).parent
RUNS, RESULTS = HERE.parent / "runs" / "explored_world", HERE / "results" / "explored_world.md"
ARCHIVE = Archive(RESULTS.with_suffix(".jsonl"))
FEW = learning.EXPERIMENTS[0]
EXPLORE: dict[str, Any] = {
    "training.prefill_policy": "random",  # held actions repeat what paid
    "training.improve": 2,
    "env.game": "coinrun",
}
TASK: dict[str, Any] = {
    "model.picture_every": 0,
    "agent.kind": "ppo",  # before its keys; as PPO learns in SimPLe's imagination
    "agent.discount": 0.98,
    "agent.reward_transform": "none",
    "agent.entropy": 1e-2,
    "agent.minibatch": 200,
    "agent.clip": 0.2,
    "agent.optimizer.learning_rate": 1e-3,
    "agent.horizon": 32,
    "agent.gae_lambda": 0.95,
    "agent.epochs": 3,
    "training.collect": 0,
    "training.pretrain": 0,
    "training.fit": 0,
    "training.turns": 1,
    "training.starts.rollouts": 250,
    "training.starts.context": 5,
    "env.game": "coinrun",
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seeds", nargs="+", type=int, default=[1, 2, 3])
    parser.add_argument("--updates", type=int, default=50, help="of the new policy (default: %(default)s)")
    parser.add_argument("--jobs", type=int, help="seeds at once (default: as many as there are cores)")
    how = parser.parse_args()
    places = [cores[:1] for cores in core_shares(how.jobs)]
    with ThreadPoolExecutor(len(places)) as threads:
        lanes = [
            threads.submit(run_seeds, how.seeds[lane :: len(places)], how.updates, cores)
            for lane, cores in enumerate(places)
        ]
    for lane in lanes:
        lane.result()
    text = report(how.updates)
    write_atomic(RESULTS, text)
    print(text)


def run_seeds(seeds: Sequence[int], updates: int, cores: Sequence[int]) -> None:
    for seed in seeds:
        explored, task = RUNS / f"explored_{seed}", RUNS / f"task_{updates}_{seed}"
        keep(explored, "few_dreamer explore", {**EXPLORE, "seed": seed}, cores)
        found = {"training.pretrained": str(explored), "training.initial_replay": str(explored)}
        keep(task, "dreamer_small few", {**TASK, **found, "training.improve": updates, "seed": seed}, cores)


def keep(run: Path, presets: str, overrides: Mapping[str, Any], cores: Sequence[int]) -> None:
    """Train and measure a run on some cores, and keep its result, unless there is one."""
    if run.name in ARCHIVE.cells():
        return
    pairs = [f"{key}={json.dumps(value)}" for key, value in overrides.items()]
    execute(["-m", "worldmodels", "train", "--config", *presets.split(), *pairs, "--logdir", str(run)], run, cores)
    measured = run.with_suffix(".measured")
    execute([str(HERE / "few_steps" / "measure.py"), str(run), str(measured)], run, cores)
    ARCHIVE.keep(run.name, {"processor": str(this_processor()), **json.loads(measured.read_text())})


def execute(arguments: Sequence[str], run: Path, cores: Sequence[int]) -> None:
    run.parent.mkdir(parents=True, exist_ok=True)
    with run.with_suffix(".log").open("a") as log:
        command = [sys.executable, *arguments]
        subprocess.run(command, stdout=log, stderr=log, check=True, preexec_fn=lambda: os.sched_setaffinity(0, cores))


def report(updates: int) -> str:
    """Return what was found as Markdown: returns on training and test levels, means over seeds with 95 % intervals."""
    lines = [heading("A world explored without rewards", __doc__)]
    rows = {
        "zero-shot: the task's policy beside the explorer": kept("explored_"),
        f"few-shot: a new policy after {updates} updates": kept(f"task_{updates}_"),
        **{f"{learner.title}, with rewards": scratch(name) for name, learner in learning.LEARNERS.items()},
    }
    processors = sorted({found["processor"] for results in rows.values() for found in results})
    lines.append(f"On {', '.join(processors)}, one core for each run.\n")
    lines.append("| | training levels | test levels | seeds |\n|---|---|---|---|")
    for title, results in rows.items():
        if results:
            cells = (mean([found["returns"][levels]["policy"]["mean"] for found in results]) for levels in LEVELS)
            lines.append(f"| {title} | {' | '.join(cells)} | {len(results)} |")
    return "\n".join([*lines, "", made_line(found for results in rows.values() for found in results)]) + "\n"


LEVELS = ("train", "test")


def kept(prefix: str) -> list[dict[str, Any]]:
    return [found for name, found in ARCHIVE.cells().items() if name.startswith(prefix)]


def scratch(learner: str) -> list[dict[str, Any]]:
    """Return the results of runs of benchmarks/learning.py that learned with rewards."""
    cells = (Cell(FEW, "coinrun", learner, seed) for seed in FEW.seeds)
    return [found for cell in cells if (found := learning.PLACE.result(cell))]


def mean(values: Sequence[float]) -> str:
    over = estimate(np.array(values))
    interval = f" ({over.low:.2f} to {over.high:.2f})" if len(values) > 1 else ""
    return f"{over.mean:.2f}{interval}: {', '.join(f'{value:.2f}' for value in values)}"


if __name__ == "__main__":
    main()
