"""The benchmark of starts: when a key was obeyed, which modules Python compiles, and the medians of its report."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import start_speed


def head(*facts: tuple[str, str]) -> dict[str, Any]:
    """The head of a scene with these facts."""
    return {"parts": {"header": {"facts": [list(fact) for fact in facts]}}}


def test_a_key_is_obeyed_when_its_action_is_shown() -> None:
    assert start_speed.stepped(head(("step", "4"), ("action", "right")))
    assert not start_speed.stepped(head(("step", "0"), ("action", "-")))
    assert not start_speed.stepped({"parts": {}})


@pytest.mark.parametrize("compiled", [True, False])
def test_modules_are_compiled_once_or_at_each_start(
    compiled: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "imported.py").write_text("")
    monkeypatch.setenv("PYTHONDONTWRITEBYTECODE", "1")
    with start_speed.starting(compiled):
        subprocess.run([sys.executable, "-c", "import imported"], check=True, cwd=tmp_path)
    assert (tmp_path / "__pycache__").exists() == compiled
    assert os.environ["PYTHONDONTWRITEBYTECODE"] == "1"


def test_the_report_has_medians_and_compiled_modules_first() -> None:
    def cell(modules: str, *seconds: float) -> dict[str, Any]:
        found = dict.fromkeys(start_speed.COLUMNS, list(seconds))
        made = {"commit": "abc1234", "date": "2026-12-01", "processor": "a CPU"}
        return {"hardware": "a CPU, 2 cores", "world": "a world", "modules": modules, "seconds": found, "made_by": made}

    rows = [
        line
        for line in start_speed.report([cell("not compiled", 9.0), cell("compiled", 1.0, 5.0, 2.0)]).splitlines()
        if line.startswith("| a world")
    ]
    assert rows == [
        "| a world | a CPU, 2 cores | compiled | 2.0 | 2.0 | 2.0 | 2.0 | 2.0 |",
        "| a world | a CPU, 2 cores | not compiled | 9.0 | 9.0 | 9.0 | 9.0 | 9.0 |",
    ]
