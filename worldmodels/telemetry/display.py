"""A display while something goes on: a live picture in a terminal, plain lines where the output is a file or a pipe."""

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
    """A context manager that shows what its subclass draws.

    It is never silent: the picture is drawn anew four times a second, and where the output is no terminal the lines
    appear every `plain_interval` seconds even while nothing is reported.
    """

    def __init__(self, title: str, console: Console | None, plain_interval: float) -> None:
        self._title, self._start = title, time.monotonic()
        self._console = console or Console()
        print_anything(self._console.file)  # a run of days must not end at a sign that a terminal does not know
        self._live: Live | None = None
        if self._console.is_terminal and not self._console.is_dumb_terminal:
            self._live = Live(console=self._console, get_renderable=self.picture, refresh_per_second=4)
        self._interval = plain_interval
        self._closed = threading.Event()
        self._ticker = threading.Thread(target=self._tick, name="display", daemon=True)

    @abstractmethod
    def picture(self) -> RenderableType:
        """Return what a terminal shows."""

    @abstractmethod
    def lines(self) -> Iterable[str]:
        """Return the same for a log."""

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
        """Show an event in a line of its own, which stays."""
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
