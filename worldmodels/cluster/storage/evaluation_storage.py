"""Evaluates stored runs on any machine, and fetches the results into the local copies."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path

from worldmodels.cluster.storage.grid_storage import PATIENCE_SECONDS
from worldmodels.cluster.storage.remote import Remote
from worldmodels.cluster.storage.stored_folder import StoredFolder
from worldmodels.core.errors import RunError
from worldmodels.experiments.storage import NOTE, EvaluationStorage, stored_url

RESULTS = "evaluations"
"""The folder of a storage that holds the results of evaluations."""


class RemoteEvaluationStorage(EvaluationStorage):
    """Returns the commands that evaluate stored runs, and fetches their results.

    Args:
        runs: the copies of the runs, in the folder of their grid.

    Raises:
        RunError: a run is not a copy of one in this storage.
        StorageError: the storage cannot be used.
    """

    def __init__(self, url: str, runs: Sequence[Path]) -> None:
        self._remote = Remote(url, PATIENCE_SECONDS)
        for run in runs:
            if (kept := stored_url(_grid_folder(run))) != self._remote.url:
                where = f"of the storage '{kept}'" if kept else f"that was trained without one (there is no {NOTE})"
                raise RunError(f"The run '{run}' is one {where}, and not of '{self._remote.url}'.")
        self._remote.check()

    def command(self, run: Path, result: str, words: Sequence[str]) -> list[str]:
        stored = [sys.executable, "-m", "worldmodels.cluster.storage.stored_command"]
        return [*stored, "--results", _results(run, result), self._remote.url, _place(run), "eval", *words]

    def fetch(self, run: Path, result: str) -> None:
        StoredFolder(self._remote, _results(run, result)).fetch(run, wanted=_is_result)


def _is_result(name: str) -> bool:
    return not name.startswith(("checkpoints/", "replay/"))


def _grid_folder(run: Path) -> Path:
    return run.absolute().parents[1]


def _place(run: Path) -> str:
    return run.absolute().relative_to(_grid_folder(run)).as_posix()


def _results(run: Path, result: str) -> str:
    return f"{RESULTS}/{_place(run)}/{result}"
