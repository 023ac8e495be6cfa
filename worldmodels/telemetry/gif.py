"""Encodes small animated GIFs: one palette for the whole clip, and of each frame only the changed rectangle.

Pillow compresses the pixels. The container is written here, because Pillow merges equal frames and repeats the palette
in each frame.
"""

from __future__ import annotations

import io
from collections.abc import Iterable
from struct import pack

import numpy as np
import numpy.typing as npt
from PIL import Image

Frame = npt.NDArray[np.uint8]

COLORS = 127
"""The number of colours of the palette; more colours enlarge the file more than they improve the picture."""
TRANSPARENT = 255
"""The index of pixels that do not change."""
TOLERANCE = 10
"""The largest difference of a channel, of 255, that counts as no change: models' images flicker."""
SAMPLES = 8
"""The number of frames from which the palette is made."""


def encode_gif(frames: Iterable[Frame], fps: int) -> bytes:
    """Return frames uint8 (H, W, 3), all of one size and one at least, as an animated GIF that repeats forever.

    Args:
        fps: frames per second, up to 50; the format counts in hundredths of a second.
    """
    clip = list(frames)
    height, width = clip[0].shape[:2]
    palette = _palette(clip)
    colors = np.array(palette.getpalette(), np.uint8).reshape(256, 3)
    blocks = [b"GIF89a", pack("<HHBBB", width, height, 0xF7, 0, 0), colors.tobytes(), _REPEAT_FOREVER]
    delay = max(2, round(100 / fps))  # viewers slow down faster clips
    shown = None
    for frame in clip:
        indices = _indices(frame, palette)
        if shown is not None:
            differs = np.abs(frame.astype(np.int16) - colors[shown]).max(-1) > TOLERANCE
            indices = np.where(differs, indices, shown)
        blocks += [_control(delay), _changes(indices, shown, palette)]
        shown = indices
    return b"".join([*blocks, b";"])


_REPEAT_FOREVER = b"\x21\xff\x0bNETSCAPE2.0\x03\x01\x00\x00\x00"


def _control(delay: int) -> bytes:
    """Return the block before an image: draw over the last image, for `delay` hundredths of a second."""
    keep, transparency = 1 << 2, 1
    return b"\x21\xf9\x04" + pack("<BHBB", keep | transparency, delay, TRANSPARENT, 0)


def _palette(clip: list[Frame]) -> Image.Image:
    """Return an image whose palette suits the whole clip; indices from `COLORS` on repeat its first colour."""
    picked = [clip[index * len(clip) // SAMPLES] for index in range(SAMPLES)] if len(clip) > SAMPLES else clip
    sheet = Image.fromarray(np.concatenate(picked))
    colors = sheet.quantize(COLORS, Image.Quantize.MEDIANCUT, dither=Image.Dither.NONE).getpalette() or [0, 0, 0]
    colors = colors[: 3 * COLORS]
    palette = Image.new("P", (1, 1))
    palette.putpalette(colors + colors[:3] * (256 - len(colors) // 3))
    return palette


def _indices(frame: Frame, palette: Image.Image) -> Frame:
    """Return the index of each pixel's colour, uint8 (H, W)."""
    indices = np.asarray(Image.fromarray(frame).quantize(palette=palette, dither=Image.Dither.NONE))
    return np.where(indices < COLORS, indices, 0).astype(np.uint8)


def _changes(indices: Frame, shown: Frame | None, palette: Image.Image) -> bytes:
    """Return the image block of the smallest rectangle with all changed pixels."""
    top, left = 0, 0
    if shown is not None:
        changes = indices != shown
        rows, columns = np.flatnonzero(changes.any(1)), np.flatnonzero(changes.any(0))
        top, bottom = (rows[0], rows[-1] + 1) if len(rows) else (0, 1)  # the format has no empty image
        left, right = (columns[0], columns[-1] + 1) if len(columns) else (0, 1)
        indices = np.where(changes, indices, np.uint8(TRANSPARENT))[top:bottom, left:right]
    return _image_block(indices, int(left), int(top), palette)


def _image_block(indices: Frame, left: int, top: int, palette: Image.Image) -> bytes:
    """Return the block of one image: its place, and its pixels as Pillow compresses them."""
    image = Image.fromarray(np.ascontiguousarray(indices))
    image.putpalette(palette.getpalette() or [])
    buffer = io.BytesIO()
    image.save(buffer, "GIF", optimize=False, interlace=False)
    data = buffer.getvalue()
    table = 3 << ((data[10] & 7) + 1) if data[10] & 0x80 else 0
    descriptor = 13 + table  # after the header
    while data[descriptor] == 0x21:  # an extension: a label, then blocks that begin with their size
        descriptor += 2
        while data[descriptor]:
            descriptor += 1 + data[descriptor]
        descriptor += 1
    height, width = indices.shape
    return b"," + pack("<HHHHB", left, top, width, height, 0) + data[descriptor + 10 : -1]
