from __future__ import annotations

import errno
import hashlib
import json
import os
import resource
import signal
import subprocess
import sys
import time
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from worldmodels.core.errors import CheckpointError, DiskFullError
from worldmodels.core.files import checkpoint
from worldmodels.core.files.checkpoint import Checkpoints
from worldmodels.core.files.writing import read_regular


def small(value: int = 0) -> dict[str, Any]:
    return {"weights": np.full((2, 3), value, np.float32), "counter": value}


def assert_same(left: Any, right: Any) -> None:
    assert type(left) is type(right)
    if isinstance(left, dict):
        assert list(left) == list(right)
        for key in left:
            assert_same(left[key], right[key])
    elif isinstance(left, list):
        assert len(left) == len(right)
        for one, other in zip(left, right, strict=True):
            assert_same(one, other)
    elif isinstance(left, np.ndarray):
        assert left.dtype == right.dtype and left.shape == right.shape
        assert left.tobytes() == right.tobytes()
    else:
        assert left == right or (left != left and right != right)


INTEGERS = ["uint8", "uint16", "uint32", "uint64", "int8", "int16", "int32", "int64"]
DTYPES = ["bool", *INTEGERS, "float16", "float32", "float64"]


def test_everything_comes_back_exactly(tmp_path: Path) -> None:
    generator = np.random.default_rng(0)
    tree = {
        "arrays": {name: generator.integers(0, 2, (3, 5)).astype(name) for name in DTYPES},
        "odd": np.array([np.nan, -0.0, np.inf, 1e-45], np.float32),
        "scalar": np.array(7, np.int64),
        "empty": np.zeros((0, 4), np.float32),
        "transposed": np.arange(6, dtype=np.int32).reshape(2, 3).T,
        "blob": b"\x00\xffabc",
        "no bytes": b"",
        "values": [1, 2.5, "text", True, False, None, [], {"inner": 2**130}],
        "float that looks like an int": 1.0,
        "not finite": [float("nan"), float("-inf")],
        "list of arrays": [np.zeros(2, np.uint8), b"x"],
        "nothing": {},
        "a/b": np.ones(1, np.float32),
        "a": {"b": np.zeros(1, np.float32)},
        "__metadata__": np.ones(2, np.int8),
        "ünïcode \n": "ünïcode \ud800",
    }
    checkpoints = Checkpoints(tmp_path)
    assert checkpoints.write(12, tree) == tmp_path / "00000012"
    step, back = checkpoints.read()
    assert step == 12
    assert_same(back, tree)
    back["scalar"][...] = 8  # arrays are the reader's own


def test_an_empty_tree(tmp_path: Path) -> None:
    Checkpoints(tmp_path).write(0, {})
    assert Checkpoints(tmp_path).read() == (0, {})


def test_the_same_tree_gives_the_same_bytes(tmp_path: Path) -> None:
    for name in ("a", "b"):
        Checkpoints(tmp_path / name).write(1, {"y": np.ones(3), "x": {"z": np.zeros(2, np.uint8), "n": 1}})
    for file in ("tensors.safetensors", "state.json", "manifest.json"):
        assert (tmp_path / "a/00000001" / file).read_bytes() == (tmp_path / "b/00000001" / file).read_bytes()


@pytest.mark.parametrize(
    "leaf, message",
    [
        (np.float32(1), "'part/leaf' is a float32"),
        ((1, 2), "'part/leaf' is a tuple"),
        (np.array(["x"]), "'part/leaf' is an array of <U1"),
        (np.array([1j]), "'part/leaf' is an array of complex128"),
        (np.array([1.0], ">f4"), "'part/leaf' is an array of >f4"),
        ({1: 2}, "'part/leaf' has the key 1"),
        ({"$array": "x"}, r"'part/leaf' has the key '\$array'"),
    ],
)
def test_leaves_that_cannot_be_stored_are_refused(tmp_path: Path, leaf: Any, message: str) -> None:
    with pytest.raises(TypeError, match=message):
        Checkpoints(tmp_path).write(1, {"part": {"leaf": leaf}})
    assert os.listdir(tmp_path) == []


def test_the_newest_are_kept_and_any_can_be_read(tmp_path: Path) -> None:
    checkpoints = Checkpoints(tmp_path, keep=2)
    for step in (1, 20, 300_000_000):
        checkpoints.write(step, small(step))
    assert sorted(os.listdir(tmp_path)) == ["00000020", "300000000"]
    assert checkpoints.steps() == [20, 300_000_000]
    assert checkpoints.read()[0] == 300_000_000
    assert checkpoints.read(20)[1]["counter"] == 20


