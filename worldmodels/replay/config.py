"""How much experience is kept, and how much of it in memory."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class ReplayConfig:
    """The limits of the replay store, in which a step is one frame of one environment with reward, action and flags."""

    capacity_steps: int = 1_000_000
    """The store keeps so many steps, summed over the streams; when they are reached it drops the oldest sixteenth. How
    much disk a step takes depends on the game: of 64x64 RGB about 0.8 kB, or 12.3 kB if nothing in it can be
    compressed."""
    memory_megabytes: int = 1_000
    """The newest frames are kept in memory as they are, up to so many 10**6 bytes; older ones are read from disk. What
    else the store keeps in memory, 17 bytes for each step of the capacity, is counted in."""
    held_out_every: int = 0
    """One of so many episodes is kept out of training, whole, to measure the world model on it; with 0 none is."""
