"""Trains the runs of a grid at the same time, and prints their outcome."""

from __future__ import annotations

import math
import shlex
from collections.abc import Sequence
from contextlib import nullcontext
from typing import NamedTuple

from worldmodels.core.files.writing import locked
from worldmodels.core.output import print_text
from worldmodels.experiments.engine import Engine
from worldmodels.experiments.grid import Grid, GridRun
from worldmodels.experiments.grid_job import GridJob
from worldmodels.experiments.jobs import log_end, run_jobs
from worldmodels.experiments.storage import GridStorage, check_unstored
from worldmodels.telemetry.run_table import RunTable, summary


class GridOutcome(NamedTuple):
    """The runs of a grid by their outcome, in this call or an earlier one."""

    done: list[GridRun]
    failed: list[GridRun]
    left: list[GridRun]
    """The runs that are to be begun or continued."""


def train_grid(grid: Grid, engine: Engine, retry: bool = False, storage: GridStorage | None = None) -> GridOutcome:
    """Train the unfinished runs of a grid, and continue those that an earlier call began.

    Each run has a process of its own, on cores of its own. After Ctrl-C or SIGTERM all of them save; if this process is
    killed, the kernel sends them SIGTERM. A run that another process trains is waited for. Call it from the main
    thread, which gets the signals.

    Args:
        engine: runs the processes.
        retry: train the runs again that failed in an earlier call.
        storage: holds the runs, whose copies come into the grid's folder; by default that folder holds the runs.

    Raises:
        UserError: a run, the engine or the storage cannot be used, or another process trains this grid; nothing has
            begun.
        StorageError: at the end, results could not be fetched.
    """
    grid.check()
    return train_runs(grid, grid.runs, engine, retry, storage)


def train_runs(
    grid: Grid, runs: Sequence[GridRun], engine: Engine, retry: bool = False, storage: GridStorage | None = None
) -> GridOutcome:
    """Train some runs of a grid that was checked; as `train_grid` otherwise."""
    if storage is None:
        check_unstored(grid)
    with storage or nullcontext():
        all_jobs = [GridJob(run, retry, storage) for run in runs]
        if any(job.state == "waiting" for job in all_jobs):
            _run(grid, engine, all_jobs)
        else:
            print_text(summary([job.status() for job in all_jobs]))
        _tell_failures(all_jobs)
        outcome = _outcome(all_jobs)
        if outcome.left:
            print_text(f"\nNot finished: {len(outcome.left)} of {len(runs)} runs. The same command goes on.")
        if storage:
            storage.fetch_rest()
    return outcome


def _run(grid: Grid, engine: Engine, all_jobs: Sequence[GridJob]) -> None:
    """Run the waiting jobs, and show the table of all jobs meanwhile."""
    with engine, locked(grid.folder, "training a grid in"):
        engine.check_folder(grid.folder)
        waiting = [job for job in all_jobs if job.state == "waiting"]
        title = f"{grid.name} · {grid.folder}"
        with RunTable(title, lambda: [job.status() for job in all_jobs]) as table:
            run_jobs(waiting, engine, math.inf, table.message)


def show_commands(grid: Grid, retry: bool = False) -> None:
    """Print the number of finished runs of a grid, and the commands that train the others; write nothing.

    Raises:
        UserError: as `train_grid`.
    """
    grid.check()
    jobs = [GridJob(run, retry) for run in grid.runs]
    done, failed, waiting = ([job for job in jobs if job.state == state] for state in ("done", "failed", "waiting"))
    more = f", {len(failed)} failed (--retry trains them again)" if failed else ""
    print_text(f"# {len(done)} of {len(jobs)} runs are done{more}")
    for job in waiting:
        print_text(shlex.join(job.run.command()))


def _tell_failures(jobs: Sequence[GridJob]) -> None:
    failed = [job for job in jobs if job.state == "failed"]
    for job in failed:
        print_text(f"\n{job.name} failed; the end of {job.log}:\n{log_end(job.log)}")
    if failed:
        print_text(
            "\nThe same command with --retry trains them again, from their last checkpoints where they have some."
        )


def _outcome(jobs: Sequence[GridJob]) -> GridOutcome:
    done, failed = ([job.run for job in jobs if job.state == state] for state in ("done", "failed"))
    return GridOutcome(done, failed, [job.run for job in jobs if job.state in ("waiting", "stopped")])
