"""Damage a replay store in every way: it is told, nothing is touched, and the rest can be used."""

from __future__ import annotations

import shutil
from pathlib import Path

import numpy as np
import pytest
from image_spaces import image_layout, image_replay

from worldmodels.core.errors import RunError, UserError
from worldmodels.core.types import Batch, Step
from worldmodels.replay import ReplayConfig, ReplayReader
from worldmodels.replay.damage import examine, leave_out
from worldmodels.replay.layout import Layout

SHAPE, CHUNK, COUNT = (3, 4, 1), 20, 75
CONFIG = ReplayConfig(capacity_steps=16 * CHUNK * 2, memory_megabytes=1)
ROW = 2 * 21 + 4


def a_step(t: int) -> Step:
    """Frames of which nothing repeats, and a reward that says which step of which stream it is."""
    frames = np.random.default_rng(t).integers(0, 256, (2, *SHAPE), np.uint8)
    none, reward = np.zeros(2, bool), np.array([t, 100 + t], np.float32)
    return Step(frames, reward, np.full(2, t % 9 == 0), none, none, np.full(2, t % 15, np.int32))


@pytest.fixture(scope="module")
def sound(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict]:
    """Return a store of 75 steps in four chunks, with the cursor of its 70th step."""
    folder = tmp_path_factory.mktemp("sound") / "replay"
    replay = image_replay(folder, 2, SHAPE, CONFIG)
    for t in range(70):
        replay.append(a_step(t))
    tree = replay.save()
    for t in range(70, COUNT):
        replay.append(a_step(t))
    replay.close()
    return folder, tree


@pytest.fixture
def store(sound: tuple[Path, dict], tmp_path: Path) -> Path:
    return Path(shutil.copytree(sound[0], tmp_path / "replay"))


