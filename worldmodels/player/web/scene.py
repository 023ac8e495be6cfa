"""A scene is the content of the pages at one moment, in parts: texts and numbers as JSON, the time line, and frames.

A page gets only what differs from the scene that it was sent before. A message is compressed with zlib. It has the
length of its head in bytes (uint32, little-endian), the head as JSON, then frames. The head is

    {"number": 17, "parts": {"header": {...}, ...}, "timeline": [2, 300, [entry, ...]],
     "frames": [["column 0", height, width, false], ...], "shrunk": 0}

The time line keeps the entries from 2 up to 300 of those that the page has, and gets more; null is no time line.

Frames come in one of two forms. Exact ones, with "shrunk" 0, are the RGB pixels of each frame, or their exclusive or
with the last exact frame of that name if the last value of the frame is true. The page then shows all frames that it
has exactly. Sketches, with "shrunk" from 1, are for frames that move: one grey picture in WebP, which has the planes Y,
Cb and Cr of each frame below one another, shrunk by that factor. A picture in colour would halve those planes in each
direction, which blurs pixel art.
"""

from __future__ import annotations

import io
import struct
import zlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from PIL import Image

from worldmodels.player.session.worlds.frames import Frame
from worldmodels.player.web.messages import page_json

COMPRESSION = 1
"""The level of zlib: flat colours shrink well at the fastest."""
LEAST = 3000
"""The bytes that a message may have on any line."""
PIXELS = 16
"""Pixels of frames for each byte of a sketch; more are shrunk first."""
GOOD, PLAIN, POOR = 75, 50, 25
"""Qualities of WebP."""


