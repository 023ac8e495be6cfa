"""Actors of a cluster engine, as they are on the node of a command; they know nothing of the cluster."""

from __future__ import annotations

import asyncio
import fcntl
import os
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from itertools import islice
from pathlib import Path
from typing import BinaryIO

from worldmodels.core.files.writing import open_regular
from worldmodels.core.processor import usable_cores
from worldmodels.experiments.engines.api import Used
from worldmodels.experiments.engines.local import pinned, reap

ATTENDED = Path(__file__).with_name("attended.py")
POLL_SECONDS = 0.1


class Attendant:
    """Starts a command on the node on which it is, waits for its end, and stops it; one command after the other."""

    def __init__(self, cores: int) -> None:
        self._kept = ExitStack()
        self._cores = self._kept.enter_context(kept_cores(cores))

    async def start(self, command: Sequence[str], python: str, folder: str | None, log: str | None) -> str:
        """Start a command in a working directory, and return the name of the node.

        Args:
            python: stands for this node's Python where it is the first word.
            folder: by default that of this node's temporary files.
            log: takes the output, after what it has already; by default it is kept for `output`.

        Raises:
            FileNotFoundError: the folder or the log is not there.
        """
        words = [sys.executable if command[0] == python else command[0], *command[1:]]
        attended = [sys.executable, "-I", "-S", str(ATTENDED), ",".join(map(str, self._cores)), *words]
        # Ray sets it for its own workers; without it libraries see the cores that the command has.
        environment = {name: value for name, value in os.environ.items() if name != "OMP_NUM_THREADS"}
        with self._output_file(log) as file:
            self._started = time.monotonic()
            self._process = subprocess.Popen(
                pinned(attended, self._cores),
                stdin=subprocess.DEVNULL,
                stdout=file,
                stderr=subprocess.STDOUT,
                start_new_session=True,
                cwd=folder or tempfile.gettempdir(),
                env=environment,
            )
        return socket.gethostname()

    async def wait(self, begun: str) -> tuple[int, Used]:
        """Return the exit status of the command, and what it took, once it has ended.

        Args:
            begun: what `start` returned: an actor of this kind may do things in another order than asked for.
        """
        while not (ended := reap(self._process, self._started)):
            await asyncio.sleep(POLL_SECONDS)
        return ended

    async def output(self) -> bytes:
        """Return what the command has written since the last time that was asked for, where it has no log."""
        return self._output.read()

    async def terminate(self) -> None:
        """Ask the command to stop."""
        if self._process.returncode is None:
            os.kill(self._process.pid, signal.SIGTERM)

    async def kill(self) -> None:
        """End the command, and whatever it has started, at once."""
        if self._process.returncode is None:
            os.killpg(self._process.pid, signal.SIGKILL)

    def _output_file(self, log: str | None) -> BinaryIO:
        """Return the file that takes the output; without a log, one that has no name, and is read as `_output`."""
        if log is not None:
            return open(os.open(log, os.O_WRONLY | os.O_APPEND), "ab")  # it is not made: nobody would see it
        descriptor, name = tempfile.mkstemp()
        self._output = open(name, "rb")  # noqa: SIM115 (it is read for as long as the command runs)
        os.unlink(name)
        return open(descriptor, "wb")


def unseen(paths: Sequence[str]) -> list[str]:
    """Return those paths that this node does not see."""
    return [path for path in paths if not os.path.exists(path)]


@contextmanager
def kept_cores(count: int, folder: Path | None = None) -> Iterator[list[int]]:
    """Keep so many cores that nobody else keeps, and give their numbers; the kernel lets go of them if we die.

    Where too few are free, some are shared; where the machine has fewer, all are given.

    Args:
        folder: of the locks, the same for all; by default this user's, among the temporary files of this machine.
    """
    folder = folder or Path(tempfile.gettempdir()) / f"worldmodels-cores-{os.getuid()}"
    folder.mkdir(mode=0o700, exist_ok=True)
    with ExitStack() as stack:
        usable = usable_cores()
        free = list(islice((core for core in usable if _keep(folder / str(core), stack)), count))
        shared = [core for core in usable if core not in free]
        yield sorted([*free, *shared[: count - len(free)]])


def _keep(lock: Path, stack: ExitStack) -> bool:
    """Lock a file until the stack is closed; return False where somebody else has it."""
    descriptor = open_regular(lock, os.O_RDWR | os.O_CREAT)
    stack.callback(os.close, descriptor)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True
