"""Counts the floating-point operations of a Dreamer's updates from the sizes of its layers.

Matrix products and convolutions alone, two operations for each multiplication and addition; what is learned from counts
three times its forward pass, as is usual: once forward, and twice backward, for its inputs and for its weights. (The
layer that reads pixels has no use for the gradient of its inputs, so this is a little too much.)
"""

from __future__ import annotations

from itertools import pairwise
from typing import TypeAlias

from worldmodels.agents.dreamer.config import ActorCriticConfig
from worldmodels.models.config import ConvConfig, HeadConfig, PatchConfig
from worldmodels.models.rssm.config import RSSMConfig

Images: TypeAlias = ConvConfig | PatchConfig
Shape = tuple[int, int, int]
"""(height, width, channels)."""
LEARNED = 3
"""Passes of something that is learned from, in forward passes."""


def fit(model: RSSMConfig, shape: Shape, actions: int) -> int:
    """Operations of a model update, for each frame of its batch."""
    size = features(model)
    heads = 2 * head(size, model.heads, 1)
    forward = observe(model, shape, actions) + prior(model) + decoder(model.decoder, size, shape) + heads
    return LEARNED * forward


def improve(model: RSSMConfig, agent: ActorCriticConfig, actions: int) -> int:
    """Operations of a policy update, for each imagined rollout: H steps, read and valued at H + 1 states."""
    size, steps = features(model), agent.horizon
    actor, critic = head(size, agent.actor, actions), head(size, agent.critic, 1)
    imagined = steps * (recurrence(model, actions) + prior(model)) + (steps + 1) * actor
    read = (steps + 1) * (2 * head(size, model.heads, 1) + critic)
    return imagined + read + steps * LEARNED * (actor + critic)


def act(model: RSSMConfig, agent: ActorCriticConfig, shape: Shape, actions: int) -> int:
    """Operations of a policy step, for each environment: the observation taken in, an action and a value."""
    size = features(model)
    return observe(model, shape, actions) + head(size, agent.actor, actions) + head(size, agent.critic, 1)


def observe(model: RSSMConfig, shape: Shape, actions: int) -> int:
    """Operations of an observation and an action that lead from one state to the next."""
    posterior = dense(model.recurrent + embedding(model.encoder, shape), model.hidden, statistics(model))
    return encoder(model.encoder, shape) + recurrence(model, actions) + posterior


def recurrence(model: RSSMConfig, actions: int) -> int:
    """Operations from one recurrent state to the next."""
    latent = features(model) - model.recurrent
    return dense(latent + actions, model.hidden) + dense(model.hidden + model.recurrent, 3 * model.recurrent)


def prior(model: RSSMConfig) -> int:
    """Operations from a recurrent state to the statistics of the latents."""
    return dense(model.recurrent, model.hidden, statistics(model))


def encoder(config: Images, shape: Shape) -> int:
    """Operations from an image to its embedding."""
    height, width, channels = shape
    depth = config.depth
    if isinstance(config, PatchConfig):
        patches = height // config.patch * (width // config.patch)
        return patches * dense(config.patch**2 * channels, depth) + patches // 4 * dense(4 * depth, 2 * depth)
    depths, sides = [channels, depth, 2 * depth, 4 * depth, 8 * depth], (31, 14, 6, 2)
    return sum(side**2 * dense(4 * 4 * a, b) for side, (a, b) in zip(sides, pairwise(depths), strict=True))


def decoder(config: Images, size: int, shape: Shape) -> int:
    """Operations from `size` features to an image."""
    height, width, channels = shape
    depth = config.depth
    if isinstance(config, PatchConfig):
        patches = height // config.patch * (width // config.patch)
        squares = patches // 4
        near = patches * dense(depth, config.patch**2 * channels)
        return dense(size, squares * 2 * depth) + squares * dense(2 * depth, 4 * depth) + near
    # Each pixel of a transposed convolution's input is multiplied by its whole kernel.
    layers = ((5, 4 * depth, 5, 2 * depth), (13, 2 * depth, 6, depth), (30, depth, 6, channels))
    convolutions = sum(side**2 * dense(a, kernel**2 * b) for side, a, kernel, b in layers)
    return dense(size, 32 * depth, 5 * 5 * 4 * depth) + convolutions


def head(size: int, config: HeadConfig, outputs: int) -> int:
    """Operations of a stack of dense layers on `size` features."""
    return dense(size, *(config.units,) * config.layers, outputs)


def dense(*sizes: int) -> int:
    """Operations of dense layers in a row, for each row of their input."""
    return 2 * sum(a * b for a, b in pairwise(sizes))


def features(model: RSSMConfig) -> int:
    """Size of what heads and decoder see of a state."""
    return model.recurrent + model.latents * (model.classes or 1)


def statistics(model: RSSMConfig) -> int:
    """Numbers that describe the distribution of the latents."""
    return model.latents * (model.classes or 2)


def embedding(config: Images, shape: Shape) -> int:
    """Size of what the encoder makes of an image."""
    if isinstance(config, ConvConfig):
        return 2 * 2 * 8 * config.depth
    return shape[0] // config.patch * (shape[1] // config.patch) // 4 * 2 * config.depth
