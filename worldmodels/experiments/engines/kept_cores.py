"""Cores of a machine on which processes that do not know of each other share it: each keeps some by locks on files."""

from __future__ import annotations

import fcntl
import os
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from itertools import islice
from pathlib import Path

from worldmodels.core.files.writing import open_regular
from worldmodels.core.processor import usable_cores


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
