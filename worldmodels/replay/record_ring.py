"""The records of the newest steps of all streams, held in memory as a ring."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

import numpy as np
import numpy.typing as npt

from worldmodels.replay.chunks import Chunk
from worldmodels.replay.layout import FIRST, HELD_OUT, LOST, Layout, Records
from worldmodels.replay.sampling import Indices

Split = Literal["all", "training", "held_out"]


class RecordRing:
    """Everything of a step but its frame, for the newest `rows` steps of each stream.

    Step t stands in row t modulo `rows`.
    """

    def __init__(self, layout: Layout, rows: int) -> None:
        self._rows: Records = np.zeros((rows, layout.num_streams), layout.record)
        self._chunk_steps = layout.chunk_steps

    def put(self, step: int, records: Records) -> None:
        """Keep the records (N,) of one step instead of those of the oldest one."""
        self._rows[step % len(self._rows)] = records

    def load(self, chunks: Mapping[int, Chunk], stop: int) -> None:
        """Read the records of all chunks that the ring can hold, of steps before `stop`."""
        for index, chunk in chunks.items():
            steps = index * self._chunk_steps + np.arange(chunk.length)
            newest = (steps >= stop - len(self._rows)) & (steps < stop)
            self._rows[steps[newest] % len(self._rows)] = chunk.read_records()[newest]

    def at(self, steps: range) -> Records:
        """Return the records (T, N) of consecutive steps."""
        records: Records = self._rows[np.arange(steps.start, steps.stop) % len(self._rows)]
        return records

    def of(self, streams: Indices, starts: Indices, length: int) -> Records:
        """Return the records (B, T) of windows."""
        steps = starts[:, None] + np.arange(length)
        # Indexing with two arrays takes seven times as long.
        places = steps % len(self._rows) * self._rows.shape[1] + streams[:, None]
        records: Records = self._rows.reshape(-1).take(places)
        return records

    def count_episodes(self, steps: range, split: Literal["all", "held_out"]) -> int:
        """Return how many episodes have some of these steps, which the ring holds, summed over the streams."""
        size, wanted = len(self._rows), FIRST if split == "all" else FIRST | HELD_OUT
        if not steps:
            return 0
        # A slice of the ring or two: indices for every step would be copies of millions of records.
        stop = steps.start % size + len(steps)
        parts = slice(steps.start % size, min(stop, size)), slice(0, max(0, stop - size))
        begun = sum(int(((self._rows[part]["flags"] & wanted) == wanted).sum()) for part in parts)
        continuing = self._rows[steps.start % size]["flags"] & wanted
        return begun + int((continuing == wanted - FIRST).sum())


def in_split(flags: npt.NDArray[np.uint8], split: Split) -> npt.NDArray[np.bool_]:
    """Return which windows, of flags (B, T), lie inside the split and hold no lost step, bool (B,)."""
    refused = LOST if split == "all" else LOST | HELD_OUT
    unwanted = flags ^ HELD_OUT if split == "held_out" else flags
    return np.logical_not((unwanted & refused).any(1))
