"""A next-frame model's training step learns from windows of experience.

Time stands in front: T steps, B windows. A window begins with the frames that the model needs. All later frames are
targets, each predicted from the frames before it. A step that opens an episode is no target.

Schedules give numbers by the count of updates, a float32 scalar.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import tensorflow as tf

from worldmodels.core.errors import ConfigError
from worldmodels.core.types import Batch
from worldmodels.models import draws
from worldmodels.models.devices import draw_rows, sum_over_devices, whole_batch
from worldmodels.models.networks.scan import swap_rows_and_time
from worldmodels.models.next_frame.config import SamplingConfig
from worldmodels.models.next_frame.networks.network import Noise

FLOOR = 0.01
"""First value of a ramp, and of the exponential factor of the probability."""


def ramp(updates: tf.Tensor, until: int) -> tf.Tensor:
    """Return a line from `FLOOR` at update 0 to 1 at update `until`; 1 afterwards, and always where `until` is 0."""
    return FLOOR + (1.0 - FLOOR) * tf.minimum(updates / until, 1.0) if until else tf.ones_like(updates)


def sampling_probability(config: SamplingConfig, updates: tf.Tensor) -> tf.Tensor:
    """Return the probability that a frame of the model's own replaces a recorded one.

    p(t) = final * FLOOR ** (max(E - t, 0) / E) * (FLOOR + (1 - FLOOR) * min(t / L, 1)), with E and L the numbers of
    exponential and linear updates.
    """
    missing = 1.0 - tf.minimum(updates / config.exponential_updates, 1.0) if config.exponential_updates else 0.0
    return config.final * tf.pow(FLOOR, missing) * ramp(updates, config.linear_updates)


class Window(NamedTuple):
    """A batch with time in front."""

    frames: tf.Tensor
    """uint8 (T, B, H, W, C)."""
    action: tf.Tensor
    """int32 (T, B)."""
    is_first: tf.Tensor
    """bool (T, B); the first step counts as the first of an episode."""
    reward: tf.Tensor
    """float32 (T, B)."""
    continuation: tf.Tensor
    """float32 (T, B)."""


class FrameTransitions(NamedTuple):
    """N rows from which predictions start, each with the frame that really followed."""

    frames: tf.Tensor
    """uint8 (N, H, W, frames * C)."""
    memory: tf.Tensor
    """float32 (N, *memory_shape)."""
    action: tf.Tensor
    """int32 (N,)."""
    target: tf.Tensor
    """uint8 (N, H, W, C): the frame after the action."""


def window_of(batch: Batch, frames: int) -> Window:
    """Return a batch as a window; raise ConfigError where it is too short to hold a target after `frames` steps."""
    length = batch.action.shape[1]
    if length <= frames:
        raise ConfigError(
            f"Windows of {length} steps hold no frame to predict: this model sees {frames} frames before the one that "
            f"it predicts. training.length must be at least {frames + 1}."
        )
    observation, reward, is_first, _, is_terminal, action = (swap_rows_and_time(tf.convert_to_tensor(x)) for x in batch)
    is_first = tf.concat([tf.ones_like(is_first[:1]), is_first[1:]], 0)
    return Window(observation, action, is_first, reward, 1.0 - tf.cast(is_terminal, tf.float32))


def inputs(model: Any, window: Window, seed: tf.Tensor) -> tf.Tensor:
    """Return the model's inputs for all recorded frames except the last: uint8 (T - 1, B, H, W, C).

    Recorded frames with pixel noise, and (scheduled sampling) frames of the model's own. Since no gradient passes
    through those, they can be made first, one after the other; the losses of all steps then come from one pass.
    """
    config, noise = model.config, Noise(seed)
    frames = pixel_noise(window.frames[:-1], config.pixel_noise, noise.seed())
    if not config.sampling.final or frames.shape[0] <= config.frames:
        return frames
    probability = sampling_probability(config.sampling, tf.cast(model.optimizer.updates, tf.float32))
    replace = noise.uniform(tf.shape(frames)[:2], axis=1) < probability
    # The first few frames are what predictions start from, and an episode's first frame cannot be predicted.
    is_target = tf.range(frames.shape[0])[:, None] >= config.frames
    replace &= is_target & ~window.is_first[:-1]
    seeds = noise.seed()
    return tf.cond(
        tf.reduce_any(replace), lambda: with_own_frames(model, window, frames, replace, seeds), lambda: frames
    )


def with_own_frames(model: Any, window: Window, frames: tf.Tensor, replace: tf.Tensor, seed: tf.Tensor) -> tf.Tensor:
    """Return `frames` (T - 1, B, ...) with the model's predictions where `replace` (T - 1, B) holds."""
    start, steps = model.config.frames, frames.shape[0]
    stacks, memories = model.follow(frames[:start], window.is_first[:start])
    seeds = draws.split(seed, steps)

    def body(t, stack, memory, mixed):
        now = FrameTransitions(stack, memory, window.action[t - 1], window.frames[t])
        decoded, _ = model.predict(now, Noise(seeds[t]))
        own = model.output.frame(decoded, model.newest(stack))
        frame = tf.where(replace[t][:, None, None, None], own, frames[t])
        stack, memory = model.advance(stack, memory, frame, window.is_first[t])
        return t + 1, stack, memory, mixed.write(t - start, frame)

    mixed = tf.TensorArray(tf.uint8, steps - start, element_shape=frames.shape[1:])
    loop = (tf.constant(start), stacks[-1], memories[-1], mixed)
    *_, mixed = tf.while_loop(lambda t, *_: t < steps, body, loop, maximum_iterations=steps - start)
    return tf.concat([frames[:start], mixed.stack()], 0)


