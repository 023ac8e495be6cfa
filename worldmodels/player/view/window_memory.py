"""The memory of the window from one time to the next: its size, and that the hint for beginners was shown."""

from __future__ import annotations

import json
import os
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Annotated

from worldmodels.core.configuration.ranges import Section, between
from worldmodels.core.errors import UserError
from worldmodels.core.files.json_files import parse_json
from worldmodels.core.files.writing import make_folder, read_regular, write_atomic

Pixels = Annotated[int, between(0, 32768)]


@dataclass(frozen=True)
class WindowMemory(Section):
    """The memory of the window.

    Attributes:
        width: in pixels; 0 before the window was ever resized.
        height: in pixels, likewise.
        hint_shown: whether the hint for beginners was shown.
    """

    width: Pixels = 0
    height: Pixels = 0
    hint_shown: bool = False


def memory_file() -> Path:
    """Return the file of the memory: `worldmodels/window.json` in the folder of states that XDG gives."""
    given = os.environ.get("XDG_STATE_HOME", "")
    folder = Path(given) if Path(given).is_absolute() else Path.home() / ".local" / "state"
    return folder / "worldmodels" / "window.json"


def recall() -> WindowMemory:
    """Return what is remembered; nothing where the file is missing, damaged or somebody else's."""
    with suppress(UserError, OSError, RuntimeError):  # a person may have no home at all
        path = memory_file()
        return parse_json(read_regular(path), WindowMemory, str(path))
    return WindowMemory()


def remember(memory: WindowMemory) -> None:
    """Write what is to be remembered, unless that is impossible: nobody's play fails because of it."""
    with suppress(UserError, OSError, RuntimeError):
        path = memory_file()
        make_folder(path.parent)
        write_atomic(path, json.dumps(asdict(memory), allow_nan=False) + "\n")
