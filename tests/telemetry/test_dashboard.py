from __future__ import annotations

import io
import sys
import time
from types import ModuleType, SimpleNamespace

import pytest
from rich.console import Console

from worldmodels.telemetry.dashboard import Progress, Status, line, panel

VALUES = {
    "time/env_steps_per_second": 112.3,
    "time/updates_per_second": 7.0,
    "time/frames_per_second": 3584.0,
    "episode/return": 4.2,
    "model/image_loss": 43.61,
    "model/kl": 4.2,
    "policy/entropy": 2.41,
}


@pytest.fixture(autouse=True)
def capable_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever runs the tests may have a terminal that can do nothing, or none."""
    monkeypatch.setenv("TERM", "xterm-256color")


def status() -> Status:
    now = iter([0.0, 65.0, 65.0, 65.0])
    made = Status(50_000, "maze · runs/maze", lambda: next(now))
    made.update(21_500, VALUES | {"eval/return": 5.85}, "turn 2 of 15 · fit 30 of 100", 86.0)
    return made


def test_the_line_says_everything_that_matters() -> None:
    assert line(status()) == (
        " 43% of 50,000 steps · turn 2 of 15 · fit 30 of 100 · 1:05 elapsed · 1:26 left · 112 env steps/s · "
        "7 updates/s · 3,584 frames/s · train return 4.2 · eval return 5.85 · image loss 43.6"
    )


def test_two_losses_of_one_name_have_their_groups_in_the_line() -> None:
    made = Status(100, "maze", lambda: 0.0)
    made.update(0, {"model/loss": 1.5, "policy/loss": 2.5, "model/image_loss": 3.5}, "", None)
    assert line(made).endswith(" · model loss 1.5 · policy loss 2.5 · image loss 3.5")


def test_the_panel_says_all_of_it_at_any_width() -> None:
    for width in (120, 80, 50):
        console = Console(width=width, file=io.StringIO(), force_terminal=True, color_system=None)
        with console.capture() as capture:
            console.print(panel(status()))
        text = capture.get()
        for part in (
            "maze · runs/maze",
            "43%",
            "21,500 of 50,000",
            "turn 2 of 15 · fit 30 of 100",
            "1:26 left",
            "3,584 frames/s",
            "5.85",
            "entropy 2.41",
        ):
            assert part in text, (part, width)
        assert max(map(len, text.splitlines())) <= width


def test_before_anything_happened_the_panel_says_so() -> None:
    console = Console(width=80, file=io.StringIO())
    console.print(panel(Status(10, "maze")))
    text = console.file.getvalue()  # type: ignore[attr-defined]
    assert "none yet" in text and "not yet" in text and "measuring the pace" in text


def test_while_the_last_evaluation_goes_on_no_time_is_said_to_be_left() -> None:
    console, last = Console(width=80, file=io.StringIO()), Status(10, "maze")
    last.update(10, {}, "evaluating", None)
    console.print(panel(last))
    text = console.file.getvalue()  # type: ignore[attr-defined]
    assert "evaluating" in text and "nearly done" in text and "left" not in text


def plain() -> tuple[Console, io.StringIO]:
    file = io.StringIO()
    return Console(file=file, width=40), file


def test_without_a_terminal_events_are_single_lines() -> None:
    console, file = plain()
    with Progress(1000, "maze", console) as progress:
        progress.update(500, VALUES)
        progress.message("Checkpoint [500] :tada: " + "x" * 100)
    lines = file.getvalue().splitlines()
    assert lines[0].endswith("0:00  maze")
    assert lines[1].endswith("0:00  Checkpoint [500] :tada: " + "x" * 100)
    assert " 50% of 1,000 steps" in lines[2] and "\x1b" not in file.getvalue()
    assert len(lines) == 3


def test_without_a_terminal_it_speaks_even_when_nothing_is_reported() -> None:
    console, file = plain()
    with Progress(1000, "maze", console, plain_interval=0.01):
        deadline = time.monotonic() + 30
        while file.getvalue().count("0% of 1,000 steps") < 2 and time.monotonic() < deadline:
            time.sleep(0.01)
    assert file.getvalue().count("0% of 1,000 steps") >= 2


def test_in_a_terminal_the_panel_follows_and_messages_stay() -> None:
    file = io.StringIO()
    console = Console(file=file, width=80, height=30, force_terminal=True, color_system=None, legacy_windows=False)
    with Progress(1000, "maze", console) as progress:
        progress.message("Evaluating at step 500")
        progress.update(1000, VALUES)
    text = file.getvalue()
    assert "Evaluating at step 500" in text
    assert "100%  1,000 of 1,000 steps" in text


def test_an_ascii_output_gets_lines_in_ascii():
    raw = io.BytesIO()
    stream = io.TextIOWrapper(raw, encoding="ascii")
    with Progress(100, "maze · runs/grün", Console(file=stream, width=200)) as progress:
        progress.update(50, {}, "turn 1 of 2 · fit 3 of 4")
    stream.flush()
    text = raw.getvalue().decode("ascii")
    assert "maze - runs/gr\\xfcn" in text and "turn 1 of 2 - fit 3 of 4 - " in text


def test_the_last_line_is_printed_once() -> None:
    console, file = plain()
    with Progress(1000, "maze", console, plain_interval=0.01) as progress:
        progress.update(500, VALUES)
        deadline = time.monotonic() + 30
        while not file.getvalue().count("steps ·") and time.monotonic() < deadline:
            time.sleep(0.001)
        progress._interval = 100
        progress._closed.set()
        progress._ticker.join()
        before = file.getvalue()
    assert file.getvalue() == before


def test_a_notebook_has_one_output_that_is_updated(monkeypatch: pytest.MonkeyPatch) -> None:
    shown: list[str] = []
    cell = SimpleNamespace(update=shown.append)
    package, display = ModuleType("IPython"), ModuleType("IPython.display")
    display.display = lambda text, display_id=False: cell  # type: ignore[attr-defined]
    display.Pretty = str  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "IPython", package)
    monkeypatch.setitem(sys.modules, "IPython.display", display)
    console, file = plain()
    monkeypatch.setattr(console, "is_jupyter", True)
    with Progress(1000, "maze", console, plain_interval=0.01) as progress:
        progress.update(500, VALUES)
    assert shown[-1].startswith(" 50% of 1,000 steps") and "50%" not in file.getvalue()
