"""The view of a world model reads its predictions of a state, and continues without observations.

One letter per axis: B rows, T steps of experience, H steps without observations. Evaluation, termination forecasts and
the player's branches and heat map all go through here.
"""

from __future__ import annotations

from typing import Any, NamedTuple, cast

import tensorflow as tf

from worldmodels.core.types import Batch, State
from worldmodels.imagination.rollout import Policy, RolloutOptions, rollout, rollout_actions
from worldmodels.models.api import Drawing, LatentModel, Latents, ModelSpec, SampledModel, WorldModel
from worldmodels.models.graph import graph
from worldmodels.models.networks.scan import swap_rows_and_time
from worldmodels.replay import previous_actions


class Prediction(NamedTuple):
    """The frames, rewards and continuations that a model predicts of states, with the leading axes of the states."""

    frame: tf.Tensor
    """uint8 (..., H, W, C); () without frames, and for a model without images."""
    reward: tf.Tensor
    """float32 (...)."""
    continuation: tf.Tensor
    """float32 (...): the probability that the episode continues."""
    vectors: dict[str, tf.Tensor] = {}  # noqa: RUF012
    """float32 (..., D): the vectors of an observation, by the names of their parts."""


class Observations(NamedTuple):
    """The part of B windows of experience that a model observes."""

    observation: Any
    """Leading (B, T), of `ModelSpec.observation`."""
    previous_action: tf.Tensor
    """Leading (B, T): the action that led to each observation."""
    is_first: tf.Tensor
    """bool (B, T): whether an episode begins with the observation."""

    @classmethod
    def of(cls, windows: Batch) -> Observations:
        """Return the observations of windows of experience, as NumPy arrays."""
        return cls(windows.observation, previous_actions(windows), windows.is_first)


