"""Set aside what a store must forget to continue from a checkpoint, until the run has gone as far again.

It stands in the folder `set-aside` of the store, in a folder named by the number of steps of the store before. If the
wrong checkpoint was loaded, the files can be moved back.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Sequence
from pathlib import Path

from worldmodels.core.errors import os_errors_reported
from worldmodels.core.files.writing import make_own_folder, sync_folder

FOLDER = "set-aside"


def set_aside(store: Path, held: int, copied: Sequence[Path], moved: Sequence[Path]) -> None:
    """Copy and then move files of a store that held `held` steps; a full disk changes nothing."""
    folder = store / FOLDER / f"{held:08d}"
    make_own_folder(folder)
    with os_errors_reported(store, "changed"):
        for path in copied:
            shutil.copyfile(path, folder / path.name)
        for path in moved:
            os.replace(path, folder / path.name)
        sync_folder(folder)
        sync_folder(store)


def remove_passed(store: Path, steps: int) -> None:
    """Remove what was set aside of a store that now holds as many steps as then."""
    for folder in sorted((store / FOLDER).glob("*")):
        if folder.name.isdecimal() and int(folder.name) <= steps:
            shutil.rmtree(folder)
    if (store / FOLDER).is_dir() and not any((store / FOLDER).iterdir()):
        (store / FOLDER).rmdir()
