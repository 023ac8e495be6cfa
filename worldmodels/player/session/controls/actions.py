"""The forms of an action: the number of a choice or the numbers of a box, as a tuple or as rows for a model."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from worldmodels.core.specs import ActionSpec
from worldmodels.recordings.action_recording import Action, box_action


def action_rows(action: Action, rows: int, spec: ActionSpec) -> npt.NDArray[Any]:
    """Return an action so many times, as a model takes it: int32 (B,) or float32 (B, D)."""
    return np.full((rows, *spec.shape), action, spec.dtype)


def action_of(row: npt.ArrayLike) -> Action:
    """Return an action from one row, int32 () or float32 (D,); values outside the box are clipped."""
    array = np.asarray(row)
    return box_action(array) if array.ndim else int(array)
