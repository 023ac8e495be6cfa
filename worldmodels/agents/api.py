"""The contract of an agent: it chooses actions and improves. It neither loops nor logs nor opens files.

One letter per axis: B batch, T time, F features. Every random draw is a pure function of the `seed` given, int32 (2,).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

from worldmodels.core.types import State
from worldmodels.models.api import WorldModel

if TYPE_CHECKING:
    import tensorflow as tf


class Agent(Protocol):
    """A policy and its update rule."""

    def initial(self, batch: int) -> State:
        """The agent's own memory for `batch` rows, a nest of tensors; () for an agent without one."""

    def act(
        self, features: tf.Tensor, state: State, temperature: float | tf.Tensor, seed: tf.Tensor
    ) -> tuple[tf.Tensor, State, dict[str, tf.Tensor]]:
        """Choose actions; may be called inside a `tf.function`.

        Args:
            features: float32 (B, F), of `WorldModel.features`.
            state: of `initial`, or of the call before.
            temperature: 0 takes the most probable action, 1 samples from the policy.

        Returns:
            Actions int32 (B,), the new memory, and what else there is to know about the choice, such as `logits`.
        """

    def improve(
        self, model: WorldModel, starts: State, continuations: tf.Tensor, seed: tf.Tensor
    ) -> dict[str, tf.Tensor]:
        """Learn in imagination: one optimiser step. The model stays as it is.

        When a loss or a gradient is not finite, nothing is changed and the metric `policy/finite` is 0.

        Args:
            starts: states that the model had along recorded experience, leading (B, T).
            continuations: float32 (B, T), 0 where a recorded episode truly ended, else 1.

        Returns:
            Scalar metrics named `policy/...`.
        """

    def save(self) -> dict[str, Any]:
        """Weights, optimisers and running figures as a tree with NumPy leaves."""

    def load(self, tree: dict[str, Any]) -> None:
        """Take over what `save` gave.

        Raises:
            CheckpointError: names or shapes differ.
        """
