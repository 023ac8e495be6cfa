"""Writes metrics into a file of JSON lines and for TensorBoard, and verifies TensorBoard's files."""

from __future__ import annotations

import errno
import json
import math
import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from worldmodels.core.errors import FileError, disk_full_reported, os_errors_reported
from worldmodels.core.files.writing import open_regular, read_regular
from worldmodels.telemetry.video import encode_gif


class JSONLSink:
    """Writes one line per call, `{"step": 1000, "episode/return": 3.5, ...}`, with null for values that are not finite.

    An incomplete last line, left by a crash, is removed when the file is opened.
    """

    def __init__(self, path: Path | str) -> None:
        self.path = Path(path)
        if os.path.lexists(self.path):
            _shorten(self.path, read_regular(self.path).rfind(b"\n") + 1)

    def scalars(self, step: int, values: Mapping[str, float]) -> None:
        record = {"step": int(step), **{name: _finite_or_none(value) for name, value in values.items()}}
        line = json.dumps(record, allow_nan=False) + "\n"
        descriptor = open_regular(self.path, os.O_WRONLY | os.O_APPEND | os.O_CREAT)
        with disk_full_reported(self.path), open(descriptor, "ab", buffering=0) as file:
            before = file.tell()
            try:
                rest = line.encode()
                while rest:  # a full disk writes a part without an error, and fails at the next try
                    rest = rest[file.write(rest) :]
                os.fsync(file.fileno())
            except OSError:
                file.truncate(before)
                raise

    def video(self, step: int, name: str, frames: npt.NDArray[np.uint8]) -> None:
        """Do nothing: lines of text hold no videos."""

    def save(self) -> dict[str, Any]:
        return {"bytes": _size(self.path)}

    def load(self, tree: dict[str, Any]) -> None:
        _shorten(self.path, tree["bytes"])

    def close(self) -> None:
        """Do nothing: every line was complete when it was written."""


class TensorBoardSink:
    """A sink of event files in a folder, made when there is something to write: TensorFlow is imported no earlier."""

    def __init__(self, folder: Path | str) -> None:
        self.folder = Path(folder)
        self._writer: Any = None

    def scalars(self, step: int, values: Mapping[str, float]) -> None:
        import tensorflow as tf

        # TensorBoard's numbers are float32, and it shows NaN and infinity as such: what is too large becomes infinite.
        with self._writing(step), np.errstate(over="ignore"):
            for name, value in values.items():
                tf.summary.scalar(name, np.float32(value))

    def video(self, step: int, name: str, frames: npt.NDArray[np.uint8]) -> None:
        import tensorflow as tf
        from tensorboard.plugins.image import metadata

        # TensorBoard has no videos, but a browser plays an animated GIF wherever it expects an image.
        height, width = frames.shape[1:3]
        image = tf.constant([str(width).encode(), str(height).encode(), encode_gif(frames, fps=15)])
        kind = metadata.create_summary_metadata(display_name=None, description=None)
        with self._writing(step):
            tf.summary.write(name, image, metadata=kind)

    def save(self) -> dict[str, Any]:
        return {"bytes": {path.name: _size(path) for path in self._files()}}

    def load(self, tree: dict[str, Any]) -> None:
        self.close()
        for path in self._files():
            _shorten(path, tree["bytes"].get(path.name, 0))

    def close(self) -> None:
        if self._writer is not None:
            self._writer.close()
            self._writer = None

    def _files(self) -> list[Path]:
        return sorted(self.folder.glob("events.out.tfevents.*"))

    @contextmanager
    def _writing(self, step: int) -> Iterator[None]:
        import tensorflow as tf

        with _errors_reported(self.folder):
            if self._writer is None:
                self._writer = tf.summary.create_file_writer(os.fsencode(self.folder))  # a name need not be text
            with self._writer.as_default(step=int(step)):
                yield
            self._writer.flush()


def count_events(path: Path) -> int:
    """Return the number of whole records in an event file of TensorBoard; an incomplete last record does not count.

    Raises:
        FileError: a record is damaged.
    """
    import tensorflow as tf

    count = 0
    try:
        for _ in tf.data.TFRecordDataset(os.fsencode(path), buffer_size=1 << 18):
            count += 1
    except tf.errors.DataLossError as error:
        if "truncated" not in str(error):
            raise FileError(f"'{path}' was damaged in record {count + 1}: its checksum differs.") from error
    return count


@contextmanager
def _errors_reported(folder: Path) -> Iterator[None]:
    """Report errors of TensorFlow about files as `os_errors_reported` in `core/errors.py` reports those of Python."""
    import tensorflow as tf

    with os_errors_reported(folder):
        try:
            yield
        except (tf.errors.ResourceExhaustedError, tf.errors.OutOfRangeError) as error:
            raise OSError(errno.ENOSPC, "No space left on device") from error
        except tf.errors.OpError as error:
            raise OSError(0, f"TensorBoard's file: {str(error).splitlines()[0]}") from error


def _finite_or_none(value: float) -> float | None:
    """Return a number, or None for NaN and infinity, which JSON does not have."""
    return float(value) if math.isfinite(value) else None


def _size(path: Path) -> int:
    return path.stat().st_size if path.exists() else 0


def _shorten(path: Path, size: int) -> None:
    """Cut a file to `size`; a shorter file, after a power cut for example, stays, and an empty file is removed."""
    if size == 0:
        path.unlink(missing_ok=True)
    elif _size(path) > size:
        with open(open_regular(path, os.O_WRONLY), "wb", buffering=0) as file:
            file.truncate(size)
