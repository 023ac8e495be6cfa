"""Dreamer's actor-critic learns from imagined rollouts (Hafner et al. 2021)."""

from __future__ import annotations

from typing import Any

import numpy as np
import tensorflow as tf

from worldmodels.agents.api import NO_EXPERIENCE, Agent, Experience, Recent, Replayed
from worldmodels.agents.distributions.policy_distributions import BOX_DISTRIBUTIONS, CATEGORICAL, ONE_HOT
from worldmodels.agents.dreamer.config import ActorCriticConfig
from worldmodels.agents.dreamer.imagined_steps import (
    ActorLoss,
    ImaginedSteps,
    JudgedSteps,
    action_gradient,
    judged_steps,
    offset_policy,
    recent_loss,
    sampling_policy,
)
from worldmodels.agents.dreamer.value_critic import ValueCritic, ValueTargets, recorded_targets
from worldmodels.agents.networks.bodies import build_head
from worldmodels.agents.returns import ReturnScale, lambda_returns, reach_weights, transform_rewards
from worldmodels.imagination.rollout import Policy, RolloutOptions, Trajectory, rollout
from worldmodels.imagination.starts import StartStates
from worldmodels.models import devices
from worldmodels.models.api import ModelSpec, WorldModel
from worldmodels.models.distributions import mix_uniform
from worldmodels.models.graph import graph, update_graph
from worldmodels.models.optimizers import Gradients, build_optimizer, value_at
from worldmodels.models.variables import load_variables, named_variables, save_variables

RECENT_VALUE_SCALE = 0.3
"""Weight of the critic's loss on the returns of the newest real steps."""


