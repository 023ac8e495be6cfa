"""Actions of a vector environment are taken as they are or refused, and never converted in silence."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from worldmodels.core.errors import UserError
from worldmodels.core.specs import ActionSpec


def checked_actions(actions: npt.ArrayLike, num_envs: int, spec: ActionSpec) -> npt.NDArray[Any]:
    """Return N integers of any type as int32 (N,), or N vectors of any float type as float32 (N, D).

    Native games check theirs in the native call, by the same rule.

    Raises:
        UserError: another shape, type or value; a number that is not finite.
    """
    try:
        checked = np.asarray(actions)
    except (ValueError, TypeError, OverflowError):  # lists of lists of unequal length, say
        raise UserError(f"{_rule(num_envs, spec)}; received {actions!r}.") from None
    fits = checked.shape == (num_envs, *spec.shape) and checked.dtype.kind in ("iu" if spec.is_discrete else "f")
    if fits and spec.is_discrete:
        fits = checked.min() >= 0 and checked.max() < spec.count
    elif fits:
        fits = bool(np.isfinite(checked).all())
    if not fits:
        raise UserError(f"{_rule(num_envs, spec)}; received {checked.dtype} {checked.shape}: {checked.tolist()}.")
    return checked.astype(spec.dtype)


def _rule(num_envs: int, spec: ActionSpec) -> str:
    if spec.is_discrete:
        what = f"{num_envs} integers from 0 to {spec.count - 1}, one per environment"
    else:
        what = f"finite floats ({num_envs}, {spec.size}), {spec.size} per environment, from -1 to 1"
    return f"Actions are {what}, and nothing is converted"
