"""The experience of a run in place of a real world."""

from __future__ import annotations

import numpy as np

from worldmodels.core.seeding import Streams
from worldmodels.core.types import Batch
from worldmodels.player.session.worlds.real_world import ReplayStartWorld


def starts(count, generator):
    """A window of four frames that show their own number, of a random tens; an episode begins at the third."""
    begin = 10 * int(generator.integers(1, 20))
    numbers = begin + np.arange(4)
    frames = np.broadcast_to(numbers[None, :, None, None, None], (1, 4, 2, 2, 3)).astype(np.uint8)
    nothing = np.zeros((1, 4), bool)
    return Batch(frames, nothing * 0.0, np.array([[False, False, True, False]]), nothing, nothing, numbers[None] % 10)


def test_a_window_gives_its_last_frame_and_what_led_to_it():
    world = ReplayStartWorld(starts, Streams(0))
    world.reset()
    last = int(world.frame[0, 0, 0])
    assert last % 10 == 3
    assert int(world.first[0, 0, 0]) == last - 1, "only the second episode of the window counts"
    assert [(action, int(frame[0, 0, 0])) for action, frame in world.context] == [(2, last)]
    assert world.frozen and not world.ended


def test_a_start_comes_back_and_the_same_ones_follow():
    world = ReplayStartWorld(starts, Streams(0))
    world.reset()
    saved = world.save()
    following = [world.reset() or int(world.frame[0, 0, 0]) for _ in range(5)]
    assert len(set(following)) > 1
    world.load(saved)
    assert int(world.frame[0, 0, 0]) == int(saved.observation[0, 0, 0])
    assert [world.reset() or int(world.frame[0, 0, 0]) for _ in range(5)] == following
