"""An object store in this process, which fails when it is told to; importing this needs fsspec."""

from __future__ import annotations

import io
from collections.abc import Iterator
from typing import Any

import fsspec
import pytest


class FailingStorage(fsspec.AbstractFileSystem):
    """A store with one bucket, "bucket". Each call raises the first of `errors`, as long as there are some."""

    protocol = "failing"
    cachable = False
    files: dict[str, bytes] = {}
    errors: list[Exception] = []

    def _fail(self) -> None:
        if self.errors:
            raise self.errors.pop(0)

    def ls(self, path: str, detail: bool = True, **options: Any) -> list[Any]:
        raise NotImplementedError("the code under test has no need of it")

    def find(self, path: str, **options: Any) -> list[str]:
        self._fail()
        return [name for name in self.files if name.startswith(path + "/")]

    def isdir(self, path: str) -> bool:
        self._fail()
        return any(name.startswith(path + "/") for name in self.files)

    def exists(self, path: str, **options: Any) -> bool:
        return path == "bucket"

    def cat_file(self, path: str, **options: Any) -> bytes:
        self._fail()
        if path not in self.files:
            raise FileNotFoundError(path)
        return self.files[path]

    def pipe_file(self, path: str, value: bytes, **options: Any) -> None:
        self._fail()
        self.files[path] = value

    def rm_file(self, path: str) -> None:
        self._fail()
        del self.files[path]

    def _open(self, path: str, mode: str = "rb", **options: Any) -> Any:
        return io.BytesIO(self.cat_file(path)) if mode == "rb" else _Writing(self, path)


class _Writing(io.BytesIO):
    """A file that is stored once it is closed, as in an object store."""

    def __init__(self, storage: FailingStorage, path: str) -> None:
        super().__init__()
        self._storage, self._path = storage, path

    def close(self) -> None:
        if not self.closed:
            self._storage.pipe_file(self._path, self.getvalue())
        super().close()


@pytest.fixture
def failing() -> Iterator[FailingStorage]:
    """The store, empty; its files and errors are those of every instance."""
    fsspec.register_implementation("failing", FailingStorage, clobber=True)
    yield FailingStorage()
    FailingStorage.files.clear()
    FailingStorage.errors.clear()
