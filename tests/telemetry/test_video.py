from __future__ import annotations

import errno
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from worldmodels.core.errors import DiskFullError, UserError
from worldmodels.telemetry.video import read_video, write_video


def moving_square(length: int = 12, height: int = 63, width: int = 65) -> np.ndarray:
    frames = np.full((length, height, width, 3), (20, 40, 60), np.uint8)
    for time, frame in enumerate(frames):
        frame[10:30, 2 * time : 2 * time + 20] = (220, 200, 40)
    return frames


@pytest.mark.parametrize("suffix, size", [("mp4", (64, 66)), ("gif", (63, 65))])
def test_what_is_written_can_be_seen_again(tmp_path: Path, suffix: str, size: tuple[int, int]) -> None:
    frames = moving_square()
    write_video(tmp_path / "new folder" / f"a.{suffix}", frames)
    seen = read_video(tmp_path / "new folder" / f"a.{suffix}")
    assert seen.dtype == np.uint8 and seen.shape == (12, *size, 3)
    assert np.abs(seen[:, :63, :65].astype(int) - frames).mean() < 4


@pytest.mark.parametrize("suffix", ["mp4", "gif"])
def test_the_same_frames_give_the_same_bytes(tmp_path: Path, suffix: str) -> None:
    first, second = tmp_path / f"a.{suffix}", tmp_path / f"b.{suffix}"
    write_video(first, moving_square())
    write_video(second, (frame for frame in moving_square()))
    assert first.read_bytes() == second.read_bytes()


HASHES = """
import hashlib, pathlib, sys
import numpy as np
from worldmodels.telemetry.video import read_video, write_video
for name in sys.argv[1:]:
    height, width = map(int, pathlib.Path(name).stem.split("x"))
    frames = np.random.default_rng(0).integers(0, 30, (12, height, width, 3), np.uint8)
    for time, frame in enumerate(frames):
        frame[10:30, 2 * time : 2 * time + 20] += 200
    write_video(name, frames)
    for data in (pathlib.Path(name).read_bytes(), read_video(name)):
        print(name, hashlib.sha256(data).hexdigest())
"""


def test_the_bytes_do_not_depend_on_what_was_in_memory_before(tmp_path: Path) -> None:
    # MALLOC_PERTURB_ lets the C library fill what it hands out with a byte.
    def hashes(filling: str) -> str:
        names = ["64x64.mp4", "63x65.mp4", "64x198.mp4", "40x56.mp4", "64x128.mp4", "63x65.gif"]
        environment = os.environ | {"MALLOC_PERTURB_": filling, "PYTHONPATH": os.pathsep.join(sys.path)}
        command = [sys.executable, "-c", HASHES, *names]
        return subprocess.run(command, cwd=tmp_path, env=environment, check=True, capture_output=True, text=True).stdout

    first = hashes("85")
    assert len(first.splitlines()) == 12
    assert hashes("255") == first


def test_a_gif_holds_only_what_changed(tmp_path: Path) -> None:
    still = np.random.default_rng(0).integers(0, 256, (1, 64, 64, 3), np.uint8)
    write_video(tmp_path / "one.gif", still)
    frames = still.repeat(10, axis=0)
    frames[5:, :4, :4] = (255, 0, 0)
    write_video(tmp_path / "ten.gif", frames)
    size = {name: (tmp_path / f"{name}.gif").stat().st_size for name in ("one", "ten")}
    # Nine further frames, of which one changes four by four pixels; a whole one takes thousands of bytes.
    assert size["one"] > 3000 and size["ten"] < size["one"] + 9 * 60
    seen = read_video(tmp_path / "ten.gif")
    assert seen.shape == (10, 64, 64, 3)
    assert (seen[:5] == seen[0]).all() and (seen[:, 4:] == seen[0, 4:]).all()
    assert np.abs(seen[9, :4, :4].astype(int) - (255, 0, 0)).max() < 64


def test_a_pixel_of_a_gif_is_never_far_from_the_truth(tmp_path: Path) -> None:
    # Few colours are kept exactly, and a drift that is too small to be drawn at once is drawn when it adds up.
    frames = np.full((30, 8, 8, 3), 100, np.uint8) + np.arange(30, dtype=np.uint8)[:, None, None, None]
    write_video(tmp_path / "a.gif", frames)
    assert np.abs(read_video(tmp_path / "a.gif").astype(int) - frames).max() <= 10


def test_a_video_is_as_wide_as_wanted(tmp_path: Path) -> None:
    frames = np.full((2, 100, 1000, 3), (20, 40, 60), np.uint8)
    for name, width in (("a.gif", None), ("b.gif", 1000), ("c.gif", 250), ("a.mp4", None), ("b.mp4", 500)):
        write_video(tmp_path / name, frames, width=width)
    shapes = {path.name: read_video(path).shape[1:3] for path in tmp_path.iterdir()}
    assert shapes == {
        "a.gif": (80, 800),
        "b.gif": (100, 1000),
        "c.gif": (25, 250),
        "a.mp4": (100, 1000),
        "b.mp4": (50, 500),
    }
    assert (read_video(tmp_path / "c.gif") == (20, 40, 60)).all()


def test_another_kind_of_file(tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"Unknown file type '\.mp3'. Did you mean '\.mp4'\?"):
        write_video(tmp_path / "a.mp3", moving_square())


@pytest.mark.parametrize(
    "frames, message",
    [
        (np.zeros((2, 4, 4, 3)), r"received float64 \(4, 4, 3\)"),
        (np.zeros((2, 4, 4, 1), np.uint8), r"received uint8 \(4, 4, 1\)"),
        ([np.zeros((4, 4, 3), np.uint8), np.zeros((4, 6, 3), np.uint8)], r"received uint8 \(4, 6, 3\) in a video of"),
        ([], "at least one frame"),
    ],
)
def test_frames_that_are_none(tmp_path: Path, frames: np.ndarray, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        write_video(tmp_path / "a.mp4", frames)
    assert os.listdir(tmp_path) == []


def test_a_full_disk_keeps_the_old_video(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "a.gif"
    write_video(path, moving_square(2))
    before = path.read_bytes()

    def full(descriptor: int) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(DiskFullError, match=r"a\.gif"):
        write_video(path, moving_square(5))
    assert path.read_bytes() == before
