"""A lock on a folder is a file in it, which one process holds; the kernel drops it when that dies, however it dies."""

from __future__ import annotations

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TextIO

from worldmodels.core.errors import RunError, disk_full_reported
from worldmodels.core.files.writing import make_folder, open_regular

NAME = ".lock"


class LockedError(RunError):
    """Another process has the lock."""


@contextmanager
def locked(folder: Path, use: str) -> Iterator[None]:
    """Keep a folder, which is made where it is missing, from other processes meanwhile.

    Args:
        use: what the process does there, for the error of the others: "training in".

    Raises:
        LockedError: another process has the lock; the text gives its number.
    """
    make_folder(folder)
    with open(open_regular(folder / NAME, os.O_RDWR | os.O_CREAT), "r+") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            raise LockedError(
                f"Another process (number {_number(file)}) is {use} '{folder}'. Wait for it, stop it, or choose "
                "another folder."
            ) from error
        with disk_full_reported(folder):
            file.truncate(0)
            file.write(str(os.getpid()))  # for people, and for the error above
            file.flush()
        yield


def lock_holder(folder: Path) -> str | None:
    """Return the number of the process that has a folder's lock, or None where nobody has; change nothing."""
    try:
        descriptor = open_regular(folder / NAME, os.O_RDONLY)
    except FileNotFoundError:
        return None
    with open(descriptor) as file:
        try:
            fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
        except BlockingIOError:
            return _number(file)
    return None


def _number(file: TextIO) -> str:
    file.seek(0)
    return file.read().strip() or "unknown"
