"""Makes the names of variants and of their folders from the keys and values that vary, in safe characters."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

VALUE_LENGTH = 60
"""A value with a longer text is numbered in names."""


def short_keys(keys: Sequence[str], given: Mapping[str, str]) -> dict[str, str]:
    """Return a name for each dotted key: the given one, or as few of its last parts as are unique."""
    return {key: given.get(key) or _short_key(key, keys) for key in keys}


def value_texts(key: str, values: Sequence[Any]) -> list[str]:
    """Return a text for each of a key's values, all different even where upper and lower case are one.

    The text of a section holds its values, and also its keys if two texts would be equal. If two are still equal, or
    one is long or empty, all values of the key are numbered from 1 on.
    """
    for with_keys in (False, True):
        texts = [_safe(_text(_stems(value) if key == "config" else value, with_keys)) for value in values]
        distinct = {text.casefold() for text in texts}
        if len(distinct) == len(texts) and all(0 < len(text) <= VALUE_LENGTH for text in texts):
            return texts
    return [str(number) for number in range(1, len(values) + 1)]


def folder_name(text: str) -> str:
    """Return the name of a grid in safe characters; a folder of that name is neither hidden nor an option."""
    return re.sub(r"[^A-Za-z0-9_.+-]+", "-", text).lstrip(".-") or "grid"


def _short_key(key: str, keys: Sequence[str]) -> str:
    parts = key.split(".")
    for count in range(1, len(parts)):
        tail = parts[-count:]
        if sum(other.split(".")[-count:] == tail for other in keys) == 1:
            return _safe_key(tail)
    return _safe_key(parts)


def _safe_key(parts: Sequence[str]) -> str:
    return re.sub(r"[^A-Za-z0-9_]+", "-", "-".join(parts))


def _safe(text: str) -> str:
    """Return a text with a hyphen for whatever is no letter, digit, full stop, plus or hyphen; `_` joins such texts."""
    return re.sub(r"[^A-Za-z0-9.+-]+", "-", text)


def _stems(value: Any) -> Any:
    """Return presets and files of a configuration without folders and suffixes."""
    return [Path(str(name)).stem for name in (value if isinstance(value, (list, tuple)) else [value])]


def _text(value: Any, with_keys: bool) -> str:
    if isinstance(value, Mapping):
        parts = value.items() if with_keys else value.values()
        return _text(list(parts), with_keys)
    if isinstance(value, (list, tuple)):
        return "-".join(_text(part, with_keys) for part in value)
    if value is None:
        return "null"
    return str(value).lower() if isinstance(value, bool) else str(value)
