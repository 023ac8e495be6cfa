"""The episodes of a store: where each begins, how long it is, and what it paid."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from worldmodels.replay.layout import FIRST, HELD_OUT, LAST, LOST, Records


class EpisodeSpan(NamedTuple):
    """An episode is a range of steps of one stream."""

    stream: int
    start: int
    length: int
    """Its frames, at least 2; the actions between them are one fewer."""
    total: float
    """The sum of its rewards."""
    ended: bool
    """Whether it holds its last step; the newest one of a stream may still go on."""
    held_out: bool
    """Whether the model has learned nothing from it."""


def find_episodes(records: Records, start: int) -> list[EpisodeSpan]:
    """Return the episodes in the records (T, N) of steps from `start` on, in the order in which they began.

    Episodes without their first step, with a damaged one, or of a single frame are left out.
    """
    found = []
    for stream in range(records.shape[1]):
        flags, rewards = records["flags"][:, stream], records["reward"][:, stream]
        begins = np.flatnonzero(flags & FIRST)
        for begin, end in zip(begins, [*begins[1:], len(flags)], strict=True):
            own = flags[begin:end]
            if len(own) < 2 or (own & LOST).any():
                continue
            ended, held_out = bool(own[-1] & LAST), bool(own[0] & HELD_OUT)
            total = float(rewards[begin + 1 : end].sum())
            found.append(EpisodeSpan(stream, start + int(begin), len(own), total, ended, held_out))
    return sorted(found, key=lambda span: (span.start, span.stream))
