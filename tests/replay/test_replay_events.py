"""Windows around events: which steps are events, how often each window is drawn, and how much it counts."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from image_spaces import image_layout, image_replay

from worldmodels.core.types import Step
from worldmodels.replay import Replay, ReplayConfig, ReplayReader
from worldmodels.replay.damage import leave_out
from worldmodels.replay.events import EventIndex, is_event
from worldmodels.replay.layout import TERMINAL, Layout

# One stream of 8 steps, in windows of 3. A reward at 1, an end with a reward at 2, a punishment at 6.
REWARDS = (0, 1, 5, 0, 0, 0, -1, 0)
TERMINALS = (0, 0, 1, 0, 0, 0, 0, 0)
COUNTS = np.array([2, 2, 1, 0, 1, 1])
"""Events in the windows from step 0 on, 1 on, ...: 7 in 6 windows."""


def a_step(t: int, rewards: Sequence[float], terminal: Sequence[float] = (), first: Sequence[bool] = ()) -> Step:
    n = len(rewards)
    none = np.zeros(n, bool)
    is_terminal = np.array(terminal, bool) if len(terminal) else none
    is_first = np.array(first, bool) if len(first) else none
    frames = np.full((n, 1, 1, 1), t % 256, np.uint8)
    return Step(frames, np.array(rewards, np.float32), is_first, is_terminal, is_terminal, np.zeros(n, np.int32))


@pytest.fixture
def store(tmp_path: Path) -> Replay:
    replay = image_replay(tmp_path, 1, (1, 1, 1), ReplayConfig(100, 1))
    for t, (reward, terminal) in enumerate(zip(REWARDS, TERMINALS, strict=True)):
        replay.append(a_step(t, [reward], [terminal]))
    return replay


def drawn(replay: ReplayReader, share: float, batch: int = 40_000, length: int = 3) -> tuple[np.ndarray, np.ndarray]:
    """Return the first steps and the weights of many windows."""
    found, weights = replay.sample_around_events(batch, length, np.random.default_rng(0), share)
    return found.observation[:, 0, 0, 0, 0].astype(int), weights


def test_rewards_of_either_sign_and_true_ends_are_events(store: Replay) -> None:
    assert store.num_events == 3
    records = np.zeros(4, image_layout(1, (1, 1, 1), 1).record)
    records["reward"][1:3], records["flags"][3] = (0.5, -0.5), TERMINAL
    assert is_event(records).tolist() == [False, True, True, True]


def test_weights_by_hand(store: Replay) -> None:
    starts, weights = drawn(store, 0.5)
    # A window of n events is drawn 0.5 + 0.5 n / (7 / 6) times as often as others: 1/2, 13/14 and 19/14.
    expected = np.array([2, 14 / 13, 14 / 19])[COUNTS[starts]]
    np.testing.assert_allclose(weights, expected, rtol=1e-6)
    assert weights.dtype == np.float32 and set(starts) == set(range(6))


@pytest.mark.parametrize("share", [0.25, 0.5, 0.9])
def test_windows_are_drawn_as_often_as_their_weights_say(store: Replay, share: float) -> None:
    starts, weights = drawn(store, share)
    # Half of all windows alike, and half in proportion to the events that they hold.
    probabilities = (1 - share) / 6 + share * COUNTS / 7
    counts = np.bincount(starts, minlength=6)
    error = np.sqrt(40_000 * probabilities * (1 - probabilities))
    assert (np.abs(counts - 40_000 * probabilities) < 4 * error).all()
    # So the weighted mean of anything is its mean over all windows: of the weights 1, of windows with an event 5 / 6,
    # of events 7 / 6.
    assert weights.mean() == pytest.approx(1, abs=0.02)
    assert (weights * (COUNTS[starts] > 0)).mean() == pytest.approx(5 / 6, abs=0.02)
    assert (weights * COUNTS[starts]).mean() == pytest.approx(7 / 6, abs=0.02)


def test_a_share_of_a_batch_that_is_no_whole_number_holds_in_the_mean(store: Replay) -> None:
    generator = np.random.default_rng(0)
    held = 0
    for _ in range(4000):
        batch, _ = store.sample_around_events(1, 1, generator, 0.3)
        held += bool(batch.reward[0, 0])
    assert held / 4000 == pytest.approx(0.3 + 0.7 * 3 / 8, abs=0.03)


def test_without_events_all_windows_are_alike(tmp_path: Path) -> None:
    replay = image_replay(tmp_path, 1, (1, 1, 1), ReplayConfig(100, 1))
    for t in range(8):
        replay.append(a_step(t, [0]))
    starts, weights = drawn(replay, 0.5, batch=1000)
    assert set(starts) == set(range(6)) and (weights == 1).all()


def test_events_are_the_training_splits_alone(tmp_path: Path) -> None:
    # Episodes of 4 steps, every other one held out: steps 0 to 3 and 8 to 11 are free.
    replay = image_replay(tmp_path, 1, (1, 1, 1), ReplayConfig(100, 1, held_out_every=2))
    for t in range(16):
        replay.append(a_step(t, [t in (1, 5, 10, 13)], first=[t % 4 == 0]))
    assert replay.num_events == 2
    starts, weights = drawn(replay, 0.5)
    assert set(starts) == {0, 1, 8, 9}
    assert set(weights) == {np.float32(1.0)}  # each window holds one
    assert sorted(set(drawn(replay, 0.5, length=2)[0])) == [0, 1, 2, 8, 9, 10]


def test_lost_events_are_no_events(store: Replay, tmp_path: Path) -> None:
    store.save()
    store.close()
    frames = tmp_path / "00000000.frames"  # of the steps 0 to 6
    data = bytearray(frames.read_bytes())
    data[0] ^= 1  # the first frame, without which the others of its block cannot be read
    frames.write_bytes(data)
    leave_out(tmp_path, Layout.read(tmp_path), 8)
    assert ReplayReader(tmp_path).num_events == 0


def scattered(t: int) -> Step:
    """A step of 2 streams in which one in ten is an event, of episodes of 7 and 11 steps."""
    random = np.random.default_rng(t)
    return a_step(t, random.random(2) < 0.05, random.random(2) < 0.05, (t % 7 == 0, t % 11 == 0))


def known(replay: ReplayReader, length: int) -> tuple[list[int], float]:
    index = replay._events
    index.update(replay.span, length)
    return list(index._events), index.mean


def test_the_index_grows_and_shrinks_with_the_store(tmp_path: Path) -> None:
    """After each step it is what one that looks at all steps anew would be, also once the oldest are dropped."""
    replay = image_replay(tmp_path, 2, (1, 1, 1), ReplayConfig(128, 1, held_out_every=3))
    for t in range(200):
        replay.append(scattered(t))
        if t % 3 == 0:
            anew = EventIndex(2, replay._records.at)
            anew.update(replay.span, 5)
            assert known(replay, 5) == (list(anew._events), anew.mean)
    assert replay.span.start > 0 and 0 < replay.num_events < 50
    replay.save()
    assert known(ReplayReader(tmp_path), 5)[0][-5:] == known(replay, 5)[0][-5:]


def test_the_mean_is_that_of_all_windows(tmp_path: Path) -> None:
    replay = image_replay(tmp_path, 2, (1, 1, 1), ReplayConfig(2000, 1, held_out_every=3))
    for t in range(300):
        replay.append(scattered(t))
    length, counts = 4, []
    for stream in range(2):
        for start in range(300 - length + 1):
            records = replay._records.of(np.array([stream]), np.array([start]), length)
            if not (records["flags"] & 8).any():
                counts.append(is_event(records).sum())
    assert known(replay, length)[1] == pytest.approx(np.mean(counts), rel=1e-12)


def test_going_back_and_clearing_forget_events(tmp_path: Path) -> None:
    replay = image_replay(tmp_path, 1, (1, 1, 1), ReplayConfig(100, 1))
    for t in range(4):
        replay.append(a_step(t, [1]))
    tree = replay.save()
    for t in range(4, 8):
        replay.append(a_step(t, [1]))
    assert replay.num_events == 8
    replay.load(tree)
    for t in range(4, 8):
        replay.append(a_step(t, [0]))
    assert replay.num_events == 4
    replay.clear()
    assert replay.num_events == 0
    for t in range(8):
        replay.append(a_step(t, [t == 7]))
    assert replay.num_events == 1


def test_only_new_steps_are_looked_at() -> None:
    looked: list[int] = []

    def read(steps: range) -> np.ndarray:
        looked.append(len(steps))
        return np.zeros((len(steps), 2), image_layout(2, (1, 1, 1), 1).record)

    index = EventIndex(2, read)
    index.update(range(0, 10_000), 5)
    assert looked == [4096, 4100, 1812]
    index.update(range(0, 10_003), 5)
    index.update(range(0, 10_003))
    assert looked[3:] == [7]
