"""Predicts with a world model: it observes some recorded frames, then predicts under the recorded actions.

One letter per axis: W windows, C steps that are observed (the context), H steps that are predicted.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import tensorflow as tf

from worldmodels.core.seeding import fold
from worldmodels.core.types import Batch, State
from worldmodels.evaluation.predictions.event_foresight import STEPS, EventForesight, event_foresight
from worldmodels.evaluation.predictions.frame_errors import FrameErrorMeter, frame_errors
from worldmodels.evaluation.predictions.model_errors import MeasuredPrediction, MeasuredReconstruction
from worldmodels.evaluation.predictions.windows import as_vectors
from worldmodels.imagination.model_view import (
    ModelView,
    Observations,
    Prediction,
    newest_images,
    states_at,
)
from worldmodels.imagination.row_groups import in_row_groups
from worldmodels.models import draws
from worldmodels.models.api import ModelSpec, WorldModel
from worldmodels.models.networks.scan import swap_rows_and_time


class Outcomes(NamedTuple):
    """The outcomes of holding each of A actions for S steps in each of N states."""

    frame: np.ndarray
    """uint8 (A, N, h, w, c): the frame after S steps."""
    reward: np.ndarray
    """float64 (A, N): the sum of the rewards on the way; the model's count by the probability of getting there."""
    ended: npt.NDArray[np.bool_]
    """bool (A, N): the episode ended on the way."""


