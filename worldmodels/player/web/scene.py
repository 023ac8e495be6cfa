"""A scene is the content of the pages at one moment, in parts: texts and numbers as JSON, and frames.

A page gets only the parts that differ from the scene that it was sent before. The message is compressed with zlib. It
has the length of its head in bytes (uint32, little-endian), the head as JSON, then the RGB pixels of each frame. The
head is

    {"number": 17, "parts": {"header": {...}, ...}, "frames": [["column 0", height, width], ...]}
"""

from __future__ import annotations

import struct
import zlib
from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

from worldmodels.player.session.worlds.frames import Frame
from worldmodels.player.web.messages import page_json

COMPRESSION = 1
"""The level of zlib: flat colours shrink well at the fastest."""


@dataclass(frozen=True, eq=False)
class Scene:
    """A scene with its number, from 1.

    Attributes:
        parts: JSON by the name of the part.
        frames: uint8 (H, W, 3), by their names.
        began: when the tick began that led to it, on the clock of `time.perf_counter`.
        rate: ticks a second at that time.
    """

    number: int
    parts: Mapping[str, str]
    frames: Mapping[str, Frame]
    began: float = 0.0
    rate: float = 1.0
    _packed: dict[int, bytes] = field(default_factory=dict)

    def changes_since(self, old: Scene | None) -> bytes:
        """Return the message for a page that shows an older scene, or none yet."""
        key = old.number if old else 0
        if key not in self._packed:
            self._packed[key] = self._pack(old)
        return self._packed[key]

    def is_packed_since(self, old: Scene | None) -> bool:
        """Return whether that message was packed before."""
        return (old.number if old else 0) in self._packed

    def differs_from(self, old: Scene) -> bool:
        """Return whether there is anything to send to a page that shows an older scene."""
        return bool(self._changed_parts(old) or self._changed_frames(old))

    def _pack(self, old: Scene | None) -> bytes:
        frames = self._changed_frames(old)
        parts = ", ".join(f"{page_json(name)}: {text}" for name, text in self._changed_parts(old).items())
        shapes = page_json([[name, *frame.shape[:2]] for name, frame in frames.items()])
        head = f'{{"number": {self.number}, "parts": {{{parts}}}, "frames": {shapes}}}'.encode()
        packer = zlib.compressobj(COMPRESSION)
        pieces = [packer.compress(struct.pack("<I", len(head)) + head)]
        pieces += [packer.compress(frame.tobytes()) for frame in frames.values()]
        return b"".join([*pieces, packer.flush()])

    def _changed_parts(self, old: Scene | None) -> dict[str, str]:
        return {name: text for name, text in self.parts.items() if old is None or old.parts.get(name) != text}

    def _changed_frames(self, old: Scene | None) -> dict[str, Frame]:
        before = old.frames if old else {}
        return {name: frame for name, frame in self.frames.items() if not _equal(frame, before.get(name))}


def _equal(frame: Frame, other: Frame | None) -> bool:
    return frame is other or (other is not None and np.array_equal(frame, other))
