"""Proximal policy optimisation (Schulman et al. 2017): one update for imagined and for real rollouts."""

from __future__ import annotations

from typing import Any

import numpy as np
import tensorflow as tf

from worldmodels.agents.api import Rollouts
from worldmodels.agents.distributions.policy_distributions import PolicyDistribution
from worldmodels.agents.networks.bodies import BodySettings
from worldmodels.agents.networks.images import Regularisation, paint_boxes
from worldmodels.agents.on_policy.agent import OnPolicyAgent
from worldmodels.agents.on_policy.config import PPOConfig
from worldmodels.agents.on_policy.samples import (
    Samples,
    StepResult,
    draw_minibatches,
    minibatches_in_order,
    normalize,
    run_steps,
    take,
    weighted_mean,
)
from worldmodels.models import draws
from worldmodels.models.api import ModelSpec
from worldmodels.models.optimizers import Descent, Optimizer


def policy_loss(
    parameters: tf.Tensor,
    batch: Samples,
    limit: float | tf.Tensor,
    distribution: PolicyDistribution,
    config: PPOConfig,
) -> tuple[tf.Tensor, dict[str, tf.Tensor]]:
    """Return the loss of the policy over a minibatch, a scalar, and figures to report.

    Args:
        parameters: (..., P), of the policy as it is now.
        limit: the range in which the ratio of probabilities may change; it may shrink while a run goes on.
    """
    advantages = batch.advantages
    if config.normalize_advantages == "minibatch":
        advantages = normalize(advantages, batch.weights)
    change = distribution.log_probability(parameters, batch.actions) - batch.log_probability
    ratio = tf.exp(change)
    surrogate = weighted_mean(clipped_surrogate(ratio, advantages, limit), batch.weights)
    entropy = weighted_mean(distribution.entropy(parameters), batch.weights)
    clipped = tf.cast(tf.abs(ratio - 1.0) > limit, tf.float32)
    figures = {
        "policy_loss": surrogate,
        "entropy": entropy,
        # Schulman's estimate: never negative, and of small variance.
        "approximate_kl": weighted_mean(ratio - 1.0 - change, batch.weights),
        "clip_fraction": weighted_mean(clipped, batch.weights),
    }
    scale = weighted_mean(batch.policy_scale, batch.weights)
    return scale * (surrogate - config.entropy * entropy), figures


def value_loss(values: tf.Tensor, batch: Samples, limit: tf.Tensor | None) -> tf.Tensor:
    """Return the mean squared error of the values (...) of a minibatch, a scalar; `limit` as in `squared_error`."""
    return weighted_mean(squared_error(values, batch, limit), batch.weights)


def clipped_surrogate(ratio: tf.Tensor, advantages: tf.Tensor, limit: float | tf.Tensor) -> tf.Tensor:
    """Return the pessimistic loss of each sample: no gain from going beyond [1 - limit, 1 + limit]."""
    return -tf.minimum(ratio * advantages, tf.clip_by_value(ratio, 1.0 - limit, 1.0 + limit) * advantages)


def squared_error(values: tf.Tensor, batch: Samples, limit: tf.Tensor | None) -> tf.Tensor:
    """Return the squared error of each value; with a limit, the larger of it and that of a clipped value."""
    error = tf.math.squared_difference(values, batch.returns)
    if limit is None:
        return error
    held = batch.values + tf.clip_by_value(values - batch.values, -limit, limit)
    return tf.maximum(error, tf.math.squared_difference(held, batch.returns))


KL_TOLERANCE = 1.5
"""Multiple of `target_kl` beyond which the policy's steps end."""
POLICY_FIGURES = ("policy_loss", "entropy", "approximate_kl", "clip_fraction", "gradient_norm")