class ActorCritic(Agent):
    """An `Agent` (see `agents/api.py` for the methods) with a slow target critic.

    Its policy learns by the reinforce gradient, or by the gradient that flows back through the world model.
    """

    experience = ActorCriticConfig.experience

    def __init__(self, config: ActorCriticConfig, spec: ModelSpec, seed: np.ndarray):
        seeds = np.random.default_rng(np.asarray(seed).view(np.uint32))
        self.config, self.spec, self._devices = config, spec, devices.current()
        self.gradient = config.gradient_in(spec)
        outputs = spec.action.count or 2 * spec.action.size
        self.actor = build_head(config.actor, config.images, spec, outputs, seeds, "actor", config.style)
        self.critic = ValueCritic(config, spec, seeds)
        self._actor_weights = named_variables([self.actor])
        self._actor_optimizer = build_optimizer(self._actor_weights, config.actor_optimizer)
        self._return_scale = ReturnScale()
        self.distribution = CATEGORICAL if spec.action.is_discrete else BOX_DISTRIBUTIONS[config.box_distribution]
        # No gradient reaches a number of a choice.
        through_choices = spec.action.is_discrete and self.gradient != "reinforce"
        self._imagined_distribution = ONE_HOT if through_choices else self.distribution
        self._actor_loss = ActorLoss(config, self.gradient, self._imagined_distribution)

    @property
    def discount(self) -> float:
        return self.config.discount

    @graph
    def act(self, features, state, temperature, seed) -> tuple[tf.Tensor, Any, dict[str, tf.Tensor]]:
        parameters = self._parameters(features)
        action = self.distribution.sample(parameters, seed, temperature)
        return action, state, {self.distribution.extra: parameters, "value": self.critic(features)}

    def _parameters(self, features: tf.Tensor) -> tf.Tensor:
        """Return the parameters of the distribution of actions, (N, P)."""
        outputs = self.actor(features)
        return mix_uniform(outputs, self.config.uniform_mix) if self.spec.action.is_discrete else outputs

    @update_graph
    def update_from_imagination(self, model, starts, seed, experience=NO_EXPERIENCE) -> dict[str, tf.Tensor]:
        def update(starts, experience):
            return self._update(model, starts, seed, experience)

        return self._devices.run(update, (starts, experience))

    def _update(
        self, model: WorldModel, starts: StartStates, seed: tf.Tensor, experience: Experience
    ) -> dict[str, tf.Tensor]:
        replayed, recent = experience
        running = list(self.running().values())
        before = [tf.identity(figure) for figure in running]
        imagined, slopes = self._imagine(model, starts, seed)
        returns = imagined.returns
        targets = ValueTargets(imagined.features, returns, imagined.slow_values[:-1], imagined.weights)
        recorded = followed = judged = None
        if replayed is not None and self.config.replay_value_scale:
            recorded = self._recorded_targets(replayed, model, returns[0])
        if recent is not None:
            followed = self._recent_targets(recent)
            judged = judged_steps(recent, followed, self.distribution)

        actor_gradients, metrics = self._actor_gradients(imagined, slopes, judged)
        with tf.GradientTape() as critic_tape:
            critic_loss = imagined_loss = self.critic.loss(targets)
            if recorded is not None:
                replay_loss = self.critic.loss(recorded)
                critic_loss += self.config.replay_value_scale * replay_loss
            if followed is not None:
                critic_loss += RECENT_VALUE_SCALE * self.critic.loss(followed)

        critic_gradients = self.critic.optimizer.gradients(critic_tape, critic_loss)
        finite = actor_gradients.finite & critic_gradients.finite
        self._actor_optimizer.apply(actor_gradients, finite)
        self.critic.optimizer.apply(critic_gradients, finite)
        self.critic.move_target(finite)
        for figure, value in zip(running, before, strict=True):
            figure.assign(tf.where(finite, figure, value))
        metrics |= {
            "critic_loss": imagined_loss,
            "actor_gradient_norm": actor_gradients.norm,
            "critic_gradient_norm": critic_gradients.norm,
            "reward": tf.reduce_mean(imagined.trajectory.rewards),
            "return": tf.reduce_mean(returns),
            "return_scale": imagined.scale,
            "value": tf.reduce_mean(imagined.values),
            "finite": tf.cast(finite, tf.float32),
        }
        if recorded is not None:
            metrics |= {"replay_critic_loss": replay_loss, "replay_return": tf.reduce_mean(recorded.returns)}
        return {f"policy/{name}": value for name, value in metrics.items()}

    def _imagine(
        self, model: WorldModel, starts: StartStates, seed: tf.Tensor
    ) -> tuple[ImaginedSteps, tf.Tensor | None]:
        """Return rollouts of the policy, and where they are differentiated their gradient by the actions (H, B, D)."""
        distribution = self._imagined_distribution
        if self.gradient == "reinforce":
            policy = sampling_policy(self._parameters, distribution)
            return self._roll_out(model, policy, starts, (), seed), None

        def imagine(offsets: tf.Tensor) -> ImaginedSteps:
            policy = offset_policy(self._parameters, distribution, offsets)
            return self._roll_out(model, policy, starts, tf.constant(0), seed)

        shape = (self.config.horizon + 1, starts.continuations.shape[0], self.spec.action.width)
        return action_gradient(imagine, tf.zeros(shape))

    def _roll_out(
        self, model: WorldModel, policy: Policy, starts: StartStates, memory: Any, seed: tf.Tensor
    ) -> ImaginedSteps:
        """Return rollouts of a policy, which has a memory of its own, and what they are worth."""
        config = self.config
        trajectory = rollout(model, policy, starts.states, memory, RolloutOptions(config.horizon), seed)
        # Whether a start's episode truly ended is known; only what follows has to be predicted.
        going_on = tf.concat([starts.continuations[None], trajectory.continuations[1:]], 0)
        rewards = self.learned_rewards(trajectory)
        features = tf.reshape(trajectory.features, (-1, *trajectory.features.shape[2:]))
        values, slow_values = self.critic.values(features, rewards.shape)
        returns = self.returns_of(rewards, values, going_on)
        plain = tf.stop_gradient(returns)
        scale = self._return_scale.update(plain) if config.normalize_returns else tf.constant(1.0)
        advantages = (returns - tf.stop_gradient(values[:-1])) / scale
        weights = tf.stop_gradient(reach_weights(going_on, config.discount)[:-1])
        return ImaginedSteps(trajectory, values, slow_values, returns, advantages, scale, weights)

    def learned_rewards(self, trajectory: Trajectory) -> tf.Tensor:
        """Return the rewards of rollouts (H + 1, B) from which the policy learns; an explorer has others."""
        return transform_rewards(trajectory.rewards, self.config.reward_transform)

    def returns_of(self, rewards: tf.Tensor, values: tf.Tensor, going_on: tf.Tensor) -> tf.Tensor:
        """Return the lambda-returns (H, B) of rollouts (H + 1, B); an explorer has others."""
        return lambda_returns(rewards, values, self.config.discount * going_on, self.config.return_lambda)

    def _actor_gradients(
        self, imagined: ImaginedSteps, slopes: tf.Tensor | None, judged: JudgedSteps | None = None
    ) -> tuple[Gradients, dict[str, tf.Tensor]]:
        """Return the gradients of the actor's loss by its weights, and figures of it."""
        updates = self._actor_optimizer.updates
        with tf.GradientTape() as tape:
            parameters = tf.reshape(self._parameters(imagined.features), (*imagined.returns.shape, -1))
            loss, metrics = self._actor_loss(imagined, parameters, slopes, updates)
            if judged is not None:
                again, figures = recent_loss(judged, self._parameters(judged.features), self.distribution)
                loss += value_at(self.config.recent.policy_scale, updates) * again / imagined.scale
                metrics |= figures
        return self._actor_optimizer.gradients(tape, loss), {"actor_loss": loss, **metrics}

    def _recorded_targets(self, replayed: Replayed, model: WorldModel, imagined_returns: tf.Tensor) -> ValueTargets:
        """Return the targets of the critic at recorded windows."""
        features = model.features(tf.nest.map_structure(lambda x: tf.reshape(x, (-1, *x.shape[2:])), replayed.states))
        learned = replayed._replace(rewards=transform_rewards(replayed.rewards, self.config.reward_transform))
        return recorded_targets(self.critic, features, learned, imagined_returns, self.config)

    def _recent_targets(self, recent: Recent) -> ValueTargets:
        """Return the targets of the critic at recent steps."""
        features = tf.reshape(recent.features, (-1, *recent.features.shape[2:]))
        learned = recent._replace(rewards=transform_rewards(recent.rewards, self.config.reward_transform))
        return recorded_targets(self.critic, features, learned, None, self.config)

    def changing(self) -> list[tf.Variable]:
        """Return everything that an update changes."""
        return [*self._actor_optimizer.state(), *self.critic.changing(), *self.running().values()]

    def running(self) -> dict[str, tf.Variable]:
        """Return the running statistics of imagined steps, by the names under which they are saved."""
        return {"return_range": self._return_scale.range}

    def save(self) -> dict[str, Any]:
        figures = {name: np.asarray(variable) for name, variable in self.running().items()}
        actor = {"actor": save_variables(self._actor_weights), "actor_optimizer": self._actor_optimizer.save()}
        return {**actor, **self.critic.save(), **figures}

    def load(self, tree: dict[str, Any]) -> None:
        load_variables(self._actor_weights, tree["actor"], "the actor")
        self.critic.load(tree)
        self._actor_optimizer.load(tree["actor_optimizer"])
        for name, variable in self.running().items():
            variable.assign(tree[name])
