"""Whether a world model knows what actions do: from real states, all actions are tried in the game and in the model.

The game can be saved and restored, so that every action starts at the very same moment. One letter per axis: A actions,
N states, S steps for which an action is held.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt


class Outcomes(NamedTuple):
    """The outcomes of each action in each state."""

    frame: np.ndarray
    """uint8 (A, N, h, w, c): the frame after S steps."""
    reward: np.ndarray
    """float64 (A, N): the sum of the rewards on the way; the model's count by the probability of getting there."""
    ended: npt.NDArray[np.bool_]
    """bool (A, N): the episode ended on the way."""


class ActionEffects(NamedTuple):
    """The figures that say how well a world model tells actions apart."""

    states: int
    """The number N of states."""
    steps: int
    """The steps S for which each action was held."""
    reproduced: float
    """The share of the difference that actions make to the frame which the model reproduces: 1 - error / variance of
    what each action adds to the mean of all. 0 for a model that does not heed actions; NaN where they change nothing.
    """
    ranked: float
    """The share of pairs of actions whose rewards truly differ that the model ranks right; a tie is half right. NaN
    where none differs."""
    pairs: int
    """The number of these pairs."""


def real_outcomes(env: Any, states: list[bytes], steps: int) -> Outcomes:
    """Hold each action for `steps` steps in each of the N environments, which start from these states every time.

    Args:
        env: a vector environment in NEXT_STEP mode that can be saved. It is left somewhere else.
    """
    outcomes = [_held(env, states, action, steps) for action in range(env.single_action_space.n)]
    return Outcomes(*(np.stack(values) for values in zip(*outcomes, strict=True)))


def compare_outcomes(outcomes: Iterable[tuple[Outcomes, Outcomes]], steps: int) -> ActionEffects:
    """Return how well predicted outcomes tell actions apart.

    States from which some action ends the episode have no frame to compare, and count for rewards alone.

    Args:
        outcomes: real and predicted ones of some states, again and again: all frames at once would be large.
    """
    states = pairs = 0
    error = variance = right = 0.0
    for real, predicted in outcomes:
        states += real.reward.shape[1]
        for n in np.flatnonzero(~real.ended.any(0)):
            truth, mine = (_deviations(frames[:, n]) for frames in (real.frame, predicted.frame))
            error, variance = error + np.square(mine - truth).sum(), variance + np.square(truth).sum()
        gained, foreseen = _pairs(real.reward), _pairs(predicted.reward)
        differ = np.abs(gained) > 1e-6
        pairs += int(differ.sum())
        right += float(np.where(foreseen == 0, 0.5, np.sign(foreseen) == np.sign(gained))[differ].sum())
    reproduced = 1 - error / variance if variance else math.nan
    return ActionEffects(states, steps, float(reproduced), right / pairs if pairs else math.nan, pairs)


def action_metrics(effects: ActionEffects) -> dict[str, float]:
    """Return the figures as metrics: `eval/actions_reproduced` and `eval/actions_ranked`."""
    figures = {"eval/actions_reproduced": effects.reproduced, "eval/actions_ranked": effects.ranked}
    return {name: value for name, value in figures.items() if math.isfinite(value)}


def _held(env: Any, states: list[bytes], action: int, steps: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    env.set_state(states)
    frame = env.observe()
    gained, ended = np.zeros(env.num_envs), np.zeros(env.num_envs, bool)
    for _ in range(steps):
        after, reward, terminated, truncated, _ = env.step(np.full(env.num_envs, action, np.int32))
        frame = np.where(ended[:, None, None, None], frame, after)
        gained += np.where(ended, 0, reward)
        ended = ended | terminated | truncated
    return frame, gained, ended


def _deviations(frames: np.ndarray) -> np.ndarray:
    """Return how frames (A, ...) differ from their mean, pixels from 0 to 1."""
    values = frames.astype(np.float64) / 255
    deviations: np.ndarray = values - values.mean(0)
    return deviations


def _pairs(rewards: np.ndarray) -> np.ndarray:
    """Return the differences of rewards (A, N) between all pairs of actions, (pairs, N)."""
    first, second = np.triu_indices(len(rewards), 1)
    differences: np.ndarray = rewards[first] - rewards[second]
    return differences
