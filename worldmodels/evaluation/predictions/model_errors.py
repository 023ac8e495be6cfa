"""Computes errors of a world model against the horizon: it observes frames, then predicts under recorded actions.

One letter per axis: W windows, C steps that are observed (the context), H steps that are predicted.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np

from worldmodels.core.types import Batch
from worldmodels.evaluation.predictions.event_foresight import EventForesight
from worldmodels.evaluation.predictions.frame_errors import FrameErrors, frame_errors
from worldmodels.models.api import ModelSpec


class MeasuredPrediction(NamedTuple):
    """A prediction of W windows, of whose frames only the errors are kept."""

    frame_errors: FrameErrors | tuple[()]
    """The errors of each predicted frame, (W, H); () for a model without images."""
    reward: np.ndarray
    """float32 (W, H): the predicted rewards."""
    continuation: np.ndarray
    """float32 (W, H): the predicted probabilities that the episode goes on."""
    state_errors: FrameErrors | tuple[()] = ()
    """The errors of the images that the states alone say, (W, H); () for a model that copies nothing."""
    vectors: Mapping[str, np.ndarray] = MappingProxyType({})
    """float32 (W, H, D): the predicted vectors, by the names of their parts."""


class MeasuredReconstruction(NamedTuple):
    """The errors of a model's images of T frames that it observed, in W windows."""

    frame_errors: FrameErrors
    """The errors of each image, (W, T)."""
    state_errors: FrameErrors | tuple[()] = ()
    """The errors of the images that the states alone say, (W, T); () for a model that copies nothing."""


class Curve(NamedTuple):
    """A curve is a mean over windows for each horizon 1, 2, ..., H; NaN where no window counts."""

    n: np.ndarray
    """int64 (H,): the number of windows that count; those whose episode ended before that step do not."""
    mean: np.ndarray
    """float64 (H,)."""
    standard_error: np.ndarray
    """float64 (H,): of the mean; NaN for fewer than two windows."""


class WorldModelErrors(NamedTuple):
    """The errors of a world model: those of images are mean squared, of pixels from 0 to 1; accuracies are shares.

    A predicted reward is right where, of all rewards that occur in the windows, the true one is the nearest. A
    predicted continuation is right if its probability lies on the true side of a half. An episode truly goes on unless
    the world itself ended it; a time limit is no end. Both are rare events, so beside each accuracy
    stands that of always predicting the same, and the shares of the rare events that were predicted.
    """

    image_error: Curve | None
    """The error of the predicted image. None for a model without images, as all that follow of images."""
    copy_image_error: Curve | None
    """The error of the last observed frame, copied."""
    reconstruction_error: Curve | None
    """The error of the model's image of a frame that it observes: the least that its decoder leaves. None for a model
    that reconstructs nothing (`ModelSpec.reconstructs`)."""
    moving_image_error: Curve | None
    """The error of the predicted image over the pixels that truly move; windows in which none does do not count."""
    copy_moving_image_error: Curve | None
    """The error of the last observed frame over those pixels, copied."""
    moving_reconstruction_error: Curve | None
    """The error of the model's image of a frame that it observes over those pixels."""
    state_image_error: Curve | None
    """The error of the image that the predicted state alone says, nothing being copied from the frame before. None for
    a model that copies nothing (`ModelSpec.copies`): its image is that one. The same holds for the three below."""
    state_reconstruction_error: Curve | None
    """The error of the image that the state alone says of a frame that it observes."""
    moving_state_image_error: Curve | None
    """The error of the image that the predicted state alone says over the pixels that truly move."""
    moving_state_reconstruction_error: Curve | None
    """The error of the image that the state alone says of a frame that it observes over those pixels."""
    vector_error: Curve | None
    """The squared error of the predicted vectors, each number in units of its variance: 1 is as good as its mean. None
    for a model without vectors."""
    copy_vector_error: Curve | None
    """That of the last observed vectors, copied."""
    foresight: EventForesight | None
    """The foresight of rewards and ends a few steps ahead; None where that was not measured."""
    reward_error: Curve
    """The mean absolute error of the reward."""
    reward_accuracy: Curve
    """The share of rewards at that step that are right."""
    reward_sum_accuracy: Curve
    """The share of sums of all rewards up to that step that are right."""
    constant_reward_accuracy: Curve
    """The reward accuracy of always predicting the commonest reward."""
    constant_reward_sum_accuracy: Curve
    """The reward sum accuracy of always predicting the commonest reward."""
    continuation_accuracy: Curve
    """The share of continuations at that step that are right."""
    constant_continuation_accuracy: Curve
    """The continuation accuracy of always predicting that the episode continues."""
    uncommon_rewards: int
    """The number of steps with another reward than the commonest, over all horizons."""
    uncommon_rewards_found: float
    """The share of them that was predicted right; NaN where there were none."""
    ends: int
    """The number of ends of episodes, over all horizons."""
    ends_found: float
    """The share of them that was predicted; NaN where there were none."""


