"""Trains one run of a grid as a job, and reads its newest records for the table."""

from __future__ import annotations

import json
import math
import os
import time
from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from worldmodels.core.errors import FileError, UserError
from worldmodels.core.files.run_dir import RunDir
from worldmodels.core.files.writing import lock_holder, open_regular, write_atomic
from worldmodels.experiments.engine import LOST, STOPPED, Used
from worldmodels.experiments.grid import GridRun
from worldmodels.experiments.storage import GridStorage
from worldmodels.telemetry.display import number
from worldmodels.telemetry.run_table import RunState, RunStatus

RETURNS = ("episode/return", "eval/return")
TAIL_BYTES = 2**16
"""The size of the end of the records in which the last return is searched."""


class GridJob:
    """Trains or continues a run; a `Job` of `jobs.py`.

    A file beside the run notes a failure, so that the run is not begun again and again.

    Args:
        retry: train the run again if it failed before.
        storage: the storage of the runs, if the grid's folder holds copies.
    """

    def __init__(self, run: GridRun, retry: bool = False, storage: GridStorage | None = None):
        self.run, self.name, self.log, self._storage = run, run.name, run.log, storage
        self.failure = failure_note(run.path)
        self._step_limit = run.config.training.step_limit
        self._started: float | None = None
        self._seconds: float | None = None
        self._seen: object = None
        self._records: tuple[int | None, float | None] = (None, None)
        self.state: RunState = "waiting"
        if run.is_finished():
            self.state = "done"
        elif self.failure.exists() and not retry:
            self.state = "failed"

    def obstacle(self) -> str | None:
        """Return the other process that trains the run: after a kill, processes may still save."""
        holder = lock_holder(self.run.path) if self.run.path.is_dir() else None
        return None if holder is None else f"process {holder} trains it, or saves what it has"

    def command(self) -> Sequence[str] | None:
        if self.state == "waiting":
            self._begin()
        if self.state == "done":
            return None
        return self._storage.command(self.run) if self._storage else self.run.command()

    def ended(self, status: int, used: Used) -> int:
        self._seconds = used.wall_seconds
        if self._storage:
            self._storage.ended(self.run)
        # Files of a stored run may come later.
        if self.run.is_finished() or (status == 0 and self._storage):
            self.state = "done"
        elif status in STOPPED:
            self.state = "stopped"
        elif status == LOST:
            self.state = "waiting"
        else:
            self.state = "failed"
            missing = ", but the folder holds no finished run" if status == 0 else ""
            note = f"Training ended with status {status}{missing}; its output is in {self.log.name}.\n"
            with suppress(UserError, OSError):  # a full disk may be why it failed
                write_atomic(self.failure, note)
            return status or 1
        return status

    def summary(self) -> str:
        step, last_return = self._last_records()
        text = "finished" if step is None else f"finished at step {step:,}"
        return text if last_return is None else f"{text}, return {number(last_return)}"

    def status(self) -> RunStatus:
        """Return the row of the run in the table."""
        step, last_return = self._last_records()
        seconds = self._seconds
        if seconds is None and self._started is not None:
            seconds = time.monotonic() - self._started
        return RunStatus(self.name, self.state, step, self._step_limit, last_return, seconds)

    def _begin(self) -> None:
        if self.run.is_finished():  # by the process that was the obstacle
            self.state = "done"
            return
        self.log.parent.mkdir(exist_ok=True)  # not the folder above: if that has vanished, the run fails
        self.failure.unlink(missing_ok=True)
        self.state, self._seconds = "running", None
        self._started = self._started or time.monotonic()

    def _last_records(self) -> tuple[int | None, float | None]:
        """Return the last step and the last return; a file that has not changed is not read again."""
        metrics = self._storage.records(self.run) if self._storage else RunDir(self.run.path).metrics
        seen = _size_and_time(metrics)
        if seen != self._seen:
            self._seen, self._records = seen, last_records(metrics)
        return self._records


def _size_and_time(path: Path) -> tuple[int, int] | None:
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_size, found.st_mtime_ns


def failure_note(run: Path) -> Path:
    """Return the file beside a run's folder that notes that its training failed."""
    return run.with_name(f"failed_{run.name}.txt")


def last_records(metrics: Path) -> tuple[int | None, float | None]:
    """Return the last step and the last return in the records of a run, or None.

    Lines that cannot be read are skipped: the file may be damaged, or be written at the moment.
    """
    step: int | None = None
    for record in _newest_first(metrics):
        found = record.get("step")
        step = found if step is None and isinstance(found, int) else step
        for name in RETURNS:
            value = record.get(name)
            if isinstance(value, (int, float)) and math.isfinite(value):
                return step, float(value)
    return step, None


def _newest_first(metrics: Path) -> Iterator[dict[str, Any]]:
    """Yield the last records of a run."""
    try:
        with open(open_regular(metrics, os.O_RDONLY), "rb") as file:
            size = file.seek(0, os.SEEK_END)
            file.seek(max(0, size - TAIL_BYTES))
            lines = file.read().splitlines()
    except (OSError, FileError):
        return
    for line in reversed(lines):
        try:
            record = json.loads(line)
        except (ValueError, RecursionError):
            continue
        if isinstance(record, dict):
            yield record
