"""Measures how well a network that reads the game's true variables from real frames reads them from imagined ones.

The network learns from real frames alone. So its error on an imagined frame, beyond its error on the real frame of the
same step, is an error of the world model. Environments play held random actions: whatever its family, each model of a
game is measured with the same network on the same windows.

One letter per axis: M moments, W windows, C steps that are observed, H that are predicted, V variables, T things, K
numbers of steps ahead.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from worldmodels.acting.exploring_actor import HeldActor
from worldmodels.evaluation.evaluator import Evaluator
from worldmodels.evaluation.measure import Measure, Occasion
from worldmodels.evaluation.measures.knowledge import explained
from worldmodels.evaluation.predictions.frame_reader import Names, Reader, Truth, names_of, truth_of
from worldmodels.evaluation.predictions.model_errors import counting
from worldmodels.evaluation.predictions.windows import play_told
from worldmodels.evaluation.report.numbers import finite_list, number
from worldmodels.telemetry.run_table import print_table

STEPS = (1, 5, 15, 30, 100)
"""Steps ahead at which frames are read, as far as the horizon reaches."""
PLAYED = 1000
"""Steps that each environment plays."""
MOMENTS = 8192
"""Real frames from which the reader learns."""
READABLE = 0.5
"""Share of the way from knowing nothing to no error that the reader must come on real frames of other environments.
Names that it reads worse, the place in the level for example, are left out."""
LEAST = 8
"""Windows that a figure needs."""


class Compared(NamedTuple):
    """Figures of what is read of three kinds of frames; NaN where too few windows have what is read."""

    names: tuple[str, ...]
    """The V variables or T things."""
    imagined: np.ndarray
    """float64 (V, K): read from frames that the model imagined."""
    real: np.ndarray
    """float64 (V, K): read from the real frames of the same steps: what the reader itself leaves."""
    copied: np.ndarray
    """float64 (V, K): read from the last frame that the model saw."""


class Readings(NamedTuple):
    """The figures of what is read, by the steps ahead."""

    steps: tuple[int, ...]
    """The K numbers of steps."""
    places: Compared
    """Mean absolute errors, in cells of the game, of places that are truly there."""
    things: Compared
    """Shares of right answers whether a thing is there: the mean of the share of windows where it is, and of the share
    where it is not. 0.5 is knowing nothing."""


def read_frames(evaluator: Evaluator, occasion: Occasion) -> Readings | None:
    """Play, train a reader, and compare what it reads of imagined and of real frames; None without such variables."""
    env, streams, settings = evaluator.env, evaluator.streams, evaluator.settings
    names = names_of(env.variable_units)
    if evaluator.spec.image is None or not names.places:
        return None
    evaluator.report(f"Reading {len(names.places)} places of the game from imagined frames")
    context, seed = settings.context, streams.integer("readings")
    actor = HeldActor(env.num_envs, env.action_spec.count, streams.generator("held"))
    length = context + settings.horizon
    played = play_told(env, actor, MOMENTS, settings.windows, length, seed, PLAYED)
    moments = evaluator.spec.image_of(played.moments.observation)[:, 0]
    reader = Reader(moments, truth_of(played.variables, env.variable_units), streams.integer("reader"))
    frames = evaluator.spec.image_of(played.windows.observation)
    steps = [step for step in STEPS if step <= settings.horizon]
    ahead = [context + step - 1 for step in steps]
    imagined = evaluator.predictor.predict(played.windows, streams.key("imagined readings")).frame
    read = [reader.read(each) for each in (imagined[:, [step - 1 for step in steps]], frames[:, ahead])]
    copied = reader.read(frames[:, context - 1 : context])
    counts = counting(played.windows.is_last, context)[:, [step - 1 for step in steps]]
    found = compare(names, steps, [*read, copied], truth_of(played.truth[:, ahead], env.variable_units), counts)
    return found if found.places.names or found.things.names else None


def compare(names: Names, steps: Sequence[int], read: Sequence[Truth], truth: Truth, counts: np.ndarray) -> Readings:
    """Return the figures of what was read of W windows at K steps.

    Args:
        read: what was read of imagined frames, of real ones, and of the last one seen (W, 1).
        truth: of the same steps.
        counts: bool (W, K): the steps that belong to the episode of the last frame seen.
    """
    places = [_errors(each.places, truth.places, counts) for each in read]
    things = [_shares(each.there, truth.there, counts) for each in read]
    real, pairs = read[1], counts[..., None] & np.isfinite(truth.places)
    share = [
        explained(real.places[..., v][rows], truth.places[..., v][rows]) if rows.sum() >= LEAST else np.nan
        for v, rows in enumerate(np.moveaxis(pairs, -1, 0))
    ]
    pooled = [each.there.reshape(-1, 1, len(names.things)) for each in (real, truth)]
    told = 2 * _shares(pooled[0], pooled[1], counts.reshape(-1, 1)) - 1
    return Readings(
        tuple(steps),
        _readable(names.places, places, np.array(share)),
        _readable(names.things, things, told[:, 0]),
    )


def _readable(names: Sequence[str], figures: Sequence[np.ndarray], share: np.ndarray) -> Compared:
    """Return the figures whose names the reader reads well enough, by the share (V,) of the way that it comes."""
    good = [index for index in range(len(names)) if share[index] >= READABLE]
    return Compared(tuple(names[index] for index in good), *(each[good] for each in figures))


def _errors(read: np.ndarray, truth: np.ndarray, counts: np.ndarray) -> np.ndarray:
    """Return the mean absolute errors (V, K) of places where they count and are there."""
    error = np.where(counts[..., None], np.abs(read - truth), np.nan)
    return np.array([[_mean(column) for column in rows.T] for rows in np.moveaxis(error, -1, 0)])


def _shares(read: np.ndarray, truth: np.ndarray, counts: np.ndarray) -> np.ndarray:
    """Return the mean (T, K) of the shares that are right among things that are there, and among those that are not."""
    right = (read == truth).astype(np.float64)
    halves = [np.where(counts[..., None] & (truth == there), right, np.nan) for there in (True, False)]
    means = [[[_mean(column) for column in rows.T] for rows in np.moveaxis(half, -1, 0)] for half in halves]
    result: np.ndarray = np.array(means).mean(0)
    return result


def _mean(values: np.ndarray) -> float:
    found = values[np.isfinite(values)]
    return float(found.mean()) if len(found) >= LEAST else float("nan")


METRICS = {"places": "reading_error", "things": "things_seen"}
KINDS = {"imagined": "", "real": "real_", "copied": "copied_"}


def _means(found: Readings) -> dict[str, dict[str, np.ndarray]]:
    """Return the means (K,) over variables and over things, of each kind of frames."""
    return {
        part: {kind: np.array([_finite_mean(column) for column in getattr(compared, kind).T]) for kind in KINDS}
        for part, compared in (("places", found.places), ("things", found.things))
    }


def _finite_mean(values: np.ndarray) -> float:
    found = values[np.isfinite(values)]
    return float(found.mean()) if len(found) else float("nan")


def reading_metrics(found: Readings) -> dict[str, float]:
    """Return the means as metrics: `eval/reading_error_at_15`, `eval/real_reading_error_at_15`, and so on."""
    return {
        f"eval/{before}{METRICS[part]}_at_{step}": float(value)
        for part, means in _means(found).items()
        for kind, before in KINDS.items()
        for step, value in zip(found.steps, means[kind], strict=True)
        if np.isfinite(value)
    }


def print_readings(found: Readings, levels: str) -> None:
    """Print the figures on some levels, with a column for each step."""
    means = _means(found)
    for part, compared, title, caption in (
        (
            "places",
            found.places,
            "Errors of places, in cells",
            "read from frames by a network that saw real ones alone",
        ),
        (
            "things",
            found.things,
            "Things seen",
            "the share of right answers whether each is there; 0.5 is no knowledge",
        ),
    ):
        if compared.names:
            rows = [*zip(compared.names, compared.imagined, strict=True), ("mean", means[part]["imagined"])]
            rows += [
                ("... of the real frames", means[part]["real"]),
                ("... of the last one seen", means[part]["copied"]),
            ]
            cells = [[name, *(number(value) for value in values)] for name, values in rows]
            print_table(f"{title}, {levels}", ["steps ahead", *map(str, found.steps)], cells, f"{title}: {caption}.")


def readings_tree(found: Readings) -> dict[str, Any]:
    """Return the figures by name; entry k of a list is for the number k of `steps`."""
    tree: dict[str, Any] = {"steps": list(found.steps)}
    for part, compared in (("places", found.places), ("things", found.things)):
        tree[part] = {
            name: {kind: finite_list(getattr(compared, kind)[index]) for kind in KINDS}
            for index, name in enumerate(compared.names)
        }
    return tree


READINGS = Measure(
    name="readings",
    run=read_frames,
    metrics=reading_metrics,
    needs=("world model", "variables"),
    occasions=("model",),
    table=print_readings,
    tree=readings_tree,
)
"""The true variables of the game that a network reads from imagined frames; like sharpness, it takes a minute."""
