"""The contract of an agent: an agent chooses actions and learns, without loops, logs or files.

One letter per axis: B batch, T time. Features are those of `Representation.features`. Every random draw is a pure
function of the `seed` given, int32 (2,).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

import numpy as np

from worldmodels.core.types import Batch, State
from worldmodels.models.api import WorldModel

if TYPE_CHECKING:
    import tensorflow as tf

    from worldmodels.imagination.starts import StartStates


class Rollouts(NamedTuple):
    """T steps of B environments as an agent experienced them, with time in front: T + 1 observations.

    As in `Step`, reward and flags arrived *with* an observation and the action was chosen *at* it. Between an
    observation that is last and the next, which is first, nothing happened: nothing may be learned from it.
    """

    features: tf.Tensor
    """(T + 1, B, ...)."""
    actions: tf.Tensor
    """int32 (T + 1, B); where the last ones led is not known."""
    rewards: tf.Tensor
    """float32 (T + 1, B)."""
    continuations: tf.Tensor
    """float32 (T + 1, B): 0 where the episode terminated, else 1; in imagination a probability. After a truncation the
    future still has value."""
    is_first: tf.Tensor
    """bool (T + 1, B)."""
    is_last: tf.Tensor
    """bool (T + 1, B)."""
    extras: dict[str, tf.Tensor]
    """The outputs of `act` besides the action, each leading (T + 1, B)."""
    memory: State
    """The agent's memory before the first observation, leading B."""


class Transitions(NamedTuple):
    """K batches of B single steps, drawn at random from everything that was recorded, with the batches in front.

    None of them leads from the last observation of an episode to the first of the next.
    """

    features: Any
    """Leading (K, B): what was seen before the step."""
    actions: tf.Tensor
    """Leading (K, B)."""
    rewards: tf.Tensor
    """float32 (K, B)."""
    continuations: tf.Tensor
    """float32 (K, B): 0 where the step terminated the episode, else 1; in imagination a probability. After a truncation
    the future still has value."""
    next_features: Any
    """Leading (K, B): what was seen after the step."""


class Replayed(NamedTuple):
    """B windows of T recorded steps, which may cross borders of episodes, and the states that a model had along them.

    As in `Batch`, reward and flags arrived *with* the observation of a state.
    """

    states: State
    """A nest of tensors, leading (B, T)."""
    actions: tf.Tensor
    """Leading (B, T): chosen at each of them."""
    rewards: tf.Tensor
    """float32 (B, T)."""
    is_last: tf.Tensor
    """bool (B, T): the next step of the window, if there is one, belongs to another episode."""
    is_terminal: tf.Tensor
    """bool (B, T): the world itself ended the episode. After a truncation the future still has value."""
    weights: tf.Tensor
    """float32 (B,): how much each window counts, 1 on average over many."""

    @classmethod
    def of(cls, states: State, batch: Batch, weights: np.ndarray | None = None) -> Replayed:
        """Return a batch of NumPy arrays with its states (B, T); without weights, all windows count alike."""
        # Where another recording begins, an episode may be cut off without a last step.
        cut = np.pad(batch.is_first[:, 1:], ((0, 0), (0, 1)))
        counts = np.ones(len(batch.reward), np.float32) if weights is None else weights
        return cls(states, batch.action, batch.reward, batch.is_last | cut, batch.is_terminal, counts)


class Recent(NamedTuple):
    """B windows of T real steps that the agent took not long ago, as it saw them, which may cross borders of episodes.

    As in `Step`, reward and flags arrived *with* what was seen, and the action was chosen *at* it.
    """

    features: tf.Tensor
    """(B, T, ...)."""
    actions: tf.Tensor
    """Leading (B, T)."""
    extras: dict[str, tf.Tensor]
    """The outputs of `act` besides the action, as they were then, each leading (B, T)."""
    rewards: tf.Tensor
    """float32 (B, T)."""
    is_last: tf.Tensor
    """bool (B, T): the next step of the window, if there is one, belongs to another episode."""
    is_terminal: tf.Tensor
    """bool (B, T): the world itself ended the episode. After a truncation the future still has value."""

    @property
    def weights(self) -> np.ndarray:
        """float32 (B,): all windows count alike."""
        return np.ones(self.rewards.shape[0], np.float32)


