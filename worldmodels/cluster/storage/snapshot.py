"""Takes a snapshot of a run's folder while the run goes on writing: hard links to its files, and their sizes.

A run replaces files as a whole or appends to them. A link keeps a file that is replaced or removed meanwhile; of a file
that grows, the first bytes count.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

from worldmodels.core.errors import os_errors_reported
from worldmodels.core.files.checkpoint import MANIFEST, REPLACED, Checkpoints
from worldmodels.core.files.run_dir import RunDir
from worldmodels.core.files.writing import NAME as LOCK
from worldmodels.core.files.writing import is_temporary, remove_one

LINKS = ".links"
"""The name of the folder of the links, beside the run's folder."""
ATTEMPTS = 100


class LocalFile(NamedTuple):
    """A file of a snapshot."""

    path: Path
    size: int
    identity: tuple[int, int, int]
    """Its inode, size and time: the same only while the file has not changed."""


class RunSnapshot(NamedTuple):
    """A run's folder at one moment."""

    step: int
    """The step of its newest checkpoint; -1 without one."""
    files: Mapping[str, LocalFile]
    """The files by their names in the run's folder, with slashes."""


@contextmanager
def snapshot(run: Path) -> Iterator[RunSnapshot | None]:
    """Yield a snapshot of a run's folder: its checkpoints, and all files that they need.

    It is None if there is no run: a run that failed before its first checkpoint removes its folder.

    Raises:
        DiskFullError, FileError: the links cannot be made.
    """
    links = run.with_name(LINKS)
    try:
        yield _taken(run, links)
    finally:
        remove_one(links)


def _taken(run: Path, links: Path) -> RunSnapshot | None:
    checkpoints = Checkpoints(RunDir(run).checkpoints)
    for _ in range(ATTEMPTS):
        remove_one(links)
        before = checkpoints.steps()
        files = _linked(run, links)
        # Were a checkpoint written in between, the records could be older than it, or the checkpoint be half there.
        if checkpoints.steps() == before and all(_manifest(step) in files for step in before):
            return RunSnapshot(before[-1] if before else -1, files) if RunDir(run).config.name in files else None
    return None


def _manifest(step: int) -> str:
    return f"checkpoints/{step:08d}/{MANIFEST}"


def _linked(run: Path, links: Path) -> dict[str, LocalFile]:
    files = {}
    for name in _names(run):
        link = links / name
        with os_errors_reported(link):
            link.parent.mkdir(parents=True, exist_ok=True)
            try:
                os.link(run / name, link, follow_symlinks=False)
            except FileNotFoundError:
                continue  # it is gone already
            found = os.lstat(link)
        if stat.S_ISREG(found.st_mode):
            files[name] = LocalFile(link, found.st_size, (found.st_ino, found.st_size, found.st_mtime_ns))
    return files


def _names(run: Path) -> list[str]:
    """Return the names of the files in a run's folder; rows of the replay come before their frames."""
    names = []
    for where, folders, files in os.walk(run):
        folders[:] = [name for name in folders if not is_temporary(name) and not name.endswith(REPLACED)]
        kept = [name for name in files if not is_temporary(name) and name != LOCK]
        names += [Path(where, name).relative_to(run).as_posix() for name in kept]
    return sorted(names, key=lambda name: (name.endswith(".frames"), name))