class OpenLoopPredictor:
    """A predictor uses one model, in graphs that are traced once for each shape of windows.

    Args:
        context: steps C that the model observes.
    """

    def __init__(self, model: WorldModel, context: int) -> None:
        self._view, self._context = ModelView(model), context
        self._continue = tf.function(self._observe_and_continue, autograph=False)
        self._see = tf.function(self._observe_and_decode, autograph=False)
        self._look = tf.function(self._observe_and_look_ahead, autograph=False)
        self._read = tf.function(self._observe_and_read, autograph=False)
        self._hold = tf.function(self._observe_and_hold, autograph=False)

    @property
    def spec(self) -> ModelSpec:
        """The spec of the model."""
        return self._view.spec

    def predict(self, windows: Batch, key: np.ndarray, temperature: float = 1.0) -> Prediction:
        """Return what the model predicts after the first C steps of W windows of C + H steps.

        Args:
            key: int32 (2,), of all samples.
            temperature: of the model's own randomness: 1 as learned, 0 the most probable future.

        Returns:
            NumPy arrays, leading (W, H).
        """
        scale = tf.constant(temperature, tf.float32)
        return self._in_groups(lambda rows, seed: self._continue(rows, scale, seed)[0], windows, key)

    def measure(
        self, windows: Batch, key: np.ndarray, temperature: float = 1.0, filmed: Sequence[int] | np.ndarray = ()
    ) -> tuple[MeasuredPrediction, np.ndarray | None]:
        """Return the errors of what `predict` returns, and the predicted frames of n windows, uint8 (n, H, h, w, c).

        Of a model without images, there are no errors of frames, and None in place of frames.

        Args:
            filmed: the indices of these windows.
        """
        meter = self._meter(windows, self._context, filmed)
        scale = tf.constant(temperature, tf.float32)

        def keep(made: tuple[Prediction, Any], rows: np.ndarray) -> MeasuredPrediction:
            predicted, alone = made
            alone = self._errors_alone(alone, windows, rows, self._context)
            frames = meter(predicted.frame, rows) if meter else ()
            return MeasuredPrediction(frames, predicted.reward, predicted.continuation, alone, predicted.vectors)

        measured = self._in_groups(lambda rows, seed: self._continue(rows, scale, seed), windows, key, keep)
        return measured, meter.film if meter else None

    def _meter(self, windows: Batch, start: int, filmed: Sequence[int] | np.ndarray) -> FrameErrorMeter | None:
        if self.spec.image is None:
            return None
        return FrameErrorMeter(self.spec.image_of(windows.observation), start, filmed)

    def measure_reconstruction(
        self, windows: Batch, key: np.ndarray, filmed: Sequence[int] | np.ndarray = ()
    ) -> tuple[MeasuredReconstruction, np.ndarray] | tuple[None, None]:
        """Return the errors of what `reconstruct` returns, of all C + H steps, and its images of a few windows."""
        meter = self._meter(windows, 0, filmed)
        if not self.spec.reconstructs or not meter:
            return None, None

        def keep(made: tuple[np.ndarray, Any], rows: np.ndarray) -> MeasuredReconstruction:
            images, alone = made
            return MeasuredReconstruction(meter(images, rows), self._errors_alone(alone, windows, rows, 0))

        return self._in_groups(self._see, windows, fold(key, 0), keep), meter.film

    def foresight(self, windows: Batch, key: np.ndarray, temperature: float = 1.0) -> EventForesight | None:
        """Return how well the model foresees what happens next along W windows of C + H steps.

        It looks ahead every S steps, the first time after the context, so that each event is in reach of one start.
        None where H is less than S.

        Args:
            key: int32 (2,), of all samples.
            temperature: as in `predict`.
        """
        starts, ahead = self._looks(windows.action.shape[1])
        if not len(starts):
            return None
        scale = tf.constant(temperature, tf.float32)
        reward, continuation = self._in_groups(lambda rows, seed: self._look(rows, scale, seed), windows, key)
        going = ~windows.is_last[:, starts]
        true = (windows.reward, windows.is_last, windows.is_terminal)
        return event_foresight(reward[going], continuation[going], *(values[:, ahead][going] for values in true))

    def features(self, windows: Batch, key: np.ndarray, temperature: float = 1.0) -> tuple[np.ndarray, np.ndarray]:
        """Return the features of all observed states, float32 (W, C + H, F), and of those imagined after C, (W, H, F).

        Args:
            key: int32 (2,), of all samples.
            temperature: as in `predict`.
        """
        scale = tf.constant(temperature, tf.float32)
        return self._in_groups(lambda rows, seed: self._read(rows, scale, seed), windows, key)

    def hold_actions(
        self, windows: Batch, actions: int, steps: int, key: np.ndarray, temperature: float = 1.0
    ) -> Outcomes:
        """Return what the model expects of holding each action for some steps, from the end of N windows of C steps.

        All actions meet the same draws of chance, so that they differ by what they do.

        Args:
            actions: the number A of actions.
            key: int32 (2,), of all samples.
            temperature: as in `predict`.
        """
        scale, made = tf.constant(temperature, tf.float32), []
        for action in range(actions):
            held = tf.constant(action, tf.int32)
            predicted = self._in_groups(
                lambda rows, seed, held=held: self._hold(rows, held, steps, scale, seed), windows, key
            )
            reached = np.cumprod(predicted.continuation, 1) / np.maximum(predicted.continuation, 1e-9)
            made.append((predicted.frame, (reached * predicted.reward).sum(1), predicted.continuation.prod(1) < 0.5))
        return Outcomes(*(np.stack(values) for values in zip(*made, strict=True)))

    def reconstruct(self, windows: Batch, key: np.ndarray) -> np.ndarray | None:
        """Return the model's images of the frames that it observes, uint8 (W, C + H, h, w, c).

        None for a model that keeps the observed frames and so reconstructs nothing (`ModelSpec.reconstructs`).

        Args:
            key: int32 (2,), of all samples.
        """
        if not self.spec.reconstructs or self.spec.image is None:
            return None
        images: np.ndarray = self._in_groups(lambda rows, seed: self._see(rows, seed)[0], windows, fold(key, 0))
        return images

    def _looks(self, length: int) -> tuple[np.ndarray, np.ndarray]:
        """Return from which steps of a window of so many it looks ahead, (K,), and at which steps, (K, S)."""
        starts = np.arange(self._context - 1, length - STEPS, STEPS)
        return starts, starts[:, None] + np.arange(1, STEPS + 1)

    def _in_groups(self, function: Any, windows: Batch, key: np.ndarray, *keep: Any) -> Any:
        return in_row_groups(function, Observations.of(windows), key, *keep)

    def _errors_alone(self, images: Any, windows: Batch, rows: np.ndarray, start: int) -> Any:
        """Return the errors of images of the states alone; () if there are no such images."""
        return (
            ()
            if isinstance(images, tuple)
            else frame_errors(images, self.spec.image_of(windows.observation)[rows], start)
        )

    def _observe_and_continue(
        self, rows: Observations, temperature: tf.Tensor, seed: tf.Tensor
    ) -> tuple[Prediction, Any]:
        """Return the prediction (W, H), and the images of the states alone where the model copies, else ()."""
        observe_seed, continue_seed = tf.unstack(draws.split(seed, 2))
        context = tf.nest.map_structure(lambda x: x[:, : self._context], rows)
        state = states_at(self._view.observe(context, observe_seed), -1)
        # The action that was chosen one step before leads to each frame.
        actions = swap_rows_and_time(rows.previous_action[:, self._context :])
        states = self._view.imagined_states(state, actions, temperature, continue_seed)
        predicted = self._view.predict_sequence(states, before=newest_images(context, self.spec))
        alone = self._view.frames_alone(states)
        return tf.nest.map_structure(swap_rows_and_time, (predicted, alone))

    def _observe_and_look_ahead(
        self, rows: Observations, temperature: tf.Tensor, seed: tf.Tensor
    ) -> tuple[tf.Tensor, tf.Tensor]:
        """Return rewards and continuations (W, K, S) after K states along W windows."""
        observe_seed, continue_seed = tf.unstack(draws.split(seed, 2))
        starts, ahead = self._looks(rows.is_first.shape[1])

        def at_starts(states: tf.Tensor) -> tf.Tensor:
            return tf.reshape(tf.gather(states, starts, axis=1), (-1, *states.shape[2:]))

        def after_starts(actions: tf.Tensor) -> tf.Tensor:
            return tf.reshape(tf.gather(actions, ahead, axis=1), (-1, STEPS, *actions.shape[2:]))

        states = tf.nest.map_structure(at_starts, self._view.observe(rows, observe_seed))
        actions = swap_rows_and_time(after_starts(rows.previous_action))
        predicted = self._view.continue_with_actions(states, actions, temperature, continue_seed, frames=False)
        shape = (-1, *ahead.shape)
        return tuple(tf.reshape(tf.transpose(x), shape) for x in (predicted.reward, predicted.continuation))

    def _observe_and_read(
        self, rows: Observations, temperature: tf.Tensor, seed: tf.Tensor
    ) -> tuple[tf.Tensor, tf.Tensor]:
        observe_seed, continue_seed = tf.unstack(draws.split(seed, 2))
        states = self._view.observe(rows, observe_seed)
        actions = swap_rows_and_time(rows.previous_action[:, self._context :])
        start = states_at(states, self._context - 1)
        imagined = self._view.imagined_states(start, actions, temperature, continue_seed)
        return self._view_features(states), swap_rows_and_time(self._view_features(imagined))

    def _view_features(self, states: State) -> tf.Tensor:
        """Return the features of states leading (X, Y), as vectors (X, Y, F)."""
        shape = tf.shape(tf.nest.flatten(states)[0])[:2]
        flat = tf.nest.map_structure(lambda x: tf.reshape(x, (-1, *x.shape[2:])), states)
        vectors = as_vectors(self._view.features(flat))
        return tf.reshape(vectors, (shape[0], shape[1], vectors.shape[-1]))

    def _observe_and_hold(
        self, rows: Observations, action: tf.Tensor, steps: int, temperature: tf.Tensor, seed: tf.Tensor
    ) -> Prediction:
        """Return the last frame, and rewards and continuations (N, S), of holding an action after all frames seen."""
        observe_seed, continue_seed = tf.unstack(draws.split(seed, 2))
        state = states_at(self._view.observe(rows, observe_seed), -1)
        actions = tf.fill((steps, rows.is_first.shape[0]), action)
        states = self._view.imagined_states(state, actions, temperature, continue_seed)
        predicted = self._view.predict_sequence(states, frames=False)
        frame = self._view.last_frame(states, newest_images(rows, self.spec))
        return Prediction(frame, *(tf.transpose(x) for x in (predicted.reward, predicted.continuation)))

    def _observe_and_decode(self, rows: Observations, seed: tf.Tensor) -> tuple[tf.Tensor, Any]:
        """Return the images (W, C + H), and those of the states alone where the model copies, else ()."""
        states = self._view.observe(rows, seed)
        by_time = tf.nest.map_structure(swap_rows_and_time, states)
        alone = tf.nest.map_structure(swap_rows_and_time, self._view.frames_alone(by_time))
        return self._view.reconstruct(states, rows), alone
