"""Plan2Explore rewards an explorer for imagined states that its world model cannot predict (Sekar et al. 2020).

The ensemble predicts the latent of the next step from recorded steps. Its disagreement is the explorer's reward.
The explorer is an actor-critic that collects experience. The task's actor-critic learns the task in the same world
model, and acts in evaluations alone.

    reward(s, a) = intrinsic_scale * disagreement(s, a) + extrinsic_scale * predicted reward

An ensemble of one-step predictors measures by its disagreement where the world model is uncertain.

Each member predicts the latent of the next step by regression. Members begin differently and learn from the same steps,
so they agree where many steps were seen. They agree about noise, too: its mean is the same for all.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import tensorflow as tf

from worldmodels.agents.api import NO_EXPERIENCE, Agent, Replayed
from worldmodels.agents.dreamer.actor_critic import ActorCritic
from worldmodels.agents.dreamer.config import Plan2ExploreConfig
from worldmodels.agents.off_policy.agent import StackedMLP
from worldmodels.agents.returns import RewardScale, continuing_returns, transform_rewards
from worldmodels.imagination.rollout import Trajectory
from worldmodels.models import devices, draws
from worldmodels.models.api import ModelSpec
from worldmodels.models.graph import update_graph
from worldmodels.models.networks.layers import action_vectors
from worldmodels.models.optimizers import Gradients, build_optimizer
from worldmodels.models.variables import load_variables, named_variables, save_variables

SMALLEST = 1e-12
"""Variance that is added where there is none: a root has no gradient at 0."""


class Disagreement:
    """The ensemble with its optimizer."""

    def __init__(self, config: Plan2ExploreConfig, spec: ModelSpec, seeds: np.random.Generator):
        features = spec.feature_shape[0]
        self._spec, self._targets = spec, spec.latent or features
        hidden = (config.network.units,) * config.network.layers
        sizes = (features + spec.action.width, *hidden, self._targets)
        self._members = StackedMLP(config.members, sizes, config.explorer.style.activation, seeds, "ensemble")
        self._weights = named_variables([self._members])
        self.optimizer = build_optimizer(self._weights, config.optimizer)

    def predict(self, features: tf.Tensor, actions: tf.Tensor) -> tf.Tensor:
        """Return what each member expects after N steps, float32 (members, N, latent).

        Args:
            features: float32 (N, F).
            actions: leading N, taken there; as in `action_vectors`.
        """
        return self._members(tf.concat([features, action_vectors(actions, self._spec.action)], -1))

    def of(self, features: tf.Tensor, actions: tf.Tensor) -> tf.Tensor:
        """Return the standard deviation over members, averaged over the numbers of the latent: (N,)."""
        variance = tf.math.reduce_variance(self.predict(features, actions), 0)
        return tf.reduce_mean(tf.sqrt(variance + SMALLEST), -1)

    def gradients(self, features: tf.Tensor, replayed: Replayed) -> tuple[Gradients, tf.Tensor]:
        """Return the gradients of the members' loss on recorded steps, and the loss; nothing is changed.

        Args:
            features: float32 (B, T, F), of the states of `replayed`.
        """
        before, after = (tf.reshape(x, (-1, x.shape[-1])) for x in (features[:, :-1], features[:, 1:]))
        actions = replayed.actions[:, :-1]
        actions = tf.reshape(actions, (-1, *actions.shape[2:]))
        # No step leads on from the last state of an episode.
        counts = replayed.weights[:, None] * (1.0 - tf.cast(replayed.is_last[:, :-1], tf.float32))
        with tf.GradientTape() as tape:
            error = self.predict(before, actions) - after[:, : self._targets]
            loss = tf.reduce_mean(tf.reshape(counts, (-1,)) * 0.5 * tf.reduce_sum(tf.square(error), -1))
        return self.optimizer.gradients(tape, loss), loss

    def save(self) -> dict[str, Any]:
        """Return weights and optimizer as a tree."""
        return {"weights": save_variables(self._weights), "optimizer": self.optimizer.save()}

    def load(self, tree: dict[str, Any]) -> None:
        """Take over what `save` gave."""
        load_variables(self._weights, tree["weights"], "the ensemble")
        self.optimizer.load(tree["optimizer"])


class Explorer(ActorCritic):
    """The actor-critic whose reward is the ensemble's disagreement."""

    def __init__(self, config: Plan2ExploreConfig, spec: ModelSpec, seed: np.ndarray, ensemble: Disagreement):
        super().__init__(config.explorer, spec, seed)
        self._pay, self._ensemble, self._reward_scale = config, ensemble, RewardScale()

    def learned_rewards(self, trajectory: Trajectory) -> tf.Tensor:
        rewards = transform_rewards(self.rewards_of(trajectory), self.config.reward_transform)
        # Disagreement is small and shrinks: only its relative size counts.
        self._reward_scale.update(tf.stop_gradient(rewards))
        return self._reward_scale(rewards)

    def rewards_of(self, trajectory: Trajectory) -> tf.Tensor:
        """Return the rewards (H + 1, B) of rollouts: the disagreement, and a share of the predicted rewards."""
        features, actions = trajectory.features[:-1], trajectory.actions[:-1]
        rows = [tf.reshape(x, (-1, *x.shape[2:])) for x in (features, actions)]
        disagreement = tf.reshape(self._ensemble.of(*rows), features.shape[:2])
        # As a reward arrives with the state that an action leads to, so does this; a start was not chosen.
        intrinsic = tf.pad(disagreement, [[1, 0], [0, 0]])
        pay = self._pay.intrinsic_scale * intrinsic
        return pay + self._pay.extrinsic_scale * trajectory.rewards if self._pay.extrinsic_scale else pay

    def returns_of(self, rewards: tf.Tensor, values: tf.Tensor, going_on: tf.Tensor) -> tf.Tensor:
        if self._pay.episodic:
            return super().returns_of(rewards, values, going_on)
        return continuing_returns(rewards, values, going_on, self.config.discount, self.config.return_lambda)

    def running(self) -> dict[str, tf.Variable]:
        return super().running() | {"reward_mean": self._reward_scale.mean}


