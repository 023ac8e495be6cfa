"""Targets of the critic at recorded states, from the rewards that followed (`repval` in DreamerV3)."""

from __future__ import annotations

import tensorflow as tf

from worldmodels.agents.api import Recent, Replayed
from worldmodels.agents.dreamer.actor_critic_config import ActorCriticConfig
from worldmodels.agents.dreamer.value_critic import ValueCritic, ValueTargets
from worldmodels.agents.returns import generalized_advantages


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
        imagined_returns: those of the starts. Where these are all states, they stand for what nobody recorded, as in
            DreamerV3; otherwise, or without any, the critic's values do.
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
