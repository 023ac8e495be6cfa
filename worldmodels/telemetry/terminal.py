"""The progress of a run in the terminal: a live panel, or plain lines where the output is a file or a pipe."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from rich.console import Console, RenderableType

from worldmodels.telemetry.dashboard import line, panel
from worldmodels.telemetry.display import Display
from worldmodels.telemetry.status import Status


class Progress(Display):
    """A display of a run while it goes on: `with Progress(total_steps, title) as progress: ...`."""

    def __init__(
        self, total_steps: int, title: str, console: Console | None = None, plain_interval: float = 10.0
    ) -> None:
        self._status = Status(total_steps, title)
        super().__init__(title, console, plain_interval)

    def update(
        self, step: int, values: Mapping[str, float], phase: str = "", seconds_left: float | None = None
    ) -> None:
        """Take over the environment steps done, and new values by grouped name; cheap enough for every tick.

        Args:
            phase: what goes on, in words; empty for nothing worth saying.
            seconds_left: until the end of the run; None: not known yet.
        """
        self._status.update(step, values, phase, seconds_left)

    def picture(self) -> RenderableType:
        return panel(self._status)

    def lines(self) -> Iterable[str]:
        return [line(self._status)]
