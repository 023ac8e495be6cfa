"""Dreamer's actor-critic (Hafner et al. 2021): it learns from nothing but what the world model imagines."""

from __future__ import annotations

from typing import Any

import numpy as np
import tensorflow as tf

from worldmodels.agents.actor_critic_config import ActorCriticConfig
from worldmodels.agents.networks import build_head
from worldmodels.agents.returns import ReturnScale, lambda_returns, reach_weights, transform_rewards
from worldmodels.imagination.rollout import RolloutOptions, Trajectory, rollout
from worldmodels.models.api import ModelSpec
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


class ActorCritic:
    """An `Agent` (see `agents/api.py` for the methods) with the reinforce gradient and a slow target critic."""

    learns_from_experience = ActorCriticConfig.learns_from_experience

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
    def update_from_imagination(self, model, starts, continuations, seed) -> dict[str, tf.Tensor]:
        config = self.config

        def policy(features, memory, seed):
            return self.act(features, memory, 1.0, seed)[0], memory, {}

        trajectory = rollout(model, policy, starts, (), RolloutOptions(config.horizon), seed)
        # Whether a start's episode truly ended is known; only what follows has to be predicted.
        trajectory = trajectory._replace(
            continuations=tf.concat([continuations[None], trajectory.continuations[1:]], 0)
        )
        return self._learn(trajectory)

    def _learn(self, trajectory: Trajectory) -> dict[str, tf.Tensor]:
        config = self.config
        rewards = transform_rewards(trajectory.rewards, config.reward_transform)
        features = tf.reshape(trajectory.features, (-1, *trajectory.features.shape[2:]))
        slow_values = tf.reshape(self._value(self.target(features)), rewards.shape)
        values = slow_values
        if config.value_target == "online":
            values = tf.reshape(self._value(self.critic(features)), rewards.shape)
        returns = lambda_returns(rewards, values, config.discount * trajectory.continuations, config.return_lambda)
        range_before = tf.identity(self._scale.range)
        scale = self._scale.update(returns) if config.normalize_returns else tf.constant(1.0)
        advantages = (returns - values[:-1]) / scale
        weights = reach_weights(trajectory.continuations, config.discount)[:-1]
        before_last = features[: returns.shape[0] * returns.shape[1]]

        with tf.GradientTape() as actor_tape:
            logits = tf.reshape(self._logits(before_last), (*returns.shape, -1))
            log_probability = categorical_log_probability(logits, trajectory.actions[:-1])
            entropy = categorical_entropy(logits)
            actor_loss = -tf.reduce_mean(weights * (log_probability * advantages + config.entropy * entropy))
        with tf.GradientTape() as critic_tape:
            predicted = tf.reshape(self.critic(before_last), (*returns.shape, -1))
            critic_loss = tf.reduce_mean(weights * self._value_nll(predicted, returns))
            if config.slow_regularizer:
                to_slow = tf.reduce_mean(weights * self._value_nll(predicted, slow_values[:-1]))
                critic_loss += config.slow_regularizer * to_slow

        actor_gradients = self._actor_optimizer.gradients(actor_tape, actor_loss)
        critic_gradients = self._critic_optimizer.gradients(critic_tape, critic_loss)
        finite = actor_gradients.finite & critic_gradients.finite
        self._actor_optimizer.apply(actor_gradients, finite)
        self._critic_optimizer.apply(critic_gradients, finite)
        self._move_target(finite)
        self._scale.range.assign(tf.where(finite, self._scale.range, range_before))
        metrics = {
            "actor_loss": actor_loss,
            "critic_loss": critic_loss,
            "actor_gradient_norm": actor_gradients.norm,
            "critic_gradient_norm": critic_gradients.norm,
            "entropy": tf.reduce_mean(entropy),
            "reward": tf.reduce_mean(trajectory.rewards),
            "return": tf.reduce_mean(returns),
            "return_scale": scale,
            "value": tf.reduce_mean(values),
            "finite": tf.cast(finite, tf.float32),
        }
        return {f"policy/{name}": value for name, value in metrics.items()}

    def _move_target(self, finite: tf.Tensor) -> None:
        due = finite & tf.equal(self._critic_optimizer.updates % self.config.target_every, 0)
        for slow, fast in zip(self._target_weights.values(), self._critic_weights.values(), strict=True):
            slow.assign(tf.where(due, slow + self.config.target_share * (fast - slow), slow))

    def update_from_experience(self, experience, seed) -> dict[str, tf.Tensor]:
        raise NotImplementedError("The actor-critic learns in imagination alone.")

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
