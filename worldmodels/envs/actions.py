"""Actions of a vector environment are taken as they are or refused, and never converted in silence."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from worldmodels.core.errors import UserError


def checked_actions(actions: npt.ArrayLike, num_envs: int, num_actions: int) -> npt.NDArray[np.int32]:
    """Return N integers of any type as int32 (N,). Raises `UserError` for other shapes, types and values.

    Native games check theirs in the native call, by the same rule.
    """
    try:
        checked = np.asarray(actions)
    except (ValueError, TypeError, OverflowError):  # lists of lists of unequal length, say
        raise UserError(f"{_rule(num_envs, num_actions)}; received {actions!r}.") from None
    fits = checked.shape == (num_envs,) and checked.dtype.kind in "iu"
    if not fits or checked.min() < 0 or checked.max() >= num_actions:
        raise UserError(
            f"{_rule(num_envs, num_actions)}; received {checked.dtype} {checked.shape}: {checked.tolist()}."
        )
    return checked.astype(np.int32)


def _rule(num_envs: int, num_actions: int) -> str:
    return f"Actions are {num_envs} integers from 0 to {num_actions - 1}, one per environment, and nothing is converted"
