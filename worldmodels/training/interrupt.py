"""Ctrl-C and termination become requests: the loop stops where everything can be saved."""

from __future__ import annotations

import signal
from types import FrameType, TracebackType


class Interrupted(Exception):
    """The run was asked to stop, and can continue from the checkpoint that it wrote."""


class Interruption:
    """A context manager whose `requested` becomes true on SIGINT or SIGTERM; a second signal acts as usual, at once."""

    _SIGNALS = (signal.SIGINT, signal.SIGTERM)

    def __init__(self) -> None:
        self.requested = False

    def __enter__(self) -> Interruption:
        self._before = {number: signal.signal(number, self._request) for number in self._SIGNALS}
        return self

    def __exit__(self, kind: type | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self._restore()

    def _request(self, number: int, frame: FrameType | None) -> None:
        self.requested = True
        self._restore()

    def _restore(self) -> None:
        for number, handler in self._before.items():
            signal.signal(number, handler)
