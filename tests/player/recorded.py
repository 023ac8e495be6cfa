"""Recorded episodes of the tiny field, as a session finds them in the experience of a run."""

from __future__ import annotations

import numpy as np
from tiny_worlds import NOTHING, RIGHT, Field

from worldmodels.core.types import Batch
from worldmodels.player.session.episodes.recorded_world import RecordedWorld
from worldmodels.replay.episodes import EpisodeSpan

LENGTHS = (12, 41)


class Episodes:
    """Two episodes: 11 steps to the right to an end, and 40 steps without one, every other one to the right."""

    spans = (EpisodeSpan(0, 0, 12, 11.0, True, False), EpisodeSpan(0, 12, 41, 20.0, False, True))

    def read(self, span, steps):
        field, actions = Field(), [RIGHT if span.ended or i % 2 == 0 else NOTHING for i in range(span.length)]
        frames, rewards = [field.reset(seed=span.start)[0]], [0.0]
        for action in actions[:-1]:
            frame, reward, *_ = field.step(action)
            frames.append(frame)
            rewards.append(reward)
        flags = np.zeros((1, span.length), bool)
        return Batch(np.stack(frames)[None], np.array([rewards]), flags, flags, flags, np.array([actions]))


def with_episodes(session):
    """Give a session the recorded episodes."""
    session._episodes.world = RecordedWorld(Episodes())
    return session
