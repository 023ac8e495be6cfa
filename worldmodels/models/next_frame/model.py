"""The base of all next-frame models holds a state of the last few frames, and the methods that all kinds share."""

from __future__ import annotations

from typing import Any, NamedTuple

import keras
import numpy as np
import tensorflow as tf

from worldmodels.core.types import Batch
from worldmodels.models import devices
from worldmodels.models.api import ModelSpec
from worldmodels.models.frame_stack import push
from worldmodels.models.graph import graph, update_graph
from worldmodels.models.networks.layers import action_vectors
from worldmodels.models.networks.scan import scan, swap_rows_and_time
from worldmodels.models.next_frame import learning
from worldmodels.models.next_frame.config import DeterministicConfig, StochasticDiscreteConfig
from worldmodels.models.next_frame.heads import EVENT_SHIFT, Continuation, EventNetwork, build_reward
from worldmodels.models.next_frame.networks.network import Decoded, NetworkShape, Noise, build_network
from worldmodels.models.next_frame.outputs import build_output
from worldmodels.models.optimizers import build_optimizer
from worldmodels.models.variables import load_variables, named_variables, save_variables


class NextFrameState(NamedTuple):
    """The state of a next-frame model in B environments."""

    frames: tf.Tensor
    """uint8 (B, H, W, frames * C), the newest last; an episode starts with its first one, repeated."""
    reward: tf.Tensor
    """float32 (B,), predicted together with the newest frame; 0 where that was observed."""
    continuation: tf.Tensor
    """float32 (B,), predicted together with the newest frame; 1 where that was observed."""
    memory: Any
    """float32 (B, *memory_shape), of all frames before the newest; () in the readable part."""


