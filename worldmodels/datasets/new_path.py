"""A data set is written beside its place and renamed; what is there already stays as it is."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from worldmodels.core.errors import FileError, os_errors_reported
from worldmodels.core.files.writing import make_folder, remove_one, replacing, sync_folder, temporary


def check_new(path: Path | str) -> None:
    """Raise FileError where something is at a path already."""
    if os.path.lexists(path):
        raise FileError(f"'{path}' is there already, and nothing is overwritten: choose another name, or remove it.")


@contextmanager
def writing_file(path: Path | str) -> Iterator[Path]:
    """Give the path of a temporary file to write, then rename it to `path`; an error inside the block removes it.

    Raises:
        DiskFullError, FileError: something is there already, or it cannot be written.
    """
    check_new(path)
    make_folder(Path(path).parent)
    with replacing(path) as beside:
        yield beside


@contextmanager
def writing_folder(path: Path | str) -> Iterator[Path]:
    """Give the path of a temporary folder to make and fill, as `writing_file` does of a file."""
    path = Path(path)
    check_new(path)
    make_folder(path.parent)
    beside = temporary(path)
    remove_one(beside)
    try:
        yield beside
        with os_errors_reported(path):
            os.rename(beside, path)
            sync_folder(path.parent)
    finally:
        remove_one(beside)