def test_the_same_step_can_be_written_again(tmp_path: Path) -> None:
    checkpoints = Checkpoints(tmp_path)
    checkpoints.write(5, small(1))
    checkpoints.write(5, small(2))
    assert checkpoints.read()[1]["counter"] == 2
    assert os.listdir(tmp_path) == ["00000005"]


def test_a_process_killed_while_one_takes_the_place_of_another_leaves_the_old_one(tmp_path: Path) -> None:
    checkpoints = Checkpoints(tmp_path)
    checkpoints.write(7, small(1))
    os.rename(tmp_path / "00000007", tmp_path / "00000007.tmp-replaced")
    assert checkpoints.steps() == [7]
    step, tree = checkpoints.read()
    assert step == 7
    assert_same(tree, small(1))
    checkpoints.write(9, small(2))
    assert sorted(path.name for path in tmp_path.iterdir()) == ["00000007", "00000009"]
    os.rename(tmp_path / "00000009", tmp_path / "00000009.tmp-replaced")
    checkpoints.write(9, small(3))
    assert sorted(path.name for path in tmp_path.iterdir()) == ["00000007", "00000009"]
    assert_same(checkpoints.read()[1], small(3))


def test_an_abandoned_future_goes_away(tmp_path: Path) -> None:
    checkpoints = Checkpoints(tmp_path, keep=3)
    for step in (100, 200, 300):
        checkpoints.write(step, small(step))
    checkpoints.write(250, small(250))
    assert checkpoints.steps() == [100, 200, 250]


def test_missing_checkpoints_are_told(tmp_path: Path) -> None:
    with pytest.raises(CheckpointError, match="There is no checkpoint in '.*nowhere'"):
        Checkpoints(tmp_path / "nowhere").read()
    Checkpoints(tmp_path).write(3, small())
    with pytest.raises(CheckpointError, match=r"no checkpoint of step 4 in .* Steps there: 3\."):
        Checkpoints(tmp_path).read(4)


def flip(path: Path) -> None:
    data = bytearray(path.read_bytes())
    data[-1] ^= 1
    path.write_bytes(data)


def rewrite_manifest(folder: Path, **changes: Any) -> None:
    manifest = json.loads((folder / "manifest.json").read_text())
    (folder / "manifest.json").write_text(json.dumps({**manifest, **changes}))


def replace_by_link(path: Path) -> None:
    path.rename(path.parent.parent / "elsewhere")
    path.symlink_to(path.parent.parent / "elsewhere")


DAMAGES = {
    "a flipped bit in the tensors": (lambda f: flip(f / "tensors.safetensors"), "tensors.safetensors", "SHA-256"),
    "a flipped bit in the state": (lambda f: flip(f / "state.json"), "state.json", "SHA-256"),
    "a cut file": (lambda f: os.truncate(f / "tensors.safetensors", 9), "tensors.safetensors", "it has 9 bytes"),
    "a missing file": (lambda f: (f / "state.json").unlink(), "state.json", "No such file"),
    "a cut manifest": (lambda f: os.truncate(f / "manifest.json", 30), "manifest.json", "not JSON"),
    "an empty manifest": (lambda f: os.truncate(f / "manifest.json", 0), "manifest.json", "not JSON"),
    "no manifest": (lambda f: (f / "manifest.json").unlink(), "manifest.json", "No such file"),
    "another format": (lambda f: rewrite_manifest(f, format=9), "manifest.json", "format 9, .* reads format 1"),
    "another step": (lambda f: rewrite_manifest(f, step=9), "manifest.json", "step 9, in a folder of step 2"),
    "a path": (lambda f: rewrite_manifest(f, files={"../x": {}}), "manifest.json", "does not list exactly"),
    "strange sums": (lambda f: rewrite_manifest(f, files={"state.json": 1, "tensors.safetensors": 2}), "", "unknown"),
    "a link": (lambda f: replace_by_link(f / "state.json"), "state.json", "not a regular file"),
}


@pytest.mark.parametrize("damage, file, why", DAMAGES.values(), ids=DAMAGES)
def test_a_damaged_newest_one_is_named_and_passed_over(tmp_path: Path, damage: Any, file: str, why: str) -> None:
    checkpoints = Checkpoints(tmp_path)
    checkpoints.write(1, small(1))
    damage(checkpoints.write(2, small(2)))
    with pytest.warns(UserWarning, match=rf"00000002/{file}.* is damaged: .*{why}.* Using the checkpoint of step 1\."):
        step, tree = checkpoints.read()
    assert step == 1
    assert_same(tree, small(1))
    with pytest.raises(CheckpointError, match=why):
        checkpoints.read(2)


