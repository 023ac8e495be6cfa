"""A file that is written here is either the old one or the new one, never half of each.

What is being written stands beside its place under a temporary name, `.NAME.tmp-PROCESS`, until it is whole. A process
that is killed leaves it there: such names count for nothing, and the next start of a run removes them.

The files of a run are files of their own: a link in their place is refused, for it would let a run cut and overwrite
files elsewhere.

A lock on a folder is a file in it, which one process holds; the kernel drops it when that dies, however it dies.
"""

from __future__ import annotations

import errno
import fcntl
import os
import re
import shutil
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TextIO

from worldmodels.core.errors import FileError, RunError, disk_full_reported, os_errors_reported

_TEMPORARY = re.compile(r".+\.tmp-(\d+)", re.DOTALL)


def write_atomic(path: Path | str, data: bytes | str) -> None:
    """Write `data` beside `path`, make sure that it is on the disk, then rename it into place.

    Whatever goes wrong, `path` keeps what it held before.

    Raises:
        DiskFullError: the disk is full.
        FileError: the file cannot be written there for another reason.
    """
    with replacing(path) as beside:
        beside.write_bytes(data.encode() if isinstance(data, str) else data)


@contextmanager
def replacing(path: Path | str) -> Iterator[Path]:
    """Give the path of a temporary file to write, then rename it to `path`; an error inside the block removes it.

    Raises:
        DiskFullError, FileError: as `write_atomic`, also for what the block does.
    """
    path = Path(path)
    beside = temporary(path)
    try:
        with os_errors_reported(path):
            yield beside
            sync_file(beside)
            os.replace(beside, path)
            sync_folder(path.parent)
    finally:
        remove_one(beside)


def temporary(path: Path) -> Path:
    """Return the temporary name beside `path` under which this process writes it; see `is_temporary`."""
    return path.with_name(f".{path.name}.tmp-{os.getpid()}")


def is_temporary(path: Path | str) -> bool:
    """Return whether a name is that of something half written, which counts for nothing: `.NAME.tmp-PROCESS`."""
    return _TEMPORARY.fullmatch(os.path.basename(path)) is not None


def remove_temporary(folder: Path | str) -> None:
    """Remove what killed processes left half written in a folder and those inside it, as far as it can be removed.

    What another living process writes stays. This process's own number counts as dead: in a container it is often the
    same one at every start. So call this before anything is written.
    """
    for where, folders, files in os.walk(folder):
        for name in [*folders, *files]:
            match = _TEMPORARY.fullmatch(name)
            if match and not _is_other_living_process(int(match[1])):
                remove_one(Path(where, name))
        folders[:] = [name for name in folders if not is_temporary(name)]


def remove_one(path: Path) -> None:
    """Remove a file, a link or a whole folder, if it is there and can be removed."""
    with suppress(OSError):  # it only takes room
        if path.is_dir() and not path.is_symlink():
            shutil.rmtree(path, ignore_errors=True)
        else:
            path.unlink()


def open_regular(path: Path | str, flags: int, mode: int = 0o644) -> int:
    """Open a file of a run's folder as `os.open` does, and return the descriptor; nothing but a file is opened.

    Raises:
        FileError: there is a link, a folder, a pipe or a device in its place, or it cannot be opened.
        FileNotFoundError: it is missing, and `flags` do not say to make it.
    """
    try:
        # Not to block: opening a pipe would wait for its other end. Files do not heed the flag.
        descriptor = os.open(path, flags | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC, mode)
    except FileNotFoundError:
        raise
    except OSError as error:
        if error.errno in (errno.ELOOP, errno.ENXIO, errno.EISDIR):
            raise FileError(_no_file(path)) from error
        raise FileError(f"'{path}' cannot be opened: {error.strerror}.") from error
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        os.close(descriptor)
        raise FileError(_no_file(path))
    return descriptor


def read_regular(path: Path | str) -> bytes:
    """Return the bytes of a file of a run's folder; raises as `open_regular` does."""
    with open(open_regular(path, os.O_RDONLY), "rb") as file, os_errors_reported(path, "read"):
        return file.read()


def check_own(path: Path | str) -> None:
    """Check that a path in a run's folder, if it exists, is a file or a folder of its own and no link.

    Raises:
        FileError: it is something else.
    """
    try:
        mode = os.lstat(path).st_mode
    except FileNotFoundError:
        return
    except OSError as error:
        raise FileError(f"'{path}' cannot be looked at: {error.strerror}.") from error
    if not (stat.S_ISREG(mode) or stat.S_ISDIR(mode)):
        raise FileError(_no_file(path))


def make_folder(path: Path | str) -> None:
    """Make a folder, and those above it, where it is missing; a link to one is as good.

    Raises:
        DiskFullError, FileError: it cannot be made, or something else stands in its place.
    """
    with os_errors_reported(path, "made"):
        try:
            os.makedirs(path, exist_ok=True)
        except FileExistsError as error:
            raise FileError(f"'{error.filename}' is no folder, and one is needed there.") from error


def make_own_folder(path: Path | str) -> None:
    """Make a folder in a run's folder where it is missing.

    Raises:
        DiskFullError, FileError: as `make_folder`; and there is a link in its place.
    """
    check_own(path)
    make_folder(path)


def check_writable(path: Path) -> None:
    """Make a folder in a run's folder where it is missing, and check that files can be made in it.

    Raises:
        DiskFullError, FileError: as `make_own_folder`; or nothing can be written there.
    """
    make_own_folder(path)
    trial = temporary(path / "trial")
    try:
        with os_errors_reported(path):
            trial.touch()
    finally:
        remove_one(trial)


def make_private_folder(path: Path) -> None:
    """Make a folder at a predictable place that every user can write to; one that is there must be this user's alone.

    Raises:
        DiskFullError, FileError: it cannot be made; or the place holds a link, another user's folder, or a folder that
            others can enter.
    """
    with os_errors_reported(path, "made"):
        with suppress(FileExistsError):
            path.mkdir(mode=0o700)
        found = os.lstat(path)
    mode = stat.S_IMODE(found.st_mode)
    if not stat.S_ISDIR(found.st_mode):
        fault = "is no folder"
    elif found.st_uid != os.getuid():
        fault = f"belongs to another user (number {found.st_uid})"
    elif mode & 0o077:
        fault = f"is open to other users (mode {mode:o})"
    else:
        return
    raise FileError(
        f"'{path}' {fault}; it must be a folder of your own that nobody else can enter (mode 700). Remove it, or set "
        "TMPDIR to a folder of your own."
    )


def write_synced(path: Path, data: bytes) -> None:
    """Write a whole file and wait until the disk has it."""
    with open(path, "wb") as file:
        file.write(data)
        file.flush()
        os.fsync(file.fileno())


def sync_file(path: Path) -> None:
    """Wait until the disk has what a file holds."""
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def sync_folder(folder: Path) -> None:
    """Wait until the disk has the folder's list of names: a rename is only safe after that."""
    sync_file(folder)


def _no_file(path: Path | str) -> str:
    kind = "a link" if os.path.islink(path) else "a folder" if os.path.isdir(path) else "a pipe or a device"
    return (
        f"'{path}' is {kind}; a run's folder holds files of its own, so that it never changes files elsewhere. "
        "Put the file itself there; the run's folder as a whole may be a link."
    )


def _is_other_living_process(number: int) -> bool:
    if number == os.getpid():
        return False
    try:
        os.kill(number, 0)
    except (ProcessLookupError, OverflowError):
        return False
    except PermissionError:
        return True
    return True


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
