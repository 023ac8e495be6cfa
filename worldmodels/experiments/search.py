"""Searches the values of a grid with Optuna, which trains some variants of the grid in place of all.

Optuna chooses a variant by the seed and the results so far. Finished runs are read and not trained again, so the same
command repeats the choices of a search that was stopped, and goes on with it. No file besides the runs is needed.
"""

from __future__ import annotations

from collections.abc import Sequence
from importlib import import_module
from importlib.util import find_spec
from typing import Any, NamedTuple

import numpy as np

from worldmodels.analysis.runs.records import load_series
from worldmodels.core.errors import UserError, pip_install
from worldmodels.core.output import print_text
from worldmodels.experiments.engine import LocalEngine, core_shares
from worldmodels.experiments.grid import Grid, GridRun
from worldmodels.experiments.grid_training import train_runs
from worldmodels.telemetry.display import number

FIRST = 5
"""Variants that are chosen at random; the results of these guide the choice of the next ones."""
REPEATS = 100
"""A search ends after so many choices in a row of variants that were trained before."""


class SearchOptions(NamedTuple):
    """The options of a search, as the command line has them."""

    trials: int
    """Variants to train at most."""
    measure: str | None = None
    """The recorded value that is compared, the last of a run, as a mean over the seeds; None: `eval/return`, or
    `episode/return` in runs without evaluations."""
    minimize: bool = False
    """Whether the least value is the best."""
    seed: int = 0
    """The seed of Optuna's choices."""
    retry: bool = False
    """Train failed runs again."""


class SearchOutcome(NamedTuple):
    """The values of the variants that were trained, in the order of their choice."""

    values: dict[str, float | None]
    """The mean over the seeds, by variant; None if a run failed."""
    best: str | None
    """The variant with the best value."""
    stopped: bool
    """Whether the search was interrupted."""


def search_grid(grid: Grid, options: SearchOptions, jobs: int = 1) -> SearchOutcome:
    """Train variants of a grid that Optuna chooses, each with all seeds, and print their values.

    Args:
        jobs: runs at once; the cores are divided evenly among them.

    Raises:
        UserError: Optuna is not installed; a run cannot be trained; or the runs do not record the measure.
    """
    variants = _variants(grid)
    keys = {key: values for key, values in grid.vary.items() if len(values) > 1}
    measure = _check(grid, options)
    optuna: Any = import_module("optuna")
    optuna.logging.set_verbosity(optuna.logging.WARNING)
    sampler = optuna.samplers.TPESampler(seed=options.seed, n_startup_trials=FIRST)
    study = optuna.create_study(direction="minimize" if options.minimize else "maximize", sampler=sampler)
    space = {key: _distribution(optuna, values) for key, values in keys.items()}
    names, count = list(variants), min(options.trials, len(variants))
    values: dict[str, float | None] = {}
    repeats, stopped = 0, False
    while len(values) < count and repeats < REPEATS:
        trial = study.ask(space)
        chosen = tuple(trial.params[key] for key in keys)
        name = names[int(np.ravel_multi_index(chosen, [len(x) for x in keys.values()])) if keys else 0]
        repeats = repeats + 1 if name in values else 0
        if name not in values:
            runs = variants[name]
            if not all(run.is_finished() for run in runs):
                outcome = train_runs(grid, runs, LocalEngine(core_shares(jobs)), options.retry)
                if stopped := bool(outcome.left):
                    break
            values[name] = _value(runs, measure)
            found = values[name]
            print_text(f"{len(values)} of {count}: {name}, {measure} {'failed' if found is None else number(found)}")
        # A value of None is a failed trial.
        study.tell(trial, values[name], state=optuna.trial.TrialState.FAIL if values[name] is None else None)
    known = {name: value for name, value in values.items() if value is not None}
    best = (min if options.minimize else max)(known, key=known.__getitem__) if known else None
    if repeats == REPEATS:
        print_text(f"Optuna chose no new variant {REPEATS} times, and the search ended.")
    if best is not None:
        print_text(f"Best of {len(known)}: {best}, {measure} {number(known[best])}. Its runs: {grid.folder / best}")
    return SearchOutcome(values, best, stopped)


def _variants(grid: Grid) -> dict[str, list[GridRun]]:
    """Return the runs of each variant, in the order of the combinations of values."""
    variants: dict[str, list[GridRun]] = {}
    for run in grid.runs:
        variants.setdefault(run.name.rpartition("/")[0], []).append(run)
    return variants


def _check(grid: Grid, options: SearchOptions) -> str:
    """Check what can be checked before the first run, and return the measure."""
    if find_spec("optuna") is None:
        raise UserError(f"A search needs Optuna, which is not installed: {pip_install('optuna')} brings it.")
    if options.trials < 1:
        raise UserError(f"--trials must be at least 1. Received {options.trials}.")
    if not 0 <= options.seed < 2**32:
        raise UserError(f"The seed of a search must be from 0 to {2**32 - 1}. Received {options.seed}.")
    grid.check()
    evaluated = all(run.config.schedule.evaluate_every for run in grid.runs)
    measure = options.measure or ("eval/return" if evaluated else "episode/return")
    if measure.startswith("eval/") and not evaluated:
        raise UserError(
            f"Runs of the grid '{grid.name}' are not evaluated (schedule.evaluate_every is 0), so they record no "
            f"'{measure}'. Give another --measure, such as episode/return."
        )
    return measure


def _distribution(optuna: Any, values: Sequence[Any]) -> Any:
    """Return the space of the indices of values: ordered where the values are ascending numbers."""
    last = len(values) - 1
    numbers = all(isinstance(value, (int, float)) and not isinstance(value, bool) for value in values)
    if numbers and sorted(values) == list(values):
        return optuna.distributions.IntDistribution(0, last)
    return optuna.distributions.CategoricalDistribution(tuple(range(last + 1)))


def _value(runs: Sequence[GridRun], measure: str) -> float | None:
    """Return the mean over runs of the last value of a measure; None if one of them is not finished."""
    if not all(run.is_finished() for run in runs):
        return None
    return float(np.mean([load_series(run.path, measure).values[-1] for run in runs]))
