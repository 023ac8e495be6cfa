"""A file that is written here is either the old one or the new one, never half of each."""

from __future__ import annotations

import os
from pathlib import Path

from worldmodels.core.errors import disk_full_reported


def write_atomic(path: Path | str, data: bytes | str) -> None:
    """Write `data` beside `path`, make sure that it is on the disk, then rename it into place.

    Whatever goes wrong, `path` keeps what it held before.

    Raises:
        DiskFullError: the disk is full.
    """
    path = Path(path)
    beside = path.with_name(f".{path.name}.tmp-{os.getpid()}")
    try:
        with disk_full_reported(path):
            write_synced(beside, data.encode() if isinstance(data, str) else data)
            os.replace(beside, path)
            sync_folder(path.parent)
    finally:
        beside.unlink(missing_ok=True)


def write_synced(path: Path, data: bytes) -> None:
    """Write a whole file and wait until the disk has it."""
    with open(path, "wb") as file:
        file.write(data)
        file.flush()
        os.fsync(file.fileno())


def sync_folder(folder: Path) -> None:
    """Wait until the disk has the folder's list of names: a rename is only safe after that."""
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
