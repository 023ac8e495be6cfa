"""The contract between a training run and its loop, and the functions that all loops share."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple, Protocol

import numpy as np

from worldmodels.core.configuration.values import shown
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


def load_counters(loop: Any, tree: Mapping[str, Any], names: Sequence[str]) -> None:
    """Set the attributes `names` of a loop, numbers of steps and updates, to those in a tree.

    Raises:
        ValueError: one of them is no number of things.
    """
    for name in names:
        check_like(tree[name], 0, name)
        setattr(loop, name, tree[name])


LARGE = frozenset({"model", "agent", "replay"})
"""The parts that compare what they load with what they hold, and whose state takes long to save."""


def load_parts(parts: Mapping[str, Any], tree: Mapping[str, Any]) -> None:
    """Load the parts of a loop from a tree.

    Raises:
        ValueError: a value is of another kind than those that the part saves.
    """
    for name, part in parts.items():
        if name not in LARGE:
            check_like(tree[name], part.save(), name)
        part.load(tree[name])


def check_like(value: Any, like: Any, where: str) -> None:
    """Check a saved value by one that was saved by the same part, perhaps at another time.

    Raises:
        ValueError: it is of another kind, an array of another shape, or a negative number where none can be.
    """
    if isinstance(like, Mapping) and isinstance(value, Mapping):
        for key in like.keys() & value.keys():
            check_like(value[key], like[key], f"{where}/{key}")
    elif isinstance(like, np.ndarray) and isinstance(value, np.ndarray):
        same = value.dtype == like.dtype and (value.shape == like.shape or not like.size)
        _require(same, where, f"{like.dtype} {like.shape}", f"{value.dtype} {value.shape}")
    elif like is not None:
        kinds = (int, float) if type(like) is float else type(like)
        right = isinstance(value, kinds) and isinstance(value, bool) == isinstance(like, bool)
        _require(right, where, type(like).__name__, type(value).__name__)
        if type(like) is int and like >= 0:
            _require(value >= 0, where, "0 or more", shown(value))


def _require(holds: bool, where: str, wanted: str, found: str) -> None:
    if not holds:
        raise ValueError(f"'{where}' must be {wanted}; it is {found}")


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
