"""Printing never fails: what an output has no sign for is printed in plain ASCII."""

from __future__ import annotations

import codecs
from typing import Any

_PLAIN = {
    **{"·": "-", "–": "-", "—": "-", "…": "...", "×": "x", "±": "+-"},
    **dict(zip("▁▂▃▄▅▆▇█", "__..--==", strict=True)),
    **dict(zip("←→↑↓↖↗↙↘", "<>^v\\//\\", strict=True)),
}
HANDLER = "worldmodels.plain"


def print_anything(*streams: Any) -> None:
    """Let text streams, such as `sys.stdout`, take any text, whatever their encoding; others stay as they are."""
    for stream in streams:
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors=HANDLER)


def _plain(error: UnicodeError) -> tuple[str, int]:
    if not isinstance(error, UnicodeEncodeError):
        raise error
    signs = error.object[error.start : error.end]
    return "".join(_PLAIN.get(sign) or sign.encode("ascii", "backslashreplace").decode() for sign in signs), error.end


codecs.register_error(HANDLER, _plain)
