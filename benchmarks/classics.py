"""Trains the classic methods and Stable-Baselines3's, and compares their returns and their speed.

    pip install -e '.[mujoco,box2d]'
    python benchmarks/classics.py --peer-python PYTHON_WITH_STABLE_BASELINES3
                                  [--tasks cartpole pendulum] [--methods ppo sac] [--seeds 1 2] [--jobs 2]

Both sides have the same environment, steps, networks, batches and rates, with one core and one thread each. VPG has no
peer and runs alone. After training, 20 episodes with the most probable actions are measured. Speed is that of the last
three quarters of training: ours from the records of the run, the peer's from a callback.

The peer's environment needs stable-baselines3, sb3-contrib and gymnasium[mujoco,box2d]. Each cell is kept in
results/classics.jsonl. After Ctrl-C the same command goes on. Every call writes results/classics.md and .png and a
picture for each method: `--budget-minutes 0` does nothing else.
"""

from __future__ import annotations

import argparse
import math
from pathlib import Path

from archive import Archive
from peers.jobs import Places, SideJob
from peers.report import draw, draw_method, report
from peers.tasks import METHODS, SIDES, TASKS, cells

from worldmodels.core.files.writing import write_atomic
from worldmodels.experiments.engine import LocalEngine, core_shares
from worldmodels.experiments.jobs import log_end, run_jobs

HERE = Path(__file__).parent
STEM = HERE / "results" / "classics"
PREAMBLE = f"# The classic methods\n\n```\n{__doc__.strip()}\n```\n"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tasks", nargs="+", choices=TASKS, default=list(TASKS), metavar="TASK")
    parser.add_argument("--methods", nargs="+", choices=METHODS, default=list(METHODS), metavar="METHOD")
    parser.add_argument("--seeds", nargs="+", type=int, default=[1, 2, 3, 4, 5])
    parser.add_argument("--jobs", type=int, help="cells at once (default: one on each core)")
    parser.add_argument("--budget-minutes", type=float, default=math.inf)
    parser.add_argument("--peer-python", help="of an environment with Stable-Baselines3; without, ours run alone")
    how = parser.parse_args()
    places = Places(HERE.parent / "runs" / "classics", Archive(STEM.with_suffix(".jsonl")), how.peer_python)
    chosen = list(cells(how.tasks, how.methods, how.seeds, SIDES if how.peer_python else SIDES[:1]))
    jobs = [SideJob(cell, places) for cell in chosen if places.result(cell) is None]
    print(f"{len(chosen) - len(jobs)} of {len(chosen)} cells are finished", flush=True)
    pinned = [cores[:1] for cores in core_shares(how.jobs)]
    outcome = run_jobs(jobs, LocalEngine(pinned), 60 * how.budget_minutes, lambda text: print(text, flush=True))
    for job in jobs:
        if job.name in outcome.failed:
            print(f"{job.name} failed; the end of {job.log}:\n{log_end(job.log)}", flush=True)
    write_report(places)
    if outcome.failed:
        raise SystemExit(f"Failed: {', '.join(outcome.failed)}")


def write_report(places: Places) -> None:
    """Write results/classics.md and its pictures from all cells that are finished; nothing if there is none."""
    everything = cells(list(TASKS), list(METHODS), range(100), SIDES)
    results = {cell: found for cell in everything if (found := places.result(cell))}
    if not results:
        return
    text = report(PREAMBLE, results)
    write_atomic(STEM.with_suffix(".md"), text)
    draw(results, STEM.with_suffix(".png"))
    for method in {cell.method for cell in results}:
        draw_method(results, method, STEM.with_name(f"classics_{method}.png"))
    print(text)


if __name__ == "__main__":
    main()
