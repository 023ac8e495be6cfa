"""The contract between a training run and its loop, and the functions that all loops share."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any, NamedTuple, Protocol

from worldmodels.core.errors import NonFiniteError
from worldmodels.telemetry.logger import MeanMetrics, Timer

STEPS_PER_TICK = 16
"""Steps of the vector environment after which a loop may log, save or stop."""


class Tick(NamedTuple):
    """One small piece of work of a loop."""

    phase: str
    amount: int
    """The amount done, in the unit in which `Loop.remaining` counts that phase."""


class Loop(Protocol):
    """The state that changes while learning; it neither logs nor opens files, which `training/run.py` does."""

    step: int
    """Real environment steps done."""
    updates: int
    """Updates of the world model done, or of the policy where there is no model."""
    metrics: MeanMetrics
    """MeanMetrics since they were last taken."""
    timer: Timer
    """Wall time by section; nothing that learns ever reads it."""

    @property
    def finished(self) -> bool: ...

    @property
    def at_rest(self) -> bool:
        """Whether no update is owed for the steps that were done, so that a checkpoint is small."""

    @property
    def at_turn_start(self) -> bool:
        """Whether a turn has just ended, so that model and policy were both updated."""

    @property
    def frames_per_update(self) -> int:
        """The frames of experience that one of `updates` learns from."""

    @property
    def progress(self) -> str:
        """The position in words; empty where it would change faster than one can read."""

    def begin(self) -> None:
        """Prepare a new run, before its first tick; a run that is continued calls `load` instead."""

    def iterate(self) -> Tick:
        """Do the next piece of work.

        Raises:
            NonFiniteError: a loss or gradient is not a number; the update was not applied.
        """

    def counters(self) -> dict[str, int]:
        """Return the updates done, by the names under which they are recorded."""

    def remaining(self) -> dict[str, int]:
        """Return the work that is left, by phase."""

    def save(self) -> dict[str, Any]: ...

    def load(self, tree: dict[str, Any]) -> None: ...


def finite(metrics: Mapping[str, Any], what: str, step: int) -> dict[str, float]:
    """Return the metrics of an update as numbers, without `.../finite`; raise NonFiniteError, which names them, if that
    is 0.

    Args:
        what: "model update 12", say.
        step: real environment steps done.
    """
    values = {name: float(value) for name, value in metrics.items()}
    flags = [values.pop(name) for name in list(values) if name.endswith("/finite")]
    if min(flags, default=1.0) < 1.0:
        broken = ", ".join(f"{name} ({value})" for name, value in values.items() if not math.isfinite(value))
        raise NonFiniteError(
            f"Not finite in {what} ({step} environment steps): {broken or 'a loss or gradient'}. The update was not "
            "applied, and the last checkpoint is from before. A smaller learning rate or gradient clip usually helps. "
            "Received: " + ", ".join(f"{name} {value:.4g}" for name, value in values.items()) + "."
        )
    return values