@dataclass(frozen=True, eq=False)
class Scene:
    """A scene with its number, from 1.

    Attributes:
        parts: JSON by the name of the part.
        frames: uint8 (H, W, 3), by their names.
        timeline: JSON of each entry of the time line, the oldest first; None without a time line.
        began: when the tick began that led to it, on the clock of `time.perf_counter`.
        rate: ticks a second at that time.
    """

    number: int
    parts: Mapping[str, str]
    frames: Mapping[str, Frame]
    timeline: Sequence[str] | None = None
    began: float = 0.0
    rate: float = 1.0
    _packed: dict[tuple[Any, ...], bytes] = field(default_factory=dict)

    def changes_since(self, old: Scene | None, exact: Scene | None = None) -> bytes:
        """Return the message with exact frames for a page that shows an older scene, or none yet.

        Args:
            exact: the scene whose frames the page has exactly, if there is one.
        """
        return self._kept(("exact", old, exact), lambda: self._pack(old, *self._exact_frames(exact)))

    def sketch_since(self, old: Scene | None, limit: int = LEAST) -> bytes:
        """Return the message with the frames that changed in WebP, as good as so many bytes allow, about."""
        return self._kept(("sketch", old, limit), lambda: self._sketch(old, limit))

    def message_since(self, old: Scene | None, exact: Scene | None, limit: int = LEAST) -> tuple[bytes, bool]:
        """Return the best message of at most so many bytes, about, and whether its frames are exact."""
        whole = self.changes_since(old, exact)
        if len(whole) <= limit:
            return whole, True
        sketch = self.sketch_since(old, limit)
        return (sketch, False) if len(sketch) < len(whole) else (whole, True)

    @property
    def pixels(self) -> int:
        """The pixels of all frames."""
        return sum(frame.shape[0] * frame.shape[1] for frame in self.frames.values())

    def differs_from(self, old: Scene) -> bool:
        """Return whether there is anything to send to a page that shows an older scene."""
        return bool(self._changed_parts(old) or self.timeline != old.timeline or self._changed_frames(old))

    def _kept(self, key: tuple[Any, ...], pack: Callable[[], bytes]) -> bytes:
        numbers = tuple(one.number if isinstance(one, Scene) else one for one in key)
        if numbers not in self._packed:
            self._packed[numbers] = pack()
        return self._packed[numbers]

    def _pack(self, old: Scene | None, shapes: list[list[Any]], pixels: Sequence[bytes], shrunk: int = 0) -> bytes:
        parts = ", ".join(f"{page_json(name)}: {text}" for name, text in self._changed_parts(old).items())
        head = f'{{"number": {self.number}, "parts": {{{parts}}}, "timeline": {self._changed_timeline(old)}, '
        head += f'"frames": {page_json(shapes)}, "shrunk": {shrunk}}}'
        packer, text = zlib.compressobj(COMPRESSION), head.encode()
        pieces = [packer.compress(struct.pack("<I", len(text)) + text), *map(packer.compress, pixels)]
        return b"".join([*pieces, packer.flush()])

    def _changed_parts(self, old: Scene | None) -> dict[str, str]:
        return {name: text for name, text in self.parts.items() if old is None or old.parts.get(name) != text}

    def _changed_timeline(self, old: Scene | None) -> str:
        if self.timeline is None:
            return "null"
        first, end = shared(old.timeline if old and old.timeline else (), self.timeline)
        return f"[{first},{end},[{','.join(self.timeline[end - first :])}]]"

    def _changed_frames(self, old: Scene | None) -> dict[str, Frame]:
        before = old.frames if old else {}
        return {name: frame for name, frame in self.frames.items() if not _equal(frame, before.get(name))}

    def _exact_frames(self, exact: Scene | None) -> tuple[list[list[Any]], list[bytes]]:
        shapes, pixels, before = [], [], exact.frames if exact else {}
        for name, frame in self._changed_frames(exact).items():
            base = before.get(name)
            changed = None if base is None or base.shape != frame.shape else frame ^ base
            if changed is not None and 2 * np.count_nonzero(changed) >= changed.size:
                changed = None  # the frame itself takes fewer bytes
            shapes.append([name, *frame.shape[:2], changed is not None])
            pixels.append((frame if changed is None else changed).tobytes())
        return shapes, pixels

    def _sketch(self, old: Scene | None, limit: int) -> bytes:
        """Encode frames at most twice: at a quality in the middle, and then better or worse as its bytes allow."""
        pixels = sum(frame.shape[0] * frame.shape[1] for frame in self._changed_frames(old).values())
        if not pixels:
            return self._pack(old, [], [], shrunk=1)
        shrunk = max(1, int(np.ceil(np.sqrt(pixels / (PIXELS * limit)))))
        packed = self._sketched(old, PLAIN, shrunk)
        if len(packed) > 1.7 * limit:
            return self._sketched(old, PLAIN, shrunk + 1)
        if len(packed) > limit:
            return self._sketched(old, POOR, shrunk)
        better = self._sketched(old, GOOD, shrunk) if len(packed) < 0.8 * limit else packed
        return better if len(better) <= limit else packed

    def _sketched(self, old: Scene | None, quality: int, shrunk: int) -> bytes:
        frames = self._changed_frames(old)
        shapes = [[name, *frame.shape[:2], False] for name, frame in frames.items()]
        return self._pack(old, shapes, [_webp(_planes(list(frames.values()), shrunk), quality)], shrunk)


def shared(old: Sequence[str], new: Sequence[str]) -> tuple[int, int]:
    """Return the first and the end of the longest run in `old` with which `new` begins."""
    best = (0, 0)
    for first in range(len(old)):
        if len(old) - first <= best[1] - best[0]:
            break
        end = first
        while end < len(old) and end - first < len(new) and old[end] == new[end - first]:
            end += 1
        if end - first > best[1] - best[0]:
            best = first, end
    return best


def _planes(frames: Sequence[Frame], shrunk: int) -> Frame:
    """Return Y, Cb and Cr of all frames below one another, uint8 (H, W)."""
    planes = []
    for frame in frames:
        image = Image.fromarray(frame).convert("YCbCr")
        height, width = (-(-side // shrunk) for side in frame.shape[:2])
        planes += [np.asarray(channel) for channel in image.resize((width, height), Image.Resampling.BOX).split()]
    width = max(plane.shape[1] for plane in planes)
    return np.concatenate([np.pad(plane, ((0, 0), (0, width - plane.shape[1])), "edge") for plane in planes])


def _webp(picture: Frame, quality: int) -> bytes:
    buffer = io.BytesIO()
    Image.fromarray(picture).convert("RGB").save(buffer, "WEBP", quality=quality, method=2)
    return buffer.getvalue()


def _equal(frame: Frame, other: Frame | None) -> bool:
    return frame is other or (other is not None and np.array_equal(frame, other))
