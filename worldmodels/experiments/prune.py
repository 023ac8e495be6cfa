"""Removes parts of runs that only take room: old checkpoints, experience and videos."""

from __future__ import annotations

import os
from contextlib import nullcontext
from dataclasses import dataclass
from pathlib import Path

from worldmodels.core.errors import RunError, UserError
from worldmodels.core.files.checkpoint import Checkpoints
from worldmodels.core.files.run_dir import RunDir
from worldmodels.core.files.writing import lock_holder, remove_one, sync_folder, temporary
from worldmodels.core.output import gigabytes, print_text
from worldmodels.experiments.run_list import file_states, listed_runs


@dataclass(frozen=True)
class Pruning:
    """The parts that are removed of each run."""

    checkpoints: int | None = None
    """Number of the newest checkpoints to keep; None: all are kept."""
    replay: bool = False
    videos: bool = False

    def check(self) -> None:
        """Raise UserError if nothing is to be removed, or not even the newest checkpoint is to be kept."""
        if self.checkpoints is not None and self.checkpoints < 1:
            raise UserError(
                "The newest checkpoint always stays: --checkpoints takes the number of those to keep, 1 or more. "
                f"Received {self.checkpoints}."
            )
        if self == Pruning():
            raise UserError(
                "Name what to remove: --checkpoints N (all but the newest N), --replay (the recorded experience) or "
                "--videos."
            )

    def folders(self, run: RunDir) -> list[Path]:
        """Return the folders of a run to remove, in the order of removal."""
        found = [run.videos] * self.videos
        if self.checkpoints is not None:
            checkpoints = Checkpoints(run.checkpoints)
            found += [checkpoints.place(step) for step in checkpoints.steps()[: -self.checkpoints]]
        found += [run.replay] * self.replay
        return [folder for folder in found if folder.is_dir() and not folder.is_symlink()]


def prune(path: Path | str, pruning: Pruning, confirmed: bool = False) -> int:
    """Print which folders of a run, or of all runs in and below a folder, are to be removed, and their size.

    A run is left as it is if a process trains it, or if its newest checkpoint is damaged. A folder is renamed before
    its files are removed, so that a kill leaves no half of one under its name.

    Args:
        confirmed: remove the folders.

    Returns:
        The bytes of their files.

    Raises:
        UserError: `pruning` names nothing to remove.
        RunError: there is no run.
    """
    pruning.check()
    total = 0
    for listed in listed_runs(path):
        try:
            total += _prune_run(RunDir(listed.path), pruning, confirmed)
        except UserError as error:
            print_text(f"'{listed.path}' is left as it is: {error}")
    if not total:
        print_text("There is nothing to remove.")
        return 0
    if pruning.replay:
        print_text(
            "Without experience a run can be evaluated and played. It cannot be continued, dreamed in or used as a "
            "data set."
        )
    print_text(f"Freed {gigabytes(total)}." if confirmed else f"--yes removes them and frees {gigabytes(total)}.")
    return total


def _prune_run(run: RunDir, pruning: Pruning, confirmed: bool) -> int:
    """Print the folders of one run, remove them if that is confirmed, and return the bytes of their files."""
    if not pruning.folders(run):
        return 0
    RunDir.open(run.path)
    if (holder := lock_holder(run.path)) is not None:
        raise RunError(f"Process {holder} trains in it.")
    total = 0
    with run.lock() if confirmed else nullcontext():
        _check_newest(Checkpoints(run.checkpoints))
        for folder in pruning.folders(run):
            size = sum(file.st_size for file in file_states(folder))
            print_text(f"{'Removing' if confirmed else 'To remove:'} {folder} ({gigabytes(size)})")
            total += size
            if confirmed:
                _remove(folder)
    return total


def _check_newest(checkpoints: Checkpoints) -> None:
    """Raise CheckpointError if the newest checkpoint is damaged: then an older one is needed."""
    if steps := checkpoints.steps():
        checkpoints.read(steps[-1])


def _remove(folder: Path) -> None:
    aside = temporary(folder)
    os.rename(folder, aside)
    sync_folder(folder.parent)
    remove_one(aside)
