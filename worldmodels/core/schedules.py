"""A small callable says when something is due, instead of counters and modulo in the loop."""

from __future__ import annotations

from typing import Any


class Every:
    """A schedule that is due once per `interval` steps, at the first call at or past each multiple; 0 is never.

    The phase is that of the multiples, however unevenly the calls come: `Every(10)` called at 4, 13, 19, 20 is
    False, True, False, True. A call that passes several multiples at once is True once.
    """

    def __init__(self, interval: int) -> None:
        self.interval = interval
        self._next = interval

    def __call__(self, step: int) -> bool:
        """Return whether something is due at `step`; steps never go down between calls."""
        if self.interval <= 0 or step < self._next:
            return False
        self._next = (step // self.interval + 1) * self.interval
        return True

    def save(self) -> dict[str, Any]:
        return {"next": self._next}

    def load(self, tree: dict[str, Any]) -> None:
        self._next = int(tree["next"])
