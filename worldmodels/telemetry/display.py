"""Displays progress: a live picture in a terminal, or plain lines in a file or a pipe."""

from __future__ import annotations

import math
import re
import threading
import time
from abc import ABC, abstractmethod
from collections.abc import Iterable
from types import TracebackType
from typing import Any, TypeVar

from rich.console import Console, RenderableType
from rich.live import Live
from rich.text import Text

from worldmodels.core.errors import visible
from worldmodels.core.output import print_anything


def duration(seconds: float | None) -> str:
    """Return seconds as "0:07", "12:34" or "1:02:03"; "–" if they are not known."""
    if seconds is None or not math.isfinite(seconds):
        return "–"
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"


def number(value: float) -> str:
    """Return a value in about three digits: "12,345", "12.3", "0.0123", "1.2e-05"."""
    if not math.isfinite(value):
        return str(value)
    if abs(value) >= 1000:
        return f"{value:,.0f}"
    return f"{value:.3g}"


def sparkline(values: list[float], width: int) -> str:
    """Return the whole history as at most `width` bars, each the mean of its share of the values."""
    if not values:
        return ""
    count = min(width, len(values))
    edges = [index * len(values) // count for index in range(count + 1)]
    means = [sum(values[low:high]) / (high - low) for low, high in zip(edges, edges[1:], strict=False)]
    lowest, span = min(means), max(means) - min(means)
    bars = "▁▂▃▄▅▆▇█"
    return "".join(bars[round((mean - lowest) / span * 7)] if span else bars[0] for mean in means)


_TIMES = re.compile(r"[\d:–]+ (elapsed|left)")


def _notebook_cell(console: Console) -> Any:
    """Return an output of a notebook that is updated in place; None where the console is no notebook."""
    if not console.is_jupyter:
        return None
    from IPython.display import display

    return display(_plain_text("..."), display_id=True)


def _plain_text(text: str) -> Any:
    from IPython.display import Pretty

    return Pretty(text)


D = TypeVar("D", bound="Display")


class Display(ABC):
    """A context manager that shows the drawing of its subclass.

    The picture is redrawn four times a second. Without a terminal the lines are printed every `plain_interval` seconds,
    even without new values.
    """

    def __init__(self, title: str, console: Console | None, plain_interval: float) -> None:
        self._title, self._start = visible(title), time.monotonic()
        self._console = console or Console()
        print_anything(self._console.file)  # a sign that a terminal cannot print must not end a run
        self._live: Live | None = None
        if self._console.is_terminal and not self._console.is_dumb_terminal:
            self._live = Live(console=self._console, get_renderable=self.picture, refresh_per_second=4)
        self._interval, self._news, self._cell = plain_interval, [""], _notebook_cell(self._console)
        self._closed = threading.Event()
        self._ticker = threading.Thread(target=self._tick, name="display", daemon=True)

    @abstractmethod
    def picture(self) -> RenderableType:
        """Return the picture for a terminal."""

    @abstractmethod
    def lines(self) -> Iterable[str]:
        """Return the lines for a log."""

    def __enter__(self: D) -> D:
        if self._live:
            self._live.start()
        else:
            self._print(self._title)
            self._ticker.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._live:
            self._live.stop()
            return
        self._closed.set()
        self._ticker.join()
        self._print_lines()

    def message(self, text: str) -> None:
        """Print an event in a line of its own, which stays."""
        self._print(text)

    def _print(self, *texts: str) -> None:
        stamp = f"{duration(time.monotonic() - self._start):>7}  "
        for text in map(visible, texts):
            if self._live:
                self._console.print(Text.assemble((stamp, "grey62"), text))
            else:
                # One event, one line, however long: logs are searched by line.
                self._console.print(stamp + text, markup=False, highlight=False, soft_wrap=True, emoji=False)

    def _tick(self) -> None:
        while not self._closed.wait(self._interval):
            self._print_lines()

    def _print_lines(self) -> None:
        """Print the lines, but for those that say the same as the last ones at another time."""
        lines = list(self.lines())
        news = [_TIMES.sub("", line) for line in lines]
        if self._cell is not None:
            self._cell.update(_plain_text("\n".join(lines)))
        elif news != self._news or not self._closed.is_set():
            self._print(*lines)
        self._news = news
