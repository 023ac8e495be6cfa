"""Numbers in the info of a Gymnasium environment, which may hold dictionaries: "achievements/eat_cow" is in one."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np


def number_in(info: Mapping[str, Any], name: str) -> float | None:
    """Return the number of that name, or None where there is none, or none that float32 has."""
    value: Any = info
    for key in name.split("/"):
        if not isinstance(value, Mapping) or key not in value:
            return None
        value = value[key]
    return _number(value)


def number_names(info: Mapping[Any, Any], above: str = "") -> list[str]:
    """Return the names of all numbers that have one, in the order in which they stand there."""
    names = []
    for key, value in info.items():
        if not isinstance(key, str):
            continue
        if isinstance(value, Mapping):
            names += number_names(value, f"{above}{key}/")
        elif _number(value) is not None:
            names.append(f"{above}{key}")
    return names


def _number(value: Any) -> float | None:
    array = np.asarray(value) if isinstance(value, (bool, int, float, np.generic, np.ndarray)) else np.array("")
    if array.shape != () or array.dtype.kind not in "biuf":
        return None
    with np.errstate(over="ignore"):
        number = np.float32(array[()])
    return float(number) if np.isfinite(number) else None