def model_errors(
    predicted: MeasuredPrediction,
    windows: Batch,
    context: int,
    spec: ModelSpec,
    reconstruction: MeasuredReconstruction | None = None,
    foresight: EventForesight | None = None,
) -> WorldModelErrors:
    """Return the errors of a prediction of W windows of C + H steps, C being `context`.

    Where an episode ends, the end itself counts, and what comes after it does not.

    Args:
        spec: of the model.
        reconstruction: the errors of the model's images of the C + H frames that it observes, if it has any.
        foresight: what else was measured of it.
    """
    counts = counting(windows.is_last, context)
    copied: FrameErrors | tuple[()] = ()
    if spec.image is not None:
        observed = spec.image_of(windows.observation)
        copied = frame_errors(observed[:, context - 1 : context], observed, context)
    image, copy_image = _frame_curves(predicted.frame_errors, counts), _frame_curves(copied, counts)
    alone = _frame_curves(predicted.state_errors, counts)
    seen = _frame_curves(reconstruction.frame_errors if reconstruction else (), counts)
    seen_alone = _frame_curves(reconstruction.state_errors if reconstruction else (), counts)
    return WorldModelErrors(
        image_error=image[0],
        copy_image_error=copy_image[0],
        reconstruction_error=seen[0],
        moving_image_error=image[1],
        copy_moving_image_error=copy_image[1],
        moving_reconstruction_error=seen[1],
        state_image_error=alone[0],
        state_reconstruction_error=seen_alone[0],
        moving_state_image_error=alone[1],
        moving_state_reconstruction_error=seen_alone[1],
        **_vector_figures(predicted.vectors, spec.observation.arrays(windows.observation), context, counts),
        foresight=foresight,
        **_reward_figures(predicted.reward, windows.reward, context, counts),
        **_continuation_figures(predicted.continuation, windows.is_terminal[:, context:], counts),
    )


