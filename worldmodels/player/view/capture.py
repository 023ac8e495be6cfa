"""Captures of a session: single pictures as PNG files, and the picture of every tick as a video."""

from __future__ import annotations

import io
import zlib
from collections.abc import Iterator
from contextlib import AbstractContextManager, nullcontext
from dataclasses import replace
from pathlib import Path
from types import TracebackType

import numpy as np
import pygame

from worldmodels.core.files.writing import make_folder, write_atomic
from worldmodels.player.session.options import PlayOptions
from worldmodels.player.session.session import Session
from worldmodels.player.session.snapshot import Snapshot
from worldmodels.player.session.worlds.frames import Frame
from worldmodels.player.view.painter import Painter
from worldmodels.player.view.panels.columns import columns_of, in_colour
from worldmodels.telemetry.video import write_video


def pixels(surface: pygame.Surface) -> Frame:
    """Return the picture on a surface as uint8 (H, W, 3)."""
    return np.ascontiguousarray(pygame.surfarray.pixels3d(surface).swapaxes(0, 1))


class Film:
    """The pictures of a session that go into files: of a size and a scale of their own, whatever the window's.

    Args:
        folder: the folder of the single pictures that the session requests.
    """

    def __init__(self, painter: Painter, zoom: int, folder: str | Path) -> None:
        self._painter = replace(painter, scale=1.0)
        self._surface = pygame.Surface(painter.size(zoom))
        self._folder, self._saved = Path(folder), 0

    def frame(self, session: Session) -> Frame:
        """Return the picture of a session, uint8 (H, W, 3), and save it if the session has requested that."""
        snapshot = session.snapshot()
        self._painter.draw(self._surface, snapshot)
        if session.pictures > self._saved:
            self._saved = session.pictures
            save_pictures(self._folder, self._surface, snapshot)
        return pixels(self._surface)

    def record(self, session: Session, recorder: VideoRecorder | None) -> None:
        """Add the picture of a session to a video; without a video, draw only a requested picture."""
        if recorder is not None:
            recorder.add(self.frame(session))
        elif session.pictures > self._saved:
            self.frame(session)


def save_pictures(folder: Path, surface: pygame.Surface, snapshot: Snapshot) -> Path:
    """Write the whole picture and each frame in its own pixels; return the path of the whole picture.

    Files are named play-001.png, and play-001-model.png, play-001-real.png and so on for the frames, with the first
    number that is free in `folder`.
    """
    make_folder(folder)
    number = 1
    while (whole := folder / f"play-{number:03d}.png").exists():
        number += 1
    _write_picture(whole, surface)
    columns = columns_of(snapshot) if snapshot.has_columns else []
    for i, column in enumerate(columns):
        name = column.name.lower().replace(" ", "-")
        if [other.name for other in columns].count(column.name) > 1:
            name = f"{name}-{[other.name for other in columns[: i + 1]].count(column.name)}"
        if column.frame is None:
            continue
        frame = pygame.surfarray.make_surface(in_colour(column.frame).swapaxes(0, 1))
        _write_picture(whole.with_name(f"{whole.stem}-{name}.png"), frame)
    return whole


def _write_picture(path: Path, surface: pygame.Surface) -> None:
    buffer = io.BytesIO()
    pygame.image.save(surface, buffer, path.name)
    write_atomic(path, buffer.getvalue())


def recorder_of(options: PlayOptions) -> AbstractContextManager[VideoRecorder | None]:
    """Return the recorder of the video that the options ask for, if any."""
    return VideoRecorder(Path(options.video), options.rate, options.width) if options.video else nullcontext()


class VideoRecorder:
    """A context manager that writes the video on leaving, also when an error or Ctrl-C ends the session.

    Pictures are kept compressed in memory, about 1 MB for each second: flat colours shrink well.
    """

    def __init__(self, path: Path, rate: int, width: int | None = None) -> None:
        self._path, self._rate, self._width = path, rate, width
        self._pictures: list[bytes] = []
        self._shape: tuple[int, ...] = ()

    def __enter__(self) -> VideoRecorder:
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
