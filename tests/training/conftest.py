"""A world model and an agent of a few numbers: their graphs are traced at once, and everything they do leaves a trace.

Whatever a loop saves wrongly changes their numbers: states remember the weights with which they were observed, actions
depend on the features, and every update on everything that it is given.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
import tensorflow as tf
from image_spaces import image_spec

from worldmodels.acting.build import Parts
from worldmodels.acting.collected_steps import CollectedSteps
from worldmodels.acting.step_source import LocalSource
from worldmodels.agents.api import NO_EXPERIENCE, Agent
from worldmodels.config.environment import build_env
from worldmodels.config.run_config import RunConfig
from worldmodels.core.configuration.sections import from_dict
from worldmodels.core.seeding import Streams
from worldmodels.core.types import Step
from worldmodels.replay import Replay
from worldmodels.training.loops.model_based import ModelBasedLoop
from worldmodels.training.loops.model_free import ModelFreeLoop

ACTIONS = 5


class ToyModel:
    """Its state is a running mean of the brightness of frames, times a weight that each fit changes, with noise."""

    spec = image_spec((64, 64, 3), ACTIONS, (1,))

    def __init__(self):
        self.weight = tf.Variable(1.0)

    def initial(self, batch):
        return tf.zeros((batch, 1))

    def observe(self, state, observation, previous_action, is_first, seed):
        new = self.weight * tf.reduce_mean(tf.cast(observation, tf.float32), (1, 2, 3))[:, None] / 255.0
        new += 0.1 * tf.random.stateless_uniform(tf.shape(new), seed) + tf.cast(previous_action, tf.float32)[:, None]
        return tf.where(is_first[:, None], new, 0.5 * (state + new))

    def observe_sequence(self, observations, previous_actions, is_first, seed, state=None):
        state, states = self.initial(is_first.shape[0]), []
        for t in range(is_first.shape[1]):
            state = self.observe(state, observations[:, t], previous_actions[:, t], is_first[:, t], seed)
            states.append(state)
        return tf.stack(states, 1)

    def imagine(self, state, action, temperature, seed):
        return state

    def features(self, state):
        return state

    def readable(self, state):
        return state

    def reward(self, state):
        return state[:, 0]

    def continuation(self, state):
        return tf.sigmoid(state[:, 0])

    def fit(self, batch, seed, weights=None):
        states = self.observe_sequence(batch.observation, batch.action, batch.is_first, seed)
        weights = 1.0 if weights is None else weights[:, None]
        loss = tf.reduce_mean(states) + tf.reduce_mean(weights * batch.reward)
        self.weight.assign(0.9 * self.weight + 0.1 * loss)
        return {"model/loss": loss, "model/finite": tf.constant(1.0)}, states

    def save(self):
        return {"weight": np.asarray(self.weight)}

    def load(self, tree):
        self.weight.assign(tree["weight"])


class ToyAgent(Agent):
    """Its policy is one number; it remembers how many steps its episode has had."""

    experience = frozenset({"imagination", "rollouts"})

    def __init__(self):
        self.weight = tf.Variable(0.1)
        self.experiences: list[Any] = []

    def initial(self, batch):
        return tf.zeros((batch, 1))

    def act(self, features, state, temperature, seed):
        state = state + 1.0
        logits = tf.range(float(ACTIONS)) * (self.weight + features + 0.01 * state)
        noise = tf.random.stateless_uniform(tf.shape(logits), seed)
        action = tf.argmax(logits + noise, -1, tf.int32)
        return action, state, {"logits": logits, "value": state[:, 0] * self.weight}

    def update_from_imagination(self, model, starts, seed, experience=NO_EXPERIENCE):
        drawn, replayed = tf.random.stateless_uniform((), seed), experience.replayed
        loss = tf.reduce_mean(model.features(starts.states)) + tf.reduce_mean(starts.continuations) + drawn
        if replayed is not None:
            loss += tf.reduce_mean(replayed.rewards * replayed.weights[:, None]) + tf.reduce_mean(replayed.states)
            loss += sum(tf.reduce_mean(tf.cast(x, tf.float32)) for x in (replayed.is_last, replayed.is_terminal))
        return self._learn(loss)

    def update_from_rollouts(self, experience, seed):
        self.experiences.append(experience)
        parts = tf.nest.flatten(experience)
        loss = tf.add_n([tf.reduce_mean(tf.cast(part, tf.float32)) for part in parts])
        return self._learn(loss + tf.random.stateless_uniform((), seed))

    def _learn(self, loss):
        self.weight.assign(0.9 * self.weight + 0.01 * loss)
        return {"policy/loss": loss, "policy/finite": tf.constant(1.0)}

    def save(self):
        return {"weight": np.asarray(self.weight)}

    def load(self, tree):
        self.weight.assign(tree["weight"])


def toy_parts(config: RunConfig) -> Parts:
    return Parts(config, Streams(config.seed), ToyModel(), ToyAgent())  # type: ignore[arg-type]


def configured(training: dict[str, Any], **more: Any) -> RunConfig:
    env = {"game": "maze", "num_envs": 2, "num_levels": 3}
    return from_dict(RunConfig, {"env": env, "training": training} | more)


@pytest.fixture
def model_based(tmp_path):
    """Builds a loop of toys over two mazes."""

    def make(
        training: dict[str, Any],
        folder: str = "replay",
        every: int = 0,
        demonstrations: Sequence[Step] = (),
    ) -> ModelBasedLoop:
        config = configured(
            {"batch": 2, "length": 4} | training,
            evaluation={"context": 3, "horizon": 6},
            replay={"held_out_every": every, "capacity_steps": 4000, "memory_megabytes": 60},
        )
        env = build_env(config)
        replay = Replay(tmp_path / folder, env.num_envs, env.observation_spec, env.action_spec, config.replay)
        parts = toy_parts(config)
        collected = CollectedSteps(LocalSource(parts, env), config.training.rollout_steps)
        return ModelBasedLoop(parts, config.training, collected, replay, demonstrations)

    return make


@pytest.fixture
def model_free():
    def make(**training: Any) -> ModelFreeLoop:
        config = configured({"kind": "model_free", **training})
        parts = toy_parts(config)
        collected = CollectedSteps(LocalSource(parts, build_env(config)), config.training.rollout_steps)
        return ModelFreeLoop(parts, config.training, collected)

    return make


@pytest.fixture
def same_tree():
    return assert_same_tree


def assert_same_tree(one: Any, other: Any, where: str = "") -> None:
    """Raises where two saved trees differ, but for the replay's cursors, which tell of checkpoints."""
    if isinstance(one, dict):
        assert one.keys() == other.keys(), where
        for key in one.keys() - {"saved"}:
            assert_same_tree(one[key], other[key], f"{where}/{key}")
    elif isinstance(one, list):
        assert len(one) == len(other), where
        for index, (a, b) in enumerate(zip(one, other, strict=True)):
            assert_same_tree(a, b, f"{where}/{index}")
    else:
        np.testing.assert_array_equal(one, other, err_msg=where)
