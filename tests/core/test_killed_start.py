"""A run whose process is killed while its folder is made continues with the same command, whenever that happens."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from worldmodels.core.errors import RunError
from worldmodels.core.files import run_dir
from worldmodels.core.files.checkpoint import Checkpoints
from worldmodels.core.files.run_dir import RunDir
from worldmodels.core.files.writing import is_temporary

CALLS = ("mkdir", "makedirs", "open", "fsync", "replace", "rename", "unlink", "rmdir", "listdir", "scandir")
CONFIG = {"seed": 3}


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """Versions of packages and of the source take many calls, all of which only read; and a kill is no power cut."""
    monkeypatch.setattr(os, "fsync", lambda descriptor: None)
    monkeypatch.setattr(run_dir, "circumstances", dict)


def begin(folder: Path) -> None:
    """What `train` does with a folder until the first checkpoint is there."""
    run = RunDir(folder)
    is_new = not run.exists()
    if is_new:
        run.check_free(CONFIG)
    else:
        RunDir.open(folder)
    with run.training(CONFIG if is_new else None):
        if not Checkpoints(run.checkpoints).steps():
            Checkpoints(run.checkpoints).write(0, {"weights": np.zeros(3), "step": 0})


def fail(folder: Path) -> None:
    """A new run that fails before its first checkpoint."""
    run = RunDir(folder)
    with pytest.raises(ValueError, match="not today"), run.training(None if run.exists() else CONFIG):
        (run.path / "replay").mkdir()
        (run.path / "replay" / "store.json").write_text("{}")
        raise ValueError("not today")


def killed_at(call: int, before: bool, work: Callable[[Path], None], folder: Path) -> bool:
    """Do the work in a process that is killed at its n-th call to the file system; return whether it got that far."""
    child = os.fork()
    if child == 0:
        made = 0

        def counting(original: Any) -> Any:
            def replacement(*arguments: Any, **more: Any) -> Any:
                nonlocal made
                made += 1
                mine = made
                if mine == call and before:
                    os.kill(os.getpid(), signal.SIGKILL)
                try:
                    return original(*arguments, **more)
                finally:
                    if mine == call:
                        os.kill(os.getpid(), signal.SIGKILL)

            return replacement

        for name in CALLS:
            setattr(os, name, counting(getattr(os, name)))
        try:
            work(folder)
        except BaseException:
            os._exit(1)
        os._exit(0)
    _, status = os.waitpid(child, 0)
    assert os.WIFSIGNALED(status) or os.WEXITSTATUS(status) == 0, f"the work failed by itself before call {call}"
    return os.WIFSIGNALED(status)


def points(folder: Path, work: Callable[[Path], None]) -> Iterator[Path]:
    """Folders in which the work was killed, at each of its calls in turn, before and after the call."""
    for before in (True, False):
        call = 1
        while killed_at(call, before, work, folder / f"{before}{call}"):
            yield folder / f"{before}{call}"
            call += 1
        assert call > 20


def names_in(folder: Path) -> list[str]:
    return sorted(str(path.relative_to(folder)) for path in folder.rglob("*"))


WHOLE = [
    *(".lock", "checkpoints", "checkpoints/00000000", "checkpoints/00000000/manifest.json"),
    *("checkpoints/00000000/state.json", "checkpoints/00000000/tensors.safetensors", "config.yaml", "meta.json"),
]


def test_the_same_command_continues_a_run_killed_while_its_folder_was_made(tmp_path: Path) -> None:
    seen = set()
    for folder in points(tmp_path, begin):
        seen |= {path.suffix.rstrip("0123456789") for path in folder.rglob("*") if is_temporary(path)}
        begin(folder)
        assert names_in(folder) == WHOLE, folder
        assert Checkpoints(folder / "checkpoints").read()[0] == 0
    assert seen == {".tmp-"}, "no kill left anything half written: the points are not where they should be"


def test_a_kill_while_a_failed_run_is_removed_leaves_what_can_be_begun(tmp_path: Path) -> None:
    for folder in points(tmp_path, fail):
        begin(folder)
        assert set(WHOLE) <= set(names_in(folder)), folder


def test_a_folder_with_nothing_but_a_lock_and_leftovers_is_free(tmp_path: Path) -> None:
    (tmp_path / ".lock").write_text("4711")
    (tmp_path / ".config.yaml.tmp-999999999").write_text("seed")
    RunDir(tmp_path).check_free(CONFIG)
    begin(tmp_path)
    assert names_in(tmp_path) == WHOLE


def test_a_start_removes_leftovers_everywhere_in_the_run(tmp_path: Path) -> None:
    begin(tmp_path)
    for name in ("videos/.policy_00000100.mp4.tmp-999999999", "eval/.step_1.json.tmp-999999999", ".x.tmp-999999999"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text("half")
    (tmp_path / "eval" / f".step_2.json.tmp-{os.getppid()}").write_text("being written")
    begin(tmp_path)
    assert names_in(tmp_path) == sorted([*WHOLE, "eval", f"eval/.step_2.json.tmp-{os.getppid()}", "videos"])


def test_a_second_process_never_removes_the_run_of_the_first(tmp_path: Path) -> None:
    run = RunDir(tmp_path / "run")
    with run.training(CONFIG):
        with pytest.raises(RunError, match="is training in"), RunDir(tmp_path / "run").training(CONFIG):
            pass
        assert run.exists()
