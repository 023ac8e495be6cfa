"""Measures how well a world model predicts rewards and ends: rare events, which decide what a policy can learn from it.

From states along recorded play the model predicts a few steps ahead, under the recorded actions. What counts is whether
an event happens on the way, and not its exact step. One letter per axis: N starts, S steps ahead.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

STEPS = 5
"""Steps S that are looked ahead."""


class EventForesight(NamedTuple):
    """The foresight of a world model for what happens 1 to S steps ahead, over N starts.

    The average precision is the area under the curve of precision against recall as the threshold falls. It is 1 if
    every event had a higher prediction than any moment without one, and about the base rate for chance.
    """

    starts: int
    """The number N of starts."""
    reward_average_precision: float
    """The average precision of the expected size of rewards, for whether any is not 0; NaN where none is."""
    reward_base_rate: float
    """The share of starts after which there is such a reward."""
    reward_ratio: float
    """The sum of the model's expected rewards over the true one; NaN where that is 0."""
    end_average_precision: float
    """The average precision of the probability of an end, for whether the episode ends (time limits apart); NaN where
    none does."""
    end_base_rate: float
    """The share of starts after which the episode ends."""
    end_ratio: float
    """The sum of the model's probabilities over the number of ends; NaN where there is none."""
    unrewarded_end_average_precision: float
    """That of ends over the starts after which no reward comes. Where the end of a won episode pays and a death does
    not, these are the deaths; NaN where there is none."""
    unrewarded_end_base_rate: float
    """The share of these starts after which the episode ends; NaN where there is no such start."""
    unrewarded_end_ratio: float
    """The sum of the model's probabilities at these starts over the number of ends there; NaN where there is none."""


def event_foresight(
    predicted_reward: np.ndarray,
    predicted_continuation: np.ndarray,
    reward: np.ndarray,
    is_last: np.ndarray,
    is_terminal: np.ndarray,
) -> EventForesight:
    """Return how well predictions (N, S) foresee the rewards and flags (N, S) of the steps that really followed.

    What comes after the end of an episode does not count. A predicted reward counts by the probability that the model
    gives to getting there, so it needs no knowledge of the true end.
    """
    ended = np.logical_or.accumulate(is_last, axis=1)
    counts = np.concatenate([np.ones_like(ended[:, :1]), ~ended[:, :-1]], axis=1)
    alive = np.cumprod(predicted_continuation, axis=1, dtype=np.float64)
    reached = np.concatenate([np.ones_like(alive[:, :1]), alive[:, :-1]], axis=1)
    expected, true = reached * predicted_reward, np.where(counts, reward, 0).astype(np.float64)
    rewarded, ends = (true != 0).any(1), (is_terminal & counts).any(1)
    end_probability, unrewarded = 1 - alive[:, -1], ~rewarded
    return EventForesight(
        len(reward),
        average_precision(np.abs(expected).sum(1), rewarded),
        float(rewarded.mean()),
        _ratio(expected.sum(), true.sum()),
        *_end_foresight(end_probability, ends),
        *_end_foresight(end_probability[unrewarded], ends[unrewarded]),
    )


def _end_foresight(probability: np.ndarray, ends: np.ndarray) -> tuple[float, float, float]:
    """Return average precision, base rate and ratio of the probabilities (M,) of ends, bool (M,)."""
    base_rate = float(ends.mean()) if len(ends) else math.nan
    return average_precision(probability, ends), base_rate, _ratio(probability.sum(), ends.sum())


def average_precision(scores: np.ndarray, labels: np.ndarray) -> float:
    """Return the sum over thresholds of precision times the recall gained there; NaN where no label is true.

    Equal scores share a threshold.

    Args:
        scores: float (N,).
        labels: bool (N,).
    """
    if not labels.any():
        return math.nan
    order = np.argsort(-scores, kind="stable")
    scores, found = scores[order], np.cumsum(labels[order])
    thresholds = np.append(np.nonzero(np.diff(scores))[0], len(scores) - 1)  # the last rank of each score
    precision = found[thresholds] / (thresholds + 1)
    return float((np.diff(found[thresholds], prepend=0) * precision).sum() / found[-1])


def _ratio(predicted: float, true: float) -> float:
    return float(predicted / true) if true else math.nan
