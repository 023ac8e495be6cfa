"""Minari, an optional package, and the places of its data sets."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from worldmodels.core.errors import FileError, UserError, pip_install
from worldmodels.core.lookup import shortened

_NAME = re.compile(r"(?:[\w-][\w.-]*/)*[\w-][\w.-]*-v\d+", re.ASCII)

STREAM, IS_FIRST, REWARD = "worldmodels_stream", "worldmodels_is_first", "worldmodels_reward"
"""Attributes of an episode that came from here: what Minari has no place for, so that it comes back exactly."""
ACTION = "worldmodels_action"
"""The array of `infos` with the actions as they were stored, that at the last observation too."""


def load_minari() -> Any:
    """Return the package `minari`; raises UserError where it cannot be imported."""
    try:
        import h5py  # noqa: F401  Minari brings it by an extra of its own
        import minari
    except ImportError as error:
        raise UserError(
            f"Minari data sets need the package 'minari', which cannot be imported ({error}): {pip_install('minari')}."
        ) from error
    return minari


def dataset_path(name: str) -> Path:
    """Return the folder of a data set, in `MINARI_DATASETS_PATH` or else in the home folder, be it there or not.

    Raises:
        FileError: there can be no such name.
        UserError: the package is missing.
    """
    if not _NAME.fullmatch(name):
        raise FileError(
            "The name of a Minari data set is letters, digits, '.', '_' and '-' and ends in a version, as in "
            f"minari:coinrun/random-v0. Received '{shortened(name)}'."
        )
    return Path(load_minari().storage.get_dataset_path(name))
