"""Learning curves as a table: what a picture shows, in numbers."""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Sequence
from pathlib import Path

from worldmodels.analysis.plots.lines import CurvePanel
from worldmodels.core.files.writing import make_folder, write_atomic

COLUMNS = ("group", "value", "x", "estimate", "low", "high", "runs", "panel")


def curve_table(panels: Sequence[CurvePanel]) -> str:
    """Return every point of every line as CSV by RFC 4180, with a header; an end that there is not is empty."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\r\n")
    writer.writerow(COLUMNS)
    for panel in panels:
        for line in panel.lines:
            for x, estimate, low, high, runs in zip(*line.curve, strict=True):
                if runs:
                    numbers = [_number(value) for value in (x, estimate, low, high)]
                    writer.writerow([line.name, line.value, *numbers, int(runs), panel.title])
    return text.getvalue()


def save_table(panels: Sequence[CurvePanel], path: Path | str) -> Path:
    """Write the table beside the old one, then rename it; return its path."""
    path = Path(path)
    make_folder(path.parent)
    # Names of folders may hold what is no text.
    write_atomic(path, curve_table(panels).encode(errors="backslashreplace"))
    return path


def _number(value: float) -> str:
    """Return a number so that it reads back the same, whole ones without a point."""
    if math.isnan(value):
        return ""
    return str(int(value)) if float(value).is_integer() and abs(value) < 2**53 else repr(float(value))
