"""The snapshot of the inside of a model: its discrete latents, and what probes read beside what is true.

The probes of a run read variables of the game from the states of its model.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from worldmodels.core.errors import FileError

if TYPE_CHECKING:
    from worldmodels.models.api import Representation

StepOrigin: TypeAlias = Literal["drawn", "changed by hand", "read from the real frame"]
"""The origin of a state; by hand, if any step since the last real frame was changed so."""
SURE = 0.9
"""The probability from which a group counts as sure."""


@dataclass(frozen=True)
class Reading:
    """One variable of the game, as probes read it from a model's features."""

    name: str
    unit: str
    explained: float
    """The share of its variance, at most 1, that the probe explained of play that it was not fitted on."""
    imagined: float
    """It is read from the predicted state."""
    seen: float | None
    """The value read from the state after the real frame; None without a real world."""
    truth: float | None
    """NaN if the thing is absent or out of view; None if the environment reports no variables."""


class DrawingSnapshot(NamedTuple):
    """The way in which a sampled model drew the newest frame: in K calls, each pixel a mean of F pictures."""

    stages: npt.NDArray[np.uint8]
    """uint8 (K, H, W, C): the frame that each call predicts; the last one is drawn."""
    shares: npt.NDArray[np.float32]
    """float32 (H, W, F): the share of each picture in each pixel."""
    shifts: npt.NDArray[np.float32]
    """float32 (F, 2): each picture is the last frame moved by so many pixels down and right; NaN: it is painted."""


@dataclass(frozen=True)
class LatentsSnapshot:
    """The inside of one model at the newest step, in G groups of K classes."""

    model: str
    origin: StepOrigin
    probabilities: npt.NDArray[np.float32]
    """float32 (G, K): the model's expectation of each group before the draw."""
    classes: tuple[int, ...]
    """The class of each group; none where there are no latents."""
    held: tuple[int, ...]
    """The class at which each group is held; -1 for one that is drawn."""
    chosen: int
    """The number of the group that keys change."""
    copied: bool
    """Whether there are latents to paste."""
    why_no_latents: str
    """A text for people; empty if there are latents."""
    readings: tuple[Reading, ...]
    why_no_readings: str
    """A text for people; empty if there are readings."""
    drawing: DrawingSnapshot | None = None
    """The way in which the newest frame was drawn, for a sampled model."""
    page: int = 0
    """The number of the part of the readings that is shown where there is no room for all; the first comes again."""

    @property
    def sure(self) -> int:
        """The number of groups with a class whose probability is at least `SURE`."""
        return int((self.probabilities.max(-1) >= SURE).sum()) if self.classes else 0

    @property
    def open_bits(self) -> float:
        """The entropy of the groups in bits, summed: how many yes-or-no questions the step left open."""
        p = self.probabilities.astype(np.float64)
        return float(-(p * np.log2(np.maximum(p, 1e-12))).sum())


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
    from worldmodels.evaluation.predictions.windows import pooled
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