class PPO(OnPolicyAgent):
    """An agent that takes many steps on the same samples, while its policy stays close to the one that chose them."""

    config: PPOConfig

    def __init__(self, config: PPOConfig, spec: ModelSpec, seed: np.ndarray):
        regularisation = Regularisation(config.dropout, config.batch_norm)
        body = BodySettings(config.images, config.vectors, config.style, regularisation, config.lstm)
        super().__init__(
            config,
            spec,
            seed,
            body,
            own_value=config.value_optimizer is not None,
            normalizes=config.normalize_advantages == "iteration",
            scales_imagined=config.scale_imagined_policy,
        )
        self.optimizers["optimizer"] = Optimizer(self.network.policy_weights, config.optimizer)
        if config.value_optimizer:
            self.optimizers["value_optimizer"] = Optimizer(self.network.value_weights, config.value_optimizer)
        self._iterations = tf.Variable(0, dtype=tf.int64)

    def improve(self, samples: Samples, seed: tf.Tensor, imagined: bool) -> tuple[dict[str, tf.Tensor], tf.Tensor]:
        minibatch_seed, noise, paint_seed = tf.unstack(draws.split(seed, 3))
        samples = self._regularised(samples, noise, paint_seed)
        epochs = (imagined and self.config.imagined_epochs) or self.config.epochs
        minibatches = draw_minibatches(samples, self.config, epochs, minibatch_seed)
        share = self._share_left()

        def on_minibatches(step, names):
            def on_devices(i):
                rows = (take(samples, minibatches[i]),)
                return self._devices.run(lambda batch: step(batch, noise, share), rows)

            return run_steps(on_devices, minibatches.shape[0], names)

        if not self.config.value_optimizer:
            steps = on_minibatches(self._step, (*POLICY_FIGURES, "value_loss"))
            return steps.figures | self._steps_done(steps.done), steps.finite
        policy = on_minibatches(self._policy_step, POLICY_FIGURES)
        value = on_minibatches(self._value_step, ("value_loss", "value_gradient_norm"))
        return policy.figures | value.figures | self._steps_done(policy.done), policy.finite & value.finite

    def _step(self, batch: Samples, noise: tf.Tensor, share: tf.Tensor) -> StepResult:
        """Do one step of policy and value on their one trunk."""
        with tf.GradientTape() as tape:
            parameters, values = self.network.evaluate(batch.features, batch.is_first, batch.memory, noise)
            loss, figures = policy_loss(parameters, batch, share * self.config.clip, self.distribution, self.config)
            error = self._value_loss(values, batch, share)
            loss += self.config.value_scale * error
            if self.config.l2:
                loss += self.config.l2 * _half_squared_norm(self.optimizers["optimizer"])
        return self._descend_near(tape, loss, share, figures | {"value_loss": error})

    def _policy_step(self, batch: Samples, noise: tf.Tensor, share: tf.Tensor) -> StepResult:
        """Do one step of a policy whose value has a network of its own."""
        with tf.GradientTape() as tape:
            parameters = self.network.evaluate_policy(batch.features, batch.is_first, batch.memory, noise)
            loss, figures = policy_loss(parameters, batch, share * self.config.clip, self.distribution, self.config)
            if self.config.l2:
                loss += self.config.l2 * _half_squared_norm(self.optimizers["optimizer"])
        return self._descend_near(tape, loss, share, figures)

    def _value_step(self, batch: Samples, noise: tf.Tensor, share: tf.Tensor) -> StepResult:
        """Do one step of the value's own network."""
        optimizer = self.optimizers["value_optimizer"]
        with tf.GradientTape() as tape:
            values = self.network.evaluate_value(batch.features, batch.is_first, batch.memory, noise)
            loss = error = self._value_loss(values, batch, share)
            if self.config.l2:
                loss += self.config.l2 * _half_squared_norm(optimizer)
        norm, finite = optimizer.minimize(tape, loss, share)
        return StepResult({"value_loss": error, "value_gradient_norm": norm}, finite)

    def _descend_near(
        self, tape: tf.GradientTape, loss: tf.Tensor, share: tf.Tensor, figures: dict[str, tf.Tensor]
    ) -> StepResult:
        """Do a step of the policy unless it is already too far from the one that chose the actions."""
        optimizer = self.optimizers["optimizer"]
        gradients = optimizer.gradients(tape, loss)
        target = self.config.target_kl
        near = figures["approximate_kl"] <= KL_TOLERANCE * target if target else tf.constant(True)
        optimizer.apply(gradients, gradients.finite & near, share)
        return StepResult(figures | {"gradient_norm": gradients.norm}, gradients.finite, near)

    def _value_loss(self, values: tf.Tensor, batch: Samples, share: tf.Tensor) -> tf.Tensor:
        return value_loss(values, batch, share * self.config.value_clip if self.config.value_clip else None)

    def _steps_done(self, done: tf.Tensor) -> dict[str, tf.Tensor]:
        """Return the steps of the policy as a figure, where it is not always the same."""
        return {"steps": done} if self.config.target_kl else {}

    def _learn(self, rollouts: Rollouts, weights: tf.Tensor, seed: tf.Tensor, imagined: bool) -> dict[str, tf.Tensor]:
        metrics = super()._learn(rollouts, weights, seed, imagined)
        self._iterations.assign_add(tf.cast(metrics["policy/finite"], tf.int64))
        return metrics

    def _share_left(self) -> tf.Tensor:
        """Return the share that is left of learning rate and clip ranges, 1 down to 0."""
        if not self.config.decay:
            return tf.constant(1.0)
        return tf.maximum(0.0, 1.0 - tf.cast(self._iterations, tf.float32) / self.config.decay)

    def _regularised(self, samples: Samples, noise: tf.Tensor, paint_seed: tf.Tensor) -> Samples:
        """Return the samples as the regularised network sees them.

        The network's outputs under regularisation, before its first step, are the reference of later steps. Otherwise
        the regularisation itself would count as a change of the policy, and use up the clip ranges.
        """
        config = self.config
        if not self.spec.features.images or not (config.augmentation or config.dropout or config.batch_norm):
            return samples
        if config.augmentation:
            samples = samples._replace(features=self._painted(samples.features, paint_seed))

        def evaluate(rows):
            batch = take(samples, rows)
            parameters, values = self.network.evaluate(batch.features, batch.is_first, batch.memory, noise)
            return self.distribution.log_probability(parameters, batch.actions), values

        rows = minibatches_in_order(samples, config)
        said = tf.map_fn(evaluate, rows, fn_output_signature=(tf.float32, tf.float32), parallel_iterations=1)
        log_probability, values = (tf.reshape(x, (-1, *x.shape[2:]))[: samples.weights.shape[0]] for x in said)
        return samples._replace(log_probability=log_probability, values=values)

    def _painted(self, features: Any, seed: tf.Tensor) -> Any:
        """Return features with boxes over all images: those of a stack are the observation's, in the same order."""
        spec, arrays = self.spec, dict(self.spec.features.arrays(features))
        frames = dict(spec.observation.parts)
        for name, seen in zip(spec.features.images, spec.observation.images, strict=True):
            images = arrays[name]
            flat = tf.reshape(images, (-1, *images.shape[-3:]))
            arrays[name] = tf.reshape(paint_boxes(flat, frames[seen].shape[-1], seed), images.shape)
        return spec.features.pack(arrays)

    def save(self) -> dict[str, Any]:
        return super().save() | {"iterations": int(self._iterations.numpy())}

    def load(self, tree: dict[str, Any]) -> None:
        super().load(tree)
        self._iterations.assign(tree["iterations"])


def _half_squared_norm(optimizer: Descent) -> tf.Tensor:
    """Return half the squared norm of an optimizer's weights that are no biases."""
    kernels = [variable for variable in optimizer.variables.values() if variable.shape.rank > 1]
    return tf.reduce_sum(tf.stack([tf.nn.l2_loss(kernel) for kernel in kernels]))
