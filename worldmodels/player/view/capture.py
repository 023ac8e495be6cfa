"""Captures of a session: single pictures as PNG files, the last ten seconds as a film, and every tick as a video."""

from __future__ import annotations

import io
import zlib
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager, nullcontext
from dataclasses import replace
from pathlib import Path
from types import TracebackType

import numpy as np
import pygame

from worldmodels.core.errors import UserError
from worldmodels.core.files.writing import make_folder, write_atomic
from worldmodels.player.session.background_task import BackgroundTask
from worldmodels.player.session.controls.key_table import Command
from worldmodels.player.session.options import PlayOptions
from worldmodels.player.session.session import Session
from worldmodels.player.session.snapshot import Snapshot
from worldmodels.player.session.worlds.frames import Frame
from worldmodels.player.view.painter import Painter
from worldmodels.player.view.panels.columns import columns_of, in_colour
from worldmodels.telemetry.video import write_video

RECENT_SECONDS = 10
"""The length of a film of what was just seen, without pauses."""
DRAWN_EACH_TICK = 2
"""Pictures of such a film that are drawn at a tick, so that play goes on meanwhile."""


def pixels(surface: pygame.Surface) -> Frame:
    """Return the picture on a surface as uint8 (H, W, 3)."""
    return np.ascontiguousarray(pygame.surfarray.pixels3d(surface).swapaxes(0, 1))


class Film:
    """The pictures of a session that go into files: of a size and a scale of their own, whatever the window's.

    Args:
        folder: the folder of the pictures and films that the session requests.

    Attributes:
        written: the films that were requested by a key and are complete.
    """

    def __init__(self, painter: Painter, zoom: int, folder: str | Path) -> None:
        self._painter = replace(painter, scale=1.0)
        self._surface = pygame.Surface(painter.size(zoom))
        self._folder, self._saved = Path(folder), 0
        self._recent: deque[Snapshot] = deque()
        self._filming: VideoRecorder | None = None
        self._films: deque[_FilmToWrite] = deque()
        self.written: list[Path] = []

    def frame(self, session: Session) -> Frame:
        """Return the picture of a session, uint8 (H, W, 3), and save it if the session has requested that."""
        snapshot = session.snapshot()
        self._painter.draw(self._surface, snapshot)
        if session.pictures > self._saved:
            self._saved = session.pictures
            save_pictures(self._folder, self._surface, snapshot)
        return pixels(self._surface)

    def record(self, session: Session, recorder: VideoRecorder | None, changed: bool) -> None:
        """Add the picture of a session to a video; without a video, draw only what is requested."""
        if recorder is not None:
            recorder.add(self.frame(session))
        elif session.pictures > self._saved:
            self.frame(session)
        self.follow(session, changed)

    def follow(self, session: Session, changed: bool) -> None:
        """Keep what is seen after a tick, if it has `changed`, and go on with the films that are requested."""
        rate = session.settings.rate
        if changed:
            self._recent.append(session.snapshot())
            while len(self._recent) > RECENT_SECONDS * rate:
                self._recent.popleft()
            if self._filming:
                self._filming.add(self._drawn(self._recent[-1]))
        while session.captures:
            self._begin(session.captures.popleft(), session)
        if self._films:
            self._go_on(session, DRAWN_EACH_TICK)

    def finish(self, session: Session) -> None:
        """Write all films that were begun."""
        if self._filming:
            self._begin(Command.FILM, session)
        while self._films:
            self._films[0].wait()
            self._go_on(session, len(self._films[0].left))

    def _begin(self, command: Command, session: Session) -> None:
        rate = session.settings.rate
        if command is not Command.FILM:
            film = self._folder / f"play{'.gif' if command is Command.GIF else '.mp4'}"
            self._films.append(_FilmToWrite(VideoRecorder(film, rate), tuple(self._recent)))
            session.tell(f"writing the last {len(self._recent) / rate:.0f} seconds")
        elif self._filming:
            self._films.append(_FilmToWrite(self._filming))
            self._filming = None
            session.tell("writing the film")
        else:
            self._filming = VideoRecorder(self._folder / "play.mp4", rate)
            session.tell("the film begins")

    def _go_on(self, session: Session, pictures: int) -> None:
        film = self._films[0]
        film.draw(self._drawn, pictures)
        if film.task is None or film.task.running:
            return
        self._films.popleft()
        try:
            film.task.result()
        except UserError as error:
            session.tell(str(error))
            return
        self.written.append(film.recorder.path)
        session.tell(f"wrote {film.recorder.path}")

    def _drawn(self, snapshot: Snapshot) -> Frame:
        self._painter.draw(self._surface, snapshot)
        return pixels(self._surface)


class _FilmToWrite:
    """A film whose last pictures are still to be drawn; a thread then writes it."""

    def __init__(self, recorder: VideoRecorder, snapshots: Iterable[Snapshot] = ()) -> None:
        self.recorder, self.left = recorder, deque(snapshots)
        self.task: BackgroundTask[None] | None = None

    def draw(self, draw: Callable[[Snapshot], Frame], pictures: int) -> None:
        """Draw so many pictures more, and begin to write after the last one."""
        for _ in range(min(pictures, len(self.left))):
            self.recorder.add(draw(self.left.popleft()))
        if not self.left and self.task is None:
            self.recorder.path = _free_name(self.recorder.path)
            self.task = BackgroundTask(lambda report: self.recorder.write())

    def wait(self) -> None:
        """Wait until the film is written, if all is drawn."""
        if self.task:
            self.task.wait()


def _free_name(path: Path) -> Path:
    """Return a path with the first number that no file has: play-001.mp4 for play.mp4, and so on."""
    make_folder(path.parent)
    number, name = 1, path
    while (path := name.with_name(f"{name.stem}-{number:03d}{name.suffix}")).exists():
        number += 1
    return path


def save_pictures(folder: Path, surface: pygame.Surface, snapshot: Snapshot) -> Path:
    """Write the whole picture and each frame in its own pixels; return the path of the whole picture.

    Files are named play-001.png, and play-001-model.png, play-001-real.png and so on for the frames, with the first
    number that is free in `folder`.
    """
    whole = _free_name(folder / "play.png")
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
        self.path, self._rate, self._width = path, rate, width
        self._pictures: list[bytes] = []
        self._shape: tuple[int, ...] = ()

    def __enter__(self) -> VideoRecorder:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.write()

    def write(self) -> None:
        """Write the video, if it has a picture."""
        if self._pictures:
            write_video(self.path, self._frames(), self._rate, self._width)

    def add(self, picture: Frame) -> None:
        """Append one picture, uint8 (H, W, 3), of the same size as those before."""
        self._shape = picture.shape
        self._pictures.append(zlib.compress(picture.tobytes(), level=1))

    def _frames(self) -> Iterator[Frame]:
        for data in self._pictures:
            yield np.frombuffer(zlib.decompress(data), np.uint8).reshape(self._shape)
