"""The folders in which this program keeps files for its user, as the XDG Base Directory Specification has them."""

from __future__ import annotations

import os
from pathlib import Path


def state_folder() -> Path:
    """Return the folder of facts that stay: `worldmodels` in XDG_STATE_HOME, or in ~/.local/state."""
    return _folder("XDG_STATE_HOME", ".local/state")


def cache_folder() -> Path:
    """Return the folder of files that can be made again: `worldmodels` in XDG_CACHE_HOME, or in ~/.cache."""
    return _folder("XDG_CACHE_HOME", ".cache")


def _folder(variable: str, default: str) -> Path:
    given = os.environ.get(variable, "")
    return (Path(given) if Path(given).is_absolute() else Path.home() / default) / "worldmodels"
