"""Every package shares these few types.

One letter per axis: N environments, B batch, T time, H height, W width, C channels.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

State: TypeAlias = Any
"""A nest of arrays or tensors with a leading batch dimension; only the world model that made it looks inside."""

MOVED = 0.1
"""Change since the frame before, of pixels from 0 to 1 in any channel, above which a pixel is moving."""


class Step(NamedTuple):
    """A step of N environments at once.

    The reward and the flags arrived *with* this observation; the action was chosen *at* it. So every observation
    occurs exactly once. `is_last` without `is_terminal` is truncation: the future still has value. Where `is_last`
    holds, the action has no effect and is stored all the same, so that streams stay rectangular.
    """

    observation: Any
    """Leading N, as an `ObservationSpec` says: images uint8 (N, H, W, C), vectors float32 (N, D), or a dictionary."""
    reward: npt.NDArray[np.float32]
    """(N,), 0 where `is_first`."""
    is_first: npt.NDArray[np.bool_]
    """(N,), this observation opens an episode."""
    is_last: npt.NDArray[np.bool_]
    """(N,), this observation ends an episode, for whatever reason."""
    is_terminal: npt.NDArray[np.bool_]
    """(N,), the world itself ended the episode: nothing comes after, the value is 0."""
    action: npt.NDArray[Any]
    """Chosen at this observation: choices int32 (N,), or numbers float32 (N, D), as an `ActionSpec` says."""
    info: npt.NDArray[np.float32] | None = None
    """(N, K), arrived with this observation: the numbers of the names in `env.info`, for the records of a run and
    nobody else; NaN where `is_first`."""

    def stored(self) -> Batch:
        """Return the fields that experience consists of, whose leading axes are as they are here."""
        return Batch._make(self[: len(Batch._fields)])


class Batch(NamedTuple):
    """A batch of B windows of T consecutive steps, which may cross borders of episodes; its fields are as in `Step`."""

    observation: Any
    """Leading (B, T): images uint8 (B, T, H, W, C), say."""
    reward: npt.NDArray[np.float32]
    """(B, T)."""
    is_first: npt.NDArray[np.bool_]
    """(B, T)."""
    is_last: npt.NDArray[np.bool_]
    """(B, T)."""
    is_terminal: npt.NDArray[np.bool_]
    """(B, T)."""
    action: npt.NDArray[Any]
    """Leading (B, T)."""

    @classmethod
    def joined(cls, batches: Sequence[Batch]) -> Batch:
        """Return the rows of several batches one after the other."""
        first, others = batches[0].observation, [batch.observation for batch in batches]
        seen = {name: np.concatenate([o[name] for o in others]) for name in first} if isinstance(first, dict) else None
        fields = [np.concatenate(values) for values in zip(*(batch[1:] for batch in batches), strict=True)]
        return cls._make([np.concatenate(others) if seen is None else seen, *fields])

    def at(self, index: Any) -> Batch:
        """Return the batch of what an index, such as `np.s_[:, 3]`, takes from each array."""
        return self.map(lambda values: values[index])

    def map(self, function: Callable[[npt.NDArray[Any]], npt.NDArray[Any]]) -> Batch:
        """Return the batch of what a function makes of each array."""
        seen = self.observation
        mapped = {name: function(seen[name]) for name in seen} if isinstance(seen, dict) else function(seen)
        return Batch(mapped, *(function(values) for values in self[1:]))
