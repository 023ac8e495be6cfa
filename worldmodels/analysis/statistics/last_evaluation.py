"""Reads the last evaluation of a run: its measures on training levels and on test levels."""

from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from worldmodels.analysis.runs.folders import read_settings
from worldmodels.analysis.runs.records import load_metrics
from worldmodels.core.errors import RunError

LEVELS = "env.num_levels"


class EvaluatedValue(NamedTuple):
    """A number of a run, made of values that it recorded on training levels, and likewise on test levels."""

    title: str
    names: tuple[str, ...]
    """The recorded values, as they are called on training levels: `eval/...`."""
    make: Callable[..., float] = float


class LastEvaluation(NamedTuple):
    """The last evaluation of a run."""

    levels: float
    """The number of training levels; infinity where that is without limit."""
    step: int
    """The real environment steps after which it was; -1 where there was none."""
    values: dict[str, float]
    """All values that were recorded at that step, by name."""

    def measure(self, measure: EvaluatedValue) -> tuple[float, float]:
        """Return a measure on the training levels and on the test levels; NaN where its values were not recorded.

        Where levels are without limit, those that are played were hardly ever met before: one number is both.
        """
        train, test = (
            measure.make(*(self.values.get(name, math.nan) for name in names))
            for names in (measure.names, map(test_name, measure.names))
        )
        return train, train if math.isinf(self.levels) else test


def test_name(name: str) -> str:
    """Return how a value `eval/...` is called where it was measured on test levels."""
    return name.replace("/", "/test_", 1)


def last_evaluation(run: Path) -> LastEvaluation:
    """Return the last evaluation of a run.

    Raises:
        RunError, FileError: its configuration does not tell the number of levels, or its metrics cannot be read.
    """
    series = {name: one for name, one in load_metrics(run).items() if name.startswith("eval/")}
    step = max((int(one.steps[-1]) for one in series.values()), default=-1)
    values = {name: float(one.values[-1]) for name, one in series.items() if int(one.steps[-1]) == step}
    return LastEvaluation(_training_levels(run), step, values)


def _training_levels(run: Path) -> float:
    try:
        return float(int(read_settings(run)[LEVELS])) or math.inf
    except (FileNotFoundError, KeyError, ValueError) as error:
        raise RunError(
            f"The number of training levels of '{run}' is not known: its config.yaml has no {LEVELS}."
        ) from error


def over_chance(precision: float, base_rate: float) -> float:
    """Return an average precision on the scale where chance is 0 and perfection 1; NaN where there is but one case."""
    return (precision - base_rate) / (1 - base_rate) if base_rate < 1 else math.nan


def over_copying(error: float, copied: float) -> float:
    """Return an error as a share of that of copying the last frame; NaN where copying makes none."""
    return error / copied if copied > 0 else math.nan
