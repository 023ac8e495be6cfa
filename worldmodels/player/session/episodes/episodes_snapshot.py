"""The recorded episodes for people: the one that is played, and the list of all."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from worldmodels.replay.episodes import EpisodeSpan


@dataclass(frozen=True)
class RecordedSnapshot:
    """The recorded episode that is reality."""

    number: int
    """Its number, from 1."""
    count: int
    """The recorded episodes of the run."""
    at: int
    """The step of the newest recorded frame that is shown."""
    steps: int
    """Its recorded steps."""
    left: bool
    """Whether another action than the recorded one was taken, so that the models go on without reality."""


@dataclass(frozen=True)
class EpisodesSnapshot:
    """The list of the run's recorded episodes."""

    rows: Sequence[EpisodeSpan]
    """The episodes in the order of the list; the real game stands before them."""
    numbers: Sequence[int]
    """The number of each, from 1."""
    chosen: int
    """The chosen line; 0 is the real game."""
    order: str
    """The order, in words."""
