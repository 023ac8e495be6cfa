"""The messages of a page: keys, numbers of a box, settings, wishes, and the scenes that it has drawn.

A message is a JSON object of one of these forms, and anything else is none:

    {"key": "left", "pressed": true}     a key of the player went down or came up
    {"axis": 0, "value": 0.5}            a number of a box is held, from -1 to 1; null lets it go
    {"stick": 0, "deflection": -0.5}     a gamepad deflects a number of a box from its rest, from -1 to 1
    {"setting": 1, "value": 3}           the setting at this place gets the value at that place
    {"seek": 12}                         the moment so many entries before the end of the time line is gone to
    {"draw": [0.5, 0.25], "begins": true, "picks": false}    the drawing tool is used there on the real frame
    {"episode": 2}                       the episode of this line of the list of recorded episodes begins
    {"group": 3}                         the group of latents with this number is chosen
    {"wish": "play"}                     another wish of a viewer (`Wish`)
    {"seen": 17}                         the scene with this number has been drawn

JSON for a page, without NaN and infinity.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from enum import Enum
from typing import Any, TypeAlias

from worldmodels.core.errors import FileError
from worldmodels.core.files.json_files import parse_strict
from worldmodels.player.session.controls.key_file import KEY_NAMES
from worldmodels.player.session.events import (
    AxisEvent,
    DrawEvent,
    EpisodeEvent,
    GroupEvent,
    InputEvent,
    KeyEvent,
    SeekEvent,
    SettingEvent,
    StickEvent,
)

LARGEST = 4096
"""The bytes of a message, at most."""
MOST = 1 << 53
"""A whole number up to which a page counts exactly."""


class Wish(Enum):
    """A wish of a viewer."""

    PLAY = "play"
    """The viewer wants to play, now or when the player hands over."""
    HAND_OVER = "hand over"
    """The viewer who plays hands over to another one."""
    RELEASE = "release"
    """The page has lost the keyboard: whatever it holds is let go."""


@dataclass(frozen=True)
class Seen:
    """A receipt says that a page has drawn a scene."""

    number: int


Message: TypeAlias = InputEvent | Wish | Seen


def read_message(text: str) -> Message | None:
    """Return the message that a page has sent; None if it is none."""
    try:
        tree = parse_strict(text, "a message")
    except FileError:
        return None
    match tree:
        case {"key": str(key), "pressed": bool(pressed)} if key in KEY_NAMES:
            message: Message | None = KeyEvent(key, pressed)
        case {"axis": number, "value": value} if _is_count(number) and (value is None or _is_number(value)):
            message = AxisEvent(number, None if value is None else _clipped(value))
        case {"stick": number, "deflection": value} if _is_count(number) and _is_number(value):
            message = StickEvent(number, _clipped(value))
        case {"setting": setting, "value": value} if _is_count(setting) and _is_count(value):
            message = SettingEvent(setting, value)
        case {"group": number} if _is_count(number):
            message = GroupEvent(number)
        case {"draw": [x, y], "begins": bool(begins), "picks": bool(picks)} if _is_number(x) and _is_number(y):
            message = DrawEvent(max(_clipped(x), 0.0), max(_clipped(y), 0.0), begins, picks)
        case {"episode": line} if _is_count(line):
            message = EpisodeEvent(line)
        case {"seek": back} if _is_count(back):
            message = SeekEvent(back)
        case {"wish": str(wish)} if wish in {wish.value for wish in Wish}:
            message = Wish(wish)
        case {"seen": number} if _is_count(number):
            message = Seen(number)
        case _:
            message = None
    return message


def _clipped(value: float) -> float:
    return min(max(float(value), -1.0), 1.0)


def _is_count(value: Any) -> bool:
    return type(value) is int and 0 <= value < MOST


def _is_number(value: Any) -> bool:
    return type(value) is float or (type(value) is int and abs(value) < MOST)


def page_json(tree: Any) -> str:
    """Return the shortest JSON of a tree; raise ValueError if it holds a number that is not finite."""
    return json.dumps(tree, allow_nan=False, separators=(",", ":"))
