"""The losses of an actor-critic's policy at imagined steps and at recent real steps.

The policy's loss at recent real steps: a policy gradient with truncated importance weights, as in V-trace
(Espeholt et al. 2018, https://arxiv.org/abs/1802.01561).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import tensorflow as tf

from worldmodels.agents.api import Recent
from worldmodels.agents.distributions.policy_distributions import ActionDistribution
from worldmodels.agents.dreamer.config import ActorCriticConfig, ActorGradient
from worldmodels.agents.dreamer.value_critic import ValueTargets
from worldmodels.core.errors import UserError
from worldmodels.core.types import State
from worldmodels.imagination.rollout import Policy, Trajectory
from worldmodels.models.optimizers import value_at


class ImaginedSteps(NamedTuple):
    """H steps of B rollouts in which the policy acted, and what they are worth."""

    trajectory: Trajectory
    values: tf.Tensor
    """float32 (H + 1, B): those at which returns end."""
    slow_values: tf.Tensor
    """float32 (H + 1, B): the target critic's."""
    returns: tf.Tensor
    """float32 (H, B)."""
    advantages: tf.Tensor
    """float32 (H, B): how much better than expected, in units of `scale`."""
    scale: tf.Tensor
    weights: tf.Tensor
    """float32 (H, B): how much each step counts, without a gradient."""

    @property
    def features(self) -> tf.Tensor:
        """Return the features (H * B, ...) of all states but the last, without a gradient."""
        features = self.trajectory.features
        rows = tf.reshape(features, (-1, *features.shape[2:]))
        return tf.stop_gradient(rows[: self.returns.shape[0] * self.returns.shape[1]])


def sampling_policy(parameters: Callable[[tf.Tensor], tf.Tensor], distribution: ActionDistribution) -> Policy:
    """Return the policy that draws from the distribution whose parameters a function gives of features."""

    def policy(features: tf.Tensor, memory: State, seed: tf.Tensor) -> tuple[tf.Tensor, State, dict[str, tf.Tensor]]:
        return distribution.sample(parameters(features), seed, 1.0), memory, {}

    return policy


def offset_policy(
    parameters: Callable[[tf.Tensor], tf.Tensor], distribution: ActionDistribution, offsets: tf.Tensor
) -> Policy:
    """Return the same with `offsets` (H + 1, B, D) added to its actions, and the noise of its draws as an extra.

    Its memory counts the steps. The offsets are 0. The gradient by an offset is the gradient by its action, without the
    influence on later choices, since DreamerV2 stops the gradient of features before the policy. So neither the
    policy's network nor its draws are differentiated inside the loop over time.
    """

    def policy(features: tf.Tensor, step: tf.Tensor, seed: tf.Tensor) -> tuple[tf.Tensor, State, dict[str, tf.Tensor]]:
        given = tf.stop_gradient(parameters(tf.stop_gradient(features)))
        noise = distribution.noise(given, seed)
        action = tf.stop_gradient(distribution.draw(given, noise, 1.0))
        return action + offsets[step], step + 1, {"noise": noise}

    return policy


def action_gradient(
    imagine: Callable[[tf.Tensor], ImaginedSteps], offsets: tf.Tensor
) -> tuple[ImaginedSteps, tf.Tensor]:
    """Return imagined steps, and the gradient (H, B, D) of their mean weighed advantage by the actions taken.

    Raises:
        UserError: the world model has none.
    """
    with tf.GradientTape(watch_accessed_variables=False) as tape:
        tape.watch(offsets)
        imagined = imagine(offsets)
        worth = tf.reduce_mean(imagined.weights * imagined.advantages)
    gradient = tape.gradient(worth, offsets)
    if gradient is None:
        raise UserError(
            "agent.actor_gradient lets the policy learn by gradients that flow back through the world model, and this "
            "world model passes none from its predictions to the actions. Choose agent.actor_gradient=reinforce."
        )
    return imagined, gradient[:-1]


@dataclass(frozen=True)
class ActorLoss:
    """The loss of the policy: minus the weighted mean of the objective and of the entropy.

    The objective of reinforce is log p(action) times the advantage. That of dynamics is the advantage itself, which
    depends on the action through the world model.
    """

    config: ActorCriticConfig
    gradient: ActorGradient
    distribution: ActionDistribution
    """The distribution of actions as they were imagined."""

    def __call__(
        self, imagined: ImaginedSteps, parameters: tf.Tensor, slopes: tf.Tensor | None, updates: tf.Tensor
    ) -> tuple[tf.Tensor, dict[str, tf.Tensor]]:
        """Return the loss, whose gradient is by `parameters` alone, and figures of it.

        Args:
            parameters: (H, B, P) of the distribution at each step.
            slopes: (H, B, D), the gradient of the mean weighed advantage by the actions (see `action_gradient`); None
                where it is not needed.
            updates: done so far, an integer scalar, for schedules.
        """
        entropy_scale = value_at(self.config.entropy, updates)
        entropy = self.distribution.entropy(parameters)
        objective = self._objective(imagined, parameters)
        loss = -tf.reduce_mean(imagined.weights * (objective + entropy_scale * entropy))
        if slopes is not None:
            noise = imagined.trajectory.extras["noise"][:-1]
            again = self.distribution.draw(parameters, noise, 1.0)
            # A value of 0, with the gradient of the mean weighed advantage.
            loss -= tf.reduce_sum(slopes * (again - tf.stop_gradient(again)))
        metrics = {"entropy": tf.reduce_mean(entropy)}
        if isinstance(self.config.entropy, str):
            metrics["entropy_scale"] = entropy_scale
        return loss, metrics

    def _objective(self, imagined: ImaginedSteps, parameters: tf.Tensor) -> tf.Tensor:
        advantages = tf.stop_gradient(imagined.advantages)
        if self.gradient == "dynamics":
            return advantages
        actions = tf.stop_gradient(imagined.trajectory.actions[:-1])
        return self.distribution.log_probability(parameters, actions) * advantages


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
