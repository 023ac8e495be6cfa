"""Measures how well linear probes read the true variables of the game from the features of a world model.

A probe is a linear regression from features to one variable, fitted while the model sees every frame, and tested on
windows of other environments. The same probe then reads the features of imagined states: information that the model
loses is lost to the probe, too. Alain & Bengio (2017) proposed such probes; Anand et al. (2019) probe Atari's memory.

One letter per axis: M moments, W windows, C steps that are observed, H that are predicted, F features, V variables.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from worldmodels.evaluation.evaluator import Evaluator
from worldmodels.evaluation.measure import Extras, Measure, Occasion
from worldmodels.evaluation.predictions.model_errors import counting, reported_horizons
from worldmodels.evaluation.predictions.windows import play_probed
from worldmodels.evaluation.probes import Probes
from worldmodels.evaluation.report.numbers import finite, finite_list, number
from worldmodels.telemetry.run_table import print_table

RIDGE = 1e-2
"""Weight of the squared coefficients, of features with variance 1, for each sample: so that rare features explain no
more than they should."""
WINDOWS = 128
"""Windows that test probes, at most: enough for a share of variance, and half of the memory."""
LEAST_SAMPLES = 100
"""Samples that a variable needs on both sides to be probed."""


class Knowledge(NamedTuple):
    """The share of the variance of each variable that a probe explains, on windows that it was not fitted on.

    1: all of it; 0: no more than always saying the mean; less: worse than that. NaN: the variable was there too seldom,
    or always the same.
    """

    units: Mapping[str, str]
    """The unit of each variable, by its name."""
    horizons: tuple[int, ...]
    """The steps ahead K at which imagined states are probed."""
    seen: np.ndarray
    """float64 (V,): of states that the model had when it saw the frame."""
    ahead: np.ndarray
    """float64 (V, K): of states that the model imagined under the recorded actions."""
    kept: np.ndarray
    """float64 (V, K): of saying that the variable stays as it truly was when the model last saw a frame."""
    probes: Probes
    """The fitted probes, with what they explain."""


class ProbeData(NamedTuple):
    """The features and variables that fit the probes, and those that test them."""

    features: np.ndarray
    """float32 (M, F): the features of observed states."""
    variables: np.ndarray
    """float32 (M, V): what is true of these moments; NaN where a thing is not there."""
    seen: np.ndarray
    """float32 (W, C + H, F): the features of observed states, in windows of other environments."""
    imagined: np.ndarray
    """float32 (W, H, F): the features of imagined states, after C observed ones."""
    truth: np.ndarray
    """float32 (W, C + H, V): what is true of each step of the windows."""
    counts: np.ndarray
    """bool (W, H): the predicted steps that belong to the episode of the last observed frame."""


def read_variables(evaluator: Evaluator, occasion: Occasion) -> Knowledge:
    """Play, and return what linear probes read of the game's true variables."""
    settings, env, streams = evaluator.settings, evaluator.env, evaluator.streams
    evaluator.report(f"Reading {len(env.variable_names)} variables of the game from the model's features")
    evaluator.actor.reset(streams.key("probed"))
    length, windows = settings.context + settings.horizon, min(settings.windows, WINDOWS)
    played = play_probed(env, evaluator.actor, windows, length, streams.integer("probed"))
    seen, imagined = evaluator.predictor.features(played.windows, streams.key("features"))
    counts = counting(played.windows.is_last, settings.context)
    data = ProbeData(played.features, played.variables, seen, imagined, played.truth, counts)
    return probe(data, env.variable_units, reported_horizons(settings.horizon))


def probe(data: ProbeData, units: Mapping[str, str], horizons: Sequence[int]) -> Knowledge:
    """Return what linear probes read from features, at some of the horizons 1 to H."""
    mean, scale = _moments(data.features)
    fitted, seen, imagined = (_with_constant((x - mean) / scale) for x in (data.features, data.seen, data.imagined))
    probes = [_fit(fitted, values) for values in data.variables.T.astype(np.float64)]
    counts = np.concatenate([np.ones((len(seen), seen.shape[1] - imagined.shape[1]), bool), data.counts], 1)
    context = seen.shape[1] - imagined.shape[1]
    figures = []
    for weights, truth in zip(probes, np.moveaxis(data.truth.astype(np.float64), -1, 0), strict=True):
        last = truth[:, context - 1]
        row = [_tested(seen[:, context - 1 :] @ weights, truth[:, context - 1 :], counts[:, context - 1 :])]
        for h in horizons:
            now, still = truth[:, context + h - 1], counts[:, context + h - 1] & np.isfinite(last)
            row += [_tested(imagined[:, h - 1] @ weights, now, still), _tested(last, now, still)]
        figures.append(row)
    table = np.array(figures)
    read, ahead, kept = table[:, 0], table[:, 1::2], table[:, 2::2]
    # Of features as they are: their mean and scale become a part of the weights.
    weights = np.array(probes)
    plain = weights[:, :-1] / scale.astype(np.float64)
    fitted_probes = Probes(dict(units), plain, weights[:, -1] - plain @ mean, read, ahead, np.array(horizons))
    return Knowledge(units, tuple(horizons), read, ahead, kept, fitted_probes)


