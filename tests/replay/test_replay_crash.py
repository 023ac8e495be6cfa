"""Look at what is on disk after a process was killed while it appended, or after the power went."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest
from image_spaces import image_layout, image_replay

from worldmodels.core.errors import RunError
from worldmodels.core.types import Step
from worldmodels.replay import Replay, ReplayConfig, ReplayReader

SHAPE = (64, 64, 3)
STREAMS = 4
ROW = 21 * STREAMS + 4  # bytes of the records of a step and their checksum
CONFIG = ReplayConfig(capacity_steps=40_000, memory_megabytes=10)
WRITER = """
import sys
import numpy as np
from worldmodels.core.specs import ActionSpec, ObservationSpec
from worldmodels.core.types import Step
from worldmodels.replay import Replay, ReplayConfig
SPACES = (ObservationSpec.of(64, 64, 3), ActionSpec(15))
replay = Replay(sys.argv[1], 4, *SPACES, ReplayConfig(40_000, 10))
none = np.zeros(4, bool)
for t in range(5_000):
    frames = np.full((4, 64, 64, 3), t % 251, np.uint8)
    replay.append(Step(frames, np.full(4, t, np.float32), none, none, none, np.full(4, t, np.int32)))
    print(t + 1, flush=True)
"""


def a_step(value: int) -> Step:
    none, frames = np.zeros(STREAMS, bool), np.full((STREAMS, *SHAPE), value, np.uint8)
    return Step(frames, np.zeros(STREAMS, np.float32), none, none, none, np.arange(STREAMS, dtype=np.int32))


def kill_a_writer(folder: Path, steps: int, pause: float) -> int:
    """Starts a process that appends, kills it after `steps` steps and a pause, and gives how many it reported."""
    process = subprocess.Popen([sys.executable, "-B", "-c", WRITER, str(folder)], stdout=subprocess.PIPE, text=True)
    output = process.stdout
    if output is None:
        raise RuntimeError("the writer has no output")
    for _ in range(steps):
        output.readline()
    time.sleep(pause)
    os.kill(process.pid, signal.SIGKILL)
    reported = [line for line in output.read().splitlines() if line]
    process.wait()
    return steps + len(reported) - 1  # the last line may be torn as well


def noise(t: int) -> Step:
    """Frames of which nothing repeats, so that every byte on disk matters."""
    frames = np.random.default_rng(t).integers(0, 256, (2, 5, 7, 1), np.uint8)
    none = np.zeros(2, bool)
    return Step(frames, np.full(2, t, np.float32), none, none, none, np.full(2, t, np.int32))


def noise_store(folder: Path) -> Replay:
    return image_replay(folder, 2, (5, 7, 1), ReplayConfig(16 * 20 * 2, 1))  # chunks of 20 steps


def assert_holds_noise(replay: ReplayReader, count: int) -> None:
    assert replay.span == range(count)
    for stream in range(2):
        window = replay.window(stream, 0, count)
        expected = np.stack([noise(t).observation[stream] for t in range(count)])
        np.testing.assert_array_equal(window.observation[0], expected)
        assert window.action[0].tolist() == list(range(count))


@pytest.mark.parametrize(("steps", "pause"), [(1, 0.0), (50, 0.0007), (130, 0.0003)])
def test_a_process_killed_while_appending_loses_no_step_that_was_appended(
    tmp_path: Path, steps: int, pause: float
) -> None:
    reported = kill_a_writer(tmp_path, steps, pause)
    replay = image_replay(tmp_path, STREAMS, SHAPE, CONFIG)
    count = len(replay.span)
    assert count >= reported
    for stream in range(STREAMS):
        window = replay.window(stream, 0, count)
        assert window.action[0].tolist() == list(range(count))
        expected = np.arange(count) % 251
        assert (window.observation[0] == expected[:, None, None, None]).all()


def test_a_torn_row_is_cut_off_and_appending_goes_on(tmp_path: Path) -> None:
    kill_a_writer(tmp_path, 5, 0.0)
    count = len(ReplayReader(tmp_path).span)
    with open(tmp_path / "00000000.steps", "ab") as file:
        file.write(b"\xff" * (ROW - 1))  # one byte short of a row
    assert ReplayReader(tmp_path).span == range(count)
    replay = image_replay(tmp_path, STREAMS, SHAPE, CONFIG)
    assert replay.span == range(count)
    assert (tmp_path / "00000000.steps").stat().st_size == (count + 1) * ROW - 1
    window = replay.window(1, 0, 1)
    replay.append(a_step(9))
    assert (tmp_path / "00000000.steps").stat().st_size == (count + 1) * ROW
    assert replay.span == range(count + 1)
    assert replay.window(3, count, 1).action.tolist() == [[3]]
    np.testing.assert_array_equal(replay.window(1, 0, 1).observation, window.observation)


def test_zeros_that_a_power_cut_leaves_are_no_steps(tmp_path: Path) -> None:
    replay = image_replay(tmp_path, STREAMS, SHAPE, ReplayConfig(16 * 3 * STREAMS, 10))  # chunks of 3 steps
    for t in range(8):
        replay.append(a_step(t))
    second = tmp_path / "00000001.steps"
    second.write_bytes(second.read_bytes()[:ROW] + bytes(2 * ROW))
    with pytest.raises(RunError, match=r"row 1 of '00000001\.steps' does not agree with its checksum"):
        ReplayReader(tmp_path)
    again = image_replay(tmp_path, STREAMS, SHAPE, ReplayConfig(16 * 3 * STREAMS, 10))
    assert again.span == range(4)
    assert (tmp_path / "00000002.frames").exists()
    again.append(a_step(4))
    assert not (tmp_path / "00000002.frames").exists()
    assert sorted(path.name for path in (tmp_path / "set-aside" / "00000008").iterdir()) == [
        f"{index:08d}.{kind}" for index in (1, 2) for kind in ("frames", "steps")
    ]
    assert ReplayReader(tmp_path).span == range(5)


def test_a_missing_or_short_file_in_the_middle_is_named(tmp_path: Path) -> None:
    replay = image_replay(tmp_path, STREAMS, SHAPE, ReplayConfig(16 * 3 * STREAMS, 10))
    for t in range(8):
        replay.append(a_step(t))
    os.truncate(tmp_path / "00000000.frames", 10)
    with pytest.raises(RunError, match=r"00000000\.frames' is shorter than '00000000\.steps' says"):
        ReplayReader(tmp_path).window(0, 0, 3)
    (tmp_path / "00000001.frames").unlink()
    with pytest.raises(RunError, match=r"'00000001\.frames' is missing"):
        ReplayReader(tmp_path)


@pytest.mark.parametrize("steps", [3, 16, 19])
def test_a_write_that_was_killed_at_any_byte_leaves_the_steps_before_it(tmp_path: Path, steps: int) -> None:
    """A step is written frames first, then its row: whatever part of them is there, the store goes on without it."""
    replay = noise_store(tmp_path)
    for t in range(steps):
        replay.append(noise(t))
    paths = [tmp_path / "00000000.frames", tmp_path / "00000000.steps"]
    before = [path.read_bytes() for path in paths]
    replay.append(noise(steps))
    replay.close()
    after = [path.read_bytes() for path in paths]
    written = [new[len(old) :] for old, new in zip(before, after, strict=True)]
    assert len(written[1]) == image_layout(2, (5, 7, 1), 1).row_bytes
    for count in range(len(written[0]) + len(written[1])):
        parts = written[0][:count], written[1][: max(0, count - len(written[0]))]
        for path, old, part in zip(paths, before, parts, strict=True):
            path.write_bytes(old + part)
        again = noise_store(tmp_path)
        assert again.span == range(steps)
        again.append(noise(steps))
        again.append(noise(steps + 1))
        assert_holds_noise(ReplayReader(tmp_path), steps + 2)
        again.close()
        (tmp_path / "00000001.frames").unlink(missing_ok=True)
        (tmp_path / "00000001.steps").unlink(missing_ok=True)


def test_a_reader_may_open_a_store_while_another_process_writes_it(tmp_path: Path) -> None:
    process = subprocess.Popen([sys.executable, "-B", "-c", WRITER, str(tmp_path)], stdout=subprocess.PIPE, text=True)
    output = process.stdout
    if output is None:
        raise RuntimeError("the writer has no output")
    seen = set()
    for reported in range(1, 200):
        output.readline()
        reader = ReplayReader(tmp_path)
        count = len(reader.span)
        assert count >= reported
        start = max(0, count - 40)
        window = reader.window(2, start, count - start)
        assert window.observation[0, :, 9, 9, 0].tolist() == [t % 251 for t in range(start, count)]
        seen.add(count)
        reader.close()
    assert len(seen) > 3
    process.kill()
    process.wait()


@pytest.mark.parametrize("place", [0, 2, 300, -1])
def test_a_flipped_bit_is_told_with_the_name_of_the_file(tmp_path: Path, place: int) -> None:
    replay = noise_store(tmp_path)
    for t in range(40):
        replay.append(noise(t))
    frames = bytearray((tmp_path / "00000001.frames").read_bytes())
    frames[place] ^= 1
    (tmp_path / "00000001.frames").write_bytes(frames)
    reader = ReplayReader(tmp_path)
    reader.window(0, 0, 20)
    with pytest.raises(RunError, match=r"00000001\.frames' was damaged: the frames of stream"):
        for stream in range(2):
            reader.window(stream, 20, 20)


def test_a_checkpoint_is_loaded_although_what_came_after_it_is_damaged(tmp_path: Path) -> None:
    replay = noise_store(tmp_path)
    for t in range(5):
        replay.append(noise(t))
    tree = replay.save()
    saved = (tmp_path / "00000000.frames").stat().st_size
    for t in range(5, 12):
        replay.append(noise(t))
    replay.close()
    # The rows reached the disk, of the frames only the length: as a power cut may leave it.
    frames = (tmp_path / "00000000.frames").read_bytes()
    (tmp_path / "00000000.frames").write_bytes(frames[:saved] + bytes(len(frames) - saved))
    again = noise_store(tmp_path)
    with pytest.raises(RunError, match="cannot be decoded"):
        again.window(0, 0, 12)
    again.load(tree)
    assert_holds_noise(again, 5)
    again.append(noise(5))
    assert_holds_noise(ReplayReader(tmp_path), 6)
