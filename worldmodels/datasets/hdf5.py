"""A data set in the HDF5 format, compressed, for MATLAB, Julia, R and the like; `arrays.py` says what it holds."""

from __future__ import annotations

import math
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import h5py
import numpy as np

from worldmodels.core.errors import FileError
from worldmodels.datasets.arrays import (
    MOST_COMPRESSION,
    Array,
    ArraySource,
    Shapes,
    action_arrays,
    piece_arrays,
    step_arrays,
)
from worldmodels.datasets.source import Source, writing_file

LEVEL = 1
"""The level of gzip is its fastest."""
CHUNK_STEPS = 16
"""Steps of one stream that are compressed together: images of consecutive steps are much alike."""
MOST_CHUNK_BYTES = 2**28
_DAMAGE = (OSError, RuntimeError, KeyError, ValueError, TypeError)


class HDF5File:
    """An `ArrayFile` in the HDF5 format. Links and what stands in other files are not followed.

    Raises:
        FileError: it is none, or holds something else than plain arrays.
    """

    def __init__(self, path: Path | str) -> None:
        self._path = path
        with self._damage_reported():
            self._file = h5py.File(path, "r", track_order=True)
        try:
            with self._damage_reported():
                self._arrays = self._find_arrays()
                for name, array in self._arrays.items():
                    self._check(name, array)
        except BaseException:
            self.close()
            raise

    @property
    def shapes(self) -> Shapes:
        return {name: (tuple(array.shape), array.dtype) for name, array in self._arrays.items()}

    def blocks(self, name: str, pieces: Iterator[range]) -> Iterator[Array]:
        for piece in pieces:
            with self._damage_reported():
                block = self._arrays[name][piece.start : piece.stop]
            yield block

    def whole(self, name: str) -> Array:
        with self._damage_reported():
            return np.asarray(self._arrays[name][()])

    def close(self) -> None:
        self._file.close()

    def _find_arrays(self) -> dict[str, Any]:
        found = dict(_datasets(self._file, ""))
        if isinstance(self._file.get("observation", getlink=True), h5py.HardLink):
            inner = self._file["observation"]
            found |= dict(_datasets(inner, "observation/")) if isinstance(inner, h5py.Group) else {}
        return found

    def _check(self, name: str, array: Any) -> None:
        """Refuse, before reading, an array that needs more memory than a file of this size can hold."""
        what = f"'{self._path}': '{name}'"
        if array.is_virtual or array.external:
            raise FileError(f"{what} stands in other files; it must be in this one.")
        if array.shape is None:
            raise FileError(f"{what} is empty.")
        stored, told = array.id.get_storage_size(), array.size * array.dtype.itemsize
        if told > MOST_COMPRESSION * stored:
            raise FileError(f"{what} says that it holds {told:,} bytes; so much cannot come of {stored:,}.")
        chunk = math.prod(array.chunks or ()) * array.dtype.itemsize
        if chunk > MOST_CHUNK_BYTES:
            raise FileError(f"{what} has chunks of {chunk:,} bytes; at most {MOST_CHUNK_BYTES:,} are read at once.")

    @contextmanager
    def _damage_reported(self) -> Iterator[None]:
        try:
            yield
        except _DAMAGE as error:
            raise FileError(f"'{self._path}' cannot be read as HDF5: {' '.join(str(error).split())}.") from error


def _datasets(group: Any, prefix: str) -> Iterator[tuple[str, Any]]:
    for name in group:
        if isinstance(group.get(name, getlink=True), h5py.HardLink) and isinstance(item := group[name], h5py.Dataset):
            yield prefix + name, item


def open_hdf5(path: Path | str) -> ArraySource:
    """Open an HDF5 file as a `Source`; raises FileError where it holds no data set."""
    return ArraySource(HDF5File(path), f"'{path}'")


def _ordered_without_times(kind: Any) -> Any:
    """Return the settings of a new file or group that keeps its order, and no times: equal steps, equal bytes."""
    how = h5py.h5p.create(kind)
    how.set_link_creation_order(h5py.h5p.CRT_ORDER_TRACKED | h5py.h5p.CRT_ORDER_INDEXED)
    how.set_obj_track_times(False)  # which h5py's own groups cannot be told
    return how


