"""Data sets in NumPy's compressed npz format; `arrays.py` lists its arrays."""

from __future__ import annotations

import io
import math
import struct
import warnings
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any, NamedTuple

import numpy as np

from worldmodels.core.errors import FileError
from worldmodels.datasets.arrays import (
    MOST_COMPRESSION,
    Array,
    ArraySource,
    Shapes,
    action_arrays,
    array_name,
    piece_arrays,
    step_arrays,
)
from worldmodels.datasets.source import DatasetSpec, Source, writing_file

LEVEL = 1
"""The level of zlib is its fastest."""
BEGINNING = (1980, 1, 1, 0, 0, 0)
"""The time of every array in the file, so that equal steps give equal bytes."""
MOST_HEADER = 2**16
"""The bytes of an array's header, at most: NumPy writes 128 or a few more."""
_DAMAGE = (zipfile.BadZipFile, zlib.error, EOFError, ValueError, NotImplementedError, RuntimeError, struct.error)


class _ArrayHeader(NamedTuple):
    shape: tuple[int, ...]
    dtype: np.dtype[Any]
    size: int
    """Bytes before the numbers."""


class NpzFile:
    """An `ArrayFile` in the npz format. No object is ever unpickled, and memory is asked for piece by piece.

    Raises:
        FileError: it is none, or holds something else than plain arrays in C order.
    """

    def __init__(self, path: Path | str) -> None:
        self._path = path
        try:
            self._file, self._bytes = zipfile.ZipFile(path), Path(path).stat().st_size
        except (*_DAMAGE, OSError) as error:
            raise FileError(f"'{path}' cannot be read as npz: {getattr(error, 'strerror', None) or error}.") from error
        try:
            self._headers = self._read_headers()
        except BaseException:
            self.close()
            raise

    @property
    def shapes(self) -> Shapes:
        return {name: (header.shape, header.dtype) for name, header in self._headers.items()}

    def blocks(self, name: str, pieces: Iterator[range]) -> Iterator[Array]:
        header = self._headers[name]
        with self._reading(name) as member:
            member.read(header.size)
            for piece in pieces:
                shape = (len(piece), *header.shape[1:])
                yield _numbers(member, shape, header.dtype)
            if member.read(1):  # which at the end of a member compares its checksum, too
                raise ValueError("it goes on after its last number")

    def whole(self, name: str) -> Array:
        header = self._headers[name]
        with self._reading(name) as member:
            member.read(header.size)
            return _numbers(member, header.shape, header.dtype)

    def close(self) -> None:
        self._file.close()

    def _read_headers(self) -> dict[str, _ArrayHeader]:
        names = self._file.namelist()
        if len(set(names)) < len(names) or not all(name.endswith(".npy") for name in names):
            raise FileError(f"'{self._path}' is no npz file: it must hold '.npy' files alone, each once.")
        return {name.removesuffix(".npy"): self._read_header(name.removesuffix(".npy")) for name in names}

    def _read_header(self, name: str) -> _ArrayHeader:
        info = self._file.getinfo(f"{name}.npy")
        if info.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
            raise FileError(f"'{self._path}': '{name}' is compressed in a way that NumPy does not use.")
        if info.file_size > MOST_COMPRESSION * min(info.compress_size, self._bytes) + MOST_HEADER:
            raise FileError(f"'{self._path}': '{name}' claims more bytes than its file can hold: {info.file_size:,}.")
        with self._reading(name) as member:
            beginning = io.BytesIO(member.read(MOST_HEADER))
        shape, fortran, dtype = self._parse_header(name, beginning)
        size = beginning.tell()
        if dtype.hasobject:
            raise FileError(f"'{self._path}': '{name}' holds pickled objects, which could run anything; none is read.")
        if fortran and len(shape) > 1:
            raise FileError(f"'{self._path}': '{name}' is in Fortran's order; save np.ascontiguousarray of it.")
        expected = size + dtype.itemsize * math.prod(shape)
        if info.file_size != expected:
            raise FileError(
                f"'{self._path}': '{name}' has {info.file_size:,} bytes; its shape {shape} says {expected:,}."
            )
        return _ArrayHeader(tuple(shape), dtype, size)

    def _parse_header(self, name: str, beginning: IO[bytes]) -> tuple[tuple[int, ...], bool, np.dtype[Any]]:
        try:
            version = np.lib.format.read_magic(beginning)
            read = np.lib.format.read_array_header_1_0 if version == (1, 0) else np.lib.format.read_array_header_2_0
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", UserWarning)  # NumPy's about headers of Python 2, which it reads
                return read(beginning)
        except Exception as error:  # NumPy reads the header as Python, and lets through Python's errors about it
            why = (str(error).splitlines() or [type(error).__name__])[0]
            raise FileError(f"'{self._path}' is damaged: the header of '{name}' cannot be read ({why}).") from error

    @contextmanager
    def _reading(self, name: str) -> Iterator[IO[bytes]]:
        try:
            with self._file.open(f"{name}.npy") as member:
                yield member
        except (*_DAMAGE, OSError) as error:
            raise FileError(f"'{self._path}' is damaged: '{name}' cannot be read ({error}).") from error


def open_npz(path: Path | str) -> ArraySource:
    """Open an npz file as a `Source`; raises FileError where it holds no data set."""
    return ArraySource(NpzFile(path), f"'{path}'")


def write_npz(path: Path | str, source: Source) -> None:
    """Write an npz file, which must not be there yet. The source is read once for each part of its observations."""
    spec = source.spec
    names = [array_name(part) for part, _ in spec.observation.parts]
    with writing_file(path) as beside, zipfile.ZipFile(beside, "w", zipfile.ZIP_DEFLATED) as archive:
        rest: dict[str, list[Array]] = {}
        for name in names:
            with _adding(archive, name, spec) as member:
                for piece in source.pieces():
                    arrays = piece_arrays(piece, spec.observation)
                    member.write(arrays[name].data)
                    if name == names[0]:
                        for other in arrays.keys() - names:
                            rest.setdefault(other, []).append(arrays[other])
        for name in [name for name in step_arrays(spec) if name not in names]:
            with _adding(archive, name, spec) as member:
                for array in rest[name]:
                    member.write(array.data)
        for name, array in action_arrays(spec.action).items():
            with archive.open(_info(name), "w") as member:
                np.lib.format.write_array(member, array, allow_pickle=False)


@contextmanager
def _adding(archive: zipfile.ZipFile, name: str, spec: DatasetSpec) -> Iterator[IO[bytes]]:
    """Give the file to which the numbers of an array of steps are written, after its header."""
    shape, dtype = step_arrays(spec)[name]
    header = {"descr": np.lib.format.dtype_to_descr(dtype), "fortran_order": False, "shape": shape}
    with archive.open(_info(name), "w", force_zip64=True) as member:
        np.lib.format.write_array_header_1_0(member, header)
        yield member


def _info(name: str) -> zipfile.ZipInfo:
    info = zipfile.ZipInfo(f"{name}.npy", BEGINNING)
    info.compress_type, info._compresslevel = zipfile.ZIP_DEFLATED, LEVEL  # type: ignore[attr-defined]
    return info


def _numbers(member: IO[bytes], shape: tuple[int, ...], dtype: np.dtype[Any]) -> Array:
    """Read the next numbers of an array; raises ValueError where there are fewer."""
    size = math.prod(shape) * dtype.itemsize
    data = member.read(size)
    if len(data) < size:
        raise ValueError(f"it ends {size - len(data)} bytes too early")
    return np.frombuffer(data, dtype).reshape(shape)
