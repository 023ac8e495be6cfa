from __future__ import annotations

import errno
import os
import resource
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from worldmodels.core.errors import DiskFullError, FileError
from worldmodels.core.files.writing import (
    check_own,
    is_temporary,
    make_folder,
    make_own_folder,
    open_regular,
    read_regular,
    remove_temporary,
    replacing,
    write_atomic,
)


def test_text_and_bytes_replace_what_was_there(tmp_path: Path) -> None:
    path = tmp_path / "note.txt"
    write_atomic(path, "grün")
    assert path.read_bytes() == "grün".encode()
    write_atomic(str(path), b"\x00\xff")
    assert path.read_bytes() == b"\x00\xff"
    assert os.listdir(tmp_path) == ["note.txt"]


def test_a_full_disk_keeps_the_old_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "note.txt"
    write_atomic(path, "old")

    def full(descriptor: int) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(DiskFullError, match=r"No space left to write '.*note\.txt'.*unchanged.*Free some space"):
        write_atomic(path, "new")
    assert path.read_text() == "old"
    assert os.listdir(tmp_path) == ["note.txt"]


def test_a_write_that_the_kernel_cuts_short_keeps_the_old_file(tmp_path: Path) -> None:
    path = tmp_path / "note.bin"
    write_atomic(path, b"old")
    program = (
        "import sys; from worldmodels.core import errors\n"
        "from worldmodels.core.files import writing\n"
        "try: writing.write_atomic(sys.argv[1], b'x' * 100_000)\n"
        "except errors.DiskFullError: sys.exit(7)"
    )

    def allow_ten_thousand_bytes() -> None:
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (10_000, 10_000))

    command = [sys.executable, "-B", "-c", program, str(path)]
    assert subprocess.run(command, preexec_fn=allow_ten_thousand_bytes, check=False).returncode == 7
    assert path.read_bytes() == b"old"
    assert os.listdir(tmp_path) == ["note.bin"]


def test_other_errors_are_told_in_words(tmp_path: Path) -> None:
    with pytest.raises(FileError, match=r"'.*note\.txt' cannot be written: No such file or directory\."):
        write_atomic(tmp_path / "missing" / "note.txt", "x")


def test_temporary_names_are_known_and_those_of_dead_processes_removed(tmp_path: Path) -> None:
    with subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE) as living:
        gone = subprocess.Popen([sys.executable, "-c", ""])
        gone.wait()
        (tmp_path / "eval").mkdir()
        leftovers = [f"eval/.a.mp4.tmp-{gone.pid}", f".b.tmp-{os.getpid()}", f".huge.tmp-{'9' * 30}"]
        kept = [f"eval/.c.json.tmp-{living.pid}", "d.tmp-x", "e.json", ".lock"]
        for name in leftovers + kept:
            (tmp_path / name).write_text("half")
        (tmp_path / f"0001.tmp-{gone.pid}").mkdir()
        (tmp_path / f"0001.tmp-{gone.pid}" / "state.json").write_text("half")
        assert all(map(is_temporary, leftovers)) and not any(map(is_temporary, kept[1:]))
        remove_temporary(tmp_path)
        left = sorted(str(path.relative_to(tmp_path)) for path in tmp_path.rglob("*") if path.is_file())
        assert left == sorted(kept)
        assert sorted(path.name for path in tmp_path.iterdir() if path.is_dir()) == ["eval"]
        living.communicate(b"\n")


def test_a_link_among_leftovers_is_removed_and_not_followed(tmp_path: Path) -> None:
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / ".x.tmp-999999999").write_text("mine")
    (tmp_path / "run").mkdir()
    (tmp_path / "run" / "eval").symlink_to(tmp_path / "mine")
    (tmp_path / "run" / ".link.tmp-999999999").symlink_to(tmp_path / "mine")
    remove_temporary(tmp_path / "run")
    assert os.listdir(tmp_path / "run") == ["eval"]
    assert os.listdir(tmp_path / "mine") == [".x.tmp-999999999"]


def test_a_writer_that_needs_a_path_gets_a_temporary_one(tmp_path: Path) -> None:
    path = tmp_path / "film.mp4"
    with replacing(path) as beside:
        assert is_temporary(beside) and beside.parent == tmp_path
        beside.write_bytes(b"whole")
        assert not path.exists()
    assert path.read_bytes() == b"whole"
    with pytest.raises(ValueError, match="no frame"), replacing(path) as beside:
        beside.write_bytes(b"half")
        raise ValueError("no frame")
    assert path.read_bytes() == b"whole"
    assert os.listdir(tmp_path) == ["film.mp4"]


def test_only_files_are_opened_in_a_run(tmp_path: Path) -> None:
    file, link, dangling, fifo, folder = (tmp_path / name for name in ("file", "link", "dangling", "fifo", "folder"))
    file.write_text("text")
    link.symlink_to(file)
    dangling.symlink_to(tmp_path / "nowhere")
    os.mkfifo(fifo)
    folder.mkdir()
    assert read_regular(file) == b"text"
    for path, kind in [(link, "a link"), (dangling, "a link"), (fifo, "a pipe"), (folder, "a folder")]:
        for flags in (os.O_RDONLY, os.O_RDWR | os.O_CREAT, os.O_WRONLY | os.O_TRUNC):
            with pytest.raises(FileError, match=f"'{path}' is {kind}"):
                open_regular(path, flags)
    assert file.read_text() == "text" and not (tmp_path / "nowhere").exists()
    with pytest.raises(FileNotFoundError):
        open_regular(tmp_path / "nowhere", os.O_RDONLY)
    for path in (file, folder, tmp_path / "nowhere"):
        check_own(path)
    for path in (link, dangling, fifo):
        with pytest.raises(FileError, match="files of its own"):
            check_own(path)


def test_a_folder_is_made_and_in_a_run_no_link_taken_for_one(tmp_path: Path) -> None:
    make_own_folder(tmp_path / "a" / "b")
    make_own_folder(tmp_path / "a" / "b")
    (tmp_path / "link").symlink_to(tmp_path / "a")
    make_folder(tmp_path / "link")
    with pytest.raises(FileError, match="is a link"):
        make_own_folder(tmp_path / "link")
    (tmp_path / "file").write_text("")
    with pytest.raises(FileError, match="'.*/file' is no folder, and one is needed there"):
        make_folder(tmp_path / "file")
    with pytest.raises(FileError, match="'.*/file' is no folder, and one is needed there|Not a directory"):
        make_folder(tmp_path / "file" / "folder")
    with pytest.raises(FileError, match="File name too long"):
        make_folder(tmp_path / ("x" * 300))
    with pytest.raises(FileError, match="'/.*/x{300}' cannot be written: File name too long"):
        write_atomic(tmp_path / ("x" * 300), "")