def reported_horizons(horizon: int) -> list[int]:
    """Return the horizons at which single numbers are reported: one step, a quarter, and the whole."""
    return sorted({1, max(1, horizon // 4), horizon})


def counting(is_last: np.ndarray, context: int) -> np.ndarray:
    """Return whether each predicted step belongs to the episode of the last observed frame, bool (W, H).

    Args:
        is_last: bool (W, C + H).
    """
    ended = np.logical_or.accumulate(is_last[:, context - 1 : -1], axis=1)
    return ~ended


def mean_curve(values: np.ndarray, counts: np.ndarray) -> Curve:
    """Return the mean of `values` (W, H) over the windows that count, bool (W, H)."""
    n = counts.sum(0)
    with np.errstate(invalid="ignore", divide="ignore"):
        mean = np.where(counts, values, 0).sum(0) / n
        variance = np.where(counts, np.square(values - mean), 0).sum(0) / (n - 1)
        return Curve(n, mean, np.where(n > 1, np.sqrt(variance / n), math.nan))


def _frame_curves(errors: FrameErrors | tuple[()], counts: np.ndarray) -> tuple[Any, Any]:
    """Return the curves of the last H steps of errors, over all pixels and over those that move; of none, None."""
    if not errors:
        return None, None
    everywhere, moving = (values[:, -counts.shape[1] :] for values in errors)
    return mean_curve(everywhere, counts), mean_curve(moving, counts & np.isfinite(moving))


def _vector_figures(
    predicted: Mapping[str, np.ndarray], observed: Mapping[str, np.ndarray], context: int, counts: np.ndarray
) -> dict[str, Any]:
    if not predicted:
        return {"vector_error": None, "copy_vector_error": None}
    observed = {name: observed[name] for name in predicted}
    copied = vector_errors(copied_vectors(observed, context), observed, context)
    return {
        "vector_error": mean_curve(vector_errors(predicted, observed, context), counts),
        "copy_vector_error": mean_curve(copied, counts),
    }


def _share(right: np.ndarray, among: np.ndarray) -> float:
    return float(right[among].mean()) if among.any() else math.nan


def _reward_figures(predicted: np.ndarray, recorded: np.ndarray, context: int, counts: np.ndarray) -> dict[str, Any]:
    truth = recorded[:, context:].astype(np.float64)
    values, frequencies = np.unique(recorded, return_counts=True)
    nearest, commonest = _nearest(predicted, values), values[np.argmax(frequencies)]
    right = nearest == truth
    uncommon = counts & (truth != commonest)
    return {
        "reward_error": mean_curve(np.abs(predicted.astype(np.float64) - truth), counts),
        "reward_accuracy": mean_curve(right, counts),
        "reward_sum_accuracy": mean_curve(_same_sums(nearest, truth), counts),
        "constant_reward_accuracy": mean_curve(truth == commonest, counts),
        "constant_reward_sum_accuracy": mean_curve(_same_sums(np.full_like(truth, commonest), truth), counts),
        "uncommon_rewards": int(uncommon.sum()),
        "uncommon_rewards_found": _share(right, uncommon),
    }


def _nearest(numbers: np.ndarray, values: np.ndarray) -> np.ndarray:
    """Return the nearest to each number among the sorted `values`."""
    borders = (values[1:] + values[:-1]) / 2
    return values[np.searchsorted(borders, numbers)]


def _same_sums(predicted: np.ndarray, truth: np.ndarray) -> np.ndarray:
    """Return whether the rewards up to each step add up to the same, bool (W, H).

    Both hold values that occur, so that only the order of the terms differs, by far less than the tolerance.
    """
    same: np.ndarray = np.isclose(np.cumsum(predicted, 1, np.float64), np.cumsum(truth, 1, np.float64), 1e-9, 1e-6)
    return same


def _continuation_figures(predicted: np.ndarray, is_terminal: np.ndarray, counts: np.ndarray) -> dict[str, Any]:
    right = (predicted >= 0.5) == ~is_terminal
    ends = counts & is_terminal
    return {
        "continuation_accuracy": mean_curve(right, counts),
        "constant_continuation_accuracy": mean_curve(~is_terminal, counts),
        "ends": int(ends.sum()),
        "ends_found": _share(right, ends),
    }


def vector_errors(predicted: Mapping[str, np.ndarray], observed: Mapping[str, np.ndarray], context: int) -> np.ndarray:
    """Return the mean over all numbers of squared errors over variances, float64 (W, H): 1 is as good as the mean.

    Numbers that never change are left out.

    Args:
        predicted: float32 (W, H, D), or (W, 1, D) for one prediction of all steps, by the names of parts.
        observed: float32 (W, C + H, D), the recorded vectors of the same parts.
    """
    guess, truth = (np.concatenate([of[name] for name in predicted], -1).astype(float) for of in (predicted, observed))
    variance = truth.var((0, 1))
    varies = variance > 0
    error = np.square(guess - truth[:, context:])[..., varies] / variance[varies]
    result: np.ndarray = error.mean(-1) if varies.any() else np.zeros(error.shape[:2])
    return result


def copied_vectors(observed: Mapping[str, np.ndarray], context: int) -> dict[str, np.ndarray]:
    """Return the last vectors of the context, as a prediction of all steps: float32 (W, 1, D) by name."""
    return {name: values[:, context - 1 : context] for name, values in observed.items()}
