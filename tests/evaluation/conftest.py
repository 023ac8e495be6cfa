"""A world small enough to work out by hand, and a model of it that is wrong where a test wants it."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
import tensorflow as tf
from image_spaces import image_spec

from worldmodels.acting.actor import PolicyOutput
from worldmodels.core.specs import ActionSpec, ObservationSpec
from worldmodels.core.types import Batch

SHAPE = (2, 2, 3)


class CountingEnv:
    """A vector environment in NEXT_STEP mode that shows the step of the episode as the brightness of its image.

    Environment i has episodes of `lengths[i]` steps. Each step gives the action as reward; the last one terminates
    where `i` is even and is a time limit where it is odd.
    """

    observation_spec, action_spec = ObservationSpec.of(*SHAPE), ActionSpec(5)

    def __init__(self, lengths: list[int]) -> None:
        self.lengths = np.array(lengths)
        self.num_envs = len(lengths)
        self.seeds: list[int | None] = []

    def reset(self, seed: int | None = None) -> tuple[np.ndarray, dict[str, Any]]:
        self.seeds.append(seed)
        self.t = np.zeros(self.num_envs, np.int64)
        self.over = np.zeros(self.num_envs, bool)
        return self._images(), {}

    def step(self, action: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray, dict[str, Any]]:
        begins = self.over
        self.t = np.where(begins, 0, self.t + 1)
        reward = np.where(begins, 0, action).astype(np.float32)
        self.over = self.t == self.lengths
        even = np.arange(self.num_envs) % 2 == 0
        return self._images(), reward, self.over & even, self.over & ~even, {}

    def close(self) -> None:
        pass

    def _images(self) -> np.ndarray:
        return np.broadcast_to(self.t[:, None, None, None], (self.num_envs, *SHAPE)).astype(np.uint8)


class ConstantActor:
    """Always the same action; notes what it was shown and told."""

    def __init__(self, action: int) -> None:
        self.action = action
        self.corrected: list[list[int]] = []

    def act(self, observation: np.ndarray, is_first: np.ndarray) -> PolicyOutput:
        return PolicyOutput(np.full(len(observation), self.action, np.int32))

    def correct(self, action: np.ndarray) -> None:
        self.corrected.append(action.tolist())


class CountingModel:
    """Knows the counting world: the state is the step of the episode. It predicts `drift` too much for each step
    without looking, the last action as reward, and that an episode ends at step `end`."""

    spec = image_spec(SHAPE, 5, (1,))

    def __init__(self, drift: float = 0.0, end: int = 1000) -> None:
        self.drift, self.end = drift, end

    def initial(self, batch):
        return {"value": tf.zeros(batch), "reward": tf.zeros(batch)}

    def observe(self, state, observation, previous_action, is_first, seed):
        value = tf.cast(observation[:, 0, 0, 0], tf.float32)
        return {"value": value, "reward": tf.cast(previous_action, tf.float32)}

    def observe_sequence(self, observations, previous_actions, is_first, seed, state=None):
        value = tf.cast(observations[:, :, 0, 0, 0], tf.float32)
        return {"value": value, "reward": tf.cast(previous_actions, tf.float32)}

    def imagine(self, state, action, temperature, seed):
        return {"value": state["value"] + 1 + self.drift, "reward": tf.cast(action, tf.float32)}

    def readable(self, state):
        return state

    def features(self, state):
        return state["value"][:, None]

    def frame(self, state, before=None):
        value = tf.cast(tf.round(state["value"]), tf.uint8)
        return tf.broadcast_to(value[:, None, None, None], (*value.shape, *SHAPE))

    def reward(self, state):
        return state["reward"]

    def continuation(self, state):
        return tf.where(tf.round(state["value"]) >= self.end, 0.1, 0.9)


class ConstantAgent:
    """Always the same action; it values every state alike, if at all."""

    def __init__(self, action: int, value: float | None = None) -> None:
        self.action, self.value = action, value

    def initial(self, batch):
        return ()

    def act(self, features, memory, temperature, seed):
        rows = features.shape[0]
        extras = {} if self.value is None else {"value": tf.fill((rows,), self.value)}
        return tf.fill((rows,), self.action), memory, extras


def counting_windows(steps: list[list[int]], actions: list[list[int]], terminal: bool = True) -> Batch:
    """Windows of the counting world: where the step falls back to 0 an episode begins, and before that one ended."""
    t, action = np.array(steps), np.array(actions, np.int32)
    first = t == 0
    last = np.roll(first, -1, axis=1)
    last[:, -1] = False
    reward = np.roll(action, 1, axis=1).astype(np.float32)
    reward[first] = 0
    image = np.broadcast_to(t[:, :, None, None, None], (*t.shape, 2, 2, 3)).astype(np.uint8)
    return Batch(image, reward, first, last, last & terminal, action)


@pytest.fixture
def parts() -> SimpleNamespace:
    return SimpleNamespace(
        CountingEnv=CountingEnv,
        ConstantActor=ConstantActor,
        CountingModel=CountingModel,
        ConstantAgent=ConstantAgent,
        windows=counting_windows,
    )
