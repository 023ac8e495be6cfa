"""The flow model is a world model that samples each next frame, and predicts reward and end from the drawn frame.

It is trained by rectified flow (Liu et al. 2023), under the condition of the last frames and actions, as DIAMOND is by
diffusion (Alonso et al. 2024). Weights that are averaged over updates draw the frames.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import keras
import numpy as np
import tensorflow as tf

from worldmodels.core.specs import ActionSpec, ObservationSpec
from worldmodels.core.types import Batch
from worldmodels.models import devices, draws
from worldmodels.models.api import Drawing
from worldmodels.models.config import OptimizerConfig
from worldmodels.models.devices import draw_rows
from worldmodels.models.flow import path
from worldmodels.models.flow.config import AVERAGED, NETWORK, FlowConfig
from worldmodels.models.flow.network import FlowNetwork, Past
from worldmodels.models.frame_stack import push
from worldmodels.models.graph import graph, update_graph
from worldmodels.models.networks.layers import action_vectors
from worldmodels.models.networks.scan import scan, swap_rows_and_time
from worldmodels.models.next_frame.heads import EVENT_SHIFT, Continuation, EventNetwork, HurdleReward
from worldmodels.models.next_frame.learning import Window, in_rows, weighted, weighted_mean, window_of
from worldmodels.models.optimizers import build_optimizer
from worldmodels.models.variables import load_variables, named_variables, save_variables

AVERAGE = 0.999
"""Share of the averaged weights that an update keeps, once there were enough updates."""
HEAD_UNITS = 128
EVENT_WEIGHT = 10.0
"""Weight of rewards and of episode ends in their losses, for which predicted probabilities are corrected."""
EVENT_OPTIMIZER = OptimizerConfig(learning_rate=2e-3, epsilon=1e-8, clip=10.0, weight_decay=0.0)
"""Optimizer of the networks of rewards and ends. They are small and read frames as they are drawn, so they learn at a
larger rate than the network of frames."""
MEAN_SHARE = 0.25
"""Share of rows that learn the mean of the next frame; the others learn to sample it."""
PAST_NOISE = 0.25
"""Largest deviation of the noise on the last frames in training, for colours from -1 to 1. The network is given the
level. It is there against errors of its own, which a model would amplify otherwise."""
DECIDED = 1_000.0
"""Factor of the choices of a sample: each of its pixels comes from one picture. Means would blur from step to step."""


class FlowState(NamedTuple):
    """The state of a flow model in B environments."""

    frames: tf.Tensor
    """uint8 (B, H, W, frames * C), the newest last; an episode starts with its first one, repeated."""
    actions: tf.Tensor
    """float32 (B, (frames - 1) * width): the actions that led to all frames but the first, the newest last; zeros
    before an episode."""
    reward: tf.Tensor
    """float32 (B,), predicted from the newest frame; 0 where that was observed."""
    continuation: tf.Tensor
    """float32 (B,), predicted from the newest frame; 1 where that was observed."""


class Flow:
    """A `SampledModel` (see `models/api.py` for the methods)."""

    def __init__(self, config: FlowConfig, observation: ObservationSpec, action: ActionSpec, seed: np.ndarray):
        self.config, self.spec, self._devices = config, config.spec(observation, action), devices.current()
        seeds = np.random.default_rng(np.asarray(seed).view(np.uint32))
        shape = self.spec.observation_shape
        sizes = (shape, config.frames, action.width, config.width, config.blocks)
        self.network = FlowNetwork(*sizes, seeds, NETWORK)
        self.averaged = FlowNetwork(*sizes, seeds, AVERAGED)
        self.events = EventNetwork(max(config.width // 4, 1), EVENT_SHIFT, shape, action.width, seeds)
        summary = self.events.summary_size
        self.reward_head = HurdleReward(summary, HEAD_UNITS, EVENT_WEIGHT, seeds)
        self.continuation_head = Continuation(summary, HEAD_UNITS, EVENT_WEIGHT, seeds)
        heads: list[keras.layers.Layer] = [self.events, self.reward_head, self.continuation_head]
        of_frames, of_events = named_variables([self.network]), named_variables(heads)
        self.variables = {**of_frames, **of_events}
        self._averages, self._followed = named_variables([self.averaged]), list(of_frames.values())
        for average, variable in zip(self._averages.values(), self._followed, strict=True):
            average.assign(variable)
        self.optimizer = build_optimizer(of_frames, config.optimizer)
        self._event_optimizer = build_optimizer(of_events, EVENT_OPTIMIZER)
        self.calls = tf.Variable(config.calls, trainable=False)  # so that another number is not another graph

    def initial(self, batch: int | tf.Tensor) -> FlowState:
        height, width, channels = self.spec.observation_shape
        past = (self.config.frames - 1) * self.spec.action.width
        return FlowState(
            tf.zeros((batch, height, width, self.config.frames * channels), tf.uint8),
            tf.zeros((batch, past)),
            tf.zeros((batch,)),
            tf.ones((batch,)),
        )

    @graph
    def observe(self, state, observation, previous_action, is_first, seed) -> FlowState:
        action = action_vectors(previous_action, self.spec.action)
        frames, actions = self._advance(state.frames, state.actions, observation, action, is_first)
        return FlowState(frames, actions, tf.zeros_like(state.reward), tf.ones_like(state.continuation))

    @graph
    def observe_sequence(self, observations, previous_actions, is_first, seed, state=None) -> FlowState:
        actions = action_vectors(tf.convert_to_tensor(previous_actions), self.spec.action)
        frames, actions, is_first = (
            swap_rows_and_time(tf.convert_to_tensor(x)) for x in (observations, actions, is_first)
        )
        return self._observed(*self._follow(frames, actions, is_first, state))

    @graph
    def imagine(self, state, action, temperature, seed) -> FlowState:
        vector = action_vectors(action, self.spec.action)
        past, noise, calls, decided = self._beginning(state, vector, temperature, seed)
        frame = path.to_images(path.sample(lambda x, times: self.averaged(x, times, past, decided), noise, calls))
        summary = self.events(self._newest(state.frames), vector, frame)
        reward, continuation = self.reward_head.reward(summary), self.continuation_head.probability(summary)
        none = tf.zeros(tf.shape(state.reward), tf.bool)
        return FlowState(*self._advance(state.frames, state.actions, frame, vector, none), reward, continuation)

    @graph
    def draw(self, state, action, temperature, seed) -> Drawing:
        vector = action_vectors(action, self.spec.action)
        past, noise, calls, decided = self._beginning(state, vector, temperature, seed)
        stages, x = path.stages(lambda x, times: self.averaged(x, times, past, decided), noise, calls)
        times = tf.fill(tf.shape(state.reward), 1.0 - 1.0 / tf.cast(calls, tf.float32))
        pictures = self.averaged.pictures(x, times, past, decided)
        frame = tf.clip_by_value(path.mixed(pictures.logits, pictures.frames), -1.0, 1.0)
        still = tf.zeros_like(pictures.shifts[:, :1])
        return (
            path.to_images(tf.concat([swap_rows_and_time(stages), frame[:, None]], 1)),
            tf.nn.softmax(pictures.logits),
            tf.concat([still, pictures.shifts, still + np.nan], 1),
        )

    def _beginning(self, state, vector, temperature, seed) -> tuple[Past, tf.Tensor, tf.Tensor, tf.Tensor]:
        """Return the condition of the next frame, the noise from which its path begins, the number of calls, and how
        far each pixel is decided. The mean is one call without noise, and its pixels are means."""
        rows, sampled = tf.shape(state.reward), temperature > 0.0
        past = Past(path.to_colours(state.frames), tf.concat([state.actions, vector], -1), tf.zeros(rows))
        noise = temperature * draw_rows(
            lambda shape: draws.normal(shape, seed), tf.concat([rows, self.spec.observation_shape], 0)
        )
        return past, noise, tf.where(sampled, self.calls, 1), tf.where(sampled, DECIDED, 1.0)

    def set_calls(self, calls: int) -> None:
        self.calls.assign(calls)

    def readable(self, state: FlowState) -> FlowState:
        return state

    def features(self, state: FlowState) -> tf.Tensor:
        return state.frames

    def frame(self, state: FlowState, before: tf.Tensor | None = None) -> tf.Tensor:
        return self._newest(state.frames)

    def vectors(self, state: FlowState) -> dict[str, tf.Tensor]:
        return {}

    def reward(self, state: FlowState) -> tf.Tensor:
        return state.reward

    def continuation(self, state: FlowState) -> tf.Tensor:
        return state.continuation

    @update_graph
    def fit(self, batch: Batch, seed, weights=None) -> tuple[dict[str, tf.Tensor], FlowState]:
        return self._devices.run(lambda batch, weights: self._fit(batch, seed, weights), (batch, weights))

    def _fit(self, batch: Batch, seed, weights) -> tuple[dict[str, tf.Tensor], FlowState]:
        window = window_of(batch, self.config.frames)
        actions = action_vectors(window.action, self.spec.action)
        previous = tf.concat([tf.zeros_like(actions[:1]), actions[:-1]], 0)
        followed = self._follow(window.frames, previous, window.is_first)
        with tf.GradientTape(persistent=True) as tape:
            losses = self._losses(window, followed, actions, seed, weights)
            event_loss = losses["reward_loss"] + losses["continuation_loss"]
        of_frames = self.optimizer.gradients(tape, losses["frame_loss"])
        of_events = self._event_optimizer.gradients(tape, event_loss)
        finite = of_frames.finite & of_events.finite
        self.optimizer.apply(of_frames, finite)
        self._event_optimizer.apply(of_events, finite)
        self._move_averages(finite)
        loss = losses["frame_loss"] + event_loss
        metrics = losses | {"loss": loss, "gradient_norm": of_frames.norm, "finite": tf.cast(finite, tf.float32)}
        return {f"model/{name}": value for name, value in metrics.items()}, self._observed(*followed)

    def _losses(self, window: Window, followed, actions, seed, weights) -> dict[str, tf.Tensor]:
        """Return the losses: each step behind the first frames of a window predicts its next frame."""
        first = self.config.frames - 1
        frames, history, action = (in_rows(x[first:-1]) for x in (*followed, actions))
        target = path.to_colours(in_rows(window.frames[first + 1 :]))
        steps = window.frames.shape[0] - first - 1
        drawn, error = self._denoise(frames, tf.concat([history, action], -1), target, steps, seed)
        possible = 1.0 - tf.cast(window.is_first[1:], tf.float32)
        rewards, ends = self._event_losses(window, actions, path.to_images(drawn), draws.fold_in(seed, -1))
        return {
            "frame_loss": weighted_mean(error, in_rows(possible[first:])),
            "reward_loss": weighted_mean(weighted(rewards, weights), in_rows(possible)),
            "continuation_loss": weighted_mean(weighted(ends, weights), in_rows(possible)),
        }

    def _event_losses(self, window: Window, actions, drawn: tf.Tensor, seed: tf.Tensor) -> tuple[tf.Tensor, tf.Tensor]:
        """Return the losses of reward and continuation at all steps of a window but the first, in rows.

        They read the frames `drawn` at the last steps, since imagination has no others and they show less of an event.
        The steps before have recorded frames: events are rare, and most are at these steps.
        """
        recorded = in_rows(window.frames[1 : self.config.frames])
        before, action, reward, continuation = (
            in_rows(x) for x in (window.frames[:-1], actions[:-1], window.reward[1:], window.continuation[1:])
        )
        summary = self.events(before, action, tf.concat([recorded, drawn], 0), seed)
        return self.reward_head.loss(summary, reward, 0.0), self.continuation_head.loss(summary, continuation)

    def _denoise(
        self, frames: tf.Tensor, actions: tf.Tensor, target: tf.Tensor, steps: int, seed: tf.Tensor
    ) -> tuple[tf.Tensor, tf.Tensor]:
        """Return the frames that the network predicts at random times of their paths, and the weighted errors (N,).

        The rows are `steps` steps of all windows, one step after the other.
        """
        rows = target.shape[0]

        def draw(random: Any, index: int, shape: Sequence[int]) -> tf.Tensor:
            own = draws.fold_in(seed, index)
            return draw_rows(lambda shape: random(shape, own), shape, steps=steps)

        normal, uniform = draws.normal, draws.uniform
        is_mean = draw(uniform, 0, (rows,)) < MEAN_SHARE
        times = tf.where(is_mean, 0.0, path.times_of(draw(normal, 1, (rows,))))
        noise = tf.where(is_mean[:, None, None, None], 0.0, draw(normal, 2, target.shape))
        level = PAST_NOISE * tf.square(draw(uniform, 3, (rows,)))
        past = path.to_colours(frames)
        past += level[:, None, None, None] * draw(normal, 4, past.shape)
        predicted = self.network(path.on_path(noise, target, times), times, Past(past, actions, level))
        error = tf.reduce_mean(tf.square(predicted - target), (1, 2, 3)) * path.loss_weight(times)
        return tf.stop_gradient(predicted), error

    def _move_averages(self, finite: tf.Tensor) -> None:
        updates = tf.cast(self.optimizer.updates, tf.float32)
        share = 1.0 - tf.minimum(AVERAGE, (1.0 + updates) / (10.0 + updates))
        for average, variable in zip(self._averages.values(), self._followed, strict=True):
            average.assign(tf.where(finite, average + share * (variable - average), average))

    def save(self) -> dict[str, Any]:
        return {
            "weights": save_variables(self.variables),
            "averages": save_variables(self._averages),
            "optimizer": self.optimizer.save(),
            "events": {"optimizer": self._event_optimizer.save()},
        }

    def load(self, tree: dict[str, Any]) -> None:
        weights = tree["weights"]
        if not any(name.startswith(f"{NETWORK}/") for name in weights):  # a pack has the averages alone
            followed = {name.replace(AVERAGED, NETWORK, 1): value for name, value in tree["averages"].items()}
            weights = {**weights, **followed}
        load_variables(self.variables, weights, "the world model")
        load_variables(self._averages, tree["averages"], "the world model's averages")
        self.optimizer.load(tree["optimizer"])
        count = {"updates": tree["optimizer"]["updates"]}  # packs of one optimizer have this alone
        self._event_optimizer.load(tree.get("events", {"optimizer": count})["optimizer"])

    def _newest(self, frames: tf.Tensor) -> tf.Tensor:
        return frames[..., -self.spec.observation_shape[-1] :]

    def _advance(self, frames, actions, frame, action, is_first) -> tuple[tf.Tensor, tf.Tensor]:
        """Return frames and actions after another frame, to which an action led unless it `is_first`."""
        width = self.spec.action.width
        actions = tf.concat([actions, action], -1)[:, width:]
        return push(frames, frame, is_first), tf.where(is_first[:, None], 0.0, actions)

    def _follow(self, frames, actions, is_first, state=None) -> tuple[tf.Tensor, tf.Tensor]:
        """Return frames and actions (T, B, ...) of the states along frames and the actions that led to them, (T, B,
        ...); without a state an episode begins in all rows."""
        if state is None:
            state = self.initial(tf.shape(is_first)[1])
            is_first = tf.concat([tf.ones_like(is_first[:1]), is_first[1:]], 0)
        frames, actions = scan(self._advance, (state.frames, state.actions), (frames, actions, is_first))
        return frames, actions

    def _observed(self, frames: tf.Tensor, actions: tf.Tensor) -> FlowState:
        """Return the states (B, T, ...) of frames and actions (T, B, ...) that were observed."""
        frames, actions = swap_rows_and_time(frames), swap_rows_and_time(actions)
        nothing = tf.zeros(tf.shape(frames)[:2])
        return FlowState(frames, actions, nothing, nothing + 1.0)
