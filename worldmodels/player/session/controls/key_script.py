"""Key scripts: the keys that a person would have pressed, and when. They have one event per line:

    # tick  event    keys
    0       press    right
    10      press    up
    12      release  up right
    20      tap      x

A tick is one turn of the clock (by default 1/15 second), counted from 0, never going backwards. `press` and `release`
are the two halves of holding a key down; `tap` is both within one tick. Keys are named as on the help screen, in lower
case: left right up down a 1 space tab backspace escape f1 shift+f1 page_up (`controls/key_file.py`). A `#` starts a
comment.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from worldmodels.core.errors import UserError, shortened, unknown
from worldmodels.player.session.controls.key_file import KEY_NAMES
from worldmodels.player.session.events import KeyEvent
from worldmodels.player.session.options import MAX_TICKS

EVENTS = {"press": (True,), "release": (False,), "tap": (True, False)}
LAST_TICK = MAX_TICKS - 1
KeyScript = Mapping[int, list[KeyEvent]]
"""The events of each tick that has any."""


class KeyScriptError(UserError):
    """A line of a key script that cannot be understood."""


def read_script(path: Path) -> KeyScript:
    """Read a key script from a file.

    Raises:
        KeyScriptError: names the file, the line and what would be allowed.
    """
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except (OSError, ValueError) as error:  # also text in another encoding
        reason = getattr(error, "strerror", None) or error
        raise KeyScriptError(f"Cannot read the key script '{path}': {reason}.") from error
    script: dict[int, list[KeyEvent]] = {}
    last = 0
    for number, line in enumerate(lines, start=1):
        words = line.partition("#")[0].split()
        if not words:
            continue
        try:
            tick, events = _parse(words)
            if tick < last:
                raise KeyScriptError(f"Ticks must not go backwards. Received {tick} after {last}.")
        except KeyScriptError as error:
            text = shortened(line.strip())
            raise KeyScriptError(f"Key script '{path}', line {number} ('{text}'): {error}") from None
        last = tick
        script.setdefault(tick, []).extend(events)
    return script


def _parse(words: list[str]) -> tuple[int, list[KeyEvent]]:
    if len(words) < 3:
        raise KeyScriptError("A line must read TICK press|release|tap KEY [KEY ...].")
    tick, event, *words = words
    keys = [word.replace("_", " ") for word in words]
    if not (tick.isascii() and tick.isdigit() and len(tick) <= len(str(LAST_TICK))):
        raise KeyScriptError(f"The tick must be a whole number from 0 to {LAST_TICK}. Received '{shortened(tick)}'.")
    if event not in EVENTS:
        raise KeyScriptError(unknown("event", event, EVENTS))
    for key in keys:
        if key not in KEY_NAMES:
            raise KeyScriptError(unknown("key", key, KEY_NAMES))
    return int(tick), [KeyEvent(key, pressed) for pressed in EVENTS[event] for key in keys]