class ModelView:
    """A view reads predictions from the states of a world model, and continues it without observations.

    Each method is one call of one graph, because every call costs milliseconds. Inside a `tf.function` it becomes a
    part of that function.
    """

    def __init__(self, model: WorldModel) -> None:
        self._model = model

    @property
    def spec(self) -> ModelSpec:
        """The spec of the model."""
        return self._model.spec

    def set_calls(self, calls: int) -> None:
        """Draw later frames in so many calls of the network, if the model is sampled."""
        if self.spec.calls:
            cast(SampledModel, self._model).set_calls(calls)

    def frame(self, state: State, before: tf.Tensor | None = None) -> tf.Tensor | tuple[()]:
        """Return the images of B states: uint8 (B, H, W, C); () for a model without images.

        Args:
            before: uint8 (B, H, W, C), the frames one step before, from which a model may copy; None: the states alone.
        """
        if self.spec.image is None:
            return ()
        return self._model.frame(state, before)

    @graph
    def seen_frame(self, state: State, before: tf.Tensor, is_first: tf.Tensor) -> tf.Tensor:
        """Return the images of B states that observed a frame: uint8 (B, H, W, C).

        Args:
            before: uint8 (B, H, W, C), the frames observed one step before.
            is_first: bool (B,): where an episode begins, nothing is copied.
        """
        if not self.spec.copies:
            return self._model.frame(state)
        return tf.where(is_first[:, None, None, None], self._model.frame(state), self._model.frame(state, before))

    def repeat(self, state: State, rows: int) -> State:
        """Return the state of one row `rows` times, for many samples or actions of one step."""
        return tf.nest.map_structure(lambda x: tf.repeat(x, rows, 0), state)

    @graph
    def predict(self, state: State, before: tf.Tensor | None = None) -> Prediction:
        """Return the model's predictions of B states; `before` as in `frame`."""
        reward, continuation = self._model.reward(state), self._model.continuation(state)
        return Prediction(self.frame(state, before), reward, continuation, self._vectors(state))

    def _vectors(self, state: State) -> dict[str, tf.Tensor]:
        return self._model.vectors(state) if self.spec.vectors else {}

    @graph
    def predict_sequence(self, states: State, frames: bool = True, before: tf.Tensor | None = None) -> Prediction:
        """Return the model's predictions of states in time, leading (H, B); without images if `frames` is false.

        `before` as in `frame_sequence`.
        """
        flat = tf.nest.map_structure(lambda x: tf.reshape(x, (-1, *x.shape[2:])), states)
        shape = tf.shape(tf.nest.flatten(states)[0])[:2]
        read = (self._model.reward(flat), self._model.continuation(flat), self._vectors(flat))
        by_time = tf.nest.map_structure(lambda x: tf.reshape(x, tf.concat([shape, tf.shape(x)[1:]], 0)), read)
        return Prediction(self.frame_sequence(states, before) if frames else (), *by_time)

    @graph
    def frame_sequence(self, states: State, before: tf.Tensor | None = None) -> tf.Tensor | tuple[()]:
        """Return the images of states in time, leading (H, B): uint8 (H, B, H, W, C); () without images.

        Args:
            before: uint8 (B, H, W, C), the frames one step before the first states. A model that copies paints each
                image from the one that it painted before. None: each from its state alone.
        """
        if self.spec.image is None:
            return ()
        # One step at a time: decoding all of them at once would take gigabytes.
        if before is None or not self.spec.copies:
            return tf.map_fn(self._model.frame, states, fn_output_signature=tf.uint8)
        return tf.scan(lambda last, state: self._model.frame(state, last), states, before)

    @graph
    def last_frame(self, states: State, before: tf.Tensor) -> tf.Tensor | tuple[()]:
        """Return the images of the last of states in time, leading (H, B); arguments as in `frame_sequence`."""
        if self.spec.copies:
            return self.frame_sequence(states, before)[-1]
        return self.frame(tf.nest.map_structure(lambda x: x[-1], states))

    @graph
    def frames_alone(self, states: State) -> tf.Tensor | tuple[()]:
        """Return the images of states in time, each from its state alone; () for a model whose images are all so."""
        return self.frame_sequence(states) if self.spec.copies else ()

    @graph
    def reconstruct(self, states: State, observations: Observations) -> tf.Tensor:
        """Return the images of states that observed frames, leading (B, T), each as `seen_frame`: uint8 (B, T, ...)."""
        seen = self.spec.image_of(observations.observation)
        frames, is_first = (swap_rows_and_time(x) for x in (seen, observations.is_first))
        before = tf.concat([frames[:1], frames[:-1]], 0)
        is_first = tf.concat([tf.ones_like(is_first[:1]), is_first[1:]], 0)
        inputs = (tf.nest.map_structure(swap_rows_and_time, states), before, is_first)
        images = tf.map_fn(lambda step: self.seen_frame(*step), inputs, fn_output_signature=tf.uint8)
        return swap_rows_and_time(images)

    @graph
    def step(
        self,
        state: State,
        action: tf.Tensor,
        temperature: float | tf.Tensor,
        seed: tf.Tensor,
        before: tf.Tensor | None = None,
    ) -> tuple[State, Prediction]:
        """Take one imagined step from B states, and return the states after it with their prediction.

        Args:
            action: int32 (B,).
            temperature: scales the model's randomness: 1 as learned, 0 the most probable future.
            seed: int32 (2,).
            before: uint8 (B, H, W, C), the frames of the states before the step; see `frame`.
        """
        state = self._model.imagine(state, action, temperature, seed)
        return state, self.predict(state, before)

    @graph
    def step_latents(
        self,
        state: State,
        action: tf.Tensor,
        temperature: float | tf.Tensor,
        seed: tf.Tensor,
        held: tf.Tensor,
        before: tf.Tensor | None = None,
    ) -> tuple[State, Prediction, Latents]:
        """Take one imagined step as `step` does, with some latents held, and return its latents too.

        For a model with `spec.latent_groups`, see `LatentModel`.

        Args:
            held: int32 (B, G), the class of each held group; -1 for a group that is drawn.
        """
        state, latents = cast(LatentModel, self._model).imagine_latents(state, action, temperature, seed, held)
        return state, self.predict(state, before), latents

    @graph
    def draw(self, state: State, action: tf.Tensor, temperature: float | tf.Tensor, seed: tf.Tensor) -> Drawing:
        """Return how `step` draws its frame under the same arguments; for a model with `spec.calls`."""
        return cast(SampledModel, self._model).draw(state, action, temperature, seed)

    def observed_latents(self, before: State, action: tf.Tensor, state: State) -> Latents:
        """Return the latents of an observed step, see `LatentModel.observed_latents`."""
        return cast(LatentModel, self._model).observed_latents(before, action, state)

    @graph
    def observe(self, observations: Observations, seed: tf.Tensor) -> State:
        """Observe T observations of B rows, each row from its start, and return the states after each, leading (B,
        T)."""
        return self._model.observe_sequence(*observations, seed)

    @graph
    def features(self, state: State) -> tf.Tensor:
        """Return the features of B states, (B, ...)."""
        return self._model.features(state)

    @graph
    def imagined_states(
        self, state: State, actions: tf.Tensor, temperature: float | tf.Tensor, seed: tf.Tensor
    ) -> State:
        """Return the states (H, B) after each of the given actions, int32 (H, B), taken from B states."""
        return rollout_actions(self._model, state, actions, temperature, seed)

    @graph
    def continue_with_actions(
        self,
        state: State,
        actions: tf.Tensor,
        temperature: float | tf.Tensor,
        seed: tf.Tensor,
        frames: bool = True,
        before: tf.Tensor | None = None,
    ) -> Prediction:
        """Return the predictions (H, B) after each of the given actions, int32 (H, B), taken from B states.

        Args:
            temperature: scales the model's randomness: 1 as learned, 0 the most probable future.
            seed: int32 (2,).
            frames: false to decode no images.
            before: uint8 (B, H, W, C), the frames of the B states; see `frame_sequence`.
        """
        return self.predict_sequence(rollout_actions(self._model, state, actions, temperature, seed), frames, before)

    def continue_with_policy(
        self,
        state: State,
        policy: Policy,
        memory: State,
        options: RolloutOptions,
        seed: tf.Tensor,
        before: tf.Tensor | None = None,
        frames: bool = True,
    ) -> Prediction:
        """Return the predictions (H, B) after each step of a policy from B states; call it inside a `tf.function`.

        Args:
            memory: of the policy, leading B; () if it has none.
            seed: int32 (2,).
            before: uint8 (B, H, W, C), the frames of the B states; see `frame_sequence`.
            frames: false to decode no images, which cost most.
        """
        trajectory = rollout(self._model, policy, state, memory, options, seed)
        after = tf.nest.map_structure(lambda x: x[1:], trajectory.states)
        images = self.frame_sequence(after, before) if frames else ()
        return Prediction(images, trajectory.rewards[1:], trajectory.continuations[1:])


def newest_images(observations: Observations, spec: ModelSpec) -> tf.Tensor | None:
    """Return the images observed last, uint8 (B, H, W, C), from which a model may copy; None if it predicts none."""
    return None if spec.image is None else spec.image_of(observations.observation)[:, -1]


def states_at(states: State, step: int) -> State:
    """Return the states at one step, leading B, of states in time, leading (B, T)."""
    return tf.nest.map_structure(lambda x: x[:, step], states)
