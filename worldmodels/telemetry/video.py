"""Writes and reads videos, .mp4 and .gif; the same frames give the same bytes."""

from __future__ import annotations

import io
from collections.abc import Iterable
from fractions import Fraction
from pathlib import Path
from typing import Any

import av
import numpy as np
import numpy.typing as npt
from PIL import Image, ImageSequence

from worldmodels.core.errors import FileError, UserError
from worldmodels.core.files.writing import make_folder, write_atomic
from worldmodels.core.lookup import unknown
from worldmodels.telemetry.gif import encode_gif

Frame = npt.NDArray[np.uint8]


GIF_WIDTH = 800
"""The largest default width of a .gif in pixels: a full screen of noise takes tens of megabytes."""
MP4_OPTIONS = {"crf": "18", "flags": "+bitexact", "x264-params": "mbtree=0:qcomp=1"}
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