def contents(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def flip(path: Path, bit: int) -> None:
    data = bytearray(path.read_bytes())
    data[bit // 8] ^= 1 << bit % 8
    path.write_bytes(data)


def assert_true(window: Batch, stream: int, start: int) -> None:
    steps = range(start, start + window.reward.shape[1])
    assert window.reward[0].tolist() == [100 * stream + t for t in steps]
    assert window.action[0].tolist() == [t % 15 for t in steps]
    np.testing.assert_array_equal(window.observation[0], np.stack([a_step(t).observation[stream] for t in steps]))


def test_no_flipped_bit_is_read_as_experience(sound: tuple[Path, dict], store: Path) -> None:
    """Each bit of the header and of rows, and bits of frames: loading refuses and changes nothing, or all is true."""
    random, refused = np.random.default_rng(0), 0
    bits = [(path, bit) for path in sorted(store.iterdir()) for bit in range(8 * path.stat().st_size)]
    for path, bit in (bits[i] for i in random.choice(len(bits), 400, replace=False)):
        flip(path, bit)
        before = contents(store)
        try:
            replay = image_replay(store, 2, SHAPE, CONFIG)
            replay.load(sound[1])
        except UserError as error:
            assert path.name in str(error)
            assert contents(store) == before
            flip(path, bit)
            refused += 1
            continue
        for stream in range(2):
            assert_true(replay.window(stream, 0, 70), stream, 0)
        shutil.rmtree(store)
        shutil.copytree(sound[0], store)
    # The others hit white space of the header, a step after the cursor, or the end of a file that is written over.
    assert refused > 350


@pytest.mark.parametrize("name", [f"{chunk:08d}.{kind}" for chunk in range(4) for kind in ("frames", "steps")])
def test_a_missing_file_is_named_and_may_be_brought_back(sound: tuple[Path, dict], store: Path, name: str) -> None:
    kept = (store / name).rename(store.parent / name)
    before = contents(store)
    replay = image_replay(store, 2, SHAPE, CONFIG)
    with pytest.raises(RunError, match=f"'{name}' is missing.*Nothing of it was changed.*--leave-out"):
        replay.load(sound[1])
    replay.close()
    assert contents(store) == before
    kept.rename(store / name)
    again = image_replay(store, 2, SHAPE, CONFIG)
    again.load(sound[1])
    assert_true(again.window(1, 0, 70), 1, 0)


def test_a_store_without_its_header_is_not_begun_anew(sound: tuple[Path, dict], store: Path) -> None:
    (store / "store.json").unlink()
    before = contents(store)
    with pytest.raises(RunError, match=r"holds chunks, but 'store.json', which says what they mean, is missing"):
        image_replay(store, 2, SHAPE, CONFIG)
    assert contents(store) == before


def test_rows_of_another_place_or_store_do_not_pass(store: Path, tmp_path: Path) -> None:
    first, second = store / "00000000.steps", store / "00000001.steps"
    rows = first.read_bytes()
    first.write_bytes(rows[ROW : 2 * ROW] + rows[:ROW] + rows[2 * ROW :])
    with pytest.raises(RunError, match=r"row 0 of '00000000\.steps' does not agree with its checksum"):
        ReplayReader(store)
    first.write_bytes(second.read_bytes())
    with pytest.raises(RunError, match=r"row 0 of '00000000\.steps' does not agree"):
        ReplayReader(store)
    first.write_bytes(rows)
    image_replay(tmp_path / "other", 2, SHAPE, ReplayConfig(16 * 10 * 2, 1)).close()
    shutil.copy(tmp_path / "other" / "store.json", store)
    with pytest.raises(RunError, match=r"row 0 of '00000000\.steps' does not agree"):
        ReplayReader(store)


def test_what_a_checkpoint_does_not_know_is_set_aside_until_the_run_has_gone_as_far(
    sound: tuple[Path, dict], store: Path
) -> None:
    whole = contents(store)
    replay = image_replay(store, 2, SHAPE, CONFIG)
    replay.load({"first": 0, "cursor": 30, "saved": [30]})
    aside = {name.rpartition("/")[2]: data for name, data in contents(store).items() if "set-aside/00000075" in name}
    assert sorted(aside) == [f"{chunk:08d}.{kind}" for chunk in (1, 2, 3) for kind in ("frames", "steps")]
    assert aside.items() <= whole.items()
    for t in range(30, 74):
        replay.append(a_step(t))
    replay.save()
    assert (store / "set-aside" / "00000075").is_dir()
    replay.append(a_step(74))
    replay.save()
    assert contents(store).keys() == whole.keys()
    assert_true(replay.window(0, 0, 75), 0, 0)


def test_damage_is_found_and_left_out_and_the_rest_is_used(sound: tuple[Path, dict], store: Path) -> None:
    # Row 3 of the first chunk, a frame at step 27 (in the block from 20 to 35) of stream 1 or 0, all of chunk 2.
    flip(store / "00000000.steps", 8 * (3 * ROW + 2))
    records = np.frombuffer((store / "00000001.steps").read_bytes(), image_layout(2, SHAPE, CHUNK).row)["records"]
    flip(store / "00000001.frames", 8 * int(records["end"][7, 0]) + 1)  # the first byte of stream 1 at step 27
    (store / "00000002.steps").unlink()
    reports = list(examine(store, Layout.read(store), 70))
    assert [len(report.problems) for report in reports] == [1, 1, 1, 0]
    assert "00000000.steps': row 3 is damaged" in reports[0].problems[0]
    assert "00000001.frames': frame 7 of stream 1 is damaged" in reports[1].problems[0]
    assert "00000002.steps' is missing" in reports[2].problems[0]
    leave_out(store, Layout.read(store), 70)
    assert [report.problems for report in examine(store, Layout.read(store), 70)] == [[]] * 4
    assert sorted(path.name for path in (store / "set-aside" / "damaged").iterdir()) == [
        "00000000.steps",
        "00000001.steps",
    ]
    replay = image_replay(store, 2, SHAPE, CONFIG)
    replay.load(sound[1])
    usable = {
        0: {*range(3), *range(16, 40), *range(60, 70)},
        1: {*range(3), *range(16, 27), *range(36, 40), *range(60, 70)},
    }
    seen: dict[int, set[int]] = {0: set(), 1: set()}
    generator = np.random.default_rng(0)
    for _ in range(40):
        batch = replay.sample(8, 3, generator)
        for row in range(8):
            stream, start = divmod(int(batch.reward[row, 0]), 100)
            assert_true(Batch(*(field[row : row + 1] for field in batch)), stream, start)
            seen[stream] |= set(range(start, start + 3))
    assert seen == usable
    with pytest.raises(RunError, match="Steps 2 to 4 of stream 0 .* damaged and left out"):
        replay.window(0, 2, 3)
    for t in range(70, 90):
        replay.append(a_step(t))
    replay.close()
    reader = ReplayReader(store)
    assert reader.span == range(90)
    assert_true(reader.window(1, 60, 30), 1, 60)


def test_the_last_chunk_can_be_left_out_and_written_on(sound: tuple[Path, dict], store: Path) -> None:
    (store / "00000003.frames").unlink()
    leave_out(store, Layout.read(store), 70)
    replay = image_replay(store, 2, SHAPE, CONFIG)
    replay.load(sound[1])
    for t in range(70, 85):
        replay.append(a_step(t))
    assert_true(replay.window(1, 70, 15), 1, 70)
    assert_true(ReplayReader(store).window(0, 70, 15), 0, 70)
    with pytest.raises(RunError, match="left out"):
        replay.window(1, 69, 2)