class NextFrameModel:
    """A `WorldModel` (see `models/api.py` for the methods) without its prediction, which each kind adds."""

    def __init__(
        self,
        config: DeterministicConfig | StochasticDiscreteConfig,
        spec: ModelSpec,
        shape: NetworkShape,
        seeds: np.random.Generator,
    ):
        self.config, self.spec, self._devices = config, spec, devices.current()
        self.network = build_network(config.network, shape, seeds)
        self.output = build_output(config.output, self.network, shape.observation_shape, seeds)
        self.events = None
        if config.event_depth:
            self.events = EventNetwork(
                config.event_depth, EVENT_SHIFT, shape.observation_shape, shape.num_actions, seeds
            )
        summary = (self.events or self.network).summary_size
        self.reward_head = build_reward(config.reward, summary, config.head_units, config.event_weight, seeds)
        self.continuation_head = None
        if config.continuation:
            self.continuation_head = Continuation(summary, config.head_units, config.event_weight, seeds)
        heads = (self.events, self.reward_head, self.continuation_head)
        layers = (self.network, self.output, *heads, *self._build(shape, seeds))
        self.variables = named_variables(layer for layer in layers if layer)
        self.optimizer = build_optimizer(self.variables, config.optimizer)

    def _build(self, shape: NetworkShape, seeds: np.random.Generator) -> list[keras.layers.Layer]:
        """Build the layers that only this kind of model has."""
        return []

    def predict(self, transitions: learning.FrameTransitions, noise: Noise) -> tuple[Decoded, dict[str, tf.Tensor]]:
        """Return the network's output in training for some transitions, and losses of the kind's own, each (N,)."""
        raise NotImplementedError

    def predict_next(
        self, state: NextFrameState, action: tf.Tensor, temperature: tf.Tensor, seed: tf.Tensor
    ) -> Decoded:
        """Return the network's output outside training."""
        raise NotImplementedError

    def initial(self, batch: int | tf.Tensor) -> NextFrameState:
        height, width, channels = self.spec.observation_shape
        return NextFrameState(
            tf.zeros((batch, height, width, self.config.frames * channels), tf.uint8),
            tf.zeros((batch,)),
            tf.ones((batch,)),
            tf.zeros((batch, *self.network.memory_shape)),
        )

    @graph
    def observe(self, state, observation, previous_action, is_first, seed) -> NextFrameState:
        frames, memory = self.advance(state.frames, state.memory, observation, is_first)
        return NextFrameState(frames, tf.zeros_like(state.reward), tf.ones_like(state.continuation), memory)

    @graph
    def observe_sequence(self, observations, previous_actions, is_first, seed, state=None) -> NextFrameState:
        return self.observed(*self.follow(swap_rows_and_time(observations), swap_rows_and_time(is_first), state))

    @graph
    def imagine(self, state, action, temperature, seed) -> NextFrameState:
        return self.imagined(state, action, self.predict_next(state, action, temperature, seed))

    def imagined(self, state: NextFrameState, action: tf.Tensor, decoded: Decoded) -> NextFrameState:
        """Return the state after an action, whose step the network has decoded."""
        newest = self.newest(state.frames)
        frame = self.output.frame(decoded, newest)
        summary = self.events(newest, self.vectors_of(action), frame) if self.events else decoded.summary
        reward = self.reward_head.reward(summary)
        head = self.continuation_head
        continuation = head.probability(summary) if head else tf.ones_like(reward)
        frames, memory = self.advance(state.frames, state.memory, frame, tf.zeros_like(action, tf.bool))
        return NextFrameState(frames, reward, continuation, memory)

    def readable(self, state: NextFrameState) -> NextFrameState:
        # The network needs it, to make features of the frames.
        return state if self.config.features == "network" else state._replace(memory=())

    def features(self, state: NextFrameState) -> tf.Tensor:
        if self.config.features == "frames":
            return state.frames
        rows, leading = tf.nest.map_structure(_in_rows, (state.frames, state.memory)), tf.shape(state.reward)
        features = self.network.represent(self.seen(rows[0]), rows[1])
        return tf.reshape(features, tf.concat([leading, features.shape[-1:]], 0))

    def frame(self, state: NextFrameState, before: tf.Tensor | None = None) -> tf.Tensor:
        return self.newest(state.frames)

    def vectors(self, state: NextFrameState) -> dict[str, tf.Tensor]:
        return {}

    def reward(self, state: NextFrameState) -> tf.Tensor:
        return state.reward

    def continuation(self, state: NextFrameState) -> tf.Tensor:
        return state.continuation

    @update_graph
    def fit(self, batch: Batch, seed, weights=None) -> tuple[dict[str, tf.Tensor], NextFrameState]:
        return self._devices.run(lambda batch, weights: self._fit(batch, seed, weights), (batch, weights))

    def _fit(self, batch: Batch, seed, weights) -> tuple[dict[str, tf.Tensor], NextFrameState]:
        window = learning.window_of(batch, self.config.frames)
        inputs = learning.inputs(self, window, seed)
        with tf.GradientTape() as tape:
            loss, metrics = learning.loss(self, window, inputs, seed, weights)
        norm, finite = self.optimizer.minimize(tape, loss)
        metrics |= {"loss": loss, "gradient_norm": norm, "finite": tf.cast(finite, tf.float32)}
        states = self.observed(*self.follow(window.frames, window.is_first))
        return {f"model/{name}": value for name, value in metrics.items()}, states

    def save(self) -> dict[str, Any]:
        return {"weights": save_variables(self.variables), "optimizer": self.optimizer.save()}

    def load(self, tree: dict[str, Any]) -> None:
        load_variables(self.variables, tree["weights"], "the world model")
        self.optimizer.load(tree["optimizer"])

    def seen(self, frames: tf.Tensor) -> tf.Tensor:
        """Return the frames of a stack that the network reads."""
        return frames

    def vectors_of(self, action: tf.Tensor) -> tf.Tensor:
        """Return actions as the event network reads them."""
        return action_vectors(action, self.spec.action)

    def newest(self, frames: tf.Tensor) -> tf.Tensor:
        """Return the newest frame of a stack."""
        return frames[..., -self.spec.observation_shape[-1] :]

    def advance(
        self, frames: tf.Tensor, memory: tf.Tensor, frame: tf.Tensor, is_first: tf.Tensor
    ) -> tuple[tf.Tensor, tf.Tensor]:
        """Return stack and memory after another frame.

        The memory takes up the frame that was the newest before: a prediction reads the newest frame itself. One frame
        per step is enough, since nothing else enters the memory.
        """
        if self.network.memory_shape[-1]:
            keep = 1.0 - tf.cast(is_first, tf.float32)[:, None, None, None]
            memory = keep * self.network.update_memory(memory, self.newest(frames))
        return push(frames, frame, is_first), memory

    def follow(
        self, frames: tf.Tensor, is_first: tf.Tensor, state: NextFrameState | None = None
    ) -> tuple[tf.Tensor, tf.Tensor]:
        """Return stacks and memories (T, B, ...) along frames (T, B, H, W, C); without a state an episode begins in all
        rows."""
        if state is None:
            state = self.initial(tf.shape(frames)[1])
            is_first = tf.concat([tf.ones_like(is_first[:1]), is_first[1:]], 0)
        stacks, memories = scan(self.advance, (state.frames, state.memory), (frames, is_first))
        return stacks, memories

    def observed(self, stacks: tf.Tensor, memories: tf.Tensor) -> NextFrameState:
        """Return the states (B, T, ...) of stacks and memories (T, B, ...) whose newest frames were observed."""
        frames = swap_rows_and_time(stacks)
        nothing = tf.zeros(tf.shape(frames)[:2])
        state = NextFrameState(frames, nothing, nothing + 1.0, swap_rows_and_time(memories))
        return tf.nest.map_structure(tf.stop_gradient, state)


def _in_rows(x: tf.Tensor) -> tf.Tensor:
    """Return images (..., H, W, C) with one leading axis."""
    return tf.reshape(x, (-1, *x.shape[-3:]))