def _fit(features: np.ndarray, values: np.ndarray) -> np.ndarray:
    """Return the weights (F + 1,) of a ridge regression to values (M,); NaN where too few are there."""
    there = np.isfinite(values)
    if there.sum() < LEAST_SAMPLES:
        return np.full(features.shape[1], np.nan)
    features, values = features[there].astype(np.float64), values[there]
    penalty = RIDGE * len(features) * np.eye(features.shape[1])
    penalty[-1, -1] = 0  # the constant is free
    weights: np.ndarray = np.linalg.solve(features.T @ features + penalty, features.T @ values)
    return weights


def _tested(predicted: np.ndarray, truth: np.ndarray, counts: np.ndarray) -> float:
    """Return what predictions explain of the truth where it is there and counts; NaN where that is too seldom."""
    rows = counts & np.isfinite(truth)
    return explained(predicted[rows], truth[rows]) if rows.sum() >= LEAST_SAMPLES else float("nan")


def explained(predicted: np.ndarray, truth: np.ndarray) -> float:
    """Return the share of the variance of `truth` (N,) that predictions explain: 1 - error / variance.

    NaN where the truth is always the same.
    """
    variance = truth.var()
    return float(1 - np.square(predicted - truth).mean() / variance) if variance > 1e-12 else float("nan")


def knowledge_metrics(knowledge: Knowledge) -> dict[str, float]:
    """Return the means over variables as metrics: `eval/known`, `eval/known_at_15` and `eval/known_if_kept_at_15`.

    A probe that does worse than the mean counts as 0, for it says no more than that the variable is not known.
    """
    curves = {"eval/known": knowledge.seen}
    for k, h in enumerate(knowledge.horizons):
        curves |= {f"eval/known_at_{h}": knowledge.ahead[:, k], f"eval/known_if_kept_at_{h}": knowledge.kept[:, k]}
    return {
        name: float(np.maximum(values[np.isfinite(values)], 0).mean())
        for name, values in curves.items()
        if np.isfinite(values).any()
    }


def _moments(features: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return mean and standard deviation (F,) of features (..., F); features that never change count as 0."""
    rows = features.reshape(-1, features.shape[-1])
    mean, deviation = rows.mean(0, dtype=np.float64), rows.std(0, dtype=np.float64)
    # Narrow again: what is standardised with them, all features at once, stays so too.
    return mean.astype(np.float32), np.where(deviation > 1e-6, deviation, np.inf).astype(np.float32)


def _with_constant(features: np.ndarray) -> np.ndarray:
    return np.concatenate([features, np.ones_like(features[..., :1])], -1)


def print_knowledge(knowledge: Knowledge, levels: str) -> None:
    """Print which variables of the game linear probes read from the model's features."""
    ahead = [f"{h} ahead" for h in knowledge.horizons]
    rows = [
        [f"{name}, {unit}", *(number(value) for value in (seen, *predicted, kept[-1]))]
        for (name, unit), seen, predicted, kept in zip(
            knowledge.units.items(), knowledge.seen, knowledge.ahead, knowledge.kept, strict=True
        )
        if math.isfinite(seen)
    ]
    caption = (
        "The share of each variable's variance that a linear probe explains; below 0 is worse than always saying the "
        f"mean. Kept: saying {knowledge.horizons[-1]} steps ahead that it stays as it is."
    )
    print_table(f"Variables that probes read, {levels}", ["variable", "seen", *ahead, "kept"], rows, caption)


def knowledge_tree(knowledge: Knowledge) -> dict[str, Any]:
    """Return what probes read, by the name of the variable; entry k of a list is for the horizon k of `horizons`."""
    variables = {
        name: {"unit": unit, "seen": finite(seen), "ahead": finite_list(ahead), "kept": finite_list(kept)}
        for (name, unit), seen, ahead, kept in zip(
            knowledge.units.items(), knowledge.seen, knowledge.ahead, knowledge.kept, strict=True
        )
    }
    return {"horizons": list(knowledge.horizons), "variables": variables}


KNOWLEDGE = Measure(
    name="knowledge",
    run=read_variables,
    metrics=knowledge_metrics,
    needs=("world model", "variables"),
    table=print_knowledge,
    tree=knowledge_tree,
    extras=lambda knowledge, evaluator, occasion: Extras(probes=knowledge.probes),
    shift=lambda knowledge: {"known": knowledge_metrics(knowledge).get("eval/known", math.nan)},
    shift_columns={"known": "known"},
)
"""The variables of the game that probes read from the world model's features."""
