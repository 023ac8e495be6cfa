"""How fast a run goes. Wall time is recorded and shown; nothing that learns ever sees it."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from worldmodels.training.model_based import ModelBasedLoop


class Speed:
    """Rates since the last record."""

    def __init__(self) -> None:
        self._since = (time.perf_counter(), 0, 0)
        self._started = False

    def rates(self, loop: ModelBasedLoop) -> dict[str, float]:
        """Environment steps, model updates and frames of experience fitted, each per second of wall time."""
        if not self._started:
            self._restart(loop)
        since, step, updates = self._since
        seconds = max(time.perf_counter() - since, 1e-9)
        return {
            "time/env_steps_per_second": (loop.step - step) / seconds,
            "time/updates_per_second": (loop.updates - updates) / seconds,
            "time/frames_per_second": (loop.updates - updates) * loop.frames_per_update / seconds,
        }

    def take(self, loop: ModelBasedLoop) -> dict[str, float]:
        """The rates and the seconds spent in each part of the loop, and a new start."""
        rates = self.rates(loop) | loop.timer.take()
        self._restart(loop)
        return rates

    def _restart(self, loop: ModelBasedLoop) -> None:
        self._since, self._started = (time.perf_counter(), loop.step, loop.updates), True
