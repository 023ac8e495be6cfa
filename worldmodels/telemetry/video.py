"""Writes and reads videos, .mp4 and .gif; the same frames give the same bytes.

Encodes small animated GIFs: one palette for the whole clip, and of each frame only the changed rectangle.

Pillow compresses the pixels. The container is written here, because Pillow merges equal frames and repeats the palette
in each frame.
"""

from __future__ import annotations

import io
from collections.abc import Iterable
from fractions import Fraction
from pathlib import Path
from struct import pack
from typing import Any

import av
import numpy as np
import numpy.typing as npt
from PIL import Image, ImageSequence

from worldmodels.core.errors import FileError, UserError, unknown
from worldmodels.core.files.writing import make_folder, write_atomic

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


GIF_WIDTH = 800
"""The largest default width of a .gif in pixels: a full screen of noise takes tens of megabytes."""
MP4_OPTIONS = {"flags": "+bitexact", "x264-params": "mbtree=0:qcomp=1"}
"""The settings of the encoder; each encoder ignores the settings of others.

The macroblock tree is off: with AVX-512, x264 reads past the end of the last row, unless the width is a multiple of 128
pixels. So the bytes would differ. Without the tree, `qcomp` of 1 gives files of the same size.
"""


def write_video(path: Path | str, frames: Iterable[Frame], fps: int = 15, width: int | None = None) -> None:
    """Write frames uint8 (T, H, W, 3), an array or one by one, to a .mp4 or .gif file.

    Odd sizes are padded to even ones in a .mp4; a .gif has one palette for all frames.

    Args:
        width: the largest width in pixels; larger frames are reduced. By default a .mp4 has the size of the frames,
            and a .gif at most `GIF_WIDTH`.

    Raises:
        UserError: the file has another type.
        ValueError: there is no frame, or a frame has another type or size.
    """
    path = Path(path)
    encoders = {".mp4": encode_mp4, ".gif": encode_gif}
    if path.suffix not in encoders:
        raise UserError(f"Video '{path}': {unknown('file type', path.suffix, encoders)}")
    width = width or (GIF_WIDTH if path.suffix == ".gif" else None)
    make_folder(path.parent)
    write_atomic(path, encoders[path.suffix](_reduced(_checked(frames), width), fps))


def encode_mp4(frames: Iterable[Frame], fps: int) -> bytes:
    """Return frames uint8 (H, W, 3), all of one size, as an MP4 file, in H.264 if the codec is installed."""
    codec = "libx264" if "libx264" in av.codecs_available else "mpeg4"
    buffer = io.BytesIO()
    with av.open(buffer, "w", format="mp4", options={"fflags": "+bitexact"}) as container:
        stream: Any = container.add_stream(codec, rate=Fraction(fps))  # PyAV's own types differ between its versions
        for index, frame in enumerate(map(_padded_to_even, frames)):
            if index == 0:
                stream.height, stream.width = frame.shape[:2]
                stream.pix_fmt = "yuv420p"
                stream.codec_context.thread_count = 1
                stream.codec_context.options = MP4_OPTIONS
            container.mux(stream.encode(av.VideoFrame.from_ndarray(frame, format="rgb24")))
        container.mux(stream.encode())
    return buffer.getvalue()


def read_video(path: Path | str) -> Frame:
    """Return the frames of a .mp4 or .gif file, uint8 (T, H, W, 3)."""
    if Path(path).suffix == ".gif":
        with Image.open(path) as image:
            return np.stack([np.asarray(frame.convert("RGB")) for frame in ImageSequence.Iterator(image)])
    with av.open(str(path)) as container:
        return np.stack([frame.to_ndarray(format="rgb24") for frame in container.decode(video=0)])


def count_frames(path: Path | str) -> int:
    """Decode a .mp4 or .gif file, and return the number of its frames.

    Raises:
        FileError: a frame cannot be decoded.
    """
    try:
        if Path(path).suffix == ".gif":
            with Image.open(path) as image:
                return sum(1 for frame in ImageSequence.Iterator(image) if frame.load())
        with av.open(str(path)) as container:
            return sum(1 for _ in container.decode(video=0))
    except (av.FFmpegError, OSError, SyntaxError, ValueError, IndexError) as error:
        raise FileError(f"'{path}' cannot be decoded: {error}.") from error


def _reduced(frames: Iterable[Frame], width: int | None) -> Iterable[Frame]:
    """Yield frames of at most `width` pixels, with their proportions."""
    for frame in frames:
        height, across = frame.shape[:2]
        if width and width < across:
            size = (width, max(1, round(height * width / across)))
            frame = np.asarray(Image.fromarray(frame).resize(size, Image.Resampling.BOX))
        yield frame


def _checked(frames: Iterable[Frame]) -> Iterable[Frame]:
    shape = None
    for frame in frames:
        shape = shape or frame.shape
        if frame.dtype != np.uint8 or frame.ndim != 3 or frame.shape[2] != 3 or frame.shape != shape:
            raise ValueError(
                f"Frames of a video are uint8 (H, W, 3), all of one size; received {frame.dtype} {frame.shape} "
                f"in a video of {shape}."
            )
        yield frame
    if shape is None:
        raise ValueError("A video needs at least one frame; received none.")


def _padded_to_even(frame: Frame) -> Frame:
    """Return a frame of even size, with a repeated border: H.264 stores colours at half the resolution."""
    height, width = frame.shape[:2]
    if height % 2 == 0 and width % 2 == 0:
        return np.ascontiguousarray(frame)
    return np.pad(frame, ((0, height % 2), (0, width % 2), (0, 0)), mode="edge")
