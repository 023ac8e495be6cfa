"""Tries all actions from saved states of a game, each held for some steps.

One letter per axis: A actions, N states, S steps for which an action is held.
"""

from __future__ import annotations

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


def real_outcomes(env: Any, states: list[bytes], steps: int) -> Outcomes:
    """Hold each action for `steps` steps in each of the N environments, which start from these states every time.

    Args:
        env: a vector environment in NEXT_STEP mode that can be saved. It is left somewhere else.
    """
    outcomes = [_held(env, states, action, steps) for action in range(env.single_action_space.n)]
    return Outcomes(*(np.stack(values) for values in zip(*outcomes, strict=True)))


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
