"""The deterministic next-frame model predicts the next frame from the last few frames and an action."""

from __future__ import annotations

import numpy as np
import tensorflow as tf

from worldmodels.core.specs import ActionSpec, ObservationSpec
from worldmodels.models.next_frame.config import DeterministicConfig
from worldmodels.models.next_frame.learning import FrameTransitions
from worldmodels.models.next_frame.model import NextFrameModel, NextFrameState
from worldmodels.models.next_frame.networks.network import QUIET, Decoded, NetworkShape, Noise


class Deterministic(NextFrameModel):
    """SimPLe's first model (Kaiser et al. 2019): it has no randomness of its own, and temperature changes nothing."""

    def __init__(self, config: DeterministicConfig, observation: ObservationSpec, action: ActionSpec, seed: np.ndarray):
        seeds, spec = np.random.default_rng(np.asarray(seed).view(np.uint32)), config.spec(observation, action)
        shape = NetworkShape(spec.observation_shape, config.frames, spec.num_actions, memory=0)
        super().__init__(config, spec, shape, seeds)

    def predict(self, transitions: FrameTransitions, noise: Noise) -> tuple[Decoded, dict[str, tf.Tensor]]:
        encoded = self.network.encode(transitions.frames, transitions.memory, transitions.action, noise)
        return self.network.decode(encoded, noise), {}

    def predict_next(
        self, state: NextFrameState, action: tf.Tensor, temperature: tf.Tensor, seed: tf.Tensor
    ) -> Decoded:
        return self.network.decode(self.network.encode(state.frames, state.memory, action, QUIET), QUIET)
