"""Records what is seen, tick by tick, and writes it as a video when the session ends."""

from __future__ import annotations

import zlib
from collections.abc import Iterator
from pathlib import Path
from types import TracebackType

import numpy as np

from worldmodels.player.worlds import Frame
from worldmodels.telemetry.video import write_video


class Recorder:
    """A context manager that writes the video on leaving, also when an error or Ctrl-C ends the session.

    Pictures are kept compressed in memory, about 1 MB for each second: flat colours shrink well.
    """

    def __init__(self, path: Path, rate: int, width: int | None = None) -> None:
        self._path, self._rate, self._width = path, rate, width
        self._pictures: list[bytes] = []
        self._shape: tuple[int, ...] = ()

    def __enter__(self) -> Recorder:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._pictures:
            write_video(self._path, self._frames(), self._rate, self._width)

    def add(self, picture: Frame) -> None:
        """Append one picture, uint8 (H, W, 3), of the same size as those before."""
        self._shape = picture.shape
        self._pictures.append(zlib.compress(picture.tobytes(), level=1))

    def _frames(self) -> Iterator[Frame]:
        for data in self._pictures:
            yield np.frombuffer(zlib.decompress(data), np.uint8).reshape(self._shape)