def test_the_state_is_read_without_arrays(tmp_path: Path) -> None:
    checkpoints = Checkpoints(tmp_path)
    with pytest.raises(CheckpointError, match="There is no checkpoint"):
        checkpoints.state()
    checkpoints.write(3, {"step": 3, "weights": np.zeros(3), "parts": [1, {"blob": b"x"}]})
    (tmp_path / "00000003" / "tensors.safetensors").write_bytes(b"damaged")
    assert checkpoints.state() == {
        "step": 3,
        "weights": {"$array": "weights"},
        "parts": [1, {"blob": {"$bytes": "parts/1/blob"}}],
    }
    (tmp_path / "00000003" / "state.json").write_text("{}")
    with pytest.raises(CheckpointError, match="state.json' is damaged: it has 2 bytes"):
        checkpoints.state()


def test_state_that_asks_for_a_tensor_that_is_not_there(tmp_path: Path) -> None:
    folder = Checkpoints(tmp_path).write(1, small())
    state = b'{"weights": {"$array": "../../secret"}}'
    (folder / "state.json").write_bytes(state)
    sums = json.loads((folder / "manifest.json").read_text())["files"]
    sums["state.json"] = {"bytes": len(state), "sha256": hashlib.sha256(state).hexdigest()}
    rewrite_manifest(folder, files=sums)
    with pytest.raises(CheckpointError, match="does not hold the tensors"):
        Checkpoints(tmp_path).read()


def test_when_all_are_damaged_each_is_named(tmp_path: Path) -> None:
    checkpoints = Checkpoints(tmp_path)
    for step in (1, 2):
        flip(checkpoints.write(step, small()) / "state.json")
    with pytest.raises(CheckpointError, match=r"(?s)00000002/state\.json.*00000001/state\.json"):
        checkpoints.read()


def test_leftovers_of_a_crash_are_ignored_and_removed(tmp_path: Path) -> None:
    checkpoints = Checkpoints(tmp_path)
    checkpoints.write(1, small(1))
    (tmp_path / "00000002.tmp-99").mkdir()
    (tmp_path / "00000002.tmp-99" / "tensors.safetensors").write_bytes(b"half")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert checkpoints.read()[0] == 1
    checkpoints.write(3, small(3))
    assert sorted(os.listdir(tmp_path)) == ["00000001", "00000003"]


@pytest.mark.parametrize("calls_before_full", range(5))
def test_a_full_disk_keeps_every_checkpoint(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, calls_before_full: int
) -> None:
    checkpoints = Checkpoints(tmp_path)
    checkpoints.write(1, small(1))
    checkpoints.write(2, small(2))
    real, calls = os.fsync, [0]

    def full_later(descriptor: int) -> None:
        calls[0] += 1
        if calls[0] > calls_before_full:
            raise OSError(errno.ENOSPC, "No space left on device")
        real(descriptor)

    monkeypatch.setattr(os, "fsync", full_later)
    with pytest.raises(DiskFullError, match="No space left to write '.*00000003'"):
        checkpoints.write(3, small(3))
    monkeypatch.undo()
    # At the fifth sync the folder already stands in its place: more is there than was promised, never less.
    assert checkpoints.steps() == ([1, 2] if calls_before_full < 4 else [1, 2, 3])
    assert {entry for entry in os.listdir(tmp_path) if ".tmp" in entry} == set()
    assert_same(checkpoints.read(2)[1], small(2))


def test_a_file_size_limit_counts_as_a_full_disk(tmp_path: Path) -> None:
    Checkpoints(tmp_path).write(1, small(1))
    program = (
        "import sys; import numpy as np; from worldmodels.core import errors\n"
        "from worldmodels.core.files import checkpoint\n"
        "try: checkpoint.Checkpoints(sys.argv[1]).write(2, {'big': np.zeros(100_000)})\n"
        "except errors.DiskFullError: sys.exit(7)"
    )

    def allow_ten_thousand_bytes() -> None:
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (10_000, 10_000))

    command = [sys.executable, "-B", "-c", program, str(tmp_path)]
    assert subprocess.run(command, preexec_fn=allow_ten_thousand_bytes, check=False).returncode == 7
    assert os.listdir(tmp_path) == ["00000001"]


def test_a_process_killed_while_writing_leaves_sound_checkpoints(tmp_path: Path) -> None:
    program = (
        "import sys; import numpy as np; from worldmodels.core.files.checkpoint import Checkpoints\n"
        "step = 0\n"
        "while True:\n"
        "    step += 1; Checkpoints(sys.argv[1]).write(step, {'step': step, 'x': np.full(200_000, step)})\n"
    )
    process = subprocess.Popen([sys.executable, "-c", program, str(tmp_path)])
    checkpoints, deadline = Checkpoints(tmp_path), time.monotonic() + 60
    while len(checkpoints.steps()) < 2 and time.monotonic() < deadline and process.poll() is None:
        time.sleep(0.01)
    process.kill()
    process.wait()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        step, tree = checkpoints.read()
    assert tree["step"] == step and (tree["x"] == step).all()
    checkpoints.write(step + 1, small())
    assert not [entry for entry in os.listdir(tmp_path) if ".tmp" in entry]


