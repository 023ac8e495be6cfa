"""Errors of a world model against the horizon: it sees some frames, then predicts alone under the recorded actions."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from worldmodels.core.types import Batch
from worldmodels.evaluation.prediction import OpenLoopPrediction, Predictor
from worldmodels.evaluation.settings import marks
from worldmodels.models.api import WorldModel


class Curve(NamedTuple):
    """A mean over windows for each horizon 1, 2, ..., H; NaN where no window counts."""

    n: np.ndarray
    """int64 (H,): windows that count. Those whose episode ended before that step do not."""
    mean: np.ndarray
    """float64 (H,)."""
    standard_error: np.ndarray
    """float64 (H,)."""


class WorldModelErrors(NamedTuple):
    """Image errors are mean squared errors of pixels from 0 to 1; accuracies are shares from 0 to 1.

    A predicted reward is right where, of all rewards that occur in the recording, the true one is the nearest. A
    predicted continuation is right where its probability lies on the true side of a half: it is true that an episode
    goes on unless the world itself ended it, a time limit being no end. Both are rare events, so beside each accuracy
    stands that of always saying the same, and the shares of the rare events that were foreseen.
    """

    image_error: Curve
    copy_image_error: Curve
    """Of the last frame that was seen, copied."""
    looking_image_error: Curve
    """Of the model's image when it does see each frame: what its decoder leaves at best."""
    reward_error: Curve
    """Mean absolute error."""
    reward_accuracy: Curve
    """At that step."""
    reward_sum_accuracy: Curve
    """Of the sum of all rewards up to that step."""
    constant_reward_accuracy: Curve
    """Of always predicting the commonest reward."""
    constant_reward_sum_accuracy: Curve
    continuation_accuracy: Curve
    constant_continuation_accuracy: Curve
    """Of always predicting that the episode goes on."""
    uncommon_rewards: int
    """Steps with another reward than the commonest, over all horizons."""
    uncommon_rewards_found: float
    """Share of them predicted right; NaN where there were none."""
    ends: int
    """Ends of episodes, over all horizons."""
    ends_found: float
    """Share of them predicted; NaN where there were none."""


def evaluate_world_model(
    model: WorldModel, recording: Batch, context: int, key: np.ndarray, temperature: float = 1.0
) -> WorldModelErrors:
    """Compares the model with W recorded windows of C + H steps, C being `context`; see `Predictor.predict`."""
    return compare(Predictor(model, context).predict(recording, key, temperature), recording, context)


def compare(made: OpenLoopPrediction, recording: Batch, context: int) -> WorldModelErrors:
    """What a model predicted beside what was recorded, W windows of C + H steps, C being `context`.

    Where an episode ends, the end itself counts, and what comes after it does not.
    """
    truth, counts = recording.observation[:, context:], counting(recording.is_last, context)
    images = (made.frames, recording.observation[:, context - 1 : context], made.looking[:, context:])
    image, copy, looking = (mean_curve(_image_error(frames, truth), counts) for frames in images)
    return WorldModelErrors(
        image,
        copy,
        looking,
        **_reward_figures(made.rewards, recording.reward, context, counts),
        **_continuation_figures(made.continuations, recording.is_terminal[:, context:], counts),
    )


def error_metrics(errors: WorldModelErrors, suffix: str = "") -> dict[str, float]:
    """Errors as metrics: at a quarter of the horizon and at all of it, `eval/image_error_at_12` and `..._at_50` say.

    What no window reached is left out.
    """
    horizon = len(errors.image_error.n)
    names = (
        "image_error",
        "copy_image_error",
        "reward_accuracy",
        "reward_sum_accuracy",
        "constant_reward_sum_accuracy",
        "continuation_accuracy",
    )
    return {
        f"eval/{name}_at_{h}{suffix}": float(mean)
        for name in names
        for h in marks(horizon)
        if math.isfinite(mean := getattr(errors, name).mean[h - 1])
    }


def counting(is_last: np.ndarray, context: int) -> np.ndarray:
    """bool (W, H): whether each predicted step belongs to the episode of the last frame that was seen.

    Args:
        is_last: bool (W, C + H).
    """
    ended = np.logical_or.accumulate(is_last[:, context - 1 : -1], axis=1)
    return ~ended


def _image_error(made: np.ndarray, truth: np.ndarray) -> np.ndarray:
    """(W, H): mean squared error of each frame, pixels from 0 to 1."""
    # Window by window: in floating point, all of them at once would take gigabytes.
    distances = ((mine.astype(np.float32) - true) / 255 for mine, true in zip(made, truth, strict=True))
    return np.stack([np.square(distance).mean(axis=(1, 2, 3), dtype=np.float64) for distance in distances])


def mean_curve(values: np.ndarray, counts: np.ndarray) -> Curve:
    """The mean of `values` (W, H) over the windows that count."""
    n = counts.sum(0)
    with np.errstate(invalid="ignore", divide="ignore"):
        mean = np.where(counts, values, 0).sum(0) / n
        variance = np.where(counts, np.square(values - mean), 0).sum(0) / (n - 1)
        return Curve(n, mean, np.where(n > 1, np.sqrt(variance / n), math.nan))


def _share(right: np.ndarray, among: np.ndarray) -> float:
    return float(right[among].mean()) if among.any() else math.nan


def _reward_figures(made: np.ndarray, recorded: np.ndarray, context: int, counts: np.ndarray) -> dict[str, Any]:
    truth = recorded[:, context:].astype(np.float64)
    values, frequencies = np.unique(recorded, return_counts=True)
    said, commonest = _nearest(made, values), values[np.argmax(frequencies)]
    right = said == truth
    uncommon = counts & (truth != commonest)
    return {
        "reward_error": mean_curve(np.abs(made.astype(np.float64) - truth), counts),
        "reward_accuracy": mean_curve(right, counts),
        "reward_sum_accuracy": mean_curve(_same_sums(said, truth), counts),
        "constant_reward_accuracy": mean_curve(truth == commonest, counts),
        "constant_reward_sum_accuracy": mean_curve(_same_sums(np.full_like(truth, commonest), truth), counts),
        "uncommon_rewards": int(uncommon.sum()),
        "uncommon_rewards_found": _share(right, uncommon),
    }


def _nearest(numbers: np.ndarray, values: np.ndarray) -> np.ndarray:
    """Each number's nearest among the sorted `values`."""
    borders = (values[1:] + values[:-1]) / 2
    return values[np.searchsorted(borders, numbers)]


def _same_sums(said: np.ndarray, truth: np.ndarray) -> np.ndarray:
    """bool (W, H): the rewards up to each step add up to the same. Both are of the values that occur, so that only
    the order of the sum's terms differs, by far less than the tolerance."""
    same: np.ndarray = np.isclose(np.cumsum(said, 1, np.float64), np.cumsum(truth, 1, np.float64), 1e-9, 1e-6)
    return same


def _continuation_figures(made: np.ndarray, is_terminal: np.ndarray, counts: np.ndarray) -> dict[str, Any]:
    right = (made >= 0.5) == ~is_terminal
    ends = counts & is_terminal
    return {
        "continuation_accuracy": mean_curve(right, counts),
        "constant_continuation_accuracy": mean_curve(~is_terminal, counts),
        "ends": int(ends.sum()),
        "ends_found": _share(right, ends),
    }