class Plan2Explore(Agent):
    """An `Agent` (see `agents/api.py` for the methods) of an explorer, which collects, and of a policy for the task.

    Attributes:
        explorer: the actor-critic that collects.
        task: the other one, which acts wherever this agent does.
    """

    experience = Plan2ExploreConfig.experience

    def __init__(self, config: Plan2ExploreConfig, spec: ModelSpec, seed: np.ndarray):
        seeds = np.random.default_rng(np.asarray(seed).view(np.uint32))
        of_task, of_explorer = (seeds.integers(-(2**31), 2**31, 2, np.int64).astype(np.int32) for _ in range(2))
        self.config, self._devices = config, devices.current()
        self.task = ActorCritic(config.task, spec, of_task)
        self._ensemble = Disagreement(config, spec, seeds)
        self.explorer = Explorer(config, spec, of_explorer, self._ensemble)

    @property
    def collector(self) -> Agent:
        return self.explorer

    def act(self, features, state, temperature, seed) -> tuple[tf.Tensor, Any, dict[str, tf.Tensor]]:
        return self.task.act(features, state, temperature, seed)

    @update_graph
    def update_from_imagination(self, model, starts, seed, experience=NO_EXPERIENCE) -> dict[str, tf.Tensor]:
        def update(starts, experience):
            return self._update(model, starts, seed, experience)

        return self._devices.run(update, (starts, experience))

    def _update(self, model, starts, seed, experience) -> dict[str, tf.Tensor]:
        seeds = tf.unstack(draws.split(seed, 2))
        changing = [*self.task.changing(), *self.explorer.changing(), *self._ensemble.optimizer.state()]
        before = [tf.identity(variable) for variable in changing]
        metrics = self._learn_to_predict(model, experience.replayed) if experience.replayed is not None else {}
        of_task = self.task.update_from_imagination(model, starts, seeds[0], experience)
        of_explorer = self.explorer.update_from_imagination(model, starts, seeds[1])
        metrics |= of_task | {name.replace("/", "/explorer_", 1): value for name, value in of_explorer.items()}
        finite = tf.reduce_min(tf.stack([value for name, value in metrics.items() if name.endswith("finite")]))
        # Each of the three looks after itself alone.
        for variable, value in zip(changing, before, strict=True):
            variable.assign(tf.where(finite > 0, variable, value))
        return metrics | {"policy/finite": finite}

    def save(self) -> dict[str, Any]:
        return {name: part.save() for name, part in self._saveables().items()}

    def load(self, tree: dict[str, Any]) -> None:
        for name, part in self._saveables().items():
            part.load(tree[name])

    def _learn_to_predict(self, model: Any, replayed: Any) -> dict[str, tf.Tensor]:
        flat = tf.nest.map_structure(lambda x: tf.reshape(x, (-1, *x.shape[2:])), replayed.states)
        features = model.features(flat)
        features = tf.reshape(features, (*replayed.rewards.shape, features.shape[-1]))
        gradients, loss = self._ensemble.gradients(features, replayed)
        self._ensemble.optimizer.apply(gradients, gradients.finite)
        return {"policy/ensemble_loss": loss, "policy/ensemble_finite": tf.cast(gradients.finite, tf.float32)}

    def _saveables(self) -> dict[str, Any]:
        return {"task": self.task, "explorer": self.explorer, "ensemble": self._ensemble}
