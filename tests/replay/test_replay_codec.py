"""Read frames back from their blocks, wherever windows, chunks and interruptions cut them."""

from __future__ import annotations

import zlib
from pathlib import Path

import numpy as np
import pytest
from image_spaces import image_layout, image_replay

from worldmodels.core.types import Step
from worldmodels.replay import ReplayConfig, ReplayReader
from worldmodels.replay.chunks import FrameCompressor, decompress

SHAPES = [(7, 5, 1), (5, 7, 3), (1, 1, 1), (64, 64, 3), (3, 200, 2)]


def frames_of(t: int, shape: tuple[int, ...]) -> np.ndarray:
    """Two streams (2, H, W, C): one that scrolls, and noise."""
    noise = np.random.default_rng(0).integers(0, 256, shape, np.uint8)
    return np.stack([np.roll(noise, t, axis=1), np.random.default_rng(t).integers(0, 256, shape, np.uint8)])


def a_step(t: int, shape: tuple[int, ...]) -> Step:
    none = np.zeros(2, bool)
    return Step(frames_of(t, shape), np.zeros(2, np.float32), none, none, none, np.full(2, t, np.int32))


def assert_windows(reader: ReplayReader, shape: tuple[int, ...], lengths: tuple[int, ...]) -> None:
    """All windows of these lengths are what was appended."""
    expected = np.stack([frames_of(t, shape) for t in range(reader.span.stop)], axis=1)
    for length in lengths:
        for start in range(reader.span.start, reader.span.stop - length + 1):
            for stream in range(2):
                window = reader.window(stream, start, length)
                np.testing.assert_array_equal(window.observation[0], expected[stream, start : start + length])


@pytest.mark.parametrize("shape", SHAPES)
def test_frames_of_any_shape_come_back(tmp_path: Path, shape: tuple[int, ...]) -> None:
    replay = image_replay(tmp_path, 2, shape, ReplayConfig(2 * 16 * 40, 1))
    for t in range(50):
        replay.append(a_step(t, shape))
    assert_windows(ReplayReader(tmp_path), shape, (1, 33, 50))


@pytest.mark.parametrize("chunk_steps", [1, 15, 16, 17, 37])
def test_windows_begin_and_end_anywhere(tmp_path: Path, chunk_steps: int) -> None:
    replay = image_replay(tmp_path, 2, (2, 3, 1), ReplayConfig(2 * 16 * chunk_steps, 1))
    for t in range(min(75, 16 * chunk_steps)):
        replay.append(a_step(t, (2, 3, 1)))
    assert_windows(ReplayReader(tmp_path), (2, 3, 1), (1, 2, 16))
    if chunk_steps > 1:
        assert_windows(ReplayReader(tmp_path), (2, 3, 1), (15, 17, 40))


@pytest.mark.parametrize("reopened", [False, True])
@pytest.mark.parametrize("cursor", [1, 15, 16, 17, 20, 21, 36, 41])
def test_a_cursor_cuts_a_block_anywhere_and_appending_goes_on(tmp_path: Path, cursor: int, reopened: bool) -> None:
    shape, config = (4, 4, 1), ReplayConfig(2 * 16 * 20, 1)  # chunks of 20 steps: blocks of 16 and 4
    replay = image_replay(tmp_path, 2, shape, config)
    for t in range(41):
        replay.append(a_step(t, shape))
    if reopened:
        replay.close()
        replay = image_replay(tmp_path, 2, shape, config)
    replay.load({"first": 0, "cursor": cursor, "saved": []})
    assert_windows(replay, shape, (1, cursor))
    last = tmp_path / f"{(cursor - 1) // 20:08d}.frames"
    assert last.stat().st_size == replay._chunks[(cursor - 1) // 20]._end
    for t in range(cursor, 45):
        replay.append(a_step(t, shape))
    assert_windows(ReplayReader(tmp_path), shape, (1, 17, 45))


def test_what_repeats_or_scrolls_takes_little_room(tmp_path: Path) -> None:
    """Of noise that scrolls only the key frames take their size, of fresh noise every frame."""
    shape = (64, 64, 3)
    compressor = FrameCompressor(image_layout(2, shape, chunk_steps=100))
    sizes = np.array([[len(data) for data in compressor.compress(t, frames_of(t, shape)).frames] for t in range(32)])
    assert (sizes[[0, 16], 0] > 12_288).all()
    assert sizes[:, 0].sum() < 2.5 * 12_288
    assert (sizes[:, 1] > 12_288).all()


def test_a_frame_that_does_not_follow_the_last_one_is_a_key_frame() -> None:
    compressor = FrameCompressor(image_layout(2, (2, 2, 1), chunk_steps=20))
    steps = [0, 1, 2, 2, 3, 15, 16, 17, 19, 20, 21, 5]
    keys = [compressor.compress(t, frames_of(t, (2, 2, 1))).is_key for t in steps]
    assert [t for t, is_key in zip(steps, keys, strict=True) if is_key] == [0, 2, 15, 16, 19, 20, 5]


@pytest.mark.parametrize("count", [1, 2, 3])
def test_any_part_of_a_block_is_checked_to_its_end(count: int) -> None:
    compressor = FrameCompressor(image_layout(2, (2, 2, 1), chunk_steps=3))
    steps = [compressor.compress(t, frames_of(t, (2, 2, 1))) for t in range(count)]
    data, checksum = b"".join(step.frames[0] for step in steps), steps[-1].checksums[0]
    assert checksum == zlib.crc32(data)
    out = np.empty((count, 2, 2, 1), np.uint8)
    decompress(data, checksum, out)
    assert out.tolist() == [frames_of(t, (2, 2, 1))[0].tolist() for t in range(count)]
    for place in range(len(data)):
        with pytest.raises(ValueError, match="their checksum differs"):
            decompress(data[:place] + bytes([data[place] ^ 1]) + data[place + 1 :], checksum, out)
    with pytest.raises(ValueError, match=f"there are {4 * count} bytes instead of {4 * count + 4}"):
        decompress(data, checksum, np.empty((count + 1, 2, 2, 1), np.uint8))
