from __future__ import annotations

import errno
import os
import resource
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from worldmodels.core.errors import DiskFullError
from worldmodels.core.files import write_atomic


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
        "import sys; from worldmodels.core import errors, files\n"
        "try: files.write_atomic(sys.argv[1], b'x' * 100_000)\n"
        "except errors.DiskFullError: sys.exit(7)"
    )

    def allow_ten_thousand_bytes() -> None:
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (10_000, 10_000))

    command = [sys.executable, "-B", "-c", program, str(path)]
    assert subprocess.run(command, preexec_fn=allow_ten_thousand_bytes, check=False).returncode == 7
    assert path.read_bytes() == b"old"
    assert os.listdir(tmp_path) == ["note.bin"]


def test_other_errors_pass_unchanged(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        write_atomic(tmp_path / "missing" / "note.txt", "x")
