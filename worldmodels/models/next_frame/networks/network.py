"""A next-frame model uses the layout of its network by this contract; the table of layouts stands here, too.

N rows, each a prediction of its own (batch and time are one axis here); H height, W width, C channels of an image.

    encoded = network.encode(frames, memory, action, noise)
    encoded = encoded._replace(bottleneck=...)      # a stochastic model injects its latent here
    decoded = network.decode(encoded, noise)
    output.loss(decoded, newest frame, target, cutoff) or output.frame(decoded, newest frame)
    heads(decoded.summary)

The model owns the stack of frames, latents, losses and schedules; the layout owns everything about resolution. Where a
model has memory, the layout decides its shape and how it takes up a frame. Images are uint8, and the layout scales
them.

One pass through a network draws its random numbers here.
"""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import Any, NamedTuple, Protocol

import numpy as np
import tensorflow as tf

from worldmodels.models import draws
from worldmodels.models.devices import draw_rows


class Noise:
    """Seeds for the draws of one pass, in the order of the calls; or no noise at all.

    Each draw has its own seed, folded from the pass's seed and a count kept while the graph is made. So a pass always
    repeats.
    """

    def __init__(self, seed: tf.Tensor | None, steps: int = 1):
        """Start a stream from `seed`, int32 (2,), while training; None outside.

        The rows are `steps` steps of all windows, one step after the other.
        """
        self._seed, self.steps = seed, steps
        self._draws = 0

    @property
    def training(self) -> bool:
        return self._seed is not None

    def seed(self) -> tf.Tensor:
        """Return another seed, int32 (2,), at each call."""
        self._draws += 1
        return draws.fold_in(self._seed, self._draws)

    def draw(self, draw: Callable[..., tf.Tensor], shape, axis: int = 0) -> tf.Tensor:
        """Return `draw(shape, seed)`, for the rows along an axis."""
        seed = self.seed()
        return draw_rows(lambda shape: draw(shape, seed), shape, axis, self.steps)

    def uniform(self, shape, axis: int = 0) -> tf.Tensor:
        """Return uniform numbers, float32 in [0, 1), for the rows along an axis."""
        return self.draw(draws.uniform, shape, axis)

    def dropout(self, x: tf.Tensor, rate: float, axis: int = 0) -> tf.Tensor:
        """Return `x` with a share `rate` of its values zeroed and the others scaled up; `x` itself outside training.

        Rows stand along an axis.
        """
        if not rate or not self.training:
            return x
        keep = tf.cast(self.uniform(tf.shape(x), axis) >= rate, tf.float32)
        return x * (keep * (1.0 / (1.0 - rate)))


QUIET = Noise(None)


class NetworkShape(NamedTuple):
    """The sizes for which a layout is built."""

    observation_shape: tuple[int, int, int]
    """(H, W, C)."""
    frames: int
    """Images that `encode` is given, stacked over channels."""
    num_actions: int
    memory: int
    """Channels of the recurrent memory; 0: the model has none."""


class Encoded(NamedTuple):
    """The inputs, encoded at the lowest resolution."""

    bottleneck: tf.Tensor
    """float32 (N, *bottleneck_shape), after the action was injected."""
    rest: Any
    """Other inputs of the layout's `decode`: skips, the embedded action."""


class Decoded(NamedTuple):
    """The tensors that all outputs read."""

    features: tf.Tensor
    """float32 (N, *feature_shape)."""
    summary: tf.Tensor
    """float32 (N, summary_size): the summary of the next step, for reward, continuation and motions."""


class Network(Protocol):
    """A layout: a Keras layer made of (config, NetworkShape, generator of weights)."""

    bottleneck_shape: tuple[int, int, int]
    """(h, w, c)."""
    feature_shape: tuple[int, int, int]
    """(H', W', c'): (H, W, c') or coarser; an output must fit the layout."""
    summary_size: int
    memory_shape: tuple[int, int, int]
    """(h, w, memory) at any resolution; (0, 0, 0) without memory."""
    trainable_weights: list[Any]

    def update_memory(self, memory: tf.Tensor, frame: tf.Tensor) -> tf.Tensor:
        """Return the memory after a frame, both float32 (N, *memory_shape); only called where there is memory.

        Args:
            frame: uint8 (N, H, W, C). It depends on nothing but these two.
        """

    def encode(self, frames: tf.Tensor, memory: tf.Tensor, action: tf.Tensor, noise: Noise) -> Encoded:
        """Encode the inputs at the lowest resolution.

        Args:
            frames: uint8 (N, H, W, frames * C), the newest last.
            memory: float32 (N, *memory_shape), of all frames before the newest.
            action: int32 (N,), taken at the newest frame.
            noise: dropout, without effect outside training.
        """

    def represent(self, frames: tf.Tensor, memory: tf.Tensor) -> tf.Tensor:
        """Return the encoding of frames and memory before the action enters: float32 (N, representation_size)."""

    def decode(self, encoded: Encoded, noise: Noise) -> Decoded:
        """Decode to the features that the outputs read."""


class Inference(Protocol):
    """Reads the bits of a transition off its two frames, while training: a Keras layer made of (config of the layout,
    NetworkShape, number of bits, generator of weights)."""

    trainable_weights: list[Any]

    def __call__(self, frame: tf.Tensor, target: tf.Tensor, action: tf.Tensor) -> tf.Tensor:
        """Return logits float32 (N, bits) of two images uint8 (N, H, W, C) and the action int32 (N,) between them."""


LAYOUTS: dict[str, tuple[str, str]] = {
    "conv": (
        "worldmodels.models.next_frame.networks.conv_network:ConvNetwork",
        "worldmodels.models.next_frame.bottleneck:ConvInference",
    ),
    "patch": (
        "worldmodels.models.next_frame.networks.patch_network:PatchNetwork",
        "worldmodels.models.next_frame.networks.patch_network:PatchInference",
    ),
}
"""Every layout by its configuration's kind: its `Network` and its `Inference`, imported when one is built."""


def build_network(config: Any, shape: NetworkShape, seeds: np.random.Generator) -> Network:
    """Return the network of a layout; `config` is one of the layouts' configurations."""
    return _load(LAYOUTS[config.kind][0])(config, shape, seeds)


def build_inference(config: Any, shape: NetworkShape, bits: int, seeds: np.random.Generator) -> Inference:
    """Return the inference network of a layout."""
    return _load(LAYOUTS[config.kind][1])(config, shape, bits, seeds)


def _load(path: str) -> Any:
    module, name = path.split(":")
    return getattr(import_module(module), name)
