from __future__ import annotations

from pathlib import Path

import numpy as np
from image_spaces import image_replay

from worldmodels.core.types import Step
from worldmodels.replay import Replay, ReplayConfig

SHAPE = (2, 3, 1)


def fill(replay: Replay, start: int, stop: int) -> None:
    """Append steps of two streams whose episodes have five steps; those of the second begin two steps later."""
    for t in range(start, stop):
        first = np.array([t % 5 == 0, t == 0 or t % 5 == 2])
        zeros = np.zeros((2, *SHAPE), np.uint8)
        ends = np.array([t % 5 == 4, t % 5 == 1])
        replay.append(Step(zeros, np.zeros(2, np.float32), first, ends, ends, np.zeros(2, np.int32)))


def counted(replay: Replay) -> list[float]:
    names = (
        "steps",
        "episodes",
        "held_out_episodes",
        "memory_steps",
        "memory_episodes",
        "total_steps",
        "total_episodes",
    )
    statistics = replay.statistics()
    assert list(statistics) == [f"replay/{name}" for name in names]
    return list(statistics.values())


def test_steps_and_episodes_of_a_young_store(tmp_path: Path) -> None:
    replay = image_replay(tmp_path, 2, SHAPE, ReplayConfig(64, 1, held_out_every=2))
    assert counted(replay) == [0] * 7
    fill(replay, 0, 7)
    # Episodes begin at steps 0 and 5 of the first stream, and 0 and 2 of the second. In the order in which they begin,
    # the first stream first, every second one is held out: 0 of the second, and 5 of the first.
    assert counted(replay) == [14, 4, 2, 14, 4, 14, 4]


def test_a_full_store_counts_what_it_still_has(tmp_path: Path) -> None:
    # A capacity of 32 steps for each stream, in chunks of 2, and memory for 20: of 33 steps the first two are dropped.
    replay = image_replay(tmp_path, 2, SHAPE, ReplayConfig(64, 1))
    replay._memory._ring = replay._memory._ring[:, :20]
    fill(replay, 0, 33)
    assert (replay.span, replay.memory_span) == (range(2, 33), range(13, 33))
    # Held of the first stream: what is left of the episode from 0, and those from 5, ..., 30; of the second from 2, 7,
    # ..., 32. In memory: from 10 (its rest), 15, ..., 30, and from 12 (its rest), 17, ..., 32.
    assert counted(replay) == [62, 7 + 7, 0, 40, 5 + 5, 66, 7 + 8]
    saved = replay.save()
    fill(replay, 33, 40)
    replay.load(saved)
    assert counted(replay) == [62, 14, 0, 40, 10, 66, 15]
