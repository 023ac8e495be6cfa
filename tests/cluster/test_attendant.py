"""Which cores are given out, beside others that are kept."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

import pytest

from worldmodels.cluster.attendant import kept_cores
from worldmodels.core.errors import FileError


@pytest.fixture(autouse=True)
def five_cores(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "sched_getaffinity", lambda process: {8, 7, 5, 3, 2})


def test_kept_cores_are_nobody_elses_until_they_are_let_go(tmp_path: Path) -> None:
    tmp_path.chmod(0o700)
    with kept_cores(2, tmp_path) as first, kept_cores(2, tmp_path) as second:
        assert (first, second) == ([2, 3], [5, 7])
    with kept_cores(3, tmp_path) as again:
        assert again == [2, 3, 5]


def test_where_too_few_are_free_some_are_shared(tmp_path: Path) -> None:
    with kept_cores(4, tmp_path), kept_cores(3, tmp_path) as second, kept_cores(1, tmp_path) as third:
        assert (second, third) == ([2, 3, 8], [2])
    with kept_cores(9, tmp_path) as everything:
        assert everything == [2, 3, 5, 7, 8]


def test_the_folder_of_locks_is_made_for_its_user_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tempfile, "gettempdir", lambda: str(tmp_path))
    with kept_cores(1):
        assert (tmp_path / f"worldmodels-cores-{os.getuid()}").stat().st_mode & 0o777 == 0o700


def test_a_folder_of_locks_that_others_reach_is_refused(tmp_path: Path) -> None:
    elsewhere, link, open_to_all = tmp_path / "elsewhere", tmp_path / "link", tmp_path / "open"
    elsewhere.mkdir(mode=0o700)
    link.symlink_to(elsewhere)
    open_to_all.mkdir()
    open_to_all.chmod(0o777)
    for folder, fault in ((link, "is no folder"), (open_to_all, r"is open to other users \(mode 777\)")):
        with pytest.raises(FileError, match=f"'{folder}' {fault}; .* Remove it, or set TMPDIR"), kept_cores(1, folder):
            pass
    assert not list(elsewhere.iterdir()) and not list(open_to_all.iterdir())


def test_a_folder_of_locks_of_another_user_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / "locks"
    folder.mkdir(mode=0o700)
    monkeypatch.setattr(os, "getuid", lambda: folder.stat().st_uid + 1)
    with pytest.raises(FileError, match="belongs to another user"), kept_cores(1, folder):
        pass
