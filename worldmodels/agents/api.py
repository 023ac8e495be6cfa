"""The contract of an agent: it chooses actions and improves. It neither loops nor logs nor opens files.

One letter per axis: B batch, T time. Features are what `Representation.features` gives. Every random draw is a pure
function of the `seed` given, int32 (2,).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

from worldmodels.core.types import State
from worldmodels.models.api import WorldModel

if TYPE_CHECKING:
    import tensorflow as tf


class Experience(NamedTuple):
    """What an agent lived through in B worlds at once: T steps, so T + 1 moments, with time in front.

    As in `Step`, reward and flags arrived *with* a moment and the action was chosen *at* it. The step from a moment
    that is last to the next, which is first, is none: nothing may be learned from it.
    """

    features: tf.Tensor
    """(T + 1, B, ...)."""
    actions: tf.Tensor
    """int32 (T + 1, B); nothing is known of what the last ones led to."""
    rewards: tf.Tensor
    """float32 (T + 1, B)."""
    continuations: tf.Tensor
    """float32 (T + 1, B): 0 where the world itself ended the episode, else 1; in imagination a probability. What was
    only cut off still has value."""
    is_first: tf.Tensor
    """bool (T + 1, B)."""
    is_last: tf.Tensor
    """bool (T + 1, B)."""
    extras: dict[str, tf.Tensor]
    """What `act` gave besides the action, each leading (T + 1, B)."""
    memory: State
    """The agent's own, before the first moment: leading B."""


class Agent(Protocol):
    """A policy and its update rule."""

    learns_from_experience: bool
    """Whether `update_from_experience` may be called."""

    def initial(self, batch: int) -> State:
        """The agent's own memory for `batch` rows, a nest of tensors; () for an agent without one."""

    def act(
        self, features: tf.Tensor, state: State, temperature: float | tf.Tensor, seed: tf.Tensor
    ) -> tuple[tf.Tensor, State, dict[str, tf.Tensor]]:
        """Choose actions; may be called inside a `tf.function`.

        Args:
            features: (B, ...), of `Representation.features`.
            state: of `initial`, or of the call before; zeros where an episode begins.
            temperature: 0 takes the most probable action, 1 samples from the policy.

        Returns:
            Actions int32 (B,), the new memory, and what else there is to know about the choice: `logits` (B, actions)
            of the policy at temperature 1 if there are any, and `value` (B,), what the agent expects the future to pay.
        """

    def update_from_imagination(
        self, model: WorldModel, starts: State, continuations: tf.Tensor, seed: tf.Tensor
    ) -> dict[str, tf.Tensor]:
        """Learn from one set of rollouts in a world model, which stays as it is.

        When a loss or a gradient is not finite, nothing is changed and the metric `policy/finite` is 0.

        Args:
            starts: states of the model at which the rollouts start, leading B.
            continuations: float32 (B,), 0 where the episode of a start truly ended, else 1.

        Returns:
            Scalar metrics named `policy/...`.
        """

    def update_from_experience(self, experience: Experience, seed: tf.Tensor) -> dict[str, tf.Tensor]:
        """Learn from real experience; as `update_from_imagination` otherwise.

        Args:
            experience: with the `extras` that `act` gave when it chose these actions.
        """

    def save(self) -> dict[str, Any]:
        """Weights, optimisers and running figures as a tree with NumPy leaves."""

    def load(self, tree: dict[str, Any]) -> None:
        """Take over what `save` gave.

        Raises:
            CheckpointError: names or shapes differ.
        """
