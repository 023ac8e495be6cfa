"""Errors of a world model against the horizon: it sees some frames, then predicts alone under the recorded actions."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
import tensorflow as tf

from worldmodels.core.seeding import fold
from worldmodels.core.types import Batch
from worldmodels.models.api import WorldModel
from worldmodels.replay.sampling import previous_actions

ROWS = 64
"""Windows predicted at once: frames and states of more would not fit well into memory."""


class Prediction(NamedTuple):
    """What a model made of W windows of C + H steps."""

    looking: np.ndarray
    """uint8 (W, C + H, h, w, c): its image of each frame after having seen that frame."""
    frames: np.ndarray
    """uint8 (W, H, h, w, c): its images of the last H frames, predicted from the first C."""
    rewards: np.ndarray
    """float32 (W, H), predicted likewise."""
    continuations: np.ndarray
    """float32 (W, H): predicted probabilities that the episode goes on."""


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
    """At that step and all predicted ones before."""
    constant_reward_accuracy: Curve
    """Of always predicting the commonest reward."""
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
    """Compares the model with W recorded windows of C + H steps, C being `context`.

    Where an episode ends, the end itself counts, and what comes after it does not.

    Args:
        key: int32 (2,), of all samples.
        temperature: of the model's own randomness: 1 as learned, 0 the most probable future.
    """
    errors: dict[str, list[np.ndarray]] = {"image": [], "copy": [], "looking": []}
    rewards, continuations = [], []
    for rows, made in _batches(model, recording, context, key, temperature):
        truth = rows.observation[:, context:]
        errors["image"].append(_image_error(made.frames, truth))
        errors["copy"].append(_image_error(rows.observation[:, context - 1 : context], truth))
        errors["looking"].append(_image_error(made.looking[:, context:], truth))
        rewards.append(made.rewards)
        continuations.append(made.continuations)
    counts = counting(recording.is_last, context)
    image, copy, looking = (_mean(np.concatenate(values), counts) for values in errors.values())
    return WorldModelErrors(
        image,
        copy,
        looking,
        **_reward_figures(np.concatenate(rewards), recording.reward, context, counts),
        **_continuation_figures(np.concatenate(continuations), recording.is_terminal[:, context:], counts),
    )


def predict(model: WorldModel, windows: Batch, context: int, key: np.ndarray, temperature: float = 1.0) -> Prediction:
    """Follows W windows to their end, and predicts what comes after the first `context` steps without looking."""
    follow_key, imagine_key = fold(key, 0), fold(key, 1)
    shape = windows.action.shape
    states = model.observe_sequence(
        tf.constant(windows.observation),
        tf.constant(previous_actions(windows)),
        tf.constant(windows.is_first),
        tf.constant(follow_key),
    )
    flat = tf.nest.map_structure(lambda x: tf.reshape(x, (-1, *x.shape[2:])), states)
    looking = model.frame(flat).numpy().reshape(windows.observation.shape)
    state = tf.nest.map_structure(lambda x: x[:, context - 1], states)
    made = []
    for t in range(context, shape[1]):
        action, seed = tf.constant(windows.action[:, t - 1]), tf.constant(fold(imagine_key, t))
        state = model.imagine(state, action, tf.constant(temperature, tf.float32), seed)
        made.append([model.frame(state).numpy(), model.reward(state).numpy(), model.continuation(state).numpy()])
    frames, rewards, continuations = (np.stack(values, 1) for values in zip(*made, strict=True))
    return Prediction(looking, frames, rewards, continuations)


def counting(is_last: np.ndarray, context: int) -> np.ndarray:
    """bool (W, H): whether each predicted step belongs to the episode of the last frame that was seen.

    Args:
        is_last: bool (W, C + H).
    """
    ended = np.logical_or.accumulate(is_last[:, context - 1 : -1], axis=1)
    return ~ended


def _batches(
    model: WorldModel, recording: Batch, context: int, key: np.ndarray, temperature: float
) -> Iterator[tuple[Batch, Prediction]]:
    for start in range(0, len(recording.action), ROWS):
        rows = Batch._make(values[start : start + ROWS] for values in recording)
        yield rows, predict(model, rows, context, fold(key, start), temperature)


def _image_error(made: np.ndarray, truth: np.ndarray) -> np.ndarray:
    """(W, H): mean squared error of each frame, pixels from 0 to 1."""
    distance = (made.astype(np.float32) - truth) / 255
    error: np.ndarray = np.square(distance).mean(axis=(2, 3, 4), dtype=np.float64)
    return error


def _mean(values: np.ndarray, counts: np.ndarray) -> Curve:
    """The mean of `values` (W, H) over the windows that count."""
    n = counts.sum(0)
    with np.errstate(invalid="ignore", divide="ignore"):
        mean = np.where(counts, values, 0).sum(0) / n
        variance = np.where(counts, np.square(values - mean), 0).sum(0) / (n - 1)
        return Curve(n, mean, np.where(n > 1, np.sqrt(variance / n), math.nan))


def _share(right: np.ndarray, among: np.ndarray) -> float:
    return float(right[among].mean()) if among.any() else math.nan


def _reward_figures(made: np.ndarray, recorded: np.ndarray, context: int, counts: np.ndarray) -> dict[str, Any]:
    truth = recorded[:, context:]
    values, frequencies = np.unique(recorded, return_counts=True)
    commonest = values[np.argmax(frequencies)]
    right = _nearest(made, values) == truth
    uncommon = counts & (truth != commonest)
    return {
        "reward_error": _mean(np.abs(made.astype(np.float64) - truth), counts),
        "reward_accuracy": _mean(right, counts),
        "reward_sum_accuracy": _mean(np.logical_and.accumulate(right, axis=1), counts),
        "constant_reward_accuracy": _mean(truth == commonest, counts),
        "uncommon_rewards": int(uncommon.sum()),
        "uncommon_rewards_found": _share(right, uncommon),
    }


def _nearest(numbers: np.ndarray, values: np.ndarray) -> np.ndarray:
    """Each number's nearest among the sorted `values`."""
    borders = (values[1:] + values[:-1]) / 2
    return values[np.searchsorted(borders, numbers)]


def _continuation_figures(made: np.ndarray, is_terminal: np.ndarray, counts: np.ndarray) -> dict[str, Any]:
    right = (made >= 0.5) == ~is_terminal
    ends = counts & is_terminal
    return {
        "continuation_accuracy": _mean(right, counts),
        "constant_continuation_accuracy": _mean(~is_terminal, counts),
        "ends": int(ends.sum()),
        "ends_found": _share(right, ends),
    }
