"""Trains the runs of a grid, side by side, and tells what became of them."""

from __future__ import annotations

import math
import shlex
import time
from collections.abc import Sequence
from typing import NamedTuple

from worldmodels.core.lock import lock_holder, locked
from worldmodels.experiments.core_jobs import core_shares, log_end, run_jobs
from worldmodels.experiments.grid import Grid, GridRun
from worldmodels.experiments.grid_job import GridJob
from worldmodels.telemetry.run_table import RunTable, summary

POLL_SECONDS = 0.5


class GridOutcome(NamedTuple):
    """The runs of a grid by what became of them, also in calls before."""

    done: list[GridRun]
    failed: list[GridRun]
    left: list[GridRun]
    """They wait to be continued or begun."""


def train_grid(grid: Grid, jobs: int = 1, retry: bool = False) -> GridOutcome:
    """Train what is not finished of a grid, and go on where an earlier call was stopped or killed.

    Each run is trained by a process of its own, on cores of its own. Ctrl-C and SIGTERM let all of them save; where
    this process is killed, they are told to save by the kernel. Call it from the main thread, which gets the signals.

    Args:
        jobs: runs at once, among which the cores are divided evenly.
        retry: train runs again that failed in an earlier call.

    Raises:
        UserError: a run cannot be trained, or is one of another configuration, or another process trains this grid;
            nothing was begun then.
    """
    places = core_shares(jobs)
    grid.check()
    with locked(grid.folder, "training a grid in"):
        _wait_for_others(grid)
        all_jobs = [GridJob(run, retry) for run in grid.runs]
        waiting = [job for job in all_jobs if job.state == "waiting"]
        if waiting:
            title = f"{grid.name} · {grid.folder}"
            with RunTable(title, lambda: [job.status() for job in all_jobs]) as table:
                run_jobs(waiting, places, math.inf, table.message)
        else:
            print(summary([job.status() for job in all_jobs]))
    _tell_failures(all_jobs)
    outcome = _outcome(all_jobs)
    if outcome.left:
        print(f"\nNot finished: {len(outcome.left)} of {len(grid.runs)} runs. The same command goes on.")
    return outcome


def show_commands(grid: Grid, retry: bool = False) -> None:
    """Print how many runs of a grid are finished, and the commands that train the others; write nothing.

    Raises:
        UserError: as `train_grid`.
    """
    grid.check()
    jobs = [GridJob(run, retry) for run in grid.runs]
    done, failed, waiting = ([job for job in jobs if job.state == state] for state in ("done", "failed", "waiting"))
    more = f", {len(failed)} failed (--retry trains them again)" if failed else ""
    print(f"# {len(done)} of {len(jobs)} runs are done{more}")
    for job in waiting:
        print(shlex.join(job.run.command()))


def _wait_for_others(grid: Grid) -> None:
    """Wait until nobody else trains a run of the grid: a grid that was killed leaves some that still save."""
    for run in grid.runs:
        told = False
        while run.path.is_dir() and (holder := lock_holder(run.path)) is not None:
            if not told:
                print(f"{run.name}: process {holder} trains it, or saves what it has; waiting for its end", flush=True)
            told = True
            time.sleep(POLL_SECONDS)


def _tell_failures(jobs: Sequence[GridJob]) -> None:
    failed = [job for job in jobs if job.state == "failed"]
    for job in failed:
        print(f"\n{job.name} failed; the end of {job.log}:\n{log_end(job.log)}")
    if failed:
        print("\nThe same command with --retry trains them again, from their last checkpoints where they have some.")


def _outcome(jobs: Sequence[GridJob]) -> GridOutcome:
    done, failed = ([job.run for job in jobs if job.state == state] for state in ("done", "failed"))
    return GridOutcome(done, failed, [job.run for job in jobs if job.state in ("waiting", "stopped")])
