from __future__ import annotations

import errno
import os
import shutil
from pathlib import Path

import numpy as np
import pytest
from image_spaces import ACTIONS, image_replay

from worldmodels.core.errors import ConfigError, DiskFullError, FileError, RunError, UserError
from worldmodels.core.specs import ObservationSpec
from worldmodels.core.types import Step
from worldmodels.replay import Replay, ReplayConfig, ReplayReader

SHAPE = (2, 3, 1)


def made_step(t: int, streams: int = 2) -> Step:
    """Every value says which step and stream it belongs to: pixels 10 * stream + t, episodes of five steps."""
    stream = np.arange(streams)
    frames = np.broadcast_to((10 * stream + t)[:, None, None, None], (streams, *SHAPE)).astype(np.uint8)
    ends = np.full(streams, t % 5 == 4)
    return Step(
        observation=frames,
        reward=(100 * stream + t).astype(np.float32),
        is_first=np.full(streams, t % 5 == 0),
        is_last=ends,
        is_terminal=ends & (stream == 0),
        action=(7 * stream + t).astype(np.int32),
    )


def open_replay(folder: Path, capacity: int = 64, megabytes: int = 1, streams: int = 2) -> Replay:
    return image_replay(folder, streams, SHAPE, ReplayConfig(capacity, megabytes))


def fill(replay: Replay, start: int, stop: int) -> None:
    for t in range(start, stop):
        replay.append(made_step(t, replay.num_streams))


def pixels(replay: ReplayReader, stream: int) -> list[int]:
    span = replay.span
    return replay.window(stream, span.start, len(span)).observation[0, :, 0, 0, 0].tolist()


def test_every_field_comes_back_as_it_was_appended(tmp_path: Path) -> None:
    replay = open_replay(tmp_path / "replay")
    fill(replay, 0, 7)
    assert len(replay) == 14
    assert replay.span == range(7)
    window = replay.window(stream=1, start=2, length=5)
    assert window.observation.shape == (1, 5, 2, 3, 1)
    assert window.observation.dtype == np.uint8
    assert window.observation[0, :, 1, 2, 0].tolist() == [12, 13, 14, 15, 16]
    assert window.reward.tolist() == [[102, 103, 104, 105, 106]]
    assert window.reward.dtype == np.float32
    assert window.action.tolist() == [[9, 10, 11, 12, 13]]
    assert window.action.dtype == np.int32
    assert window.is_first.tolist() == [[False, False, False, True, False]]
    assert window.is_last.tolist() == [[False, False, True, False, False]]
    assert window.is_terminal.tolist() == [[False, False, False, False, False]]
    assert replay.window(0, 2, 5).is_terminal.tolist() == [[False, False, True, False, False]]


def test_the_oldest_chunk_is_dropped_when_the_capacity_is_reached(tmp_path: Path) -> None:
    # 64 steps in 2 streams are 32 for each, in 16 chunks of 2 steps: the 33rd step drops the first two.
    replay = image_replay(tmp_path, 2, SHAPE, ReplayConfig(64, 1))
    fill(replay, 0, 32)
    assert replay.span == range(0, 32)
    fill(replay, 32, 33)
    assert replay.span == range(2, 33)
    fill(replay, 33, 100)
    assert replay.span == range(68, 100)
    assert len(replay) == 64
    assert pixels(replay, 1) == [10 + t for t in range(68, 100)]
    assert sorted(path.name for path in tmp_path.glob("*.steps"))[0] == "00000034.steps"
    assert len(list(tmp_path.iterdir())) == 1 + 2 * 16


def test_frames_that_do_not_fit_into_memory_come_from_disk(tmp_path: Path) -> None:
    shape = (100, 100, 3)  # 30 kB, so that 1 MB holds 33 frames less the records
    replay = image_replay(tmp_path, 1, shape, ReplayConfig(200, 1))
    for t in range(100):
        step = made_step(t, 1)
        replay.append(step._replace(observation=np.full((1, *shape), t, np.uint8)))
    assert replay._memory.span == range(67, 100)
    assert replay._memory._ring.nbytes <= 10**6
    for start in (0, 60, 66, 67, 90):
        frames = replay.window(0, start, 10).observation
        assert frames[0, :, 50, 50, 1].tolist() == list(range(start, start + 10))
    tree = replay.save()
    again = image_replay(tmp_path, 1, shape, ReplayConfig(200, 1))
    assert len(again._memory.span) == 0
    assert again.window(0, 80, 20).observation[0, :, 0, 0, 0].tolist() == list(range(80, 100))
    again.load(tree)
    assert again._memory.span == range(67, 100)
    assert again.window(0, 80, 20).observation[0, :, 0, 0, 0].tolist() == list(range(80, 100))


