"""The episodes of a store."""

from __future__ import annotations

import numpy as np

from worldmodels.core.specs import ActionSpec, ObservationSpec
from worldmodels.replay.episodes import EpisodeSpan, find_episodes
from worldmodels.replay.layout import FIRST, HELD_OUT, LAST, LOST, TERMINAL, Layout


def records(flags, rewards):
    """Records (T, N) of streams whose flags and rewards are given one after the other."""
    layout = Layout(len(flags), ObservationSpec.of(2), ActionSpec(3), 8)
    found = np.zeros((len(flags[0]), len(flags)), layout.record)
    found["flags"], found["reward"] = np.array(flags).T, np.array(rewards).T
    return found


def test_each_episode_has_its_place_length_and_return():
    cut, over = 0, LAST | TERMINAL
    first = [cut, over, FIRST | HELD_OUT, HELD_OUT, over | HELD_OUT, FIRST, 0, 0]
    second = [FIRST, 0, 0, 0, over, FIRST | LAST, FIRST, LOST]
    found = find_episodes(records([first, second], [[9, 9, 0, 1, 2, 0, 0.5, 0], [0, 1, 1, 1, -4, 0, 0, 5]]), 100)
    assert found == [
        EpisodeSpan(1, 100, 5, -1.0, True, False),
        EpisodeSpan(0, 102, 3, 3.0, True, True),
        EpisodeSpan(0, 105, 3, 0.5, False, False),
    ], "neither one without its beginning, nor one of a single frame, nor a damaged one"
