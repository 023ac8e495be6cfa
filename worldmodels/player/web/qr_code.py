"""A link as a QR code in the terminal, so that a phone opens it without typing."""

from __future__ import annotations

import importlib.util
import shutil
import socket
from typing import TextIO

QUIET = 2
"""Light modules around the code."""
HALVES = {(True, True): "█", (True, False): "▀", (False, True): "▄", (False, False): " "}
"""The sign for two light or dark modules, one above the other: terminals are dark."""


def qr_code(text: str) -> str:
    """Return a text as a QR code in lines of half blocks; raise ImportError without the package `segno`."""
    import segno

    rows = [[not dark for dark in row] for row in segno.make_qr(text, error="l").matrix_iter(border=QUIET)]
    rows += [[False] * len(rows[0])] * (len(rows) % 2)
    pairs = zip(rows[::2], rows[1::2], strict=True)
    return "\n".join("".join(HALVES[both] for both in zip(upper, lower, strict=True)) for upper, lower in pairs)


def code_for(link: str, output: TextIO) -> str:
    """Return the code of a link if an output can show it, or nothing: it is a wide terminal that has the signs."""
    if not output.isatty() or importlib.util.find_spec("segno") is None:
        return ""
    try:
        "".join(HALVES.values()).encode(getattr(output, "encoding", None) or "ascii")
    except UnicodeEncodeError:
        return ""
    code = qr_code(link)
    return code if code.index("\n") < shutil.get_terminal_size().columns else ""


def own_address() -> str:
    """Return the address of this machine in its network, or its name without one; nothing is sent for that."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            probe.connect(("192.0.2.1", 9))  # an address that is nobody's
            return str(probe.getsockname()[0])
        except OSError:
            return socket.gethostname()