def test_a_reader_sees_what_is_there_and_changes_nothing(tmp_path: Path) -> None:
    replay = open_replay(tmp_path)
    fill(replay, 0, 9)
    before = {path.name: path.read_bytes() for path in tmp_path.glob("*.*")}
    reader = ReplayReader(tmp_path)
    fill(replay, 9, 12)
    assert (reader.num_streams, reader.observation, reader.action) == (2, ObservationSpec.of(*SHAPE), ACTIONS)
    assert reader.span == range(9)
    assert pixels(reader, 1) == list(range(10, 19))
    assert ReplayReader(tmp_path).span == range(12)
    replay.load({"first": 0, "cursor": 9, "saved": []})
    reader.close()
    after = {path.name: path.read_bytes() for path in tmp_path.glob("*.*")}
    assert {name: len(data) for name, data in after.items() if name.endswith(".steps")} == {
        name: len(data) for name, data in before.items() if name.endswith(".steps")
    }


def test_load_goes_back_to_the_cursor_and_the_run_continues_the_same(tmp_path: Path) -> None:
    straight = open_replay(tmp_path / "straight")
    fill(straight, 0, 90)
    killed = open_replay(tmp_path / "killed")
    fill(killed, 0, 41)
    cursor = killed.save()
    assert (cursor["first"], cursor["cursor"], cursor["saved"]) == (10, 41, [41])
    fill(killed, 41, 77)  # drops chunks from the view, but not from the disk: a checkpoint still needs them
    continued = open_replay(tmp_path / "killed")
    continued.load(cursor)
    assert continued.span == range(10, 41)
    assert pixels(continued, 0) == list(range(10, 41))
    fill(continued, 41, 90)
    assert continued.span == straight.span
    same = [r.sample(8, 6, np.random.default_rng(5)) for r in (straight, continued)]
    for ours, theirs in zip(*same, strict=True):
        np.testing.assert_array_equal(ours, theirs)


def test_one_checkpoint_less_needs_one_cursor_less(tmp_path: Path) -> None:
    replay = image_replay(tmp_path, 2, SHAPE, ReplayConfig(64, 1), checkpoints=1)
    for start in range(0, 160, 40):
        fill(replay, start, start + 40)
        tree = replay.save()
    assert tree["saved"] == [120, 160]
    assert min(int(path.stem) for path in tmp_path.glob("*.frames")) == (120 - 32) // 2


def test_the_last_three_cursors_stay_loadable_and_older_chunks_go(tmp_path: Path) -> None:
    replay = open_replay(tmp_path)
    trees = []
    for start in range(0, 200, 40):
        fill(replay, start, start + 40)
        trees.append(replay.save())
    assert [tree["cursor"] for tree in trees] == [40, 80, 120, 160, 200]
    assert trees[-1]["saved"] == [120, 160, 200]
    assert min(int(path.stem) for path in tmp_path.glob("*.frames")) == (120 - 32) // 2
    replay.load(trees[2])
    assert pixels(replay, 0) == list(range(88, 120))
    with pytest.raises(RunError, match="holds steps 88 to 119 of each stream; the checkpoint needs steps 48 to 79"):
        replay.load(trees[1])
    with pytest.raises(RunError, match="the checkpoint needs steps 128 to 159"):
        replay.load(trees[3])


def test_clear_begins_again_at_step_zero(tmp_path: Path) -> None:
    replay = open_replay(tmp_path)
    fill(replay, 0, 50)
    replay.clear()
    assert len(replay) == 0
    assert sorted(os.listdir(tmp_path)) == ["set-aside", "store.json"]
    fill(replay, 0, 3)
    assert pixels(replay, 1) == [10, 11, 12]
    replay.save()
    assert os.listdir(tmp_path / "set-aside") == ["00000050"]
    fill(replay, 3, 50)
    replay.save()
    assert "set-aside" not in os.listdir(tmp_path)


