"""Reads and writes files below an address, by fsspec: s3://bucket/folder, gs://..., sftp://..., file:///....

This is the only module that imports fsspec. The storage only has to read, write, list and remove whole files: no locks,
no renaming and no appending. A written file must be visible at once, as in file systems, S3, Google Cloud Storage and
Azure.
"""

from __future__ import annotations

import hashlib
import threading
import time
from collections.abc import Callable, Iterable
from contextlib import nullcontext, suppress
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO, TypeVar

from worldmodels.core.errors import NO_SPACE, StorageError, UserError, os_errors_reported, pip_install, shortened
from worldmodels.core.files.writing import read_regular

if TYPE_CHECKING:
    from fsspec import AbstractFileSystem

T = TypeVar("T")

PATIENCE_SECONDS = 300.0
"""A call that fails is tried again for this long, after 1, 2, 4 ... seconds."""
FIRST_PAUSE_SECONDS, MOST_PAUSE_SECONDS = 1.0, 30.0
PIECE_BYTES = 2**22


class ShorterError(Exception):
    """A local file became shorter while it was sent."""


class Remote:
    """The files below an address, by names with slashes; several threads may use it.

    Args:
        url: the address; fsspec's documentation says where credentials are found.
        patience: seconds for which a failing call is tried again.

    Raises:
        UserError: fsspec is not installed.
        StorageError: no file system has this address, or its package is missing. Every method raises it, too, after
            `patience` seconds of failing.
    """

    def __init__(self, url: str, patience: float = PATIENCE_SECONDS) -> None:
        self.url, self.patience = url.rstrip("/"), patience
        self._files, self._root = _opened(url)
        self._one_at_a_time = not self._files.async_impl
        """Whether calls take turns: over one connection, calls of several threads mix up their answers."""
        self._turn = threading.Lock()
        self._has_folders = self._root.startswith("/")
        """Whether folders are made before files; object stores have no folders."""

    def check(self) -> None:
        """Check that the storage exists; if only the last folder of the address is missing, make it.

        Raises:
            StorageError: it does not exist.
        """
        top = self._root.rpartition("/")[0] or "/" if self._has_folders else self._root.split("/")[0]

        def look() -> None:
            if not self._files.isdir(self._root) and not self._files.exists(top):
                raise _GoneError(f"there is no '{top}'")
            if self._has_folders:
                self._files.makedirs(self._root, exist_ok=True)

        self._patiently("used", look)

    def read(self, name: str) -> bytes | None:
        """Return the content of a file, or None if there is no such file."""

        def call() -> bytes | None:
            try:
                return bytes(self._files.cat_file(self._path(name)))
            except FileNotFoundError:
                self._check_root()
                return None

        return self._patiently("read", call)

    def write(self, name: str, data: bytes) -> None:
        """Write a whole file; another process may see a part of it until this returns."""

        def call() -> None:
            self._make_folder(name)
            self._files.pipe_file(self._path(name), data)

        self._patiently("written", call)

    def put(self, path: Path, size: int, name: str) -> str:
        """Send the first `size` bytes of a local file, and return their SHA-256.

        Raises:
            ShorterError: the local file has fewer.
        """

        def call() -> str:
            self._make_folder(name)
            digest, left = hashlib.sha256(), size
            with open(path, "rb") as source, self._files.open(self._path(name), "wb") as target:
                while left:
                    piece = source.read(min(PIECE_BYTES, left))
                    if not piece:
                        raise ShorterError
                    digest.update(piece)
                    target.write(piece)
                    left -= len(piece)
            return digest.hexdigest()

        return self._patiently("written", call)

    def get(self, name: str, path: Path) -> str | None:
        """Fetch a file to a local path, and return its SHA-256, or None if there is no such file.

        Raises:
            DiskFullError, FileError: the local file cannot be written.
        """

        def call() -> str | None:
            try:
                with self._files.open(self._path(name), "rb") as source:
                    return _receive(source, path)
            except FileNotFoundError:
                self._check_root()
                return None

        return self._patiently("read", call)

    def names(self, folder: str) -> list[str]:
        """Return the sorted names of all files below a folder, relative to it."""
        base = self._path(folder)

        def call() -> list[str]:
            self._files.invalidate_cache()
            self._check_root()
            return sorted(path[len(base) :].strip("/") for path in self._files.find(base))

        return self._patiently("listed", call)

    def remove(self, names: Iterable[str]) -> None:
        """Remove files; missing ones are skipped."""

        for name in names:
            self._patiently("changed", partial(self._remove, self._path(name)))

    def _remove(self, path: str) -> None:
        with suppress(FileNotFoundError):
            self._files.rm_file(path)

    def _path(self, name: str) -> str:
        return f"{self._root}/{name}"

    def _make_folder(self, name: str) -> None:
        """Make the folder of a file, but not the storage: a storage that has vanished is an error."""
        self._check_root()
        if self._has_folders:
            self._files.makedirs(self._path(name).rpartition("/")[0], exist_ok=True)

    def _check_root(self) -> None:
        if self._has_folders and not self._files.isdir(self._root):
            raise _GoneError(f"there is no '{self._root}'")

    def _patiently(self, done: str, call: Callable[[], T]) -> T:
        """Call a function, retrying on failure.

        Raises:
            StorageError: the failure is permanent, or lasted for `patience` seconds.
        """
        pause, end = FIRST_PAUSE_SECONDS, time.monotonic() + self.patience
        while True:
            try:
                with self._turn if self._one_at_a_time else nullcontext():
                    return call()
            except (UserError, ShorterError):  # of this machine
                raise
            except Exception as error:  # whatever the package of this protocol raises
                if _lasts(error) or time.monotonic() + pause > end:
                    why = shortened(" ".join(str(error).split()) or type(error).__name__, 200)
                    raise StorageError(f"The storage '{self.url}' cannot be {done}: {why.rstrip('.')}.") from error
            time.sleep(pause)
            pause = min(2 * pause, MOST_PAUSE_SECONDS)
            self._connect_again()

    def _connect_again(self) -> None:
        """Replace a connection that may be broken; packages for several threads replace theirs themselves."""
        if self._one_at_a_time:
            with self._turn, suppress(StorageError):  # the next call reports it
                self._files, _ = _opened(self.url)


