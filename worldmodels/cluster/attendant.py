"""The part of a cluster engine that runs on the node of a command; it does not import Ray."""

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

from worldmodels.core.files.writing import make_private_folder, open_regular
from worldmodels.core.processor import usable_cores
from worldmodels.experiments.engine import Used, pinned, reap

ATTENDED = Path(__file__).with_name("attended.py")
POLL_SECONDS = 0.1


class Attendant:
    """Starts, awaits and stops commands on its own node, one command after the other."""

    def __init__(self, cores: int) -> None:
        self._kept = ExitStack()
        self._cores = self._kept.enter_context(kept_cores(cores))

    async def start(self, command: Sequence[str], python: str, folder: str | None, log: str | None) -> str:
        """Start a command in a working directory, and return the name of this node.

        Args:
            python: a first word equal to this is replaced by the Python of this node.
            folder: the working directory; by default the folder of this node's temporary files.
            log: the file to which the output is appended; by default `output` returns it.

        Raises:
            FileNotFoundError: the folder or the log does not exist.
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
        """Wait for the end of the command, and return its exit status and its times.

        Args:
            begun: the return value of `start`, which makes Ray call `start` first.
        """
        while not (ended := reap(self._process, self._started)):
            await asyncio.sleep(POLL_SECONDS)
        return ended

    async def output(self) -> bytes:
        """Return the output since the last call, for a command without a log."""
        return self._output.read()

    async def terminate(self) -> None:
        """Ask the command to stop."""
        if self._process.returncode is None:
            os.kill(self._process.pid, signal.SIGTERM)

    async def kill(self) -> None:
        """Kill the command and all its children."""
        if self._process.returncode is None:
            os.killpg(self._process.pid, signal.SIGKILL)

    def _output_file(self, log: str | None) -> BinaryIO:
        """Return the file that takes the output; without a log, a nameless file that `_output` reads."""
        if log is not None:
            return open(os.open(log, os.O_WRONLY | os.O_APPEND), "ab")  # it is not made: nobody would see it
        descriptor, name = tempfile.mkstemp()
        self._output = open(name, "rb")  # noqa: SIM115 (it is read for as long as the command runs)
        os.unlink(name)
        return open(descriptor, "wb")


def unseen(paths: Sequence[str]) -> list[str]:
    """Return the paths that do not exist on this node."""
    return [path for path in paths if not os.path.exists(path)]


@contextmanager
def kept_cores(count: int, folder: Path | None = None) -> Iterator[list[int]]:
    """Reserve `count` cores of this machine by locks on files, and yield their numbers; the locks end with the process.

    If too few cores are free, some are shared; if the machine has fewer, all are yielded.

    Args:
        folder: the folder of the locks; by default one for this user among the temporary files.
    """
    folder = folder or Path(tempfile.gettempdir()) / f"worldmodels-cores-{os.getuid()}"
    make_private_folder(folder)
    with ExitStack() as stack:
        usable = usable_cores()
        free = list(islice((core for core in usable if _keep(folder / str(core), stack)), count))
        shared = [core for core in usable if core not in free]
        yield sorted([*free, *shared[: count - len(free)]])


def _keep(lock: Path, stack: ExitStack) -> bool:
    """Lock a file until the stack is closed; return False if another process holds the lock."""
    descriptor = open_regular(lock, os.O_RDWR | os.O_CREAT)
    stack.callback(os.close, descriptor)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True
