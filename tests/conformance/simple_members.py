"""A model and an agent of another package that do no more than their contracts ask for."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import tensorflow as tf

from worldmodels.agents import register_agent
from worldmodels.agents.api import Agent
from worldmodels.agents.config import DISCRETE, AgentConfig
from worldmodels.core.specs import ObservationSpec
from worldmodels.models import register_model
from worldmodels.models.api import ModelSpec, images_and_choices
from worldmodels.models.config import ModelConfig
from worldmodels.models.distributions import gumbel_noise, sample_categorical
from worldmodels.models.graph import graph
from worldmodels.models.variables import load_variables, save_variables


@dataclass(frozen=True)
class GlanceConfig(ModelConfig):
    """An encoder of frames alone: the mean of each channel, without a memory."""

    kind: str = "glance"

    def spec(self, observation, action):
        observation, action = images_and_choices(self.kind, observation, action)
        return ModelSpec(observation, action, ObservationSpec.of(observation.only.shape[-1]), imagines=False)


class Glance:
    """A representation whose state is its newest observation."""

    def __init__(self, config: GlanceConfig, observation, action, seed: np.ndarray):
        self.spec = config.spec(observation, action)

    def initial(self, batch):
        return tf.zeros((batch, self.spec.features.only.size))

    @graph
    def observe(self, state, observation, previous_action, is_first, seed):
        return tf.reduce_mean(tf.cast(observation, tf.float32), (1, 2))

    def features(self, state):
        return state

    def save(self):
        return {}

    def load(self, tree):
        pass


@dataclass(frozen=True)
class RepeatConfig(AgentConfig):
    """An agent that learns from its real rollouts alone."""

    kind: str = "repeat"
    experience = frozenset({"rollouts"})
    action_kinds, feature_kinds = DISCRETE, ("vector",)


class Repeat(Agent):
    """An agent that repeats actions in proportion to the rewards that came with them."""

    experience = RepeatConfig.experience

    def __init__(self, config: RepeatConfig, spec, seed: np.ndarray):
        self._weights = {"policy": tf.Variable(tf.zeros((spec.features.only.size, spec.num_actions)))}

    @graph
    def act(self, features, state, temperature, seed):
        logits = tf.matmul(features, self._weights["policy"])
        return sample_categorical(logits, gumbel_noise(tf.shape(logits), seed), temperature), state, {"logits": logits}

    @graph
    def update_from_rollouts(self, rollouts, seed):
        counts = 1.0 - tf.cast(rollouts.is_last[:-1], tf.float32)
        paid = counts * rollouts.rewards[1:]
        taken = tf.one_hot(rollouts.actions[:-1], self._weights["policy"].shape[1])
        change = tf.einsum("tb,tbf,tba->fa", paid, rollouts.features[:-1], taken)
        finite = tf.reduce_all(tf.math.is_finite(self._weights["policy"] + change))
        self._weights["policy"].assign_add(tf.where(finite, change, 0.0))
        return {"policy/loss": -tf.reduce_sum(paid), "policy/finite": tf.cast(finite, tf.float32)}

    def save(self):
        return save_variables(self._weights)

    def load(self, tree):
        load_variables(self._weights, tree, "the policy")


def register() -> None:
    """Add both to their tables."""
    register_model("glance", GlanceConfig, "simple_members:Glance")
    register_agent("repeat", RepeatConfig, "simple_members:Repeat")
