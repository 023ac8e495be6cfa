"""Proximal policy optimisation (Schulman et al. 2017): one learning step for imagination and for reality."""

from __future__ import annotations

from typing import Any

import numpy as np
import tensorflow as tf

from worldmodels.agents.api import Experience
from worldmodels.agents.ppo_config import PPOConfig
from worldmodels.agents.ppo_loss import ClipRanges, explained_variance, ppo_loss
from worldmodels.agents.ppo_network import PPONetwork
from worldmodels.agents.ppo_samples import (
    Samples,
    collect_samples,
    draw_minibatches,
    minibatches_in_order,
    paint_boxes,
    take,
    weighted_mean,
)
from worldmodels.agents.returns import reach_weights
from worldmodels.core.types import State
from worldmodels.imagination.rollout import RolloutOptions, rollout
from worldmodels.models.api import ModelSpec
from worldmodels.models.distributions import categorical_log_probability, gumbel_noise, sample_categorical
from worldmodels.models.graph import graph
from worldmodels.models.optimizer import Optimizer
from worldmodels.models.variables import load_variables, named_variables, save_variables


class PPO:
    """An `Agent` (see `agents/api.py` for the methods).

    Where a rollout was cut, the value of the last state stands for what would have come; only a true end is worth 0. In
    imagination an end is a probability: it discounts what comes after, and what comes after counts as much as it is
    probable to be reached. That is the expectation over ends, where drawing them would add noise.
    """

    learns_from_experience = PPOConfig.learns_from_experience
    learns_from_transitions = PPOConfig.learns_from_transitions

    def __init__(self, config: PPOConfig, spec: ModelSpec, seed: np.ndarray):
        self.config, self._spec = config, spec
        self.network = PPONetwork(config, spec, np.random.default_rng(np.asarray(seed).view(np.uint32)))
        self._weights = named_variables([self.network])
        self._averages = {weight.path: weight.value for weight in self.network.non_trainable_weights}
        self._optimizer = Optimizer(self._weights, config.optimizer)
        self._iterations = tf.Variable(0, dtype=tf.int64)

    def initial(self, batch: int) -> State:
        return self.network.initial(batch)

    @graph
    def act(self, features, state, temperature, seed) -> tuple[tf.Tensor, Any, dict[str, tf.Tensor]]:
        logits, value, state = self.network.step(features, state)
        action = sample_categorical(logits, gumbel_noise(tf.shape(logits), seed), temperature)
        return action, state, {"logits": logits, "value": value}

    @graph
    def update_from_imagination(self, model, starts, continuations, seed, replayed=None) -> dict[str, tf.Tensor]:
        rollout_seed, learn_seed = tf.unstack(tf.random.split(seed, 2))
        memory = self.initial(continuations.shape[0])

        def policy(features, memory, seed):
            return self.act(features, memory, 1.0, seed)

        trajectory = rollout(model, policy, starts, memory, RolloutOptions(self.config.horizon), rollout_seed)
        # Whether a start's episode truly ended is known; only what follows has to be predicted.
        continuations = tf.concat([continuations[None], trajectory.continuations[1:]], 0)
        never = tf.zeros(continuations.shape, tf.bool)
        experience = Experience(
            trajectory.features,
            trajectory.actions,
            trajectory.rewards,
            continuations,
            never,
            never,
            trajectory.extras,
            memory,
        )
        return self._learn(experience, reach_weights(continuations, 1.0)[:-1], learn_seed)

    @graph
    def update_from_experience(self, experience, seed) -> dict[str, tf.Tensor]:
        # Nothing happened between a last observation and the first one of the next episode.
        return self._learn(experience, 1.0 - tf.cast(experience.is_last[:-1], tf.float32), seed)

    def _learn(self, experience: Experience, weights: tf.Tensor, seed: tf.Tensor) -> dict[str, tf.Tensor]:
        minibatch_seed, noise, paint_seed = tf.unstack(tf.random.split(seed, 3))
        samples = collect_samples(experience, weights, self.config)
        figures = {
            "return": weighted_mean(samples.returns, samples.weights),
            "value": weighted_mean(samples.values, samples.weights),
            "explained_variance": explained_variance(samples),
        }
        changing = [*self._averages.values(), *self._optimizer.state()]
        before = [tf.identity(variable) for variable in changing]
        samples = self._regularised(samples, noise, paint_seed)
        learned, finite = self._run_epochs(samples, draw_minibatches(samples, self.config, minibatch_seed), noise)
        finite = tf.reduce_all([finite, *(tf.reduce_all(tf.math.is_finite(x)) for x in self._averages.values())])
        # Minibatches before the first that is not finite were learned from, and moved the moving averages.
        for variable, value in zip(changing, before, strict=True):
            variable.assign(tf.where(finite, variable, value))
        self._iterations.assign_add(tf.cast(finite, tf.int64))
        figures |= learned | {"finite": tf.cast(finite, tf.float32)}
        return {f"policy/{name}": value for name, value in figures.items()}

    def _run_epochs(
        self, samples: Samples, minibatches: tf.Tensor, noise: tf.Tensor
    ) -> tuple[dict[str, tf.Tensor], tf.Tensor]:
        """Do one optimiser step for each minibatch, up to the first that is not finite; none if the samples are not.

        Returns:
            The figures of all steps, averaged, and whether all was finite.
        """
        share = self._share_left()
        known = (samples.advantages, samples.returns, samples.log_probability)
        finite = tf.reduce_all([tf.reduce_all(tf.math.is_finite(x)) for x in known])
        none = tf.zeros(())
        names = ("policy_loss", "value_loss", "entropy", "approximate_kl", "clip_fraction", "gradient_norm")
        sums = dict.fromkeys(names, none)

        def go_on(i, finite, sums):
            return finite & (i < minibatches.shape[0])

        def body(i, finite, sums):
            figures, finite = self._step(take(samples, minibatches[i]), noise, share)
            return i + 1, finite, {name: sums[name] + figures[name] for name in names}

        steps, finite, sums = tf.while_loop(go_on, body, (0, finite, sums), parallel_iterations=1)
        steps = tf.cast(tf.maximum(steps, 1), tf.float32)
        return {name: value / steps for name, value in sums.items()}, finite

    def _step(self, batch: Samples, noise: tf.Tensor, share: tf.Tensor) -> tuple[dict[str, tf.Tensor], tf.Tensor]:
        config = self.config
        clip_ranges = ClipRanges(share * config.clip, share * config.value_clip)
        with tf.GradientTape() as tape:
            logits, values = self.network.evaluate(batch.features, batch.is_first, batch.memory, noise)
            loss, figures = ppo_loss(logits, values, batch, clip_ranges, config)
            if config.l2:
                loss += config.l2 * self._half_squared_norm()
        norm, finite = self._optimizer.minimize(tape, loss, share)
        return figures | {"gradient_norm": norm}, finite

    def _share_left(self) -> tf.Tensor:
        """Return the share that is left of learning rate and clip ranges, 1 down to 0."""
        if not self.config.decay:
            return tf.constant(1.0)
        return tf.maximum(0.0, 1.0 - tf.cast(self._iterations, tf.float32) / self.config.decay)

    def _half_squared_norm(self) -> tf.Tensor:
        kernels = [variable for variable in self._weights.values() if variable.shape.rank > 1]
        return tf.reduce_sum(tf.stack([tf.nn.l2_loss(kernel) for kernel in kernels]))

    def _regularised(self, samples: Samples, noise: tf.Tensor, paint_seed: tf.Tensor) -> Samples:
        """Return the samples as the regularised network sees them.

        What it then says of them before its first step is what its later steps are compared with: otherwise the
        regularisation itself would count as a change of the policy, and use the clip_ranges up.
        """
        config = self.config
        if not self.network.sees_images or not (config.augmentation or config.dropout or config.batch_norm):
            return samples
        if config.augmentation:
            samples = samples._replace(features=self._painted(samples.features, paint_seed))

        def evaluate(rows):
            batch = take(samples, rows)
            logits, values = self.network.evaluate(batch.features, batch.is_first, batch.memory, noise)
            return categorical_log_probability(logits, batch.actions), values

        rows = minibatches_in_order(samples, config)
        said = tf.map_fn(evaluate, rows, fn_output_signature=(tf.float32, tf.float32), parallel_iterations=1)
        log_probability, values = (tf.reshape(x, (-1, *x.shape[2:]))[: samples.actions.shape[0]] for x in said)
        return samples._replace(log_probability=log_probability, values=values)

    def _painted(self, images: tf.Tensor, seed: tf.Tensor) -> tf.Tensor:
        flat = tf.reshape(images, (-1, *images.shape[-3:]))
        return tf.reshape(paint_boxes(flat, self._spec.observation_shape[-1], seed), images.shape)

    def save(self) -> dict[str, Any]:
        return {
            "network": save_variables(self._weights),
            "averages": save_variables(self._averages),
            "optimizer": self._optimizer.save(),
            "iterations": int(self._iterations),
        }

    def load(self, tree: dict[str, Any]) -> None:
        load_variables(self._weights, tree["network"], "the policy")
        load_variables(self._averages, tree["averages"], "the policy's moving averages")
        self._optimizer.load(tree["optimizer"])
        self._iterations.assign(tree["iterations"])
