"""Videos in and out of files: .mp4 to keep and .gif to show. The same frames give the same bytes."""

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

from worldmodels.core.errors import UserError
from worldmodels.core.files import write_atomic
from worldmodels.core.lookup import unknown

Frame = npt.NDArray[np.uint8]


def write_video(path: Path | str, frames: Iterable[Frame], fps: int = 15) -> None:
    """Writes frames uint8 (T, H, W, 3), an array or one by one, to a .mp4 or .gif file.

    Odd sizes are padded to even ones in a .mp4; a .gif merges equal frames that follow each other.
    """
    path = Path(path)
    encoders = {".mp4": encode_mp4, ".gif": encode_gif}
    if path.suffix not in encoders:
        raise UserError(f"Video '{path}': {unknown('file type', path.suffix, encoders)}")
    path.parent.mkdir(parents=True, exist_ok=True)
    write_atomic(path, encoders[path.suffix](frames, fps))


def encode_mp4(frames: Iterable[Frame], fps: int) -> bytes:
    """The frames as an MP4 file, H.264 where the codec is there."""
    # Straight to PyAV: imageio's layer over it cannot set the number of threads, which shows in the bytes.
    codec = "libx264" if "libx264" in av.codecs_available else "mpeg4"
    buffer = io.BytesIO()
    with av.open(buffer, "w", format="mp4", options={"fflags": "+bitexact"}) as container:
        stream: Any = container.add_stream(codec, rate=Fraction(fps))  # PyAV's own types differ between its versions
        for index, frame in enumerate(map(_padded_to_even, _checked(frames))):
            if index == 0:
                stream.height, stream.width = frame.shape[:2]
                stream.pix_fmt = "yuv420p"
                stream.codec_context.thread_count = 1
                stream.codec_context.options = {"crf": "18", "flags": "+bitexact"}
            container.mux(stream.encode(av.VideoFrame.from_ndarray(frame, format="rgb24")))
        container.mux(stream.encode())
    return buffer.getvalue()


def encode_gif(frames: Iterable[Frame], fps: int) -> bytes:
    """The frames as an animated GIF that repeats forever."""
    images = [Image.fromarray(frame) for frame in _checked(frames)]
    buffer = io.BytesIO()
    milliseconds = max(20, round(100 / fps) * 10)  # hundredths are the format's unit; viewers slow down below two
    images[0].save(buffer, "GIF", save_all=True, append_images=images[1:], duration=milliseconds, loop=0)
    return buffer.getvalue()


def read_video(path: Path | str) -> Frame:
    """The frames of a .mp4 or .gif file, uint8 (T, H, W, 3)."""
    if Path(path).suffix == ".gif":
        with Image.open(path) as image:
            return np.stack([np.asarray(frame.convert("RGB")) for frame in ImageSequence.Iterator(image)])
    with av.open(str(path)) as container:
        return np.stack([frame.to_ndarray(format="rgb24") for frame in container.decode(video=0)])


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
    """H.264 stores colours at half the resolution, so it wants even sizes; the border is repeated."""
    height, width = frame.shape[:2]
    if height % 2 == 0 and width % 2 == 0:
        return np.ascontiguousarray(frame)
    return np.pad(frame, ((0, height % 2), (0, width % 2), (0, 0)), mode="edge")
