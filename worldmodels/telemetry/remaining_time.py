"""How long work of several kinds will take, from how long it took so far."""

from __future__ import annotations

from collections.abc import Mapping

MEMORY = 60.0  # seconds of each kind of work; long enough to be smooth, short enough to follow a change


class RemainingTime:
    """The seconds that a unit of each kind of work takes: fitting and collecting have no one speed."""

    def __init__(self) -> None:
        self._measured: dict[str, tuple[float, float]] = {}

    def add(self, kind: str, amount: int, seconds: float) -> None:
        """Add work that was done in so many seconds; the first of each kind does not count: it builds graphs."""
        if kind not in self._measured:
            self._measured[kind] = (0.0, 0.0)
            return
        amounts, total = self._measured[kind]
        amounts, total = amounts + amount, total + seconds
        self._measured[kind] = (amounts / 2, total / 2) if total > MEMORY else (amounts, total)

    def seconds(self, remaining: Mapping[str, int]) -> float | None:
        """Return the seconds for all that remains, by kind; None while there is a kind that was not measured yet."""
        left = 0.0
        for kind, amount in remaining.items():
            amounts, total = self._measured.get(kind, (0.0, 0.0))
            if amount and not amounts:
                return None
            left += total * amount / amounts if amount else 0.0
        return left
