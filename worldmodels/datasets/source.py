"""A source of recorded experience, whatever its format: N streams of T steps each, read in pieces.

One letter per axis: N streams, T steps, D numbers.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from worldmodels.core.errors import ConfigError
from worldmodels.core.specs import ActionSpec, ObservationSpec
from worldmodels.core.types import Batch, Step

MOST_STEP_BYTES = 2**28
"""The observations of all streams at one step take so many bytes at most: 256 MiB."""
PIECE_BYTES = 2**26
PIECE_STEPS = 64


@dataclass(frozen=True)
class DatasetSpec:
    """The spec of a data set: how much it holds, and of what."""

    num_streams: int
    """N, 1 or more."""
    length: int
    """T, the steps of each stream, 1 or more."""
    observation: ObservationSpec
    action: ActionSpec

    def __post_init__(self) -> None:
        if self.num_streams < 1 or self.length < 1:
            raise ConfigError(
                f"A data set holds 1 stream or more, of 1 step or more each. Received {self.num_streams} streams of "
                f"{self.length} steps."
            )
        if self.step_bytes > MOST_STEP_BYTES:
            raise ConfigError(
                f"The observations of all streams at one step take at most {MOST_STEP_BYTES:,} bytes. Received "
                f"{self.num_streams:,} streams of {self.observation}, {self.step_bytes:,} bytes."
            )

    @property
    def step_bytes(self) -> int:
        """Return the bytes of the observations of all streams at one step."""
        return self.num_streams * self.observation.bytes

    @property
    def steps(self) -> int:
        """Return the steps summed over the streams."""
        return self.num_streams * self.length

    @property
    def pieces(self) -> Iterator[range]:
        """Yield the steps that are read together: few enough to need little memory."""
        size = max(1, min(PIECE_STEPS, PIECE_BYTES // self.step_bytes))
        for start in range(0, self.length, size):
            yield range(start, min(start + size, self.length))


class Source(Protocol):
    """Recorded experience; close it in the end."""

    @property
    def spec(self) -> DatasetSpec: ...

    def pieces(self) -> Iterator[Batch]:
        """Yield all steps in their order, as batches (N, t) of a few steps of every stream; as often as it is asked.

        Raises UserError, or one of its kin, where the experience turns out to be damaged or against the rules.
        """

    def close(self) -> None: ...


def steps_of(source: Source) -> Iterator[Step]:
    """Yield the steps of all streams, one after the other."""
    for piece in source.pieces():
        for t in range(piece.reward.shape[1]):
            yield Step(*piece.at(np.s_[:, t]))
