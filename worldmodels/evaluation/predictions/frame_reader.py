"""Reads from frames where things of a game are, and whether they are there, by a network that learns from real frames.

Its layout and its budget are the same for all world models, so figures compare.

One letter per axis: M moments, W windows, K steps of each, V variables, T things.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt
import tensorflow as tf

from worldmodels.models.config import OptimizerConfig
from worldmodels.models.networks.images import to_float
from worldmodels.models.next_frame.networks.conv_layers import Conv2D, Linear, standardise
from worldmodels.models.optimizers import Optimizer
from worldmodels.models.variables import named_variables

Frames: TypeAlias = npt.NDArray[np.uint8]

UPDATES, ROWS = 1000, 64
"""Updates of the reader, and the frames in each."""
WIDTHS, HIDDEN = (32, 64, 64), 256
"""Channels of the convolutions, each of which halves the sides, and units of the layer for the whole picture."""
SIDE = 64
"""Sides to which pictures are scaled before they are read."""


class Truth(NamedTuple):
    """The variables of N moments that a picture can show."""

    places: np.ndarray
    """float32 (..., V), in cells; NaN where the thing is not in the picture."""
    there: np.ndarray
    """bool (..., T): whether a thing is in the picture."""


class Names(NamedTuple):
    """The names of what is read."""

    places: tuple[str, ...]
    """The variables in cells, `saw.dx` for example."""
    things: tuple[str, ...]
    """The first parts of these names."""


def names_of(units: Mapping[str, str]) -> Names:
    """Return the names of places and things among a game's variables, given with their units."""
    places = tuple(name for name, unit in units.items() if unit == "cells")
    return Names(places, tuple(dict.fromkeys(name.partition(".")[0] for name in places)))


def truth_of(variables: np.ndarray, units: Mapping[str, str]) -> Truth:
    """Return what a picture can show of variables (..., V): a thing that the game calls unseen is not there."""
    columns, names = {name: index for index, name in enumerate(units)}, names_of(units)
    places = variables[..., [columns[name] for name in names.places]].copy()
    for index, name in enumerate(names.places):
        seen = columns.get(f"{name.partition('.')[0]}.seen")
        if seen is not None:
            places[..., index][variables[..., seen] == 0] = np.nan
    owners = [name.partition(".")[0] for name in names.places]
    return Truth(places, np.isfinite(places[..., [owners.index(thing) for thing in names.things]]))


class ReadingNetwork:
    """The reader's network: convolutions, a layer for the whole picture, and the outputs."""

    def __init__(self, channels: int, outputs: int, seeds: np.random.Generator) -> None:
        sizes = [channels, *WIDTHS]
        self._convolutions = [
            Conv2D(before, after, 3, 2, seeds, f"halve_{after}_{index}")
            for index, (before, after) in enumerate(zip(sizes[:-1], sizes[1:], strict=True))
        ]
        self._whole = Linear((SIDE >> len(WIDTHS)) ** 2 * WIDTHS[-1], HIDDEN, seeds, "whole")
        self._out = Linear(HIDDEN, outputs, seeds, "out")
        self.layers = [*self._convolutions, self._whole, self._out]

    def __call__(self, frames: tf.Tensor) -> tf.Tensor:
        x = standardise(tf.image.resize(to_float(frames), (SIDE, SIDE)))
        for convolution in self._convolutions:
            x = tf.nn.relu(convolution(x))
        return self._out(tf.nn.relu(self._whole(tf.reshape(x, (-1, np.prod(x.shape[1:]))))))


class Reader:
    """A network that learns from real frames to read places, and whether things are there.

    Args:
        frames: uint8 (M, h, w, c).
        truth: of these frames.
        seed: of the weights and of the batches.
    """

    def __init__(self, frames: Frames, truth: Truth, seed: int) -> None:
        random = np.random.default_rng(seed)
        self._places = truth.places.shape[-1]
        self._network = ReadingNetwork(frames.shape[-1], self._places + truth.there.shape[-1], random)
        variables = named_variables(self._network.layers)
        rate = f"linear(1e-3, 1e-5, {UPDATES})"
        self._optimizer = Optimizer(variables, OptimizerConfig(learning_rate=rate, epsilon=1e-8, weight_decay=0.0))
        self._mean, self._scale = _moments(truth.places)
        share = truth.there.mean(0).clip(1 / len(frames), 1 - 1 / len(frames))
        self._weights = tf.constant(np.stack([0.5 / (1 - share), 0.5 / share]), tf.float32)
        update = tf.function(self._update, autograph=False)
        standard = ((truth.places - self._mean) / self._scale).astype(np.float32)
        for _ in range(UPDATES):
            rows = random.integers(0, len(frames), ROWS)
            update(*map(tf.constant, (frames[rows], standard[rows], truth.there[rows])))

    def read(self, frames: Frames) -> Truth:
        """Return what is read of frames (W, K, h, w, c): places everywhere, as if all things were there."""
        flat = frames.reshape(-1, *frames.shape[2:])
        parts = [self._network(tf.constant(flat[start : start + 256])).numpy() for start in range(0, len(flat), 256)]
        outputs = np.concatenate(parts).reshape(*frames.shape[:2], -1)
        places = outputs[..., : self._places] * self._scale + self._mean
        return Truth(places, outputs[..., self._places :] > 0)

    def _update(self, frames: tf.Tensor, places: tf.Tensor, there: tf.Tensor) -> None:
        """Learn from a batch. Places are NaN where they do not count."""
        counts = tf.math.is_finite(places)
        with tf.GradientTape() as tape:
            read, logits = tf.split(self._network(frames), [places.shape[-1], there.shape[-1]], -1)
            error = tf.where(counts, read - tf.where(counts, places, 0.0), 0.0)
            # Squared where it is small, absolute where it is large: another thing may have been the nearest.
            count = tf.maximum(tf.reduce_sum(tf.cast(counts, tf.float32)), 1)
            far = tf.reduce_sum(tf.sqrt(1 + tf.square(error)) - 1) / count
            labels = tf.cast(there, tf.float32)
            weights = tf.where(there, self._weights[1], self._weights[0])
            wrong = tf.reduce_mean(weights * tf.nn.sigmoid_cross_entropy_with_logits(labels, logits))
            loss = far + wrong
        self._optimizer.minimize(tape, loss)


def _moments(places: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return mean and deviation (V,) of places (M, V) that are there; the deviation is 1 where nothing ever moves."""
    there = np.isfinite(places)
    count = np.maximum(there.sum(0), 1)
    mean = np.where(there, places, 0).sum(0, dtype=np.float64) / count
    deviation = np.sqrt(np.where(there, np.square(places - mean), 0).sum(0) / count)
    return mean, np.where(deviation > 1e-6, deviation, 1.0)
