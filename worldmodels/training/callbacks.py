"""Callbacks are functions that a run calls when it has logged, evaluated or saved; each of them can end the run."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Literal, NamedTuple, TypeAlias

EventKind = Literal["log", "evaluation", "checkpoint"]


class Event(NamedTuple):
    """The moment in a run at which callbacks are called."""

    kind: EventKind
    step: int
    """Real environment steps done."""
    metrics: Mapping[str, float]
    """The newest value of each metric since this process began, by the names in metrics.jsonl."""
    run: Path
    """The run's folder."""


Callback: TypeAlias = Callable[[Event], "bool | None"]
"""Takes an event; True ends the run, after a checkpoint, from which the same call continues it."""


class Callbacks:
    """The callbacks of a run.

    Attributes:
        stopped: whether one of them has ended the run.
    """

    def __init__(self, callbacks: Sequence[Callback], run: Path) -> None:
        self._callbacks, self._run = callbacks, run
        self._metrics: dict[str, float] = {}
        self.stopped = False

    def __call__(self, kind: EventKind, step: int, values: Mapping[str, float] | None = None) -> None:
        """Call all of them, with the metrics so far and new values."""
        self._metrics |= values or {}
        for callback in self._callbacks:
            if callback(Event(kind, step, dict(self._metrics), self._run)):
                self.stopped = True
