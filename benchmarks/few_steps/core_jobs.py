"""Jobs that run side by side, each on a core of its own, until they are done or time is up.

A job is a sequence of commands, each a process in a session of its own: so Ctrl-C reaches the scheduler alone, which
asks each of them to stop by one SIGTERM, and lets it save. A second Ctrl-C kills them.
"""

from __future__ import annotations

import os
import signal
import subprocess
import time
from collections import deque
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from pathlib import Path
from typing import NamedTuple, Protocol

from worldmodels.training.interrupt import Interruption

ROOT = Path(__file__).parents[2]
POLL_SECONDS = 0.1
LOG_END = 15
"""Lines of a failed job's log that are printed."""


class Used(NamedTuple):
    """What a process took, with those that it waited for."""

    wall_seconds: float
    processor_seconds: float


class Job(Protocol):
    """Something to do in several commands."""

    name: str
    log: Path
    """The file to which all output of its commands is added."""

    def command(self) -> Sequence[str] | None:
        """Return the command that comes next; None where nothing is left to do."""

    def ended(self, status: int, used: Used) -> None:
        """Note that the command ended, or was stopped, with an exit status."""

    def summary(self) -> str:
        """Return what came of a finished job, in a few words."""


class Outcome(NamedTuple):
    """The names of the jobs by what became of them."""

    finished: list[str]
    failed: list[str]
    left: list[str]
    """Those that wait to be continued or begun."""


def available_cores(count: int | None = None) -> list[int]:
    """Return so many cores that this process may use, by default all of them; beyond those, again from the first."""
    affinity = getattr(os, "sched_getaffinity", None)  # Linux
    cores = sorted(affinity(0)) if affinity else list(range(os.cpu_count() or 1))
    return [cores[i % len(cores)] for i in range(count or len(cores))]


def run_jobs(jobs: Iterable[Job], cores: Sequence[int], seconds: float, tell: Callable[[str], None] = print) -> Outcome:
    """Run jobs in their order, one at a time on each core, and return what became of them.

    A job of which a command fails is named with the end of its log, and the others go on.

    Args:
        seconds: after which all are stopped.
        tell: is given a line for each job that starts or ends.
    """
    with Interruption() as interruption:
        scheduler = _Scheduler(jobs, cores, tell)
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
    def __init__(self, jobs: Iterable[Job], cores: Sequence[int], tell: Callable[[str], None]):
        self._waiting, self._free, self._tell = deque(jobs), list(cores), tell
        self._running: list[_Child] = []
        self._stopping, self._started, self._count = False, time.monotonic(), len(self._waiting)
        self.outcome = Outcome([], [], [])

    @property
    def busy(self) -> bool:
        return bool(self._waiting or self._running)

    def turn(self) -> None:
        """Take note of what ended, and start what there is a free core for."""
        for child in list(self._running):
            if ended := child.poll():
                self._running.remove(child)
                self._next(child, *ended)
        while self._waiting and self._free:
            job, core = self._waiting.popleft(), self._free.pop(0)
            self._tell(f"{job.name}: started on core {core}; {len(self._waiting)} wait")
            self._continue(job, core, time.monotonic())

    def stop(self, why: str) -> None:
        """Ask all children to stop, once; nothing else is started."""
        if self._stopping:
            return
        self._stopping = True
        self._tell(f"Stopping, {why}: {len(self._running)} runs save what they have")
        self.outcome.left.extend(job.name for job in self._waiting)
        self._waiting.clear()
        for child in self._running:
            child.terminate()

    def kill(self) -> None:
        """End what still runs, at once."""
        for child in self._running:
            child.kill()

    def _next(self, child: _Child, status: int, used: Used) -> None:
        job, core = child.job, child.core
        job.ended(status, used)
        if self._stopping and (status or job.command() is not None):
            self._tell(f"{job.name}: stopped, to be continued")
            self.outcome.left.append(job.name)
        elif status:
            self._tell(f"{job.name}: FAILED with status {status}. The end of {job.log}:\n{_end(job.log)}")
            self.outcome.failed.append(job.name)
            self._free.append(core)
        else:
            self._continue(job, core, child.begun)

    def _continue(self, job: Job, core: int, begun: float) -> None:
        """Start the next command of a job, if there is one, on the core that is its own."""
        if (command := job.command()) is not None:
            self._running.append(_Child(job, command, core, begun))
            return
        self.outcome.finished.append(job.name)
        self._free.append(core)
        self._tell(f"{job.name}: {time.monotonic() - begun:,.0f} s; {job.summary()}; {self._left()}")

    def _left(self) -> str:
        done = len(self.outcome.finished) + len(self.outcome.failed)
        hours = (time.monotonic() - self._started) / done * (self._count - done) / 3600
        return f"{self._count - done} left, about {hours:.1f} h"


class _Child:
    """A command of a job in a process of its own, on one core."""

    def __init__(self, job: Job, command: Sequence[str], core: int, begun: float):
        self.job, self.core, self.begun = job, core, begun
        self._started = time.monotonic()
        pin = partial(os.sched_setaffinity, 0, {core}) if hasattr(os, "sched_setaffinity") else None
        job.log.parent.mkdir(parents=True, exist_ok=True)
        with open(job.log, "ab") as log:
            self._process = subprocess.Popen(
                command,
                cwd=ROOT,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=subprocess.STDOUT,
                start_new_session=True,
                preexec_fn=pin,  # no other thread of ours could hold a lock in the child
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


def _end(log: Path) -> str:
    lines = log.read_text(errors="replace").splitlines()[-LOG_END:]
    return "\n".join(f"    {line}" for line in lines)
