"""A source of steps, cut into its episodes."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from worldmodels.core.types import Batch
from worldmodels.datasets.source import Source


class Episode(NamedTuple):
    """An episode, or the part of one that was recorded."""

    stream: int
    steps: Batch
    """The steps from its first to its last one, leading T alone."""


def episodes_of(source: Source) -> Iterator[Episode]:
    """Yield the episodes of all streams, those of a stream in their order.

    The first one of a stream may lack its beginning, and the last one its end; so may one that a run that stopped did
    not go on with. One episode of each stream is in memory.
    """
    held: list[list[Batch]] = [[] for _ in range(source.spec.num_streams)]
    ended = np.zeros((source.spec.num_streams, 1), bool)
    for piece in source.pieces():
        begins = piece.is_first | np.concatenate([ended, piece.is_last[:, :-1]], 1)
        ended = piece.is_last[:, -1:]
        for stream, parts in enumerate(held):
            borders = np.flatnonzero(begins[stream]).tolist()
            for start, stop in pairwise([0, *borders, begins.shape[1]]):
                if start in borders and parts:
                    yield Episode(stream, Batch.joined(parts))
                    parts.clear()
                if start < stop:
                    parts.append(piece.at(np.s_[stream, start:stop]).map(np.copy))
    for stream, parts in enumerate(held):
        yield Episode(stream, Batch.joined(parts))