class Experience(NamedTuple):
    """The recorded steps that a loop hands to an agent with each update in imagination."""

    replayed: Replayed | None = None
    """The steps from whose states the rollouts start. Where there are as many starts as states, the starts are these
    states, window by window. None where rollouts start elsewhere."""
    recent: Recent | None = None
    """Newest real steps, for an agent whose `experience` holds "recent"; None until there are enough."""


NO_EXPERIENCE = Experience()


class Agent(Protocol):
    """A policy and its update rule.

    A class that extends this one has the defaults below, and writes `act`, `save`, `load` and the updates for its
    `experience`.
    """

    experience: frozenset[str]
    """The kinds of experience from which the agent learns, as in `AgentConfig`."""

    @property
    def collector(self) -> Agent:
        """The agent that chooses the actions of a run's real steps; another one where a policy of its own explores."""
        return self

    @property
    def discount(self) -> float | None:
        """The weight of each step's future against its present; None for an agent without one."""
        return None

    def initial(self, batch: int) -> State:
        """Return the agent's own memory for `batch` rows, a nest of tensors; () for an agent without one."""
        return ()

    def act(
        self, features: tf.Tensor, state: State, temperature: float | tf.Tensor, seed: tf.Tensor
    ) -> tuple[tf.Tensor, State, dict[str, tf.Tensor]]:
        """Choose actions; may be called inside a `tf.function`.

        Args:
            features: (B, ...), as `Representation.features` gives them.
            state: the memory that `initial` or the last call gave; zeros where an episode begins.
            temperature: 0 takes the most probable action, 1 samples from the policy.

        Returns:
            Actions, int32 (B,) or float32 (B, D); the new memory; and further outputs by name, any of these.
            `logits` (B, actions): of the policy at temperature 1.
            `gaussian` (B, 2 D): mean and logarithm of the standard deviation of each number of a box at temperature 1.
            `truncated_normal` or `squashed_normal` (B, 2 D): the parameters of these distributions in place of that.
            `value` (B,): the return that the agent expects.
            Samples of a Gaussian may lie outside of the box: the caller clips them before an environment gets them.
        """

    def update_from_imagination(
        self, model: WorldModel, starts: StartStates, seed: tf.Tensor, experience: Experience = NO_EXPERIENCE
    ) -> dict[str, tf.Tensor]:
        """Learn from one set of rollouts in a world model, which stays as it is.

        When a loss or a gradient is not finite, nothing is changed and the metric `policy/finite` is 0.

        Args:
            starts: states of the model at which the rollouts start.
            experience: recorded steps, for an agent that also learns from these.

        Returns:
            Scalar metrics named `policy/...`.
        """
        raise _learns_otherwise(self, "imagination")

    def update_from_rollouts(self, rollouts: Rollouts, seed: tf.Tensor) -> dict[str, tf.Tensor]:
        """Learn from real rollouts; as `update_from_imagination` otherwise.

        Args:
            rollouts: with the `extras` that `act` gave when it chose these actions.
        """
        raise _learns_otherwise(self, "rollouts")

    def update_from_transitions(self, transitions: Transitions, seed: tf.Tensor) -> dict[str, tf.Tensor]:
        """Do K updates, one from each batch, in one call; as `update_from_imagination` otherwise.

        Where one of them is not finite, none is done.
        """
        raise _learns_otherwise(self, "transitions")

    def save(self) -> dict[str, Any]:
        """Return weights, optimisers and running figures as a tree with NumPy leaves."""

    def load(self, tree: dict[str, Any]) -> None:
        """Take over what `save` gave.

        Raises:
            CheckpointError: names or shapes differ.
        """


def _learns_otherwise(agent: Agent, kind: str) -> NotImplementedError:
    ways = ", ".join(sorted(agent.experience)) or "nothing"
    return NotImplementedError(f"{type(agent).__name__} learns from {ways}, and not from {kind}.")
