"""Runs side by side: as a table of any height, and as lines."""

from __future__ import annotations

import io
import time

import pytest
from rich.console import Console

from worldmodels.telemetry.run_table import FRAME_LINES, RunStatus, RunTable, line, summary, table

STATUSES = [
    RunStatus("lr_0.1/seed_0", "done", 1000, 1000, 4.25, 61.0),
    RunStatus("lr_0.2/seed_0", "failed", None, 1000, None, 3.0),
    RunStatus("lr_0.1/seed_1", "running", 400, 1000, -0.5, 20.0),
    RunStatus("lr_0.2/seed_1", "running", 20, 0, None, 20.0),
    RunStatus("lr_0.1/seed_2", "waiting", None, 1000, None, None),
    RunStatus("lr_0.2/seed_2", "stopped", 3, 1000, None, 1.0),
]


@pytest.fixture(autouse=True)
def capable_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TERM", "xterm-256color")


def rows(most: int) -> list[str]:
    console = Console(width=100, file=io.StringIO())
    console.print(table("grid", STATUSES, most))
    return [" ".join(text.split()) for text in console.file.getvalue().splitlines()]  # type: ignore[attr-defined]


def test_a_row_says_state_steps_return_and_time() -> None:
    assert rows(9)[0] == "grid · 1 of 6 runs done, 2 running, 1 failed, 1 stopped, 1 waiting"
    assert rows(9)[4:10] == [
        "lr_0.1/seed_0 done 1,000 of 1,000 4.25 1:01",
        "lr_0.2/seed_0 failed – of 1,000 – 0:03",
        "lr_0.1/seed_1 running 400 of 1,000 -0.5 0:20",
        "lr_0.2/seed_1 running 20 – 0:20",
        "lr_0.1/seed_2 waiting – of 1,000 – –",
        "lr_0.2/seed_2 stopped 3 of 1,000 – 0:01",
    ]


def test_where_there_is_no_room_those_are_shown_that_go_on_or_failed() -> None:
    shown = rows(3)
    assert [text.split()[0] for text in shown[4:7]] == ["lr_0.2/seed_0", "lr_0.1/seed_1", "lr_0.2/seed_1"]
    assert shown[-1] == "and 3 more" and len(shown) == 3 + FRAME_LINES


def test_a_run_in_a_line() -> None:
    assert line(STATUSES[2]) == "lr_0.1/seed_1 · 400 of 1,000 steps · return -0.5 · 0:20 elapsed"
    assert line(STATUSES[3]) == "lr_0.2/seed_1 · 20 steps · 0:20 elapsed"
    assert summary(STATUSES[:1]) == "1 of 1 runs done"


def test_without_a_terminal_there_are_lines_also_while_nothing_happens() -> None:
    file = io.StringIO()
    with RunTable("grid · runs/grid", lambda: STATUSES, Console(file=file, width=40), 0.01) as display:
        display.message("lr_0.1/seed_1: started")
        deadline = time.monotonic() + 30
        while file.getvalue().count("1 of 6 runs done") < 2 and time.monotonic() < deadline:
            time.sleep(0.01)
    lines = [text.strip().split("  ", 1)[1] for text in file.getvalue().splitlines()]
    assert lines[0] == "grid · runs/grid" and "lr_0.1/seed_1: started" in lines
    assert lines[-3:] == [summary(STATUSES), line(STATUSES[2]), line(STATUSES[3])]
    assert lines.count(summary(STATUSES)) >= 2


def test_in_a_terminal_there_is_a_table() -> None:
    file = io.StringIO()
    console = Console(file=file, width=90, height=30, force_terminal=True, color_system=None, legacy_windows=False)
    with RunTable("grid", lambda: STATUSES, console) as display:
        display.message("an event")
    assert "an event" in file.getvalue() and "400 of 1,000" in file.getvalue()
