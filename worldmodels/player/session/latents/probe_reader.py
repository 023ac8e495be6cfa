"""The probes of a run read variables of the game from the states of its model."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import numpy.typing as npt

from worldmodels.core.errors import FileError

if TYPE_CHECKING:
    from worldmodels.models.api import Representation

NONE_SAVED = "no probes were fitted for this checkpoint; worldmodels eval RUN --mode model fits them"
NOT_TOLD = "this environment does not report its variables, so no probes can be fitted"
UNREADABLE = "the probes of this checkpoint cannot be read; worldmodels eval RUN --mode model fits them again"


class ProbeReader(NamedTuple):
    """A reader of V variables from states of one row."""

    units: Mapping[str, str]
    """The unit of each variable, by its name."""
    explained: tuple[float, ...]
    """The share of its variance that a probe explained of play that it was not fitted on; NaN for one without."""
    read: Callable[[Any], npt.NDArray[np.float64]]
    """A function that returns the variables (V,) of a state."""


def load_probe_reader(path: Path, step: int, representation: Representation) -> ProbeReader | str:
    """Return the reader of the probes of a run's checkpoint, or a sentence that says why there is none."""
    from worldmodels.core.files.run_dir import RunDir
    from worldmodels.evaluation.predictions.features import pooled
    from worldmodels.evaluation.probes import read_probes

    def features(state: Any) -> npt.NDArray[np.float32]:
        pooled_features: npt.NDArray[np.float32] = pooled(representation.features(state))
        return pooled_features

    try:
        probes = read_probes(RunDir.open(path), step)
    except FileError:
        return UNREADABLE
    if probes is None:
        return NONE_SAVED
    if probes.weights.shape[1] != features(representation.initial(1)).shape[1]:
        return UNREADABLE

    def read(state: Any) -> npt.NDArray[np.float64]:
        return np.asarray(probes.read(features(state))[0], np.float64)

    return ProbeReader(probes.units, tuple(probes.seen.tolist()), read)
