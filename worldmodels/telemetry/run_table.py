"""Displays runs that train at the same time, as a live table in a terminal or as plain lines.

Prints tables on the terminal.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from typing import Literal, NamedTuple, TextIO

from rich import box
from rich.console import Console, Group, RenderableType
from rich.markup import escape
from rich.table import Table
from rich.text import Text

from worldmodels.core.errors import visible
from worldmodels.telemetry.display import Display, duration, number

RunState = Literal["waiting", "running", "done", "failed", "stopped"]
STYLES: dict[RunState, str] = {
    "running": "bold cyan",
    "failed": "bold red",
    "stopped": "yellow",
    "waiting": "grey62",
    "done": "green",
}
"""The states with their colours, in the order of the rows if there is no room for all runs."""
FRAME_LINES = 6
"""The lines of the table without runs, and one line below it."""


class RunStatus(NamedTuple):
    """A row of the table: the state of a run."""

    name: str
    state: RunState
    step: int | None
    """Real environment steps done; None before the first record."""
    step_limit: int
    """The number of steps at which it ends; 0: the number is not known."""
    last_return: float | None
    seconds: float | None
    """The time of its process; None if it was not started here."""


class RunTable(Display):
    """A display of runs: `with RunTable(title, statuses) as table: ...`.

    Args:
        statuses: returns the present rows; it is called from another thread.
    """

    def __init__(
        self,
        title: str,
        statuses: Callable[[], Sequence[RunStatus]],
        console: Console | None = None,
        plain_interval: float = 30.0,
    ) -> None:
        self._statuses = statuses
        super().__init__(title, console, plain_interval)

    def picture(self) -> RenderableType:
        return table(self._title, self._statuses(), max(1, self._console.size.height - FRAME_LINES))

    def lines(self) -> Iterable[str]:
        statuses = self._statuses()
        return [summary(statuses), *(line(status) for status in statuses if status.state == "running")]


def table(title: str, statuses: Sequence[RunStatus], most: int) -> RenderableType:
    """Return the runs as a table of `most` rows at most, in their order."""
    rows = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    rows.add_column("run", no_wrap=True)
    rows.add_column("state", no_wrap=True)
    for column in ("steps", "return", "elapsed"):
        rows.add_column(column, justify="right", no_wrap=True)
    chosen = _most_telling(statuses, most)
    for status in chosen:
        cells = (_steps(status), _number(status.last_return), duration(status.seconds))
        rows.add_row(_cell(status.name), Text(status.state, STYLES[status.state]), *cells)
    heading = Text.assemble((title, "bold cyan"), f" · {summary(statuses)}")
    missing = len(statuses) - len(chosen)
    return Group(heading, rows, *([Text(f"and {missing} more", "grey62")] if missing else []))


def summary(statuses: Sequence[RunStatus]) -> str:
    """Return the number of runs in each state: "1 of 4 runs done, 2 running, 1 waiting"."""
    counts = Counter(status.state for status in statuses)
    others = [f"{counts[state]} {state}" for state in STYLES if state != "done" and counts[state]]
    return ", ".join([f"{counts['done']} of {len(statuses)} runs done", *others])


def line(status: RunStatus) -> str:
    """Return a run in one line."""
    last = [] if status.last_return is None else [f"return {number(status.last_return)}"]
    return " · ".join([status.name, f"{_steps(status)} steps", *last, f"{duration(status.seconds)} elapsed"])


def _most_telling(statuses: Sequence[RunStatus], most: int) -> Sequence[RunStatus]:
    order = list(STYLES)
    ranked = sorted(range(len(statuses)), key=lambda index: order.index(statuses[index].state))
    return [statuses[index] for index in sorted(ranked[:most])]


def _steps(status: RunStatus) -> str:
    done = "–" if status.step is None else f"{status.step:,}"
    return f"{done} of {status.step_limit:,}" if status.step_limit else done


def _number(value: float | None) -> str:
    return "–" if value is None else number(value)


def print_table(
    title: str, columns: Sequence[str], rows: Sequence[Sequence[str]], caption: str = "", file: TextIO | None = None
) -> None:
    """Print texts in columns: the first to the left, the others, numbers as a rule, to the right."""
    table = Table(
        title=_cell(title),
        caption=_cell(caption) or None,
        box=box.SIMPLE_HEAD,
        title_justify="left",
        caption_justify="left",
    )
    for index, column in enumerate(columns):
        table.add_column(_cell(column), justify="right" if index else "left")
    for row in rows:
        table.add_row(*map(_cell, row))
    Console(file=file, highlight=False).print(table)


def _cell(text: str) -> str:
    """Return a text for a table, where brackets are brackets and control characters are escaped."""
    return escape(visible(text))
