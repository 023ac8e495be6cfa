"""The protocols of a storage, which holds the runs of a grid behind an address.

`worldmodels.cluster.storage` implements them.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from worldmodels.core.configuration.ranges import Section
from worldmodels.core.errors import RunError
from worldmodels.core.files.json_files import read_json
from worldmodels.experiments.grid import Grid, GridRun

NOTE = "storage.json"
"""The file in a grid's folder that names its storage."""


class GridStorage(AbstractContextManager["GridStorage"], Protocol):
    """The stored runs of one grid, inside of a `with` block."""

    def command(self, run: GridRun) -> Sequence[str]:
        """Return the command that trains or continues a run, on any machine."""

    def records(self, run: GridRun) -> Path:
        """Return the file with the newest records of a run."""

    def ended(self, run: GridRun) -> None:
        """Fetch a run whose command has ended; after a failure `fetch_rest` tries again."""

    def fetch_rest(self) -> None:
        """Fetch the runs that `ended` could not fetch.

        Raises:
            StorageError: a run still cannot be fetched.
        """


class EvaluationStorage(Protocol):
    """Stored runs, for their evaluation."""

    def command(self, run: Path, result: str, words: Sequence[str]) -> list[str]:
        """Return the command that evaluates a run, on any machine.

        Args:
            run: the folder with the copy of the run.
            result: names the results; each name is used once for a run.
            words: the words after `worldmodels eval`; "{run}" stands for the run's folder.
        """

    def fetch(self, run: Path, result: str) -> None:
        """Fetch the results into the folder of the run.

        Raises:
            StorageError: they cannot be fetched.
        """


@dataclass(frozen=True)
class StorageNote(Section):
    """The content of `NOTE`."""

    url: str


def stored_url(folder: Path) -> str | None:
    """Return the address of the storage whose copies a grid's folder holds; None if it holds the runs themselves."""
    try:
        return read_json(folder / NOTE, StorageNote).url
    except FileNotFoundError:
        return None


def check_unstored(grid: Grid) -> None:
    """Raise RunError if the grid's folder holds copies of stored runs."""
    if (url := stored_url(grid.folder)) is not None:
        raise RunError(
            f"'{grid.folder}' holds copies of the runs in the storage '{url}'. Give --storage {url}, or "
            "choose another 'logdir'."
        )
