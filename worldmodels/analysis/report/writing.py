"""Writes the page of a report beside the old one, then renames it."""

from __future__ import annotations

import os
import stat
from collections.abc import Mapping
from pathlib import Path

from worldmodels.analysis.report.contents import read_contents
from worldmodels.analysis.report.page import page_of
from worldmodels.analysis.report.request import ReportRequest, RunCondition
from worldmodels.core.errors import UserError
from worldmodels.core.files.writing import make_folder, write_atomic


def write_report(request: ReportRequest, conditions: Mapping[Path, RunCondition]) -> Path:
    """Write a report and return its path. The same runs and the same request give the same bytes.

    Args:
        conditions: of runs by their folders, also of those that recorded nothing; of the others none is known.

    Raises:
        RunError: there are no such runs, or none can be read.
        UserError: the request cannot be met, or something that is no file stands where the page belongs.
    """
    check_place(request.save)
    if request.at is not None and request.at < 0:
        raise UserError(f"Returns are compared at a step of 0 or more; received {request.at}.")
    text = page_of(read_contents(request, conditions), request)
    make_folder(request.save.parent)
    # Names of folders may hold what is no text.
    write_atomic(request.save, text.encode(errors="backslashreplace"))
    return request.save


def check_place(path: Path) -> None:
    """Raise UserError where something other than a file stands at a path, or its name is not that of a page."""
    if path.suffix.lower() not in (".html", ".htm"):
        raise UserError(f"A report is a page, and its name ends with .html; received '{path}'.")
    if os.path.lexists(path) and not stat.S_ISREG(os.lstat(path).st_mode):
        kind = "a link" if path.is_symlink() else "a folder" if path.is_dir() else "a pipe or a device"
        raise UserError(f"'{path}' is {kind}, and a report replaces nothing but a file. Choose another --save.")
