"""Measures how much faster a run is if another process collects its steps, and whether its policy is as good.

    python benchmarks/collector_speed.py [--tasks cartpole coinrun ...] [--seeds 3]

Each run is `worldmodels train` in a process of its own, once with `training.collectors=0` and once with 1, in turn. The
speed is the median over the records of a run, the first of which, when graphs are built, does not count; the share of
collecting is that of the run without collectors. The return is the mean of the episodes that ended in the last quarter.
Measurements are added to results/collector_speed.json as they come.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
from pathlib import Path
from statistics import mean, median
from typing import Any

from provenance import made_by, made_line

from worldmodels.core.files.writing import write_atomic
from worldmodels.core.processor import this_processor, usable_cores

RESULTS = Path(__file__).parent / "results" / "collector_speed"

TASKS = {
    "cartpole": (
        "ppo_clip", "env.num_envs=8", "training.steps=96_000", "training.rollout=250", "agent.minibatch=2_000",
        "agent.epochs=20", "schedule.log_every=4_000",
    ),
    "lunarlander": (
        "ppo_clip", "env.game=LunarLander-v3", "env.num_envs=8", "training.steps=192_000", "training.rollout=250",
        "agent.minibatch=2_000", "agent.epochs=20", "schedule.log_every=8_000",
    ),
    "coinrun": (
        "ppo", "env.game=coinrun", "env.num_levels=200", "training.steps=64_000", "schedule.log_every=4_000",
    ),
    "dreamer_coinrun": (
        "dreamer_small", "env.game=coinrun", "env.num_levels=200", "training.steps=20_000", "training.prefill=10_000",
        "schedule.log_every=1_000",
    ),
    "sac_pendulum": (
        "sac", "env.game=Pendulum-v1", "training.steps=10_000", "training.prefill=2_000", "schedule.log_every=1_000",
    ),
}  # fmt: skip
"""A preset and overrides for each task."""
WITHOUT, WITH = "0", "1"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tasks", nargs="+", choices=TASKS, default=list(TASKS))
    parser.add_argument("--seeds", type=int, default=3, help="runs of each (default: %(default)s)")
    parser.add_argument("--output", type=Path, default=RESULTS)
    how = parser.parse_args()
    json_file = how.output.with_suffix(".json")
    found = json.loads(json_file.read_text())["runs"] if json_file.exists() else []
    done = {(run["task"], run["collectors"], run["seed"]) for run in found}
    for task in how.tasks:
        for seed in range(how.seeds):
            for collectors in (WITHOUT, WITH):
                if (task, collectors, seed) in done:
                    continue
                found.append({"task": task, "collectors": collectors, "seed": seed} | measure(task, collectors, seed))
                print(found[-1], flush=True)
                write_atomic(json_file, json.dumps({"runs": found}, indent=2) + "\n")
    write_atomic(how.output.with_suffix(".md"), report(found))
    print(report(found))


def measure(task: str, collectors: str, seed: int) -> dict[str, Any]:
    """Return what a run's records say of its speed and returns."""
    preset, *overrides = TASKS[task]
    more = [f"training.collectors={collectors}", f"seed={seed}", "schedule.evaluate_every=0", "precision=float32"]
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, "-m", "worldmodels", "train", "--config", preset, *overrides, *more]
        done = subprocess.run([*command, "--logdir", f"{folder}/run"], capture_output=True, text=True, check=False)
        if done.returncode:
            raise SystemExit(f"{task} failed:\n{done.stdout}{done.stderr}")
        records = [json.loads(line) for line in Path(folder, "run", "metrics.jsonl").read_text().splitlines()]
    learning = [record for record in records if "policy/updates" in record and record["policy/updates"]][1:]
    last = records[-1]["step"]
    returns = [r["episode/return"] for r in records if "episode/return" in r and r["step"] > 0.75 * last]
    seconds = [(after["step"] - before["step"]) / after["time/env_steps_per_second"]
               for before, after in zip(learning, learning[1:], strict=False)]  # fmt: skip
    collecting = sum(record["time/collect_seconds"] for record in learning[1:])
    return {
        "steps_per_second": median(record["time/env_steps_per_second"] for record in learning),
        "collecting": collecting / sum(seconds),
        "return": mean(returns) if returns else None,
        "processor": str(this_processor()),
        "made_by": made_by(),
    }


def report(runs: list[dict[str, Any]]) -> str:
    """Return a table: for each task, both speeds, their ratio seed by seed, and the returns."""
    lines = [
        "# Speed with a collector\n",
        f"{len(usable_cores())} cores; medians over seeds.",
        "",
        "| task | share of collecting | steps/s, learner collects | a process collects | ratio, and its range "
        "| returns, learner collects | a process collects |",
        "|---|---:|---:|---:|---:|---|---|",
    ]
    for task in TASKS:
        one, other = (
            {run["seed"]: run for run in runs if (run["task"], run["collectors"]) == (task, collectors)}
            for collectors in (WITHOUT, WITH)
        )
        seeds = sorted(one.keys() & other.keys())
        if not seeds:
            continue
        ratios = [other[seed]["steps_per_second"] / one[seed]["steps_per_second"] for seed in seeds]
        speeds = [median(runs[seed]["steps_per_second"] for seed in seeds) for runs in (one, other)]
        returns = [", ".join(f"{runs[seed]['return']:.1f}" for seed in seeds) for runs in (one, other)]
        share = median(one[seed]["collecting"] for seed in seeds)
        lines.append(
            f"| {task} | {share:.2f} | {speeds[0]:,.0f} | {speeds[1]:,.0f} | {median(ratios):.2f} "
            f"({min(ratios):.2f} to {max(ratios):.2f}) | {returns[0]} | {returns[1]} |"
        )
    return "\n".join([*lines, "", made_line(runs), ""])


if __name__ == "__main__":
    main()
