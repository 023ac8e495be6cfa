"""A command that is attended ends as it would alone, and is asked to stop whatever becomes of those above it."""

from __future__ import annotations

import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from worldmodels.cluster.attendant import ATTENDED
from worldmodels.core.processor import usable_cores

SAVING = "trap 'echo saved; exit 7' TERM; echo $$; while true; do sleep 0.05; done"


def attended(script: str, log: Path) -> subprocess.Popen[bytes]:
    words = [sys.executable, "-I", "-S", str(ATTENDED), str(usable_cores()[0]), "sh", "-c", script]
    with open(log, "wb") as file:
        return subprocess.Popen(words, stdout=file)


def wait_for(condition: Callable[[], object]) -> None:
    for _ in range(1200):
        if condition():
            return
        time.sleep(0.05)
    raise AssertionError("it did not happen within a minute")


@pytest.mark.parametrize(("script", "status"), [("exit 3", 3), ("kill -TERM $$", -15), ("kill -KILL $$", -9)])
def test_it_ends_as_its_command_does(script: str, status: int, tmp_path: Path) -> None:
    assert attended(script, tmp_path / "log").wait(60) == status


def test_the_signal_to_stop_is_handed_on(tmp_path: Path) -> None:
    process = attended(SAVING, tmp_path / "log")
    wait_for((tmp_path / "log").read_text)
    process.terminate()
    assert process.wait(60) == 7


def test_a_command_saves_where_its_attendant_is_killed(tmp_path: Path) -> None:
    process = attended(SAVING, tmp_path / "log")
    wait_for((tmp_path / "log").read_text)
    process.kill()
    assert process.wait(60) == -signal.SIGKILL
    wait_for(lambda: "saved" in (tmp_path / "log").read_text())
    wait_for(lambda: not Path(f"/proc/{(tmp_path / 'log').read_text().split()[0]}").exists())
