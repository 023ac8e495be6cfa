"""What is on disk after a process was killed while it appended, or after the power went."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

from worldmodels.core.errors import RunError
from worldmodels.core.types import Step
from worldmodels.replay import Replay, ReplayConfig, ReplayReader

SHAPE = (64, 64, 3)
STREAMS = 4
CONFIG = ReplayConfig(capacity_steps=40_000, memory_megabytes=10)
WRITER = """
import sys
import numpy as np
from worldmodels.core.types import Step
from worldmodels.replay import Replay, ReplayConfig
replay = Replay(sys.argv[1], 4, (64, 64, 3), ReplayConfig(40_000, 10))
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


@pytest.mark.parametrize(("steps", "pause"), [(1, 0.0), (50, 0.0007), (130, 0.0003)])
def test_a_process_killed_while_appending_loses_no_step_that_was_appended(
    tmp_path: Path, steps: int, pause: float
) -> None:
    reported = kill_a_writer(tmp_path, steps, pause)
    replay = Replay(tmp_path, STREAMS, SHAPE, CONFIG)
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
        file.write(b"\xff" * (9 * STREAMS - 1))  # one byte short of a row
    assert ReplayReader(tmp_path).span == range(count)
    replay = Replay(tmp_path, STREAMS, SHAPE, CONFIG)
    assert replay.span == range(count)
    assert (tmp_path / "00000000.steps").stat().st_size == count * 9 * STREAMS
    window = replay.window(1, 0, 1)
    replay.append(a_step(9))
    assert replay.span == range(count + 1)
    assert replay.window(3, count, 1).action.tolist() == [[3]]
    np.testing.assert_array_equal(replay.window(1, 0, 1).observation, window.observation)


def test_zeros_that_a_power_cut_leaves_are_no_steps(tmp_path: Path) -> None:
    replay = Replay(tmp_path, STREAMS, SHAPE, ReplayConfig(16 * 3 * STREAMS, 10))  # chunks of 3 steps
    for t in range(8):
        replay.append(a_step(t))
    second = tmp_path / "00000001.steps"
    second.write_bytes(second.read_bytes()[: 9 * STREAMS] + bytes(2 * 9 * STREAMS))
    assert ReplayReader(tmp_path).span == range(4)
    again = Replay(tmp_path, STREAMS, SHAPE, ReplayConfig(16 * 3 * STREAMS, 10))
    assert again.span == range(4)
    assert not (tmp_path / "00000002.frames").exists()


def test_a_missing_or_short_file_in_the_middle_is_named(tmp_path: Path) -> None:
    replay = Replay(tmp_path, STREAMS, SHAPE, ReplayConfig(16 * 3 * STREAMS, 10))
    for t in range(8):
        replay.append(a_step(t))
    os.truncate(tmp_path / "00000000.frames", 100)
    with pytest.raises(RunError, match=r"00000000\.frames' is shorter than '00000000\.steps' says"):
        ReplayReader(tmp_path).window(0, 0, 3)
    (tmp_path / "00000001.frames").unlink()
    with pytest.raises(RunError, match=r"'00000001\.frames' is missing"):
        ReplayReader(tmp_path)
