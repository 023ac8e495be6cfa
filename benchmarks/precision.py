"""Compares learning in bfloat16 and in float32, with the same updates, data and seeds.

    python benchmarks/precision.py [--only dreamer_model simple_model ppo_return dreamer_return] [--seeds 1 2 3]

dreamer_model   `dreamer_small`: losses, and image errors on held-out levels (`precisions/models.py`)
simple_model    `simple_small`: the same
ppo_return      PPO in the real game: what it earns (`precisions/runs.py`)
dreamer_return  Dreamer's whole loop: what it earns

Each seed is run in both precisions, each run in a process of its own, and kept in results/precision.json: the same
command again does what is missing. The sample of each interval (Student's t, 95 %) is the seeds; where the interval
of the paired difference holds 0, the two cannot be told apart with so many seeds. All runs together take about an hour
and a half on two cores; what is left is printed.
"""

from __future__ import annotations

import argparse
import json
import time
from pathlib import Path
from typing import Any, NamedTuple

from precisions.report import report
from provenance import made_by
from speed.own_process import call

from worldmodels.core.files.writing import write_atomic
from worldmodels.core.processor import this_processor


class Kind(NamedTuple):
    """One of the things that are compared."""

    function: str
    counts: str
    """What its amount counts."""
    seconds: float
    """Seconds for each of them, as a first guess."""


KINDS = {
    "dreamer_model": Kind("precisions.models:measure", "updates", 0.15),
    "simple_model": Kind("precisions.models:measure", "updates", 0.2),
    "ppo_return": Kind("precisions.runs:measure", "steps", 0.0025),
    "dreamer_return": Kind("precisions.runs:measure", "steps", 0.01),
}
PRECISIONS = ("float32", "bfloat16")


class Task(NamedTuple):
    what: str
    amount: int
    precision: str
    seed: int

    @property
    def key(self) -> str:
        return "/".join(map(str, self))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", nargs="+", choices=KINDS, default=list(KINDS), metavar="WHAT")
    parser.add_argument("--seeds", nargs="+", type=int, default=[1, 2, 3])
    parser.add_argument("--updates", type=int, default=600, help="of each model (default: %(default)s)")
    parser.add_argument("--steps", type=int, default=60_000, help="of PPO; Dreamer's loop does half of them")
    parser.add_argument("--output", type=Path, default=Path(__file__).parent / "results" / "precision")
    how = parser.parse_args()
    if not this_processor().multiplies_bfloat16:
        print(f"{this_processor()} has no instructions for bfloat16, and emulates it: this will take very long.")
    json_file = how.output.with_suffix(".json")
    results = json.loads(json_file.read_text()) if json_file.exists() else {}
    left = [task for task in tasks(how) if task.key not in results]
    while left:
        seconds = sum(expected(task, results) for task in left)
        task, *left = left
        print(f"{len(left) + 1} runs left, about {seconds / 60:.0f} min; next: {task.key}", flush=True)
        results[task.key] = run(task)
        write_results(results, how.output)
    write_results(results, how.output)
    print(report(results))


def tasks(how: argparse.Namespace) -> list[Task]:
    """Seed by seed, so that an early end leaves both precisions compared."""
    amounts = {"ppo_return": how.steps, "dreamer_return": how.steps // 2}
    return [
        Task(what, amounts.get(what, how.updates), precision, seed)
        for seed in how.seeds
        for what in how.only
        for precision in PRECISIONS
    ]


def run(task: Task) -> dict[str, Any]:
    start = time.perf_counter()
    metrics = call(KINDS[task.what].function, *task)
    return {
        **task._asdict(),
        "counts": KINDS[task.what].counts,
        "seconds": time.perf_counter() - start,
        "processor": str(this_processor()),
        "made_by": made_by(),
        "metrics": metrics,
    }


def expected(task: Task, results: dict[str, Any]) -> float:
    """Seconds that a run will take: what such runs took, or a first guess."""
    known = [r for r in results.values() if (r["what"], r["amount"], r["precision"]) == task[:3]]
    if known:
        return sum(r["seconds"] for r in known) / len(known)
    return 30 + KINDS[task.what].seconds * task.amount


def write_results(results: dict[str, Any], stem: Path) -> None:
    stem.parent.mkdir(parents=True, exist_ok=True)
    write_atomic(stem.with_suffix(".json"), json.dumps(results, indent=2, allow_nan=False) + "\n")
    write_atomic(stem.with_suffix(".md"), report(results))


if __name__ == "__main__":
    main()
