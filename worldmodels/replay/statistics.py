"""The numbers of steps and episodes in a store, as metrics of a run."""

from __future__ import annotations

from worldmodels.replay.stream import Replay


def replay_statistics(replay: Replay) -> dict[str, float]:
    """Return how much a store holds, of this with its frames in memory, and how much was ever appended, by metric.

    An episode counts as held where some of its steps are. All numbers are summed over the streams.
    """
    held, memory, streams = replay.span, replay.memory_span, replay.num_streams
    counts = {
        "steps": streams * len(held),
        "episodes": replay.count_episodes(held),
        "held_out_episodes": replay.count_episodes(held, "held_out"),
        "memory_steps": streams * len(memory),
        "memory_episodes": replay.count_episodes(memory),
        "total_steps": streams * held.stop,
        "total_episodes": replay.episodes_begun,
    }
    return {f"replay/{name}": float(count) for name, count in counts.items()}