def loss(
    model: Any, window: Window, frames: tf.Tensor, seed: tf.Tensor, weights: tf.Tensor | None = None
) -> tuple[tf.Tensor, dict[str, tf.Tensor]]:
    """Return the loss, a scalar, and its parts by name.

    With `internal_loss` the first few frames are predicted as well, without reward and continuation.

    Args:
        frames: the `inputs`.
        weights: of the windows in the losses of reward and continuation, float32 (B,); None: 1 each.
    """
    config, first = model.config, 0 if model.config.internal_loss else model.config.frames - 1
    stacks, memories = model.follow(frames, window.is_first[:-1])
    following = slice(first + 1, None)
    transitions = FrameTransitions(
        *map(in_rows, (stacks[first:], memories[first:], window.action[first:-1], window.frames[following]))
    )
    noise = Noise(draws.fold_in(seed, -1), frames.shape[0] - first)
    decoded, own = model.predict(transitions, noise)

    possible = 1.0 - tf.cast(window.is_first[following], tf.float32)
    is_target = tf.cast(tf.range(first + 1, frames.shape[0] + 1)[:, None] >= config.frames, tf.float32)
    possible, target = in_rows(possible), in_rows(possible * is_target)
    newest = model.newest(transitions.frames)
    frame = model.output.loss(decoded, newest, transitions.target, config.loss_cutoff)
    parts = {"frame_loss": (frame, possible)}
    if model.events:
        shift = draws.fold_in(seed, -2)
        # The frame that the model makes itself: in imagination there is no other, and it shows less of an event.
        after = model.output.frame(decoded, newest)
        summary = model.events(newest, model.vectors_of(transitions.action), after, shift)
    else:
        summary = tf.identity(decoded.summary)  # the output reads it too, and gradients are added in pairs
    reward = model.reward_head.loss(summary, in_rows(window.reward[following]), config.loss_cutoff)
    parts["reward_loss"] = (weighted(reward, weights), target)
    if model.continuation_head:
        continuation = model.continuation_head.loss(summary, in_rows(window.continuation[following]))
        parts["continuation_loss"] = (weighted(continuation, weights), target)
    parts |= {name: (value, possible) for name, value in own.items()}
    means = {name: weighted_mean(value, weights) for name, (value, weights) in parts.items()}
    total = means["frame_loss"]
    for name, value in means.items():
        total = total if name == "frame_loss" else total + value
    return total, means


def pixel_noise(frames: tf.Tensor, probability: float, seed: tf.Tensor) -> tf.Tensor:
    """Return images uint8 (T, B, H, W, C) in which a share of the pixels has the median colour of them all."""
    if not probability:
        return frames
    values = tf.sort(tf.reshape(whole_batch(frames, axis=1), (-1, frames.shape[-1])), 0)
    median = values[tf.shape(values)[0] // 2]
    shape = (*frames.shape[:-1], 1)
    drawn = draw_rows(lambda shape: draws.uniform(shape, seed), shape, axis=1)
    return tf.where(drawn < probability, median, frames)


def in_rows(x: tf.Tensor) -> tf.Tensor:
    """Return (T, B, ...) as rows."""
    return tf.reshape(x, (-1, *x.shape[2:]))


def weighted(values: tf.Tensor, weights: tf.Tensor | None) -> tf.Tensor:
    """Return values (T * B,), each times the weight of its window (B,)."""
    return values if weights is None else tf.reshape(tf.reshape(values, (-1, weights.shape[0])) * weights, (-1,))


def weighted_mean(values: tf.Tensor, weights: tf.Tensor) -> tf.Tensor:
    """Return the weighted mean of (N,); 0 where nothing has weight."""
    total, weight = sum_over_devices(tf.reduce_sum(values * weights)), sum_over_devices(tf.reduce_sum(weights))
    return total / tf.maximum(weight, 1.0)
