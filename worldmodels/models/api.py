"""The contracts of a perception, which follows a world, and of a world model, which also goes on by itself and learns.

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
    """Whether `features` gives vectors, float32 (B, F), or stacked images, uint8 (B, H, W, F), the newest last."""
    feature_shape: tuple[int, ...]
    """Shape of one row of `features`."""


class Perception(Protocol):
    """What an agent sees the world through."""

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

    def features(self, state: State) -> tf.Tensor:
        """What an agent sees of a state: (B, *spec.feature_shape), of the type that `spec.feature_kind` says."""

    def save(self) -> dict[str, Any]:
        """Everything that was learned, and what learning needs to go on, as a tree with NumPy leaves."""

    def load(self, tree: dict[str, Any]) -> None:
        """Take over what `save` gave.

        Raises:
            CheckpointError: names or shapes differ; the text names both sides.
        """


class WorldModel(Perception, Protocol):
    """A learned world."""

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

    def readable(self, state: State) -> State:
        """The part of a state that `features`, `frame`, `reward` and `continuation` need.

        Long rollouts keep this part of every step; memory that only `imagine` needs is left out, so that they fit.
        """

    def frame(self, state: State) -> tf.Tensor:
        """The image that belongs to a state: uint8 (B, H, W, C)."""

    def reward(self, state: State) -> tf.Tensor:
        """The expected reward that arrived with an imagined state, in the world's own units: float32 (B,).

        A model that predicts it together with the frame has nothing to say of an observed state, and gives 0.
        """

    def continuation(self, state: State) -> tf.Tensor:
        """The probability that the episode goes on after a state: float32 (B,), without any discount.

        A model that predicts it together with the frame gives 1 for an observed state.
        """

    def fit(self, batch: Batch, seed: tf.Tensor) -> tuple[dict[str, tf.Tensor], State]:
        """One optimiser step on B windows of T steps, any of which may cross the border of episodes.

        When the loss or a gradient is not finite, nothing is changed and the metric `model/finite` is 0.

        Returns:
            Scalar metrics named `model/...`, and the posterior states, leading (B, T), for imagination to start at.
        """


def is_world_model(perception: Perception) -> bool:
    """Whether it can also go on by itself."""
    return hasattr(perception, "imagine")
