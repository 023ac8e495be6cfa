"""The policy's loss at recent real steps: a policy gradient with truncated importance weights, as in V-trace
(Espeholt et al. 2018, https://arxiv.org/abs/1802.01561)."""

from __future__ import annotations

from typing import NamedTuple

import tensorflow as tf

from worldmodels.agents.api import Recent
from worldmodels.agents.distributions.policy_distributions import ActionDistribution
from worldmodels.agents.dreamer.value_critic import ValueTargets


class JudgedSteps(NamedTuple):
    """N recorded steps with what the policy is to learn of them; nothing in them has a gradient."""

    features: tf.Tensor
    """(N, ...)."""
    actions: tf.Tensor
    """Leading N."""
    log_probability: tf.Tensor
    """float32 (N,): of the action in the policy that chose it."""
    advantages: tf.Tensor
    """float32 (N,): by how much the recorded return was above the target critic's value."""
    weights: tf.Tensor
    """float32 (N,): 0 where no step leads on, else 1."""


def judged_steps(recent: Recent, targets: ValueTargets, distribution: ActionDistribution) -> JudgedSteps:
    """Return the steps of recorded windows but the last of each, whose targets are those of the critic there."""
    before = recent.extras[distribution.extra]
    actions, parameters = (tf.reshape(x[:, :-1], (-1, *x.shape[2:])) for x in (recent.actions, before))
    steps = JudgedSteps(
        targets.features,
        actions,
        distribution.log_probability(parameters, actions),
        tf.reshape(targets.returns - targets.slow_values, (-1,)),
        tf.reshape(targets.weights, (-1,)),
    )
    return JudgedSteps(*map(tf.stop_gradient, steps))


def recent_loss(
    steps: JudgedSteps, parameters: tf.Tensor, distribution: ActionDistribution
) -> tuple[tf.Tensor, dict[str, tf.Tensor]]:
    """Return the loss, a scalar, and figures of it.

        - mean of min(1, p(action) / p_recorded(action)) advantage log p(action)

    So actions that the policy would hardly choose any more count for little. An action with a negative advantage is
    pushed away by no more than its advantage, however likely it has become.

    Args:
        parameters: (N, P) of the policy's distribution at each step, as it is now.
    """
    log_probability = distribution.log_probability(parameters, steps.actions)
    ratio = tf.stop_gradient(tf.exp(tf.minimum(0.0, log_probability - steps.log_probability)))
    loss = -tf.reduce_mean(steps.weights * ratio * steps.advantages * log_probability)
    figures = {
        "recent_loss": loss,
        "recent_ratio": tf.reduce_mean(ratio),
        "recent_error": tf.reduce_mean(steps.weights * tf.abs(steps.advantages)),
    }
    return loss, figures
