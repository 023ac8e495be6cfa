"""Dreamer's actor-critic (Hafner et al. 2021): it learns from what the world model imagines."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import tensorflow as tf

from worldmodels.agents.actor_critic_config import ActorCriticConfig
from worldmodels.agents.api import Replayed
from worldmodels.agents.networks import build_head
from worldmodels.agents.returns import (
    ReturnScale,
    generalized_advantages,
    lambda_returns,
    reach_weights,
    transform_rewards,
)
from worldmodels.imagination.rollout import RolloutOptions, Trajectory, rollout
from worldmodels.models.api import ModelSpec, WorldModel
from worldmodels.models.build_optimizer import build_optimizer
from worldmodels.models.distributions import (
    categorical_entropy,
    categorical_log_probability,
    gumbel_noise,
    mix_uniform,
    normal_nll,
    sample_categorical,
)
from worldmodels.models.graph import graph
from worldmodels.models.two_hot import BINS, two_hot_mean, two_hot_nll
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


class ActorCritic:
    """An `Agent` (see `agents/api.py` for the methods) with the reinforce gradient and a slow target critic."""

    learns_from_experience = ActorCriticConfig.learns_from_experience
    learns_from_transitions = ActorCriticConfig.learns_from_transitions

    def __init__(self, config: ActorCriticConfig, spec: ModelSpec, seed: np.ndarray):
        seeds = np.random.default_rng(np.asarray(seed).view(np.uint32))
        self.config = config
        self.actor = build_head(config.actor, config.images, spec, spec.num_actions, seeds, "actor", config.style)
        self._value, self._value_nll, outputs = VALUE_DISTRIBUTIONS[config.value_distribution]
        self.critic = build_head(config.critic, config.images, spec, outputs, seeds, "critic", config.style)
        self.target = build_head(config.critic, config.images, spec, outputs, seeds, "target", config.style)
        self._actor_weights, self._critic_weights = named_variables([self.actor]), named_variables([self.critic])
        self._target_weights = named_variables([self.target])
        load_variables(self._target_weights, _renamed(save_variables(self._critic_weights)), "the target critic")
        self._actor_optimizer = build_optimizer(self._actor_weights, config.actor_optimizer)
        self._critic_optimizer = build_optimizer(self._critic_weights, config.critic_optimizer)
        self._scale = ReturnScale()

    def initial(self, batch: int) -> tuple[()]:
        return ()

    @graph
    def act(self, features, state, temperature, seed) -> tuple[tf.Tensor, Any, dict[str, tf.Tensor]]:
        logits = self._logits(features)
        action = sample_categorical(logits, gumbel_noise(tf.shape(logits), seed), temperature)
        return action, state, {"logits": logits, "value": self._value(self.critic(features))}

    def _logits(self, features: tf.Tensor) -> tf.Tensor:
        return mix_uniform(self.actor(features), self.config.uniform_mix)

    @graph
    def update_from_imagination(self, model, starts, continuations, seed, replayed=None) -> dict[str, tf.Tensor]:
        config = self.config

        def policy(features, memory, seed):
            return self.act(features, memory, 1.0, seed)[0], memory, {}

        trajectory = rollout(model, policy, starts, (), RolloutOptions(config.horizon), seed)
        # Whether a start's episode truly ended is known; only what follows has to be predicted.
        trajectory = trajectory._replace(
            continuations=tf.concat([continuations[None], trajectory.continuations[1:]], 0)
        )
        return self._learn(trajectory, model, replayed if config.replay_value_scale else None)

    def _learn(self, trajectory: Trajectory, model: WorldModel, replayed: Replayed | None) -> dict[str, tf.Tensor]:
        config = self.config
        rewards = transform_rewards(trajectory.rewards, config.reward_transform)
        features = tf.reshape(trajectory.features, (-1, *trajectory.features.shape[2:]))
        values, slow_values = self._values(features, rewards.shape)
        returns = lambda_returns(rewards, values, config.discount * trajectory.continuations, config.return_lambda)
        range_before = tf.identity(self._scale.range)
        scale = self._scale.update(returns) if config.normalize_returns else tf.constant(1.0)
        advantages = (returns - values[:-1]) / scale
        weights = reach_weights(trajectory.continuations, config.discount)[:-1]
        before_last = features[: returns.shape[0] * returns.shape[1]]
        imagined = ValueTargets(before_last, returns, slow_values[:-1], weights)
        recorded = None if replayed is None else self._recorded_targets(replayed, model, returns[0])

        with tf.GradientTape() as actor_tape:
            logits = tf.reshape(self._logits(before_last), (*returns.shape, -1))
            log_probability = categorical_log_probability(logits, trajectory.actions[:-1])
            entropy = categorical_entropy(logits)
            actor_loss = -tf.reduce_mean(weights * (log_probability * advantages + config.entropy * entropy))
        with tf.GradientTape() as critic_tape:
            critic_loss = imagined_loss = self._value_loss(imagined)
            if recorded is not None:
                replay_loss = self._value_loss(recorded)
                critic_loss += config.replay_value_scale * replay_loss

        actor_gradients = self._actor_optimizer.gradients(actor_tape, actor_loss)
        critic_gradients = self._critic_optimizer.gradients(critic_tape, critic_loss)
        finite = actor_gradients.finite & critic_gradients.finite
        self._actor_optimizer.apply(actor_gradients, finite)
        self._critic_optimizer.apply(critic_gradients, finite)
        self._move_target(finite)
        self._scale.range.assign(tf.where(finite, self._scale.range, range_before))
        metrics = {
            "actor_loss": actor_loss,
            "critic_loss": imagined_loss,
            "actor_gradient_norm": actor_gradients.norm,
            "critic_gradient_norm": critic_gradients.norm,
            "entropy": tf.reduce_mean(entropy),
            "reward": tf.reduce_mean(trajectory.rewards),
            "return": tf.reduce_mean(returns),
            "return_scale": scale,
            "value": tf.reduce_mean(values),
            "finite": tf.cast(finite, tf.float32),
        }
        if recorded is not None:
            metrics |= {"replay_critic_loss": replay_loss, "replay_return": tf.reduce_mean(recorded.returns)}
        return {f"policy/{name}": value for name, value in metrics.items()}

    def _values(self, features: tf.Tensor, shape: Any) -> tuple[tf.Tensor, tf.Tensor]:
        """Return the values at which returns end, and the target critic's, each in `shape`."""
        slow_values = tf.reshape(self._value(self.target(features)), shape)
        if self.config.value_target == "slow":
            return slow_values, slow_values
        return tf.reshape(self._value(self.critic(features)), shape), slow_values

    def _recorded_targets(self, replayed: Replayed, model: WorldModel, imagined_returns: tf.Tensor) -> ValueTargets:
        """Return what the critic learns of the steps of recorded windows but the last of each.

        Args:
            imagined_returns: those of the starts. Where these are all states, they stand for what nobody recorded, as
                in DreamerV3; otherwise the critic's values do.
        """
        config, shape = self.config, replayed.rewards.shape
        features = model.features(tf.nest.map_structure(lambda x: tf.reshape(x, (-1, *x.shape[2:])), replayed.states))
        values, slow_values = self._values(features, shape)
        if imagined_returns.shape[0] == features.shape[0]:
            values = tf.reshape(imagined_returns, shape)
        rewards = transform_rewards(replayed.rewards, config.reward_transform)
        discounts = config.discount * (1.0 - tf.cast(replayed.is_terminal, tf.float32))
        rewards, by_time, discounts, is_last = map(tf.transpose, (rewards, values, discounts, replayed.is_last))
        advantages = generalized_advantages(rewards, by_time, discounts, is_last, config.return_lambda)
        returns = tf.transpose(advantages) + values[:, :-1]
        # No step leads on from a last state: what comes after it in the window is another episode.
        weights = replayed.weights[:, None] * (1.0 - tf.cast(replayed.is_last[:, :-1], tf.float32))
        before_last = tf.reshape(features, (*shape, *features.shape[1:]))[:, :-1]
        before_last = tf.reshape(before_last, (-1, *features.shape[1:]))
        return ValueTargets(before_last, returns, slow_values[:, :-1], weights)

    def _value_loss(self, targets: ValueTargets) -> tf.Tensor:
        """Return the critic's loss, which the target critic draws to itself where it is a regulariser."""
        predicted = tf.reshape(self.critic(targets.features), (*targets.returns.shape, -1))
        loss = tf.reduce_mean(targets.weights * self._value_nll(predicted, targets.returns))
        if self.config.slow_regularizer:
            to_slow = tf.reduce_mean(targets.weights * self._value_nll(predicted, targets.slow_values))
            loss += self.config.slow_regularizer * to_slow
        return loss

    def _move_target(self, finite: tf.Tensor) -> None:
        due = finite & tf.equal(self._critic_optimizer.updates % self.config.target_every, 0)
        for slow, fast in zip(self._target_weights.values(), self._critic_weights.values(), strict=True):
            slow.assign(tf.where(due, slow + self.config.target_share * (fast - slow), slow))

    def update_from_experience(self, experience, seed) -> dict[str, tf.Tensor]:
        raise NotImplementedError("The actor-critic learns no policy outside imagination.")

    def save(self) -> dict[str, Any]:
        return {
            "actor": save_variables(self._actor_weights),
            "critic": save_variables(self._critic_weights),
            "target": save_variables(self._target_weights),
            "actor_optimizer": self._actor_optimizer.save(),
            "critic_optimizer": self._critic_optimizer.save(),
            "return_range": np.asarray(self._scale.range),
        }

    def load(self, tree: dict[str, Any]) -> None:
        load_variables(self._actor_weights, tree["actor"], "the actor")
        load_variables(self._critic_weights, tree["critic"], "the critic")
        load_variables(self._target_weights, tree["target"], "the target critic")
        self._actor_optimizer.load(tree["actor_optimizer"])
        self._critic_optimizer.load(tree["critic_optimizer"])
        self._scale.range.assign(tree["return_range"])


def _renamed(critic: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
    """Return the critic's weights under the names of the target's."""
    return {name.replace("critic/", "target/", 1): value for name, value in critic.items()}
