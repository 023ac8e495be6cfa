"""Runs jobs at the same time in the places of an engine, until they are done or time is up.

A job is a sequence of commands. After Ctrl-C all of them save; a second Ctrl-C kills them. A job whose machine is lost
continues in another place.
"""

from __future__ import annotations

import signal
import time
from collections import Counter, deque
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import NamedTuple, Protocol

from worldmodels.experiments.engine import LOST, STOPPED, Engine, RunningCommand, Used
from worldmodels.telemetry.display import duration
from worldmodels.training.interrupt import Interruption

POLL_SECONDS = 0.1
LOG_LINES = 15
MOST_LOSSES = 10
"""A job that loses its machine more often has failed: it may crash the machines."""


class Job(Protocol):
    """A sequence of commands with a name and a log."""

    name: str
    log: Path
    """The file to which the output of its commands is appended."""

    def obstacle(self) -> str | None:
        """Return why the job cannot begin now, in a few words, or None if it can."""

    def command(self) -> Sequence[str] | None:
        """Return the next command, or None if the job is done; several calls return the same command.

        Raises:
            OSError: its files cannot be written; the job has failed.
        """

    def ended(self, status: int, used: Used) -> int:
        """Note the exit status of an ended command, and return it, or a failure's if the command left no result.

        After `LOST` the command is started again.
        """

    def summary(self) -> str:
        """Return the result of a finished job, in a few words."""


class JobsOutcome(NamedTuple):
    """The names of the jobs by their outcome."""

    finished: list[str]
    failed: list[str]
    left: list[str]
    """The jobs that are to be begun or continued."""


def log_end(log: Path) -> str:
    """Return the last lines of a log, indented, or a sentence if there is no log."""
    if not log.is_file():
        return "    There is no log."
    lines = log.read_text(errors="replace").splitlines()[-LOG_LINES:]
    return "\n".join(f"    {line}" for line in lines)


def run_jobs(jobs: Iterable[Job], engine: Engine, seconds: float, tell: Callable[[str], None] = print) -> JobsOutcome:
    """Run jobs in their order, one at a time in each place of an engine, and return their outcome.

    After a failed command its job ends with a message, and the others go on.

    Args:
        seconds: the time after which all jobs are stopped.
        tell: gets a line for each job that starts or ends.
    """
    with Interruption() as interruption:
        scheduler = _Scheduler(jobs, engine, tell)
        end = time.monotonic() + seconds
        try:
            while scheduler.busy:
                if interruption.requested or time.monotonic() >= end:
                    scheduler.stop("interrupted" if interruption.requested else "time is up")
                scheduler.turn()
                time.sleep(POLL_SECONDS if scheduler.busy else 0)
        finally:
            scheduler.kill()
    return scheduler.outcome


class _Running(NamedTuple):
    job: Job
    command: RunningCommand
    begun: float
    """The time at which the first of the job's commands was started."""


class _Scheduler:
    def __init__(self, jobs: Iterable[Job], engine: Engine, tell: Callable[[str], None]):
        self._waiting, self._engine, self._tell = deque(jobs), engine, tell
        self._running: list[_Running] = []
        self._losses: Counter[str] = Counter()
        self._told: set[str] = set()
        self._stopping, self._started, self._count = False, time.monotonic(), len(self._waiting)
        self.outcome = JobsOutcome([], [], [])

    @property
    def busy(self) -> bool:
        return bool(self._waiting or self._running)

    def turn(self) -> None:
        """Handle ended commands, and start jobs in free places."""
        for running in list(self._running):
            if ended := running.command.poll():
                self._running.remove(running)
                self._next(running, *ended)
        while len(self._running) < self._engine.places() and (job := self._next_waiting()):
            self._continue(job, time.monotonic(), f"; {len(self._waiting)} wait")

    def stop(self, why: str) -> None:
        """Stop all commands, once; nothing else is started."""
        if self._stopping:
            return
        self._stopping = True
        saving = ", ".join(running.job.name for running in self._running) or "none"
        self._tell(f"Stopping, {why}; still saving: {saving}")
        self.outcome.left.extend(job.name for job in self._waiting)
        self._waiting.clear()
        for running in self._running:
            running.command.terminate()

    def kill(self) -> None:
        """Kill all running commands."""
        for running in self._running:
            running.command.kill()

    def _next_waiting(self) -> Job | None:
        """Remove the first job without an obstacle from the queue, and return it."""
        for job in self._waiting:
            if (obstacle := job.obstacle()) is None:
                self._waiting.remove(job)
                return job
            if job.name not in self._told:
                self._told.add(job.name)
                self._tell(f"{job.name}: {obstacle}; waiting for its end")
        return None

    def _next(self, running: _Running, status: int, used: Used) -> None:
        job, status = running.job, self._judged(running.job, status)
        status = job.ended(status, used)
        if status == 0 and not self._stopping:
            self._continue(job, running.begun)
        elif status == LOST:
            self._tell(f"{job.name}: the machine was lost, {running.command.place}; it goes on in another place")
            self._waiting.appendleft(job)
        elif job.command() is None:
            self._finish(job, running.begun)
        elif status == 0 or status in STOPPED:
            self._tell(f"{job.name}: stopped, to be continued")
            self.outcome.left.append(job.name)
        else:
            self._tell(f"{job.name}: FAILED with status {status}, see {job.log}")
            self.outcome.failed.append(job.name)

    def _judged(self, job: Job, status: int) -> int:
        """Replace `LOST` by the status of a stopped command while stopping, and by a failure after too many losses."""
        if status != LOST:
            return status
        if self._stopping:
            return -signal.SIGTERM
        self._losses[job.name] += 1
        return LOST if self._losses[job.name] <= MOST_LOSSES else -signal.SIGKILL

    def _continue(self, job: Job, begun: float, more: str | None = None) -> None:
        """Start the next command of a job, if there is one; `more` is the end of the message for a first command."""
        try:
            if (command := job.command()) is None:
                self._finish(job, begun)
                return
            running = _Running(job, self._engine.start(command, job.log), begun)
        except OSError as error:  # a disk is gone, or cannot be written
            self._tell(f"{job.name}: FAILED, it cannot be started: {error}")
            job.ended(1, Used(0.0, 0.0))
            self.outcome.failed.append(job.name)
            return
        self._running.append(running)
        if more is not None:
            self._tell(f"{job.name}: started on {running.command.place}{more}")

    def _finish(self, job: Job, begun: float) -> None:
        self.outcome.finished.append(job.name)
        self._tell(f"{job.name}: {duration(time.monotonic() - begun)}; {job.summary()}; {self._left()}")

    def _left(self) -> str:
        done = len(self.outcome.finished) + len(self.outcome.failed)
        left = self._count - done
        seconds = (time.monotonic() - self._started) / done * left
        return f"{left} left, about {duration(seconds)}" if left else "none left"