class UnfailingFile:
    """A new file for h5py whose writes never fail in HDF5, which ends the process by a segmentation fault after one.

    From the first failure on, writes stay in memory; `check` raises the failure, between the calls of h5py.
    """

    def __init__(self, path: Path | str) -> None:
        self._file = open(path, "w+b", buffering=0)  # noqa: SIM115 (h5py holds it)
        self._failure: BaseException | None = None
        self._kept: list[tuple[int, bytes]] = []
        self._place = 0

    def check(self) -> None:
        """Raise the error of the first write that failed."""
        if self._failure is not None:
            raise self._failure

    def __enter__(self) -> UnfailingFile:
        return self

    def __exit__(self, *error: object) -> None:
        """Close the file, and raise the error of the first write that failed in place of any later error."""
        self._file.close()
        self.check()

    # h5py calls these.

    def seek(self, offset: int, whence: int = os.SEEK_SET) -> int:
        ends = [os.fstat(self._file.fileno()).st_size, *(start + len(data) for start, data in self._kept)]
        self._place = offset + (max(ends) if whence == os.SEEK_END else 0)
        return self._place

    def read(self, size: int) -> bytes:
        data = bytearray(size)
        self.readinto(memoryview(data))
        return bytes(data)

    def tell(self) -> int:
        return self._place

    def readinto(self, buffer: memoryview) -> int:
        start = self._place
        buffer[:] = os.pread(self._file.fileno(), len(buffer), start).ljust(len(buffer), b"\0")
        for place, data in self._kept:
            low, high = max(place, start), min(place + len(data), start + len(buffer))
            if low < high:
                buffer[low - start : high - start] = data[low - place : high - place]
        self._place += len(buffer)
        return len(buffer)

    def write(self, data: memoryview) -> int:
        written = 0
        try:
            while written < len(data) and self._failure is None:
                written += os.pwrite(self._file.fileno(), data[written:], self._place + written)
        except BaseException as error:  # Ctrl-C, too, must not reach HDF5
            self._failure = error
        if written < len(data):
            self._kept.append((self._place, bytes(data)))
        self._place += len(data)
        return len(data)

    def truncate(self, size: int) -> int:
        try:
            if self._failure is None:
                self._file.truncate(size)
        except BaseException as error:
            self._failure = error
        return size

    def flush(self) -> None:
        """Do nothing: the file has no buffer."""


def _new_file(disk: UnfailingFile) -> Any:
    access = h5py.h5p.create(h5py.h5p.FILE_ACCESS)
    access.set_fileobj_driver(h5py.h5fd.fileobj_driver, disk)
    return h5py.File(h5py.h5f.create(b"steps", fcpl=_ordered_without_times(h5py.h5p.FILE_CREATE), fapl=access))


def write_hdf5(path: Path | str, source: Source) -> None:
    """Write an HDF5 file, which must not be there yet."""
    spec = source.spec
    if odd := [name for name, _ in spec.observation.parts if "/" in name or name == "."]:
        raise FileError(f"HDF5 cannot name a part of an observation {odd[0]!r}. Nothing was written to '{path}'.")
    with writing_file(path) as beside, UnfailingFile(beside) as disk, _new_file(disk) as file:
        if not spec.observation.only:
            h5py.h5g.create(file.id, b"observation", gcpl=_ordered_without_times(h5py.h5p.GROUP_CREATE))
        for name, (shape, dtype) in step_arrays(spec).items():
            observed = len(shape) > 2 and name != "action"
            steps, streams = (CHUNK_STEPS, 1) if observed else (1024, shape[1])
            chunks = (min(shape[0], steps), streams, *shape[2:])
            file.create_dataset(name, shape, dtype, chunks=chunks, compression="gzip", compression_opts=LEVEL)
        for name, array in action_arrays(spec.action).items():
            file.create_dataset(name, data=array)
        for written, piece in zip(spec.pieces, source.pieces(), strict=True):
            for name, array in piece_arrays(piece, spec.observation).items():
                file[name][written.start : written.stop] = array
            disk.check()
