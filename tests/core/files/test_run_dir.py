from __future__ import annotations

import json
import os
import re
import shutil
import signal
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

from worldmodels.core.configuration.sections import load_config
from worldmodels.core.errors import DiskFullError, FileError, RunError
from worldmodels.core.files import run_dir
from worldmodels.core.files.run_dir import RunDir
from worldmodels.core.files.writing import write_atomic


@dataclass(frozen=True)
class Tiny:
    seed: int = 0


def test_create_then_open(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.argv", ["worldmodels", "train", "--logdir", "runs/maze"])
    path = tmp_path / "runs" / "maze"
    assert not RunDir(path).exists()
    run = RunDir.create(path, Tiny(3), {"note": "first"})
    assert RunDir(path).exists()
    assert load_config(Tiny, [RunDir.open(str(path)).config]) == Tiny(3)
    meta = json.loads(run.meta.read_text())
    assert meta["format"] == 1 and meta["note"] == "first"
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\+00:00", meta["created"])
    assert meta["packages"]["numpy"].count(".") == 2
    assert meta["git"] is None or re.fullmatch(r"[0-9a-f]{40}(-dirty)?", meta["git"])
    assert meta["command"] == "worldmodels train --logdir runs/maze"


def test_paths(tmp_path: Path) -> None:
    run = RunDir(tmp_path)
    names = [run.config, run.meta, run.metrics, run.checkpoints, run.replay, run.eval, run.videos]
    expected = ["config.yaml", "meta.json", "metrics.jsonl", "checkpoints", "replay", "eval", "videos"]
    assert [path.relative_to(tmp_path).as_posix() for path in names] == expected


def test_nothing_is_overwritten(tmp_path: Path) -> None:
    RunDir.create(tmp_path / "a", Tiny(), {})
    with pytest.raises(RunError, match="already holds a run"):
        RunDir.create(tmp_path / "a", Tiny(), {})
    (tmp_path / "b").mkdir()
    (tmp_path / "b" / "config.yaml").write_text("mine: 1\n")
    with pytest.raises(RunError, match=r"not empty \(config\.yaml\) and holds no run"):
        RunDir.create(tmp_path / "b", Tiny(), {})
    assert (tmp_path / "b" / "config.yaml").read_text() == "mine: 1\n"
    (tmp_path / "c").write_text("a file")
    with pytest.raises(RunError, match="is a file, and a run needs a folder"):
        RunDir.create(tmp_path / "c", Tiny(), {})


def test_a_full_disk_while_the_folder_is_made_leaves_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write, run = write_atomic, RunDir(tmp_path / "run")

    def full(path: Path, data: bytes | str) -> None:
        if path == run.meta:
            raise DiskFullError("no space")
        write(path, data)

    monkeypatch.setattr(run_dir, "write_atomic", full)
    with pytest.raises(DiskFullError), run.training({"seed": 1}):
        raise RuntimeError("not reached")
    assert not run.path.exists()


def test_a_changed_configuration_is_told(tmp_path: Path) -> None:
    run = RunDir.create(tmp_path, {"seed": 1}, {})
    run.config.write_text("seed: 2\n")
    with pytest.raises(RunError, match=r"config.yaml' was changed or damaged since the run was made .*another folder"):
        RunDir.open(tmp_path)
    run.config.write_text("seed: 1\n")
    assert RunDir.open(tmp_path).exists()


def test_an_empty_folder_and_a_creation_cut_off_can_be_used(tmp_path: Path) -> None:
    RunDir.create(tmp_path, {"seed": 1}, {})
    (tmp_path / "meta.json").unlink()
    RunDir.create(tmp_path, {"seed": 1}, {})
    assert RunDir.open(tmp_path).exists()


def test_a_missing_run_suggests_a_neighbour(tmp_path: Path) -> None:
    RunDir.create(tmp_path / "maze", Tiny(), {})
    with pytest.raises(RunError, match=r"There is no run folder '.*/mase'. Did you mean '.*/maze'\?"):
        RunDir.open(tmp_path / "mase")
    with pytest.raises(RunError, match=r"holds no run: there is no meta\.json\. Runs inside it: .*/maze\."):
        RunDir.open(tmp_path)


@pytest.mark.parametrize(
    "meta, message",
    [
        ('{"format": 9}', "has format 9; .* expects format 1"),
        ("{}", "has format None; .* expects format 1"),
        ('{"form', r"is damaged: '.*meta\.json' is not JSON: Unterminated string"),
        ("[]", r"is damaged: '.*meta\.json' must hold a JSON object"),
        ('{"format": [1]}', r"is damaged: '.*meta\.json': 'format' takes an integer or null; received \[1\]"),
        ("[" * 300 + "]" * 300, r"is damaged: .*more than 100 levels deep"),
    ],
)
def test_other_versions_and_damage_are_told(tmp_path: Path, meta: str, message: str) -> None:
    RunDir.create(tmp_path, Tiny(), {}).meta.write_text(meta)
    with pytest.raises(RunError, match=message):
        RunDir.open(tmp_path)


def test_a_missing_configuration_is_told(tmp_path: Path) -> None:
    RunDir.create(tmp_path, Tiny(), {}).config.unlink()
    with pytest.raises(RunError, match=r"configuration '.*config\.yaml' is missing"):
        RunDir.open(tmp_path)


def test_only_one_holds_the_lock(tmp_path: Path) -> None:
    run = RunDir.create(tmp_path, Tiny(), {})
    with run.lock(), pytest.raises(RunError, match=rf"process \(number {os.getpid()}\) is training in"), run.lock():
        pass
    with run.lock():
        pass


def test_the_lock_of_a_killed_process_is_taken_over(tmp_path: Path) -> None:
    run = RunDir.create(tmp_path, Tiny(), {})
    program = (
        "import sys, time; from worldmodels.core.files.run_dir import RunDir\n"
        "with RunDir(sys.argv[1]).lock(): print('held', flush=True); time.sleep(60)"
    )
    with subprocess.Popen([sys.executable, "-c", program, str(tmp_path)], stdout=subprocess.PIPE) as process:
        assert process.stdout is not None and process.stdout.readline() == b"held\n"
        with pytest.raises(RunError, match=str(process.pid)), run.lock():
            pass
        process.send_signal(signal.SIGKILL)
        process.wait()
        with run.lock():
            pass


@pytest.mark.parametrize("name", ["metrics.jsonl", "meta.json", "config.yaml", ".lock", "events.out.tfevents.1.host.2"])
@pytest.mark.parametrize("dangling", [False, True])
def test_a_link_in_place_of_a_file_is_refused(tmp_path: Path, name: str, dangling: bool) -> None:
    run, outside = RunDir.create(tmp_path / "run", Tiny(), {}), tmp_path / "outside"
    content = '{"format": 1}' if name == "meta.json" else "seed: 0\n"
    outside.write_text(content)
    (run.path / name).unlink(missing_ok=True)
    (run.path / name).symlink_to(tmp_path / "nowhere" if dangling else outside)
    if dangling and name == "meta.json":
        with pytest.raises(RunError, match="holds no run"):
            RunDir.open(run.path)
        return
    with pytest.raises(FileError, match=rf"{re.escape(name)}' is a link"):
        RunDir.open(run.path)
    if name == ".lock":
        with pytest.raises(FileError, match=r"\.lock' is a link"), run.lock():
            pass
    assert outside.read_text() == content and not (tmp_path / "nowhere").exists()


@pytest.mark.parametrize("name", ["checkpoints", "replay", "eval", "videos"])
def test_a_link_in_place_of_a_folder_is_refused(tmp_path: Path, name: str) -> None:
    run = RunDir.create(tmp_path / "run", Tiny(), {})
    (tmp_path / "outside").mkdir()
    (run.path / name).symlink_to(tmp_path / "outside")
    with pytest.raises(FileError, match=rf"{name}' is a link; .* the run's folder as a whole may be a link"):
        RunDir.open(run.path)


def test_the_folder_itself_may_be_a_link(tmp_path: Path) -> None:
    (tmp_path / "big_disk").mkdir()
    (tmp_path / "run").symlink_to(tmp_path / "big_disk")
    run = RunDir.create(tmp_path / "run", Tiny(), {})
    with run.training():
        assert RunDir.open(run.path).exists()
    with pytest.raises(ValueError, match="fails"), RunDir(tmp_path / "run2").training(Tiny()):
        raise ValueError("fails")
    run.discard()
    assert os.listdir(tmp_path / "big_disk") == [] and (tmp_path / "run").is_symlink()
    assert not (tmp_path / "run2").exists()


@pytest.mark.parametrize("change", ["removed", "moved", "replaced"])
def test_a_folder_that_vanishes_while_it_is_trained_in_is_noticed(tmp_path: Path, change: str) -> None:
    path = tmp_path / "run"
    run = RunDir(path)
    with pytest.raises(RunError, match=f"Run folder '{path}' was removed, moved or replaced"), run.training(Tiny()):
        run.check_there()
        os.rename(path, tmp_path / "elsewhere")
        if change == "removed":
            shutil.rmtree(tmp_path / "elsewhere")
        if change == "replaced":
            with RunDir(path).lock():
                pass
        run.check_there()
    assert path.exists() == (change == "replaced")  # what is not this run's stays


def test_a_place_where_no_folder_can_be_is_told(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    (tmp_path / "dangling").symlink_to(tmp_path / "nowhere")
    for path, message in [
        (tmp_path / "file" / "run", r"'.*/file' is a file, and a run needs a folder"),
        (tmp_path / "dangling", r"'.*/dangling' is a link to nothing, and a run needs a folder"),
        (tmp_path / ("x" * 300), "cannot be used: File name too long"),
        (tmp_path / ("x" * 300) / "run", "cannot be used: File name too long"),
    ]:
        with pytest.raises((RunError, FileError), match=message):
            RunDir(path).check_free(Tiny())
        with pytest.raises((RunError, FileError)), RunDir(path).training(Tiny()):
            pass
    with pytest.raises(FileError, match="'/proc/run' cannot be made"), RunDir("/proc/run").training(Tiny()):
        pass
    assert sorted(os.listdir(tmp_path)) == ["dangling", "file"]
