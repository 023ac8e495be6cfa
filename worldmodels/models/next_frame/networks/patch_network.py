"""The small layout for a CPU computes products of matrices, on patches and across them."""

from __future__ import annotations

import keras
import numpy as np
import tensorflow as tf

from worldmodels.models.config import grid_shape, patch_side
from worldmodels.models.motion import cover, find_motions, find_patch_motions, patches_of
from worldmodels.models.networks.layers import Layer
from worldmodels.models.next_frame.config import NARROW, PatchNetworkConfig
from worldmodels.models.next_frame.networks.conv_layers import ActionEmbedding, Inject, LayerNorm, Linear
from worldmodels.models.next_frame.networks.network import Decoded, Encoded, NetworkShape, Noise


class PatchNetwork(Layer):
    """A `Network`: patches; one vector of them all, with the action in it; patches again, which look at each other."""

    def __init__(self, config: PatchNetworkConfig, shape: NetworkShape, seeds: np.random.Generator):
        super().__init__(name="network")
        self.grid = grid_shape(shape.observation_shape, config.patch)
        self.side = patch_side(shape.observation_shape, self.grid)
        self.channels = shape.observation_shape[2]
        pixels, count = self.side**2 * self.channels, self.grid[0] * self.grid[1]
        self.bottleneck_shape = (1, 1, config.bottleneck)
        self.feature_shape = (*self.grid, config.depth)
        self.summary_size = config.bottleneck + 2 * config.depth
        self.memory_shape = (*self.grid, shape.memory) if shape.memory else (0, 0, 0)
        with keras.name_scope("network"):
            if shape.memory:
                self.absorption = Linear(pixels + shape.memory, 2 * shape.memory, seeds, "absorption")
            self.enter = Linear(pixels * shape.frames + shape.memory, config.depth, seeds, "enter")
            self.place = self.weight("place", (*self.grid, config.depth), seeds)
            self.narrow = Linear(config.depth, NARROW, seeds, "narrow")
            self.meet = Linear(count * NARROW, config.bottleneck, seeds, "meet")
            self.embed = ActionEmbedding(shape.num_actions, config.depth, seeds, "actions")
            self.patch_momentum = None
            if shape.frames > 1:
                if config.patch_motions:
                    self.patch_momentum = Linear(2 * (2 * self.side + 1), config.depth, seeds, "patch_momentum")
                self.momentum = Linear(2 * (2 * self.side + 1), config.bottleneck, seeds, "momentum")
            self.inject = Inject(config.depth, config.bottleneck, seeds, "inject")
            self.part = Linear(config.bottleneck, count * NARROW, seeds, "part")
            self.widen = Linear(NARROW, config.depth, seeds, "widen")
            self.blocks = [Block(count, config.depth, seeds, f"block_{i}") for i in range(config.blocks)]
            self.norm = LayerNorm(config.depth, "norm")

    def update_memory(self, memory: tf.Tensor, frame: tf.Tensor) -> tf.Tensor:
        x = self.absorption(tf.concat([patches_of(frame, self.grid, self.side), memory], -1))
        gate, candidate = tf.split(x, 2, -1)
        gate = tf.sigmoid(gate)
        return memory * gate + tf.tanh(candidate) * (1.0 - gate)

    def encode(self, frames: tf.Tensor, memory: tf.Tensor, action: tf.Tensor, noise: Noise) -> Encoded:
        x, _, vector = self._look(frames, memory)
        return Encoded(self.inject(vector[:, None, None], self.embed(action)), x)

    def represent(self, frames: tf.Tensor, memory: tf.Tensor) -> tf.Tensor:
        _, meeting, vector = self._look(frames, memory)
        return tf.cast(tf.concat([meeting, vector], -1), tf.float32)

    def _look(self, frames: tf.Tensor, memory: tf.Tensor) -> tuple[tf.Tensor, tf.Tensor, tf.Tensor]:
        """Return the patches (N, *grid, depth), narrow patches (N, patches * NARROW), and the joint vector (N,
        units)."""
        x = patches_of(frames, self.grid, self.side)
        if self.memory_shape[-1]:
            x = tf.concat([x, memory], -1)
        x = self.enter(x) + self.place
        if self.patch_momentum:
            x += self.patch_momentum(self._last_patch_motions(frames))
        x = tf.nn.relu(x)
        meeting = tf.reshape(tf.nn.relu(self.narrow(x)), (-1, self.meet.kernel.shape[0]))
        vector = self.meet(meeting)
        if frames.shape[-1] > self.channels:
            vector += self.momentum(self._last_motion(frames))
        return x, meeting, tf.nn.relu(vector)

    def decode(self, encoded: Encoded, noise: Noise) -> Decoded:
        vector = encoded.bottleneck[:, 0, 0]
        parted = tf.reshape(tf.nn.relu(self.part(vector)), (-1, *self.grid, NARROW))
        x = encoded.rest + self.widen(parted)
        for block in self.blocks:
            x = block(x)
        x = self.norm(x)
        # Behind an identity, gradients are added in pairs (see `graph.make_deterministic`).
        features, pooled = tf.identity(x), tf.identity(x)
        summary = tf.concat([vector, tf.reduce_mean(pooled, (1, 2)), tf.reduce_max(pooled, (1, 2))], -1)
        return Decoded(features, summary)

    def _last_motion(self, frames: tf.Tensor) -> tf.Tensor:
        """Return the last motion one-hot, since dense layers find matching hard: float32 (N, 2 (2 side + 1))."""
        motion = find_motions(*self._last_two(frames), 1, reach=self.side)[:, 0]
        return tf.reshape(self._one_hot(motion), (-1, 2 * (2 * self.side + 1)))

    def _last_patch_motions(self, frames: tf.Tensor) -> tf.Tensor:
        """Return the last motion of each patch one-hot: float32 (N, *grid, 2 (2 side + 1)), 0 where nothing changed."""
        before, newest = (cover(x, self.grid, self.side) for x in self._last_two(frames))
        motions, changed = find_patch_motions(before, newest, self.side, reach=self.side)
        known = self._one_hot(motions) * tf.cast(changed, tf.float32)[..., None, None]
        return tf.reshape(known, (-1, *self.grid, 2 * (2 * self.side + 1)))

    def _last_two(self, frames: tf.Tensor) -> tuple[tf.Tensor, tf.Tensor]:
        return frames[..., -2 * self.channels : -self.channels], frames[..., -self.channels :]

    def _one_hot(self, motions: tf.Tensor) -> tf.Tensor:
        """Return motions (..., 2) as (..., 2, 2 side + 1)."""
        return tf.one_hot(motions + self.side, 2 * self.side + 1)


