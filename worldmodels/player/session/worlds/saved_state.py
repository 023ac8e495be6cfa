"""The state of a whole playthrough, whatever its real world."""

from __future__ import annotations

from typing import Any, NamedTuple, TypeAlias

from worldmodels.player.session.episodes.recorded_world import RecordedWorld, RecordedWorldState
from worldmodels.player.session.session_log import Counters
from worldmodels.player.session.snapshot import TimelineEntry
from worldmodels.player.session.worlds.frames import Frame
from worldmodels.player.session.worlds.real_world import RealWorld, RealWorldState, ReplayStartWorld

RealWorlds: TypeAlias = RealWorld | ReplayStartWorld | RecordedWorld


class SavedState(NamedTuple):
    """The state of a whole playthrough, from which it goes on exactly as it did."""

    world: RealWorlds
    """The real world of which `real` is the state."""
    real: RealWorldState | RecordedWorldState
    others: tuple[Any, ...]
    """The states of trackers, models, players and the log."""
    counters: Counters
    history: tuple[TimelineEntry, ...]
    drawn: Frame | None
