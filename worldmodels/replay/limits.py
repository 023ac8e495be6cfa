"""The limits of a configuration, as a store of given spaces has them, and whether they can work at all."""

from __future__ import annotations

from worldmodels.core.errors import ConfigError
from worldmodels.core.specs import ActionSpec, ObservationSpec
from worldmodels.replay.config import ReplayConfig
from worldmodels.replay.layout import Layout

CHUNKS = 16
"""A full store has so many chunks, and drops a sixteenth at a time."""


def plan_layout(config: ReplayConfig, num_streams: int, observation: ObservationSpec, action: ActionSpec) -> Layout:
    """Return the layout of a new store.

    Raises:
        ConfigError: the capacity is less than a step for each stream.
    """
    capacity = config.capacity_steps // num_streams
    if capacity < 1:
        raise ConfigError(
            f"replay.capacity_steps is {config.capacity_steps}; it must be at least 1 step for each of the "
            f"{num_streams} environments."
        )
    return Layout(int(num_streams), observation, action, -(-capacity // CHUNKS))


def memory_steps(config: ReplayConfig, layout: Layout) -> int:
    """Return how many frames of each stream fit into the memory.

    Raises:
        ConfigError: what the store keeps in memory besides is more.
    """
    capacity = config.capacity_steps // layout.num_streams
    spare = config.memory_megabytes * 10**6 - capacity * layout.row_bytes
    if spare < 0:
        raise ConfigError(
            f"replay.memory_megabytes is {config.memory_megabytes}; a capacity of {config.capacity_steps} steps "
            f"needs at least {-(-capacity * layout.row_bytes // 10**6)} for rewards, actions and flags."
        )
    return min(capacity, spare // (layout.num_streams * layout.frame_bytes))
