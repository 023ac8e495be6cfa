"""The configuration of the replay store says how much experience is kept, and how much of it in memory."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from worldmodels.core.configuration.ranges import Positive, Range, Section, limits

_NONE_OR_SOME = Range("be 0 for none, or at least 2", lambda value: value == 0 or value >= 2)


@dataclass(frozen=True)
class ReplayConfig(Section):
    """Limits of the replay store; a step is one frame of one environment with its reward, action and flags."""

    capacity_steps: Positive = 1_000_000
    """Steps kept, summed over the streams; the oldest sixteenth is dropped when they are reached. A step of 64x64 RGB
    takes about 0.8 kB of disk, by the game, and 12.3 kB if nothing in it can be compressed (`buffer_size` in
    Stable-Baselines3)."""
    memory_megabytes: Positive = 50
    """Memory for the newest frames, in units of 10**6 bytes. Older frames are read from disk, in about 6 ms for a batch
    of 16 x 32. It includes the store's other memory, 21 bytes for each step of the capacity, but not the 8 bytes for
    each event of `training.event_share`."""
    held_out_every: Annotated[int, _NONE_OR_SOME, limits(0, 10**12)] = 0
    """One of so many episodes is held out of training, to measure the world model on it. 0 disables it."""
