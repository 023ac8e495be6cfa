"""Defines the request of `worldmodels shift`. Imports no TensorFlow."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from worldmodels.config.run_config import RunConfig
from worldmodels.core.configuration.sections import load_config
from worldmodels.core.files.run_dir import RunDir
from worldmodels.evaluation.request import Request
from worldmodels.evaluation.shift.shifts import (
    DistributionShift,
    check_shifts,
    default_shifts,
    read_shifts,
    training_distribution,
)


@dataclass(frozen=True)
class ShiftRequest:
    """A request for a table of distribution shifts."""

    evaluation: Request
    """The run, its checkpoint, and the numbers of the evaluation."""
    shifts: str | Path | None = None
    """A file of shifts; by default those of `default_shifts`."""
    games: Sequence[str] = ()
    """Other native games that are played too."""


def chosen_shifts(request: ShiftRequest) -> list[DistributionShift]:
    """Return the environments that a run is to be played in, that of training first; needs no TensorFlow.

    Raises:
        UserError: there is no such run, or a shift that it cannot play.
    """
    config = load_config(RunConfig, [RunDir.open(request.evaluation.path).config])
    if request.shifts is None:
        shifts = default_shifts(config.env, request.games)
    else:
        shifts = read_shifts(Path(request.shifts), config.env)
    shifts = [training_distribution(config.env), *shifts]
    check_shifts(config, shifts)
    return shifts
