"""The tools with which a person draws on the real frame: brush, eraser, and a stamp that copies and pastes."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from worldmodels.player.session.drawing.drawing_snapshot import ToolSnapshot
from worldmodels.player.session.events import DrawEvent
from worldmodels.player.session.playthrough import Playthrough
from worldmodels.player.session.rewind import RewindBuffer
from worldmodels.player.session.worlds.frames import Frame

PICK, BRUSH, ERASE, COPY, PASTE = "pick a colour", "brush", "erase", "copy", "paste"
SIZES = (1, 2, 3, 4, 6, 8, 11, 16)
"""The sides of a tool's square in pixels."""
START = {PICK: 0, BRUSH: 2, ERASE: 4, COPY: 5, PASTE: 5}
"""The place of each tool's first size."""
NO_FRAME = "drawing needs a world model beside a real frame"


class DrawingTool:
    """The tool in a person's hand; what it paints puts the models on the changed frame.

    Attributes:
        tool: its name; empty if nothing is drawn.
    """

    def __init__(self, play: Playthrough, rewind: RewindBuffer, notify: Callable[[str], None]) -> None:
        self._play, self._rewind, self._notify = play, rewind, notify
        self.tool = ""
        self._sizes = dict(START)
        self._colour: tuple[int, ...] = (232, 116, 60)
        self._copied: Frame | None = None
        self._last: tuple[int, int] | None = None
        self._painted: Frame | None = None

    def next(self) -> None:
        """Take the next tool: it can paste once something is copied; after the last one, nothing is drawn."""
        if self._play.real.image is None or self._play.alone:
            self._notify(NO_FRAME)
            return
        tools = ("", PICK, BRUSH, ERASE, COPY, *([PASTE] if self._copied is not None else []))
        self.tool = tools[(tools.index(self.tool) + 1) % len(tools)]
        self._notify(f"{self.tool}: click on the real frame" if self.tool else "drawing ends")

    def put_down(self) -> None:
        """Draw no more."""
        self.tool = ""

    def resize(self, places: int) -> None:
        """Take so many sizes more; what is copied keeps its size."""
        tool = COPY if self.tool == PASTE else self.tool
        self._sizes[tool] = min(max(self._sizes[tool] + places, 0), len(SIZES) - 1)

    def take(self, event: DrawEvent) -> None:
        """Use the tool at a place of the real frame; a drag uses it all along the way."""
        real = self._play.real.image
        if not self.tool or real is None:
            return
        height, width = real.shape[:2]
        place = min(int(event.y * height), height - 1), min(int(event.x * width), width - 1)
        shown = self._now(real)
        if event.picks or self.tool == PICK:
            self._colour = tuple(int(level) for level in shown[place])
            self.tool = BRUSH
        elif self.tool == COPY:
            self._copied = shown[_square(place, self._size)].copy()
            self.tool = PASTE
        else:
            if event.begins:
                self._rewind.push()
            points = [place] if event.begins or self._last is None else list(_way(self._last, place))
            self._painted = shown.copy() if self._painted is None else self._painted
            for point in points:
                self._paint(self._painted, real, point)
        self._last = place

    def put_on_painted(self) -> bool:
        """Put the models on what was painted since the last call; return whether there was anything."""
        painted, self._painted = self._painted, None
        if painted is None:
            return False
        self._play.put_back(painted)
        return True

    def snapshot(self) -> ToolSnapshot | None:
        """Return the tool for people; None if nothing is drawn."""
        return ToolSnapshot(self.tool, self._size, self._colour) if self.tool else None

    @property
    def _size(self) -> int:
        return SIZES[self._sizes[self.tool]]

    def _now(self, real: Frame) -> Frame:
        if self._painted is not None:
            return self._painted
        return real if self._play.drawn is None else self._play.drawn

    def _paint(self, frame: Frame, real: Frame, place: tuple[int, int]) -> None:
        if self.tool == PASTE and self._copied is not None:
            height, width = self._copied.shape[:2]
            top, left = (max(middle - side // 2, 0) for middle, side in zip(place, (height, width), strict=True))
            there = frame[top : top + height, left : left + width]
            there[:] = self._copied[: there.shape[0], : there.shape[1]]
            return
        square = _square(place, self._size)
        frame[square] = real[square] if self.tool == ERASE else self._colour[: frame.shape[-1]]


def _square(place: tuple[int, int], size: int) -> tuple[slice, slice]:
    """Return the square around a pixel, cut at the upper and the left edge."""
    begins = [middle - size // 2 for middle in place]
    rows, columns = (slice(max(begin, 0), begin + size) for begin in begins)
    return rows, columns


def _way(start: tuple[int, int], end: tuple[int, int]) -> Iterator[tuple[int, int]]:
    """Yield the pixels on the way from one to another, without the first one."""
    steps = max(abs(end[0] - start[0]), abs(end[1] - start[1]))
    for i in range(1, steps + 1):
        yield start[0] + round((end[0] - start[0]) * i / steps), start[1] + round((end[1] - start[1]) * i / steps)