def test_a_larger_capacity_on_resume_keeps_more_from_then_on(tmp_path: Path) -> None:
    replay = open_replay(tmp_path)
    fill(replay, 0, 50)
    cursor = replay.save()
    larger = open_replay(tmp_path, capacity=128)
    larger.load(cursor)
    assert larger.span == range(18, 50)
    fill(larger, 50, 90)
    assert larger.span == range(26, 90)


def test_a_store_of_another_shape_or_format_is_refused(tmp_path: Path) -> None:
    open_replay(tmp_path)
    with pytest.raises(RunError, match=r"holds 2 streams \(observations: image uint8 \(2, 3, 1\); .*this run has 3 "):
        open_replay(tmp_path, streams=3)
    header = tmp_path / "store.json"
    header.write_text(header.read_text().replace('"format": 4', '"format": 3'))
    with pytest.raises(RunError, match="has format 3; this version reads format 4"):
        ReplayReader(tmp_path)
    header.write_text("[]")
    with pytest.raises(FileError, match=r"store\.json' must hold a JSON object"):
        ReplayReader(tmp_path)
    with pytest.raises(RunError, match="There is no replay store in"):
        ReplayReader(tmp_path / "elsewhere")


def test_limits_that_cannot_work_are_refused(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="replay.capacity_steps is 1; it must be at least 1 step for each of the 2"):
        open_replay(tmp_path, capacity=1)
    with pytest.raises(ConfigError, match="replay.memory_megabytes is 1; .* needs at least 46 for rewards"):
        open_replay(tmp_path, capacity=2_000_000)
    replay = open_replay(tmp_path)
    wrong = made_step(0)._replace(observation=np.zeros((2, 3, 2, 1), np.uint8))
    with pytest.raises(UserError, match=r"observations of shape \(2, 2, 3, 1\) and type uint8; received shape"):
        replay.append(wrong)


def test_disk_use_is_predicted_and_checked_before_anything_is_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # A step of both streams takes 2 x 8 / 8 bytes of frames, 2 x 21 of records and 4 of their checksum; 32 steps and a
    # chunk of 2 are kept.
    small = image_replay(tmp_path / "small", 2, (2, 4, 1), ReplayConfig(64, 1))
    assert small.predicted_bytes() == (32 + 2) * 48
    short = image_replay(tmp_path / "short", 2, (2, 4, 1), ReplayConfig(64, 1), expected_steps=11)
    assert short.predicted_bytes() == 6 * 48
    usage = shutil.disk_usage(tmp_path)._replace(free=10**9)
    monkeypatch.setattr(shutil, "disk_usage", lambda path: usage)
    with pytest.raises(DiskFullError, match=r"will need about 1,\d{3} MB more; its disk has 1,000 MB free"):
        image_replay(tmp_path / "big", 16, (64, 64, 3), ReplayConfig(1_000_000, 100))
    assert not (tmp_path / "big").exists()


def test_steps_to_come_are_predicted_from_those_that_are_stored(tmp_path: Path) -> None:
    replay = image_replay(tmp_path, 2, SHAPE, ReplayConfig(64, 1), expected_steps=60)
    fill(replay, 0, 10)
    stored = sum(path.stat().st_size for path in tmp_path.iterdir() if path.name != "store.json")
    assert replay.predicted_bytes() == stored * 3


def test_a_full_disk_loses_no_step_that_was_there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    replay = open_replay(tmp_path)
    fill(replay, 0, 5)
    write = os.pwrite

    def full(descriptor: int, data: bytes, offset: int) -> int:
        if len(data) == 46:  # the row of records: half of it still fits
            write(descriptor, data[:9], offset)
            raise OSError(errno.ENOSPC, "No space left on device")
        return write(descriptor, data, offset)

    with monkeypatch.context() as patched:
        patched.setattr(os, "pwrite", full)
        with pytest.raises(DiskFullError, match="No space left to write"):
            replay.append(made_step(5))
    assert replay.span == range(5)
    assert ReplayReader(tmp_path).span == range(5)
    fill(replay, 5, 8)
    assert pixels(replay, 1) == list(range(10, 18))
