"""Jobs that run side by side, each on cores of its own, until they are done or time is up.

A job is a sequence of commands, each a process in a session of its own: so Ctrl-C reaches the scheduler alone, which
asks each of them to stop by one SIGTERM, and lets it save. A second Ctrl-C kills them. Where the scheduler itself is
killed, the kernel sends that SIGTERM.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections import deque
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import NamedTuple, Protocol

from worldmodels.core.errors import UserError
from worldmodels.telemetry.status import duration
from worldmodels.training.interrupt import Interruption

Cores = Sequence[int]
"""The numbers of the cores to which a process is pinned."""

POLL_SECONDS = 0.1
LOG_LINES = 15
STOPPED = (130, -signal.SIGTERM, -signal.SIGINT)
"""Exit statuses of a command that was asked to stop."""
PINNED = Path(__file__).with_name("pinned.py")


class Used(NamedTuple):
    """The time that a process took, with those that it waited for."""

    wall_seconds: float
    processor_seconds: float


class Job(Protocol):
    """Something to do in several commands."""

    name: str
    log: Path
    """The file to which all output of its commands is added."""

    def command(self) -> Sequence[str] | None:
        """Return the command that comes next, as often as one asks; None where nothing is left to do."""

    def ended(self, status: int, used: Used) -> None:
        """Note that the command ended, or was stopped, with an exit status."""

    def summary(self) -> str:
        """Return what came of a finished job, in a few words."""


class JobsOutcome(NamedTuple):
    """The names of the jobs by what became of them."""

    finished: list[str]
    failed: list[str]
    left: list[str]
    """They wait to be continued or begun."""


def core_shares(count: int | None = None) -> list[Cores]:
    """Return the cores of each of so many jobs: those that this process may use, divided; by default, one job on each.

    All get equally many, because the last bits of what is computed follow from their number; what is left over stays
    idle. Where there are more jobs than cores, some have the same one.

    Raises:
        UserError: `count` is below 1.
    """
    affinity = getattr(os, "sched_getaffinity", None)  # Linux
    cores = sorted(affinity(0)) if affinity else list(range(os.cpu_count() or 1))
    count = len(cores) if count is None else count
    if count < 1:
        raise UserError(f"The number of jobs at once must be at least 1. Received {count}.")
    if count > len(cores):
        return [[cores[i % len(cores)]] for i in range(count)]
    size = len(cores) // count
    return [cores[i * size : (i + 1) * size] for i in range(count)]


def log_end(log: Path) -> str:
    """Return the last lines of a log, indented; a sentence where there is none."""
    if not log.is_file():
        return "    There is no log."
    lines = log.read_text(errors="replace").splitlines()[-LOG_LINES:]
    return "\n".join(f"    {line}" for line in lines)


def run_jobs(
    jobs: Iterable[Job], places: Sequence[Cores], seconds: float, tell: Callable[[str], None] = print
) -> JobsOutcome:
    """Run jobs in their order, one at a time in each place, and return what became of them.

    A job of which a command fails is named, and the others go on.

    Args:
        places: the cores of each of the jobs that run at once.
        seconds: after which all are stopped.
        tell: is given a line for each job that starts or ends.
    """
    with Interruption() as interruption:
        scheduler = _Scheduler(jobs, places, tell)
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


class _Scheduler:
    def __init__(self, jobs: Iterable[Job], places: Sequence[Cores], tell: Callable[[str], None]):
        self._waiting, self._free, self._tell = deque(jobs), list(places), tell
        self._running: list[_Child] = []
        self._stopping, self._started, self._count = False, time.monotonic(), len(self._waiting)
        self.outcome = JobsOutcome([], [], [])

    @property
    def busy(self) -> bool:
        return bool(self._waiting or self._running)

    def turn(self) -> None:
        """Take note of what ended, and start what there is a free place for."""
        for child in list(self._running):
            if ended := child.poll():
                self._running.remove(child)
                self._next(child, *ended)
        while self._waiting and self._free:
            job, cores = self._waiting.popleft(), self._free.pop(0)
            where = f"core{'s' if len(cores) > 1 else ''} {', '.join(map(str, cores))}"
            self._tell(f"{job.name}: started on {where}; {len(self._waiting)} wait")
            self._continue(job, cores, time.monotonic())

    def stop(self, why: str) -> None:
        """Ask all children to stop, once; nothing else is started."""
        if self._stopping:
            return
        self._stopping = True
        self._tell(f"Stopping, {why}; still saving: {', '.join(child.job.name for child in self._running) or 'none'}")
        self.outcome.left.extend(job.name for job in self._waiting)
        self._waiting.clear()
        for child in self._running:
            child.terminate()

    def kill(self) -> None:
        """End what still runs, at once."""
        for child in self._running:
            child.kill()

    def _next(self, child: _Child, status: int, used: Used) -> None:
        job, cores = child.job, child.cores
        job.ended(status, used)
        if status == 0 and not self._stopping:
            self._continue(job, cores, child.begun)
        elif job.command() is None:
            self._finish(job, cores, child.begun)
        elif status == 0 or status in STOPPED:
            self._tell(f"{job.name}: stopped, to be continued")
            self.outcome.left.append(job.name)
            self._free.append(cores)
        else:
            self._tell(f"{job.name}: FAILED with status {status}, see {job.log}")
            self.outcome.failed.append(job.name)
            self._free.append(cores)

    def _continue(self, job: Job, cores: Cores, begun: float) -> None:
        """Start the next command of a job, if there is one, on the cores that are its own."""
        if (command := job.command()) is None:
            self._finish(job, cores, begun)
        else:
            self._running.append(_Child(job, command, cores, begun))

    def _finish(self, job: Job, cores: Cores, begun: float) -> None:
        self.outcome.finished.append(job.name)
        self._free.append(cores)
        self._tell(f"{job.name}: {duration(time.monotonic() - begun)}; {job.summary()}; {self._left()}")

    def _left(self) -> str:
        done = len(self.outcome.finished) + len(self.outcome.failed)
        left = self._count - done
        seconds = (time.monotonic() - self._started) / done * left
        return f"{left} left, about {duration(seconds)}" if left else "none left"


class _Child:
    """A command of a job in a process of its own, on some cores."""

    def __init__(self, job: Job, command: Sequence[str], cores: Cores, begun: float):
        self.job, self.cores, self.begun = job, cores, begun
        self._started = time.monotonic()
        pin = [sys.executable, "-I", "-S", str(PINNED), str(os.getpid()), ",".join(map(str, cores))]
        job.log.parent.mkdir(parents=True, exist_ok=True)
        with open(job.log, "ab") as log:
            self._process = subprocess.Popen(
                [*pin, *command],
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )

    def poll(self) -> tuple[int, Used] | None:
        """Return the exit status and what the process took once it has ended, and None before."""
        process, status, usage = os.wait4(self._process.pid, os.WNOHANG)
        if not process:
            return None
        self._process.returncode = os.waitstatus_to_exitcode(status)  # or Popen would wait for it in vain
        used = Used(time.monotonic() - self._started, usage.ru_utime + usage.ru_stime)
        return self._process.returncode, used

    def terminate(self) -> None:
        os.kill(self._process.pid, signal.SIGTERM)  # Popen's own would first reap what has ended, and lose its usage

    def kill(self) -> None:
        os.kill(self._process.pid, signal.SIGKILL)
        self._process.wait()
