"""The input of a session: events of keys, of a box's numbers, of settings, of latents, and the loss of the player."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias


@dataclass(frozen=True)
class KeyEvent:
    """A key event says that a key went down or came up."""

    key: str
    pressed: bool
    """Whether the key went down, which brings the next tick of the clock forward."""


class _Unpressed:
    """The base of all events that are no key and bring no tick of the clock forward."""

    pressed = False


@dataclass(frozen=True)
class AxisEvent(_Unpressed):
    """An axis event holds one number of a box at a value from -1 to 1; None lets it go."""

    number: int
    value: float | None


@dataclass(frozen=True)
class StickEvent(_Unpressed):
    """A stick event deflects one number of a box from its rest: -1 to its lowest value, 1 to its highest."""

    number: int
    deflection: float


@dataclass(frozen=True)
class SettingEvent(_Unpressed):
    """A setting event gives a setting one of its values, both by their place."""

    setting: int
    value: int


@dataclass(frozen=True)
class GroupEvent(_Unpressed):
    """A group event chooses a group of latents by its number; the last one if there are fewer."""

    group: int


@dataclass(frozen=True)
class SeekEvent(_Unpressed):
    """A seek event goes to a moment on the time line, so many entries before its last one."""

    back: int


@dataclass(frozen=True)
class EpisodeEvent(_Unpressed):
    """An episode event begins the episode of a line of the list of recorded episodes; 0 is the real game."""

    line: int


@dataclass(frozen=True)
class DrawEvent(_Unpressed):
    """A draw event uses the drawing tool at a place of the real frame."""

    x: float
    """The share of the width, 0 to 1, from the left."""
    y: float
    """The share of the height, 0 to 1, from the top."""
    begins: bool
    """Whether a stroke begins here."""
    picks: bool = False
    """Whether the colour is picked up here, whatever the tool."""


@dataclass(frozen=True)
class AbsenceEvent(_Unpressed):
    """An absence event pauses the session, because the person who played has gone."""

    notice: str
    """The message to show until the clock runs again."""


InputEvent: TypeAlias = (
    KeyEvent | AxisEvent | StickEvent | SettingEvent | GroupEvent | SeekEvent | EpisodeEvent | DrawEvent | AbsenceEvent
)
