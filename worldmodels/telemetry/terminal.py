"""The progress of a run in the terminal: a live panel, or plain lines where the output is a file or a pipe."""

from __future__ import annotations

import threading
from collections.abc import Mapping
from types import TracebackType

from rich.console import Console
from rich.live import Live
from rich.text import Text

from worldmodels.core.output import print_anything
from worldmodels.telemetry.dashboard import line as plain_line
from worldmodels.telemetry.dashboard import panel
from worldmodels.telemetry.status import Status, duration


class Progress:
    """A display of a run while it goes on: `with Progress(total_steps, title) as progress: ...`.

    It is never silent: the panel's clock runs on its own, and where the output is no terminal a line appears every
    `plain_interval` seconds even while nothing is reported.
    """

    def __init__(
        self, total_steps: int, title: str, console: Console | None = None, plain_interval: float = 10.0
    ) -> None:
        self._console = console or Console()
        print_anything(self._console.file)  # a run of days must not end at a sign that a terminal does not know
        self._status = Status(total_steps, title)
        self._live: Live | None = None
        if self._console.is_terminal and not self._console.is_dumb_terminal:
            self._live = Live(console=self._console, get_renderable=lambda: panel(self._status), refresh_per_second=4)
        self._interval = plain_interval
        self._closed = threading.Event()
        self._ticker = threading.Thread(target=self._tick, name="progress", daemon=True)

    def __enter__(self) -> Progress:
        if self._live:
            self._live.start()
        else:
            self._print(self._status.title)
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
        self._print(plain_line(self._status))

    def update(
        self, step: int, values: Mapping[str, float], phase: str = "", seconds_left: float | None = None
    ) -> None:
        """Take over the environment steps done, and new values by grouped name; cheap enough for every tick.

        Args:
            phase: what goes on, in words; empty for nothing worth saying.
            seconds_left: until the end of the run; None: not known yet.
        """
        self._status.update(step, values, phase, seconds_left)

    def message(self, text: str) -> None:
        """Show an event in a line of its own, which stays."""
        self._print(text)

    def _print(self, text: str) -> None:
        stamp = f"{duration(self._status.elapsed):>7}  "
        if self._live:
            self._console.print(Text.assemble((stamp, "grey62"), text))
        else:
            # One event, one line, however long: logs are searched by line.
            self._console.print(stamp + text, markup=False, highlight=False, soft_wrap=True, emoji=False)

    def _tick(self) -> None:
        while not self._closed.wait(self._interval):
            self._print(plain_line(self._status))
