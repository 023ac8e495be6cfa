"""An engine runs commands in its places: cores of this machine, or shares of the nodes of a cluster.

Runs commands as processes of this machine, each on cores of its own.

Each process has a session of its own, so that Ctrl-C reaches the scheduler alone. If the scheduler is killed, the
kernel sends SIGTERM to the processes.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from abc import ABC, abstractmethod
from collections.abc import Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from types import TracebackType
from typing import NamedTuple, Protocol

from worldmodels.core.errors import UserError
from worldmodels.core.processor import usable_cores

STOPPED = (130, -signal.SIGTERM, -signal.SIGINT)
"""Exit statuses of a command that was stopped by a signal."""
LOST = -1000
"""The status of a command whose machine was lost; it may be started again elsewhere."""


class Used(NamedTuple):
    """The time of a process and of its children."""

    wall_seconds: float
    processor_seconds: float


class RunningCommand(Protocol):
    """A command that an engine has started."""

    @property
    def place(self) -> str:
        """Return the place of the command, for messages: "core 3"."""

    def poll(self) -> tuple[int, Used] | None:
        """Return the exit status, or `LOST`, and the times of an ended command; None while it runs."""

    def terminate(self) -> None:
        """Send SIGTERM once, so that the command saves and stops; `poll` returns its end."""

    def kill(self) -> None:
        """End the command at once."""


class Engine(AbstractContextManager["Engine"], ABC):
    """Starts commands inside of a `with` block, which holds the connection to a cluster, for example.

    Raises:
        UserError: on entering, the engine cannot be used.
    """

    def __exit__(self, kind: type | None, error: BaseException | None, trace: TracebackType | None) -> None:
        return None

    def check_folder(self, folder: Path) -> None:
        """Check that commands see an existing folder of this machine, wherever they run.

        Raises:
            UserError: a machine does not see it; the text names the machine.
        """

    @abstractmethod
    def places(self) -> int:
        """Return how many commands may run at once now."""

    @abstractmethod
    def start(self, command: Sequence[str], log: Path) -> RunningCommand:
        """Start a command in this process's working directory, while fewer than `places` commands run.

        Args:
            log: the file to which its output is appended; missing folders are made.
        """


Cores = Sequence[int]
"""The numbers of the cores to which a process is pinned."""

PINNED = Path(__file__).with_name("pinned.py")


def core_shares(count: int | None = None) -> list[Cores]:
    """Divide the cores of this process among `count` jobs, by default one core for each job.

    All jobs get the same number of cores, because the last bits of the results depend on it; remaining cores stay idle.
    If there are more jobs than cores, some jobs share a core.

    Raises:
        UserError: `count` is below 1.
    """
    cores = usable_cores()
    count = len(cores) if count is None else count
    if count < 1:
        raise UserError(f"The number of jobs at once must be at least 1. Received {count}.")
    if count > len(cores):
        return [[cores[i % len(cores)]] for i in range(count)]
    size = len(cores) // count
    return [cores[i * size : (i + 1) * size] for i in range(count)]


class LocalEngine(Engine):
    """Runs one command at a time on each share of the cores."""

    def __init__(self, shares: Sequence[Cores]) -> None:
        self._count, self._free = len(shares), list(shares)

    def places(self) -> int:
        return self._count

    def start(self, command: Sequence[str], log: Path) -> LocalCommand:
        return LocalCommand(command, log, self._free.pop(0), self._free)


class LocalCommand:
    """A command in a process of its own, on cores that return to the front of `free` when it ends."""

    def __init__(self, command: Sequence[str], log: Path, cores: Cores, free: list[Cores]):
        self.place = f"core{'s' if len(cores) > 1 else ''} {', '.join(map(str, cores))}"
        self._cores, self._free, self._started = cores, free, time.monotonic()
        log.parent.mkdir(parents=True, exist_ok=True)
        with open(log, "ab") as file:
            self._process = subprocess.Popen(
                pinned(command, cores),
                stdin=subprocess.DEVNULL,
                stdout=file,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )

    def poll(self) -> tuple[int, Used] | None:
        found = reap(self._process, self._started)
        if found:
            self._free.insert(0, self._cores)
        return found

    def terminate(self) -> None:
        os.kill(self._process.pid, signal.SIGTERM)  # Popen's own would reap an ended process first, and lose its usage

    def kill(self) -> None:
        os.kill(self._process.pid, signal.SIGKILL)
        self._process.wait()


def pinned(command: Sequence[str], cores: Cores) -> list[str]:
    """Return the command that runs another one on some cores, and that stops it when this thread ends."""
    return [sys.executable, "-I", "-S", str(PINNED), str(os.getpid()), ",".join(map(str, cores)), *command]


def reap(process: subprocess.Popen[bytes], started: float) -> tuple[int, Used] | None:
    """Return the exit status and the times of an ended child, or None while it runs.

    Args:
        started: the value of `time.monotonic` at its start.
    """
    number, status, usage = os.wait4(process.pid, os.WNOHANG)
    if not number:
        return None
    process.returncode = os.waitstatus_to_exitcode(status)  # or Popen would wait for it in vain
    used = Used(time.monotonic() - started, usage.ru_utime + usage.ru_stime)
    return process.returncode, used
