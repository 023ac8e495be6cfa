"""Prints text: signs that an output does not have become plain ASCII, and control characters are shown, not sent."""

from __future__ import annotations

import codecs
import sys
from typing import Any, TextIO

from worldmodels.core.errors import visible

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


def gigabytes(count: float) -> str:
    """Return a number of bytes as "340 MB" or "1.2 GB"."""
    return f"{count / 1e9:,.1f} GB" if count >= 1e9 else f"{max(count / 1e6, 1):.0f} MB"


def print_text(text: object = "", file: TextIO | None = None, end: str = "\n") -> None:
    """Print a text at once to `file`, by default standard output, with its control characters escaped."""
    print(visible(str(text)), end=end, file=file or sys.stdout, flush=True)


def _plain(error: UnicodeError) -> tuple[str, int]:
    if not isinstance(error, UnicodeEncodeError):
        raise error
    signs = error.object[error.start : error.end]
    return "".join(_PLAIN.get(sign) or sign.encode("ascii", "backslashreplace").decode() for sign in signs), error.end


codecs.register_error(HANDLER, _plain)
