"""Single steps drawn from a store: which there are, how often, and what comes with them."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from worldmodels.core.errors import UserError
from worldmodels.core.specs import ActionSpec, ObservationSpec
from worldmodels.core.types import Batch, Step
from worldmodels.replay import Replay, ReplayConfig, ReplayReader

FIRST, LAST = (0, 3, 7), (2, 6)
"""Episodes of steps 0 to 2, 3 to 6, and 7 on. In stream 1, a recording was cut off after step 4."""
STEPS = {(0, t) for t in (0, 1, 3, 4, 5, 7, 8)} | {(1, t) for t in (0, 1, 3, 5, 7, 8)}
"""What can be drawn of ten steps of two streams, as pairs of stream and step."""


def store(folder: Path, steps: int = 10, config: ReplayConfig | None = None) -> Replay:
    """Return a store whose observations are pairs of a stream and a step, and whose actions and rewards count steps."""
    replay = Replay(folder, 2, ObservationSpec.of(2), ActionSpec(1000), config or ReplayConfig(2000, 1))
    for t in range(steps):
        is_first = np.array([t in FIRST, t in FIRST or t == 5])
        is_last = np.full(2, t in LAST)
        seen = np.array([[0, t], [1, t]], np.float32)
        replay.append(Step(seen, np.full(2, t, np.float32), is_first, is_last, is_last, np.full(2, t, np.int32)))
    return replay


def drawn(replay: ReplayReader, count: int, before: int = 0) -> Batch:
    return replay.sample_transitions(count, np.random.default_rng(0), before=before)


def test_every_step_that_leads_on_is_drawn_as_often_as_any_other(tmp_path: Path) -> None:
    batch = drawn(store(tmp_path), 13_000)
    np.testing.assert_array_equal(batch.observation[:, 1] - batch.observation[:, 0], np.tile([0.0, 1.0], (13_000, 1)))
    streams, steps = batch.observation[:, 0].T.astype(int)
    assert set(zip(streams.tolist(), steps.tolist(), strict=True)) == STEPS
    counts = np.bincount(10 * streams + steps)
    # 13,000 draws of 13 steps: 1,000 each, with a standard deviation of 30.
    assert abs(counts[counts > 0] - 1000).max() < 4 * 30
    np.testing.assert_array_equal(batch.reward[:, 1], steps + 1)
    np.testing.assert_array_equal(batch.action[:, 0], steps)
    np.testing.assert_array_equal(batch.is_terminal[:, 1], np.isin(steps + 1, LAST))


def test_what_was_before_comes_along_and_the_oldest_step_stands_for_what_is_missing(tmp_path: Path) -> None:
    batch = drawn(store(tmp_path), 200, before=2)
    seen = batch.observation[..., 1].astype(int)
    assert seen.shape == (200, 4)
    for row in seen.tolist():
        step = row[2]
        assert row == [max(0, step - 2), max(0, step - 1), step, step + 1]
    np.testing.assert_array_equal(batch.action, seen)
    assert {0, 1, 3, 8} <= set(seen[:, 2].tolist())


def test_memory_disk_and_both_give_the_same(tmp_path: Path) -> None:
    whole = store(tmp_path, 100, ReplayConfig(2000, 10))
    assert whole._memory.windows(np.array([0]), np.array([0]), 2) is not None
    from_disk = ReplayReader(tmp_path)
    for before in (0, 3):
        for one, other in zip(drawn(whole, 50, before), drawn(from_disk, 50, before), strict=True):
            np.testing.assert_array_equal(one, other)
    whole._memory.refill(range(60, 100), whole._read_disk)
    assert whole._memory.windows(np.array([0]), np.array([59]), 2) is None
    np.testing.assert_array_equal(drawn(whole, 50).observation, drawn(from_disk, 50).observation)


def test_held_out_episodes_are_not_drawn(tmp_path: Path) -> None:
    replay = store(tmp_path, 10, ReplayConfig(2000, 1, held_out_every=2))
    generator = np.random.default_rng(0)
    held_out = replay.sample_transitions(200, generator, "held_out").observation[:, 0]
    training = replay.sample_transitions(200, generator, "training").observation[:, 0]
    found = [{tuple(pair) for pair in seen.astype(int).tolist()} for seen in (held_out, training)]
    # Every second episode, counted as they begin: of stream 1 at steps 0 and 3, then that of stream 0 at step 7.
    assert found[0] == {(1, 0), (1, 1), (1, 3), (0, 7), (0, 8)} and found[0] | found[1] == STEPS


def test_a_store_without_a_whole_step_says_so(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="Cannot sample sequences of 2 steps"):
        drawn(store(tmp_path / "one", 1), 1)
    with pytest.raises(UserError, match="the 3 before it need 5 steps of each stream; .* holds 4"):
        drawn(store(tmp_path / "four", 4), 1, before=3)
