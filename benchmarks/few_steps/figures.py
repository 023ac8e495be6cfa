"""Computes the figures of an experiment: returns game by game, and the interquartile mean over all games.

The sample of every interval is the seeds: the episodes of one run share what that run happened to learn.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, TypeAlias

import numpy as np
from provenance import made_line

from few_steps.cells import Experiment
from worldmodels.analysis.runs.reference_scores import normalised_return
from worldmodels.analysis.statistics.bootstrap import (
    Strata,
    bootstrap,
    estimate,
    interquartile_difference,
    interquartile_mean,
    probability_of_improvement,
)
from worldmodels.envs.games.levels import MEASURED

Result: TypeAlias = dict[str, Any]
"""What `CellJob` keeps of a cell."""
MODE = "easy"
FORESIGHT = (
    "reward_average_precision",
    "reward_base_rate",
    "reward_ratio",
    "end_average_precision",
    "end_base_rate",
    "end_ratio",
    "image_error",
    "copy_image_error",
)


def experiment_figures(experiment: Experiment, results: Sequence[Result]) -> dict[str, Any]:
    """Return the figures of the results, of which there is at least one, as JSON's values."""
    present = [name for name in experiment.learners if any(r["learner"] == name for r in results)]
    games = [name for name in experiment.games if name in _games(results)]
    baseline = next(iter(experiment.learners))
    compared = {name: _compared(results, name, baseline) for name in present}
    return {
        "experiment": experiment.name,
        "steps": experiment.steps,
        "titles": {name: experiment.learners[name].title for name in present},
        "processors": sorted({r["processor"] for r in results}),
        "made": made_line(results),
        "learners": [_learner(name, results, compared[name]) for name in present],
        "pairs": [
            _pair(name, other, both)
            for name, other in _pairs(experiment)
            if {name, other} <= set(present) and (both := _compared(results, name, other))
        ],
        "games": [_game(game, name, results) for game in games for name in present if _of(results, name, game)],
        "foresight": [
            _foresight(game, name, found)
            for game in games
            for name in present
            if (found := [r for r in _of(results, name, game) if r["model"]])
        ],
    }


def _pairs(experiment: Experiment) -> Iterator[tuple[str, str]]:
    """Yield each learner with the first one, and with its controls."""
    baseline = next(iter(experiment.learners))
    for name, learner in experiment.learners.items():
        if name != baseline:
            yield name, baseline
        for control in learner.controls:
            yield name, control


def normalised(result: Result, levels: str, player: str = "policy") -> float:
    """Return the mean return of a result's `policy`, or of the `random` one beside it, on the scale of all games."""
    value = normalised_return(result["game"], MODE, result["returns"][levels][player]["mean"])
    return math.nan if value is None else value


def _compared(results: Sequence[Result], learner: str, baseline: str) -> list[Result]:
    """Return the results of a learner and of the baseline on games and seeds that both have finished: only those
    compare. Where there is none of the baseline, all of the learner's."""
    done = {(r["learner"], r["game"], r["seed"]) for r in results}
    both = {learner, baseline} & {r["learner"] for r in results}
    return [r for r in results if r["learner"] in both and all((name, r["game"], r["seed"]) in done for name in both)]


def _of(results: Iterable[Result], learner: str, game: str) -> list[Result]:
    return [r for r in results if (r["learner"], r["game"]) == (learner, game)]


def _strata(compared: Sequence[Result], learner: str, levels: str) -> Strata:
    """Return a learner's normalised returns, (S,) for each game."""
    return [np.array([normalised(r, levels) for r in _of(compared, learner, game)]) for game in _games(compared)]


def _games(results: Sequence[Result]) -> list[str]:
    return list(dict.fromkeys(r["game"] for r in results))


def _learner(name: str, results: Sequence[Result], compared: Sequence[Result]) -> dict[str, Any]:
    own = [r for r in results if r["learner"] == name]
    used = [r for r in compared if r["learner"] == name]
    return {
        "learner": name,
        "runs": len(own),
        "compared_runs": len(used),
        "compared_games": len(_games(used)),
        "steps": sorted({r["step"] for r in own}),
        "wall_minutes": _estimate([r["wall_seconds"] / 60 for r in own]),
        "processor_minutes": _estimate([r["processor_seconds"] / 60 for r in own]),
        "interquartile_mean": {
            levels: _bootstrap(interquartile_mean, _strata(used, name, levels)) for levels in MEASURED if used
        },
        "random_interquartile_mean": {
            levels: _interquartile_mean_of([normalised(r, levels, "random") for r in used])
            for levels in MEASURED
            if used
        },
    }


def _interquartile_mean_of(values: Sequence[float]) -> float:
    return float(interquartile_mean([np.array(values)]))


def _pair(name: str, baseline: str, compared: Sequence[Result]) -> dict[str, Any]:
    return {
        "learner": name,
        "baseline": baseline,
        "runs": len(compared) // 2,
        "games": len(_games(compared)),
        "levels": {levels: _comparison(name, baseline, levels, compared) for levels in MEASURED},
    }


def _comparison(name: str, baseline: str, levels: str, compared: Sequence[Result]) -> dict[str, Any]:
    ours, theirs = (_strata(compared, learner, levels) for learner in (name, baseline))
    return {
        "value": _bootstrap(interquartile_mean, ours),
        "baseline_value": _bootstrap(interquartile_mean, theirs),
        "random": _interquartile_mean_of([normalised(r, levels, "random") for r in compared if r["learner"] == name]),
        "difference": _bootstrap(interquartile_difference, ours, theirs),
        "probability_of_improvement": _bootstrap(probability_of_improvement, ours, theirs),
        "games_higher": sum(int(a.mean() > b.mean()) for a, b in zip(ours, theirs, strict=True)),
    }


def _game(game: str, learner: str, results: Sequence[Result]) -> dict[str, Any]:
    own = _of(results, learner, game)
    return {
        "game": game,
        "learner": learner,
        "seeds": [r["seed"] for r in own],
        "levels": {levels: _returns(own, levels) for levels in MEASURED},
    }


def _returns(own: Sequence[Result], levels: str) -> dict[str, Any]:
    each = [r["returns"][levels]["policy"]["mean"] for r in own]
    return {
        "returns": each,
        "mean": _estimate(each),
        "normalised": _estimate([normalised(r, levels) for r in own]),
        "random": float(np.mean([r["returns"][levels]["random"]["mean"] for r in own])),
        "random_normalised": float(np.mean([normalised(r, levels, "random") for r in own])),
    }


def _foresight(game: str, learner: str, found: Sequence[Result]) -> dict[str, Any]:
    """Return the means over seeds; what no seed tells is None."""
    means = {}
    for name in FORESIGHT:
        values = [r["model"][name] for r in found if r["model"][name] is not None]
        means[name] = float(np.mean(values)) if values else None
    return {"game": game, "learner": learner, "runs": len(found), **means}


def _estimate(values: Sequence[float]) -> dict[str, Any]:
    return _finite(estimate(values)._asdict())


def _bootstrap(statistic: Callable[..., Any], *learners: Strata) -> dict[str, Any]:
    return _finite(bootstrap(statistic, *learners)._asdict())


def _finite(tree: dict[str, float]) -> dict[str, Any]:
    """For JSON, which has no NaN: what too few seeds leave open is None."""
    return {name: value if math.isfinite(value) else None for name, value in tree.items()}
