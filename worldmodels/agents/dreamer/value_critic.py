"""The critic of the actor-critic, and the target critic that follows it slowly."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import tensorflow as tf

from worldmodels.agents.api import Recent, Replayed
from worldmodels.agents.dreamer.config import ActorCriticConfig
from worldmodels.agents.networks.bodies import build_head
from worldmodels.agents.returns import generalized_advantages
from worldmodels.models.api import ModelSpec
from worldmodels.models.distributions import BINS, normal_nll, two_hot_mean, two_hot_nll
from worldmodels.models.optimizers import build_optimizer
from worldmodels.models.variables import load_variables, named_variables, save_variables


def _normal_value(outputs: tf.Tensor) -> tf.Tensor:
    return outputs[..., 0]


def _normal_value_nll(outputs: tf.Tensor, target: tf.Tensor) -> tf.Tensor:
    return normal_nll(outputs[..., 0], target)


VALUE_DISTRIBUTIONS = {"normal": (_normal_value, _normal_value_nll, 1), "two_hot": (two_hot_mean, two_hot_nll, BINS)}
"""The mean of a critic's outputs (..., outputs), their loss against a return, and the number of outputs."""


class ValueTargets(NamedTuple):
    """The targets of the critic at N states."""

    features: tf.Tensor
    """(N, ...)."""
    returns: tf.Tensor
    """float32, N in any shape, as all that follow."""
    slow_values: tf.Tensor
    """The target critic's values."""
    weights: tf.Tensor
    """The weight of each state in the loss."""


class ValueCritic:
    """Critic, target critic and their optimizer."""

    def __init__(self, config: ActorCriticConfig, spec: ModelSpec, seeds: np.random.Generator):
        self.config = config
        self._mean, self._nll, outputs = VALUE_DISTRIBUTIONS[config.value_distribution]
        self.network = build_head(config.critic, config.images, spec, outputs, seeds, "critic", config.style)
        self.target = build_head(config.critic, config.images, spec, outputs, seeds, "target", config.style)
        self._weights, self._target_weights = named_variables([self.network]), named_variables([self.target])
        load_variables(self._target_weights, _renamed(save_variables(self._weights)), "the target critic")
        self.optimizer = build_optimizer(self._weights, config.critic_optimizer)

    def __call__(self, features: tf.Tensor) -> tf.Tensor:
        """Return the critic's values (N,) of features (N, ...)."""
        return self._mean(self.network(features))

    def values(self, features: tf.Tensor, shape: Any) -> tf.Tensor:
        """Return the values at which returns end, and the target critic's, each in `shape`."""
        slow_values = tf.reshape(self._mean(self.target(features)), shape)
        if self.config.value_target == "slow":
            return slow_values, slow_values
        return tf.reshape(self(features), shape), slow_values

    def loss(self, targets: ValueTargets) -> tf.Tensor:
        """Return the critic's loss, which the target critic draws to itself where it is a regulariser."""
        predicted = tf.reshape(self.network(targets.features), (*targets.returns.shape, -1))
        loss = tf.reduce_mean(targets.weights * self._nll(predicted, targets.returns))
        if self.config.slow_regularizer:
            to_slow = tf.reduce_mean(targets.weights * self._nll(predicted, targets.slow_values))
            loss += self.config.slow_regularizer * to_slow
        return loss

    def move_target(self, finite: tf.Tensor) -> None:
        """Let the target critic follow, where it is due and the scalar `finite` holds."""
        due = finite & tf.equal(self.optimizer.updates % self.config.target_every, 0)
        for slow, fast in zip(self._target_weights.values(), self._weights.values(), strict=True):
            slow.assign(tf.where(due, slow + self.config.target_share * (fast - slow), slow))

    def changing(self) -> list[tf.Variable]:
        """Return everything that an update changes."""
        return [*self.optimizer.state(), *self._target_weights.values()]

    def save(self) -> dict[str, Any]:
        """Return weights and optimizer as parts of the agent's tree."""
        return {
            "critic": save_variables(self._weights),
            "target": save_variables(self._target_weights),
            "critic_optimizer": self.optimizer.save(),
        }

    def load(self, tree: dict[str, Any]) -> None:
        """Take over what `save` gave."""
        load_variables(self._weights, tree["critic"], "the critic")
        load_variables(self._target_weights, tree["target"], "the target critic")
        self.optimizer.load(tree["critic_optimizer"])


def recorded_targets(
    critic: ValueCritic,
    features: tf.Tensor,
    recorded: Replayed | Recent,
    imagined_returns: tf.Tensor | None,
    config: ActorCriticConfig,
) -> ValueTargets:
    """Return what the critic learns of the steps of recorded windows but the last of each.

    Args:
        features: (B * T, ...) of the recorded states.
        recorded: the windows (B, T), with rewards as the critic learns from them.
        imagined_returns: of the starts. Where the starts are all states, these returns end the recorded ones, as in
            DreamerV3. Otherwise, or without any, the critic's values do.
    """
    shape = recorded.rewards.shape
    values, slow_values = critic.values(features, shape)
    if imagined_returns is not None and imagined_returns.shape[0] == features.shape[0]:
        values = tf.reshape(imagined_returns, shape)
    discounts = config.discount * (1.0 - tf.cast(recorded.is_terminal, tf.float32))
    rewards, by_time, discounts, is_last = map(tf.transpose, (recorded.rewards, values, discounts, recorded.is_last))
    advantages = generalized_advantages(rewards, by_time, discounts, is_last, config.return_lambda)
    returns = tf.transpose(advantages) + values[:, :-1]
    # No step leads on from a last state: what comes after it in the window is another episode.
    weights = recorded.weights[:, None] * (1.0 - tf.cast(recorded.is_last[:, :-1], tf.float32))
    before_last = tf.reshape(features, (*shape, *features.shape[1:]))[:, :-1]
    before_last = tf.reshape(before_last, (-1, *features.shape[1:]))
    return ValueTargets(before_last, returns, slow_values[:, :-1], weights)


def _renamed(critic: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
    """Return the critic's weights under the names of the target's."""
    return {name.replace("critic/", "target/", 1): value for name, value in critic.items()}
