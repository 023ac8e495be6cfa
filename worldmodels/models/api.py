"""The contract of a world model: something that follows a world, goes on by itself, and learns.

One letter per axis: B batch, T time, H height, W width, C channels, F features. A `State` is a nest of tensors with
leading dimension B; nobody but the model that made it looks inside. A nest of states in time has leading (B, T).

Every random draw is a pure function of the `seed` given to the call, int32 (2,): the same weights, inputs and seed give
the same bits on one CPU. Each method runs as one `tf.function`; another shape of input is traced once more. All of them
may also be called inside a `tf.function`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, NamedTuple, Protocol

from worldmodels.core.types import Batch, State

if TYPE_CHECKING:
    import tensorflow as tf


class ModelSpec(NamedTuple):
    """What a model expects and what it offers."""

    observation_shape: tuple[int, int, int]
    """(H, W, C) of its uint8 images."""
    num_actions: int
    feature_kind: Literal["vector", "images"]
    """Whether `features` gives vectors (B, F) or stacked images (B, H, W, F)."""
    feature_shape: tuple[int, ...]
    """Shape of one row of `features`."""


class WorldModel(Protocol):
    """A learned world."""

    spec: ModelSpec

    def initial(self, batch: int) -> State:
        """The state of `batch` rows before anything was observed."""

    def observe(
        self, state: State, observation: tf.Tensor, previous_action: tf.Tensor, is_first: tf.Tensor, seed: tf.Tensor
    ) -> State:
        """Follow the world by one observation.

        Where `is_first` holds, `state` and `previous_action` have no influence.

        Args:
            state: after the observation before.
            observation: uint8 (B, H, W, C).
            previous_action: int32 (B,), the action that led to `observation`.
            is_first: bool (B,).
        """

    def observe_sequence(
        self,
        observations: tf.Tensor,
        previous_actions: tf.Tensor,
        is_first: tf.Tensor,
        seed: tf.Tensor,
        state: State | None = None,
    ) -> State:
        """Follow the world by T observations; gives the states after each, with leading (B, T).

        Args:
            observations: uint8 (B, T, H, W, C).
            previous_actions: int32 (B, T).
            is_first: bool (B, T).
            state: before the first observation; without it every row starts anew.
        """

    def imagine(self, state: State, action: tf.Tensor, temperature: float | tf.Tensor, seed: tf.Tensor) -> State:
        """Go on by one step without looking.

        Args:
            action: int32 (B,), taken in `state`.
            temperature: of the model's own randomness: 1 as learned, 0 the most probable future.
        """

    def features(self, state: State) -> tf.Tensor:
        """What an agent sees of a state: float32 (B, *spec.feature_shape)."""

    def frame(self, state: State) -> tf.Tensor:
        """The image that belongs to a state: uint8 (B, H, W, C)."""

    def reward(self, state: State) -> tf.Tensor:
        """The expected reward that arrived with a state, in the world's own units: float32 (B,)."""

    def continuation(self, state: State) -> tf.Tensor:
        """The probability that the episode goes on after a state: float32 (B,), without any discount."""

    def fit(self, batch: Batch, seed: tf.Tensor) -> tuple[dict[str, tf.Tensor], State]:
        """One optimiser step on B windows of T steps, any of which may cross the border of episodes.

        When the loss or a gradient is not finite, nothing is changed and the metric `model/finite` is 0.

        Returns:
            Scalar metrics named `model/...`, and the posterior states, leading (B, T), for imagination to start at.
        """

    def save(self) -> dict[str, Any]:
        """Weights, optimiser and update counter as a tree with NumPy leaves."""

    def load(self, tree: dict[str, Any]) -> None:
        """Take over what `save` gave.

        Raises:
            CheckpointError: names or shapes differ; the text names both sides.
        """