class Block(Layer):
    """A dense layer across the patches, channel by channel, then two on each (MLP-Mixer, Tolstikhin et al. 2021)."""

    def __init__(self, patches: int, depth: int, seeds: np.random.Generator, name: str):
        super().__init__(name=name)
        with keras.name_scope(name):
            self.norms = [LayerNorm(depth, f"norm_{i}") for i in range(2)]
            self.across = Linear(patches, patches, seeds, "across")
            self.first = Linear(depth, depth, seeds, "first")
            self.second = Linear(depth, depth, seeds, "second")

    def call(self, x: tf.Tensor) -> tf.Tensor:
        _, height, width, depth = x.shape
        rows = tf.reshape(self.norms[0](tf.identity(x)), (-1, height * width, depth))
        mixed = tf.transpose(self.across(tf.transpose(rows, (0, 2, 1))), (0, 2, 1))
        x += tf.nn.relu(tf.reshape(mixed, (-1, height, width, depth)))
        return x + self.second(tf.nn.relu(self.first(self.norms[1](tf.identity(x)))))


class PatchInference(Layer):
    """An `Inference`: the patches of both frames, and one vector of them all."""

    def __init__(self, config: PatchNetworkConfig, shape: NetworkShape, bits: int, seeds: np.random.Generator):
        super().__init__(name="inference")
        self.grid = grid_shape(shape.observation_shape, config.patch)
        self.side = patch_side(shape.observation_shape, self.grid)
        pixels = 2 * self.side**2 * shape.observation_shape[2]
        count, units = self.grid[0] * self.grid[1], config.bottleneck
        with keras.name_scope("inference"):
            self.enter = Linear(pixels, config.depth, seeds, "enter")
            self.narrow = Linear(config.depth, NARROW, seeds, "narrow")
            self.meet = Linear(count * NARROW, units, seeds, "meet")
            self.embed = ActionEmbedding(shape.num_actions, units, seeds, "actions")
            self.bits = Linear(units, bits, seeds, "bits")

    def call(self, frame: tf.Tensor, target: tf.Tensor, action: tf.Tensor) -> tf.Tensor:
        x = patches_of(tf.concat([frame, target], -1), self.grid, self.side)
        x = tf.nn.relu(self.narrow(tf.nn.relu(self.enter(x))))
        x = tf.reshape(x, (-1, self.meet.kernel.shape[0]))
        return self.bits(tf.nn.relu(self.meet(x) + self.embed(action)))
