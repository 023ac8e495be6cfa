"""The names of keys, from pygame, that are valid in a key script, a page's message or a file of keys."""

from __future__ import annotations

from string import ascii_lowercase, digits

FUNCTION_KEYS = tuple(f"f{number}" for number in range(1, 13))
SHIFTED = {name: f"shift+{name}" for name in FUNCTION_KEYS}
"""The keys that are another one while Shift is held."""
WITH_ALT = {"return": "alt+return"}
"""The keys that are another one while Alt is held."""
BEGIN_KEYS = ("return", "space")
"""The keys with which play begins, whatever else they mean."""
KEY_NAMES = (
    *("left", "right", "up", "down", "space", "return", "tab", "backspace", "escape"),
    *("insert", "delete", "home", "end", "page up", "page down"),
    *(*ascii_lowercase, *digits, *"-=+,./;'[]\\`?"),
    *(*FUNCTION_KEYS, *SHIFTED.values(), *WITH_ALT.values()),
)
