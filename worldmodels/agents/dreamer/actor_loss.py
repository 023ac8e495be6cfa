"""The loss of the actor-critic's policy at imagined steps."""

from __future__ import annotations

from dataclasses import dataclass

import tensorflow as tf

from worldmodels.agents.distributions.policy_distributions import ActionDistribution
from worldmodels.agents.dreamer.actor_critic_config import ActorCriticConfig, ActorGradient
from worldmodels.agents.dreamer.imagined_steps import ImaginedSteps
from worldmodels.models.optimizers.schedules import value_at


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