class _GoneError(OSError):
    """The storage as a whole does not exist."""


def file_sum(path: Path) -> str:
    """Return the SHA-256 of a local file of a run's folder."""
    return hashlib.sha256(read_regular(path)).hexdigest()


def _opened(url: str) -> tuple[AbstractFileSystem, str]:
    """Return the file system of an address, and the path in it."""
    try:
        import fsspec
    except ModuleNotFoundError as error:
        raise UserError(
            f"A storage needs fsspec, which is not installed: {pip_install('storage')} brings it. Every machine that "
            "trains needs it, and the package for the storage: s3fs, gcsfs, adlfs, ..."
        ) from error
    protocol, separator, rest = url.partition("://")
    if not separator or not rest.strip("/"):
        raise StorageError(f"A storage is an address such as s3://bucket/folder; received '{shortened(url)}'.")
    if protocol == "memory":
        raise StorageError("Other processes must see a storage, and memory:// exists in one process alone.")
    try:
        files, root = fsspec.core.url_to_fs(url, skip_instance_cache=True)
    except Exception as error:  # an unknown protocol, a missing package, whatever a constructor raises
        why = " ".join(str(error).split()).rstrip(".")
        raise StorageError(f"The storage '{shortened(url)}' cannot be used: {why}.") from error
    return files, str(root).rstrip("/")


def _receive(source: BinaryIO, path: Path) -> str:
    """Write a stored file into a local one, and return its SHA-256; errors of the local file name it."""
    digest = hashlib.sha256()
    with os_errors_reported(path):
        target = open(path, "wb")  # noqa: SIM115 (closed below; the errors of reading pass as they are)
    with target:
        while piece := source.read(PIECE_BYTES):
            digest.update(piece)
            with os_errors_reported(path):
                target.write(piece)
                target.flush()
    return digest.hexdigest()


def _lasts(error: Exception) -> bool:
    """Return whether an error is permanent."""
    return isinstance(error, PermissionError | NotImplementedError) or (
        isinstance(error, OSError) and error.errno in NO_SPACE
    )
