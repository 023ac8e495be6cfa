"""Which episodes are held out, and which windows each split gives."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from image_spaces import image_replay

from worldmodels.core.errors import UserError
from worldmodels.core.types import Step
from worldmodels.replay import Replay, ReplayConfig, ReplayReader
from worldmodels.replay.sampling import draw_accepted

# Episodes of 4 steps in stream 0, of 6 in stream 1. As they begin they are numbered, from 1:
#   stream 0:  1 at 0, 3 at 4, 5 at 8, 6 at 12 (before stream 1's at the same step), 8 at 16, 10 at 20
#   stream 1:  2 at 0, 4 at 6, 7 at 12, 9 at 18
LENGTHS = np.array([4, 6])
STEPS = 24


def a_step(t: int) -> Step:
    is_first, is_last = t % LENGTHS == 0, t % LENGTHS == LENGTHS - 1
    frames = np.array([t, 100 + t], np.uint8).reshape(2, 1, 1, 1)
    return Step(frames, np.zeros(2, np.float32), is_first, is_last, is_last, np.full(2, t, np.int32))


def open_replay(folder: Path, every: int = 3) -> Replay:
    return image_replay(folder, 2, (1, 1, 1), ReplayConfig(200, 1, held_out_every=every))


def filled(folder: Path, every: int = 3) -> Replay:
    replay = open_replay(folder, every)
    for t in range(STEPS):
        replay.append(a_step(t))
    return replay


def starts_drawn(replay: ReplayReader, length: int, split: str, **more: int) -> set[int]:
    """The first pixels, which tell stream and step, of many windows."""
    return set(replay.sample(2000, length, np.random.default_rng(0), split, **more).observation[:, 0, 0, 0, 0].tolist())  # type: ignore[arg-type]


# The third, sixth and ninth: stream 0 steps 4 to 7 and 12 to 15, stream 1 steps 18 to 23.
HELD_OUT = {*range(4, 8), *range(12, 16), *range(118, 124)}


def test_every_third_episode_is_held_out_whole(tmp_path: Path) -> None:
    replay = filled(tmp_path)
    everything = {*range(STEPS), *range(100, 100 + STEPS)}
    assert starts_drawn(replay, 1, "held_out") == HELD_OUT
    assert starts_drawn(replay, 1, "training") == everything - HELD_OUT
    assert starts_drawn(replay, 1, "all") == everything


def test_no_training_window_touches_a_held_out_step_and_no_held_out_one_any_other(tmp_path: Path) -> None:
    replay = filled(tmp_path)
    # Of three steps: stream 0 has free steps 0-3, 8-11 and 16-23, stream 1 has 0-17.
    assert starts_drawn(replay, 3, "training") == {0, 1, 8, 9, *range(16, 22), *range(100, 116)}
    assert starts_drawn(replay, 3, "held_out") == {4, 5, 12, 13, 118, 119, 120, 121}


def test_without_held_out_episodes_training_draws_what_all_draws(tmp_path: Path) -> None:
    replay = filled(tmp_path, every=0)
    batches = [replay.sample(50, 4, np.random.default_rng(1), split) for split in ("all", "training")]
    np.testing.assert_array_equal(batches[0].action, batches[1].action)
    with pytest.raises(UserError, match="Found no sequence of 4 steps in the held-out episodes"):
        replay.sample(1, 4, np.random.default_rng(1), "held_out")


def test_a_window_longer_than_any_held_out_episode_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="Found no sequence of 7 steps"):
        filled(tmp_path).sample(1, 7, np.random.default_rng(0), "held_out")


def test_windows_of_the_newest_steps(tmp_path: Path) -> None:
    # 12 steps of both streams together are the last 6 of each.
    assert starts_drawn(filled(tmp_path), 2, "all", newest=12) == {*range(18, 23), *range(118, 123)}


def test_windows_that_begin_where_episodes_do(tmp_path: Path) -> None:
    replay = filled(tmp_path)
    batch = replay.sample(300, 2, np.random.default_rng(0), "training", beginnings=200)
    assert batch.is_first[:200, 0].all()
    assert set(batch.observation[:200, 0, 0, 0, 0].tolist()) == {0, 8, 16, 20, 100, 106, 112}
    assert not batch.is_first[200:, 0].all()


def test_without_a_beginning_among_the_newest_steps_older_ones_serve(tmp_path: Path) -> None:
    replay = filled(tmp_path)
    batch = replay.sample(40, 2, np.random.default_rng(0), "training", newest=4, beginnings=40)  # steps 22 and 23
    assert batch.is_first[:, 0].all()


def test_a_resumed_run_holds_out_the_same_episodes(tmp_path: Path) -> None:
    straight = filled(tmp_path / "straight")
    killed = open_replay(tmp_path / "killed")
    for t in range(13):  # in the middle of the sixth
        killed.append(a_step(t))
    tree = killed.save()
    for t in range(13, 20):
        killed.append(a_step(t))
    killed.close()
    resumed = open_replay(tmp_path / "killed")
    resumed.load(tree)
    for t in range(13, STEPS):
        resumed.append(a_step(t))
    assert starts_drawn(resumed, 1, "held_out") == starts_drawn(straight, 1, "held_out") == HELD_OUT
    resumed.clear()
    assert len(resumed) == 0


def test_the_first_acceptable_windows_are_taken_until_there_are_enough_or_patience_ends() -> None:
    drawn = []

    def draw(count: int) -> tuple[np.ndarray, np.ndarray]:
        drawn.append(count)
        return np.zeros(count, np.int64), np.arange(count)

    streams, starts = draw_accepted(draw, lambda windows: windows[1] % 2 == 1, 6)
    assert (starts.tolist(), drawn) == ([1, 3, 5, 1, 3, 5], [6, 1024])
    drawn.clear()
    assert len(draw_accepted(draw, lambda windows: windows[1] < 0, 6)[0]) == 0
    assert drawn == [6] + [1024] * 64
