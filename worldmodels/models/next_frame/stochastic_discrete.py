"""The stochastic next-frame model draws bits for events that the past leaves open, and remembers earlier frames."""

from __future__ import annotations

import keras
import numpy as np
import tensorflow as tf

from worldmodels.core.specs import ActionSpec, ObservationSpec
from worldmodels.models.api import Latents
from worldmodels.models.graph import graph
from worldmodels.models.next_frame.bottleneck import BitPredictor, clean_bits, noisy_bits, to_bits, to_classes
from worldmodels.models.next_frame.config import StochasticDiscreteConfig
from worldmodels.models.next_frame.learning import FrameTransitions, ramp
from worldmodels.models.next_frame.model import NextFrameModel, NextFrameState
from worldmodels.models.next_frame.networks.conv_layers import Inject
from worldmodels.models.next_frame.networks.network import QUIET, Decoded, Encoded, NetworkShape, Noise, build_inference
from worldmodels.models.precision import building_in

OWN_BITS = 0.5
"""Final probability with which a bit is the predictor's own in training."""
USE = 0.8
"""Final probability with which an example uses its latent in training."""


class StochasticDiscrete(NextFrameModel):
    """SimPLe's best model (Kaiser et al. 2019): it reads one frame, remembers the others, and draws bits."""

    config: StochasticDiscreteConfig

    def __init__(
        self,
        config: StochasticDiscreteConfig,
        observation: ObservationSpec,
        action: ActionSpec,
        seed: np.ndarray,
    ):
        seeds, spec = np.random.default_rng(np.asarray(seed).view(np.uint32)), config.spec(observation, action)
        shape = NetworkShape(spec.observation_shape, config.network_frames, spec.num_actions, config.memory)
        super().__init__(config, spec, shape, seeds)

    def _build(self, shape: NetworkShape, seeds: np.random.Generator) -> list[keras.layers.Layer]:
        config, bottleneck = self.config, self.network.bottleneck_shape
        with building_in("float32"):  # a bit is a sign: near 0, rounding would draw it, and nobody can foresee that
            self.inference = build_inference(config.network, shape, config.latent.bits, seeds)
        self.predictor = BitPredictor(config.latent, int(np.prod(bottleneck)), seeds)
        self.inject = Inject(config.latent.bits, bottleneck[-1], seeds, "inject_bits")
        return [self.inference, self.predictor, self.inject]

    def predict(self, transitions: FrameTransitions, noise: Noise) -> tuple[Decoded, dict[str, tf.Tensor]]:
        """Predict with bits from both frames of each transition, some of them noisy or the predictor's own."""
        latent, updates = self.config.latent, tf.cast(self.optimizer.updates, tf.float32)
        encoded = self.network.encode(self.seen(transitions.frames), transitions.memory, transitions.action, noise)
        logits = self.inference(self.newest(transitions.frames), transitions.target, transitions.action)
        known = clean_bits(logits)
        loss = self.predictor.loss(encoded.bottleneck, known, noise)

        hard = ramp(updates, latent.ramp_updates)
        bits = noisy_bits(logits, hard, noise)
        # A bit of the predictor's own passes no gradient to the inference network, whose bit it is not.
        own = self.predictor.sample(tf.stop_gradient(encoded.bottleneck), 1.0, noise.seed(), noise.steps)
        bits = tf.where(noise.uniform(tf.shape(bits)) < OWN_BITS * hard, own, bits)
        # A latent that is not always there leaves to the action what the action can tell.
        used = noise.uniform((tf.shape(bits)[0], 1, 1, 1)) < USE * ramp(updates, latent.use_ramp_updates)
        return self.network.decode(self._with_bits(encoded, bits, used), noise), {"latent_loss": loss}

    def predict_next(
        self, state: NextFrameState, action: tf.Tensor, temperature: tf.Tensor, seed: tf.Tensor
    ) -> Decoded:
        encoded = self.network.encode(self.seen(state.frames), state.memory, action, QUIET)
        bits = self.predictor.sample(encoded.bottleneck, temperature, seed)
        return self.network.decode(self._with_bits(encoded, bits, tf.constant(True)), QUIET)

    @graph
    def imagine_latents(self, state, action, temperature, seed, held) -> tuple[NextFrameState, Latents]:
        encoded = self.network.encode(self.seen(state.frames), state.memory, action, QUIET)
        classes, logits = self.predictor.draw(encoded.bottleneck, temperature, seed, held)
        bits = to_bits(classes, self.config.latent.group)
        decoded = self.network.decode(self._with_bits(encoded, bits, tf.constant(True)), QUIET)
        return self.imagined(state, action, decoded), Latents(tf.nn.softmax(logits), classes)

    @graph
    def observed_latents(self, before, action, state) -> Latents:
        """Return the bits that training would read off the step; nothing led to the first frame of an episode."""
        led, action = (action >= 0)[:, None], tf.maximum(action, 0)
        encoded = self.network.encode(self.seen(before.frames), before.memory, action, QUIET)
        logits = self.inference(self.newest(before.frames), self.newest(state.frames), action)
        classes = to_classes(clean_bits(logits), self.config.latent.group)
        _, logits = self.predictor.draw(encoded.bottleneck, 0.0, tf.zeros((2,), tf.int32), classes)
        return Latents(tf.nn.softmax(logits), tf.where(led, classes, -1))

    def seen(self, frames: tf.Tensor) -> tf.Tensor:
        return frames[..., -self.config.network_frames * self.spec.observation_shape[-1] :]

    def _with_bits(self, encoded: Encoded, bits: tf.Tensor, used: tf.Tensor) -> Encoded:
        # Behind an identity its two gradients are added as a pair (see `graph.make_deterministic`).
        bottleneck = tf.identity(encoded.bottleneck)
        injected = tf.where(used, self.inject(bottleneck, bits), bottleneck)
        return encoded._replace(bottleneck=injected)
