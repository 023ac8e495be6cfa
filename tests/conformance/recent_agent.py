"""An agent of another package that learns from recent steps: it knows `worldmodels` by its protocols alone."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import tensorflow as tf

from worldmodels.agents import register_agent
from worldmodels.agents.api import NO_EXPERIENCE, Agent
from worldmodels.agents.config import DISCRETE, AgentConfig
from worldmodels.core.configuration.ranges import Count, Share
from worldmodels.models.config import OptimizerConfig
from worldmodels.models.distributions import categorical_log_probability, gumbel_noise, sample_categorical
from worldmodels.models.graph import graph
from worldmodels.models.optimizers import Optimizer
from worldmodels.models.variables import load_variables, save_variables


@dataclass(frozen=True)
class HabitConfig(AgentConfig):
    """A policy that makes the recent actions likelier after which a reward came."""

    kind: str = "habit"
    experience = frozenset({"imagination", "recent"})
    action_kinds, feature_kinds = DISCRETE, ("vector",)
    steps: Count = 16
    """Newest steps of each environment from which it learns."""
    habit: Share = 0.1
    """Weight of the last action's log-probability without any reward."""

    @property
    def recent_steps(self) -> int:
        return self.steps


class Habit(Agent):
    """An agent that takes nothing but its recent steps from an update in imagination."""

    experience = HabitConfig.experience

    def __init__(self, config: HabitConfig, spec, seed: np.ndarray):
        self._habit = config.habit
        self._weights = {"policy": tf.Variable(tf.zeros((spec.features.only.size, spec.num_actions)))}
        self._optimizer = Optimizer(self._weights, OptimizerConfig(learning_rate=0.1))

    @graph
    def act(self, features, state, temperature, seed):
        logits = tf.matmul(features, self._weights["policy"])
        return sample_categorical(logits, gumbel_noise(tf.shape(logits), seed), temperature), state, {"logits": logits}

    @graph
    def update_from_imagination(self, model, starts, seed, experience=NO_EXPERIENCE):
        with tf.GradientTape() as tape:
            # Without recent steps it learns to choose its first action everywhere.
            loss = -tf.reduce_mean(tf.nn.log_softmax(tf.matmul(model.features(starts.states), self._weights["policy"])))
            if experience.recent is not None:
                loss += self._recent_loss(experience.recent)
        _, finite = self._optimizer.minimize(tape, loss)
        metrics = {"policy/finite": tf.cast(finite, tf.float32)}
        if experience.recent is not None:
            metrics["policy/recent_logit"] = tf.reduce_mean(experience.recent.extras["logits"])
        return metrics

    def _recent_loss(self, recent) -> tf.Tensor:
        features = tf.reshape(recent.features[:, :-1], (-1, recent.features.shape[-1]))
        logits = tf.matmul(features, self._weights["policy"])
        likely = categorical_log_probability(logits, tf.reshape(recent.actions[:, :-1], (-1,)))
        return -tf.reduce_mean((self._habit + tf.reshape(recent.rewards[:, 1:], (-1,))) * likely)

    def save(self):
        return {"weights": save_variables(self._weights), "optimizer": self._optimizer.save()}

    def load(self, tree):
        load_variables(self._weights, tree["weights"], "the policy")
        self._optimizer.load(tree["optimizer"])


def register() -> None:
    """Add the agent to the table."""
    register_agent("habit", HabitConfig, "recent_agent:Habit")
