"""Displays progress: a live picture in a terminal, or plain lines in a file or a pipe."""

from __future__ import annotations

import threading
import time
from abc import ABC, abstractmethod
from collections.abc import Iterable
from types import TracebackType
from typing import TypeVar

from rich.console import Console, RenderableType
from rich.live import Live
from rich.text import Text

from worldmodels.core.output import print_anything
from worldmodels.telemetry.status import duration

D = TypeVar("D", bound="Display")


class Display(ABC):
    """A context manager that shows the drawing of its subclass.

    The picture is redrawn four times a second. Without a terminal the lines are printed every `plain_interval` seconds,
    even without new values.
    """

    def __init__(self, title: str, console: Console | None, plain_interval: float) -> None:
        self._title, self._start = title, time.monotonic()
        self._console = console or Console()
        print_anything(self._console.file)  # a sign that a terminal cannot print must not end a run
        self._live: Live | None = None
        if self._console.is_terminal and not self._console.is_dumb_terminal:
            self._live = Live(console=self._console, get_renderable=self.picture, refresh_per_second=4)
        self._interval = plain_interval
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
        self._print(*self.lines())

    def message(self, text: str) -> None:
        """Print an event in a line of its own, which stays."""
        self._print(text)

    def _print(self, *texts: str) -> None:
        stamp = f"{duration(time.monotonic() - self._start):>7}  "
        for text in texts:
            if self._live:
                self._console.print(Text.assemble((stamp, "grey62"), text))
            else:
                # One event, one line, however long: logs are searched by line.
                self._console.print(stamp + text, markup=False, highlight=False, soft_wrap=True, emoji=False)

    def _tick(self) -> None:
        while not self._closed.wait(self._interval):
            self._print(*self.lines())