def test_a_state_that_nests_too_deep_is_neither_written_nor_read(tmp_path: Path) -> None:
    deep: Any = 1
    for _ in range(900):
        deep = [deep]
    with pytest.raises(TypeError, match="more than 100 levels deep"):
        Checkpoints(tmp_path).write(1, {"deep": deep})
    folder = Checkpoints(tmp_path).write(1, {"plain": 1})
    state = b'{"deep": ' + b"[" * 900 + b"]" * 900 + b"}"
    (folder / "state.json").write_bytes(state)
    manifest = json.loads((folder / "manifest.json").read_text())
    manifest["files"]["state.json"] = {"bytes": len(state), "sha256": hashlib.sha256(state).hexdigest()}
    (folder / "manifest.json").write_text(json.dumps(manifest))
    with pytest.raises(CheckpointError, match=r"state\.json' is damaged: .* more than 100 levels deep"):
        Checkpoints(tmp_path).read()


def test_numbers_that_are_not_finite_come_back(tmp_path: Path) -> None:
    Checkpoints(tmp_path).write(1, {"best": float("-inf"), "mean": float("nan")})
    tree = Checkpoints(tmp_path).read()[1]
    assert tree["best"] == float("-inf") and tree["mean"] != tree["mean"]


@pytest.mark.parametrize("written", [1, 2])
@pytest.mark.parametrize("file", ["manifest.json", "tensors.safetensors", "state.json"])
def test_a_checkpoint_that_is_replaced_while_it_is_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, written: int, file: str
) -> None:
    checkpoints = Checkpoints(tmp_path, keep=1)
    checkpoints.write(1, small(1))
    read_bytes, calls = read_regular, []

    def written_meanwhile(path: Path) -> bytes:
        if path.name == file and not calls:
            calls.append(path)
            checkpoints.write(written, small(7))
        return read_bytes(path)

    monkeypatch.setattr(checkpoint, "read_regular", written_meanwhile)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        step, tree = checkpoints.read()
    assert calls and step == written
    assert_same(tree, small(7))


def test_one_that_changes_all_the_time_is_damaged_at_last(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    checkpoints = Checkpoints(tmp_path, keep=1)
    checkpoints.write(1, small(1))
    monkeypatch.setattr(checkpoint, "ATTEMPTS", 3)
    read_bytes = read_regular

    def written_meanwhile(path: Path) -> bytes:
        if path.name == "state.json":
            checkpoints.write(checkpoints.steps()[-1] + 1, small(7))
        return read_bytes(path)

    monkeypatch.setattr(checkpoint, "read_regular", written_meanwhile)
    with pytest.raises(CheckpointError, match="No checkpoint can be read"):
        checkpoints.read()


def test_a_checkpoint_that_is_asked_for_and_goes_is_missing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    checkpoints = Checkpoints(tmp_path, keep=1)
    checkpoints.write(1, small(1))
    read_bytes = read_regular

    def written_meanwhile(path: Path) -> bytes:
        if checkpoints.steps() == [1]:
            checkpoints.write(2, small(2))
        return read_bytes(path)

    monkeypatch.setattr(checkpoint, "read_regular", written_meanwhile)
    with pytest.raises(CheckpointError, match="There is no checkpoint of step 1 .* Steps there: 2"):
        checkpoints.read(1)


def test_readers_of_a_run_that_writes_see_whole_checkpoints(tmp_path: Path) -> None:
    program = (
        "import sys; import numpy as np; from worldmodels.core.files.checkpoint import Checkpoints\n"
        "checkpoints, step = Checkpoints(sys.argv[1], keep=1), 0\n"
        "while True:\n"
        "    step += 1; checkpoints.write(step // 2, {'x': np.full(20_000, step)})\n"
    )
    process = subprocess.Popen([sys.executable, "-c", program, str(tmp_path)])
    checkpoints, deadline = Checkpoints(tmp_path), time.monotonic() + 60
    try:
        while not checkpoints.steps() and time.monotonic() < deadline and process.poll() is None:
            time.sleep(0.01)
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            for _ in range(200):
                step, tree = checkpoints.read()
                assert tree["x"][0] // 2 == step and (tree["x"] == tree["x"][0]).all()
    finally:
        process.kill()
        process.wait()
