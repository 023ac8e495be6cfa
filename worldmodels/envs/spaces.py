"""Gymnasium's spaces of actions become specs here, and specs become spaces; `readings.py` reads observations.

Actions of a vector environment are taken as they are or refused, and never converted in silence.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import numpy.typing as npt
from gymnasium.spaces import Box, Dict, Discrete, MultiBinary, Space

from worldmodels.core.errors import UserError, shortened
from worldmodels.core.specs import ActionSpec, ArraySpec, ObservationSpec

ACTIONS = "Actions may be Discrete ones, or a Box of floats with finite bounds"


def action_spec(space: Space[Any], name: str) -> ActionSpec:
    """Return what an environment takes, of its space. Choices count from 0, whatever the space's start is.

    Args:
        name: of the environment, for people.

    Raises:
        UserError: the space is of another kind.
    """
    if isinstance(space, Discrete):
        return ActionSpec(count=int(space.n))
    if isinstance(space, Box) and space.dtype is not None and space.dtype.kind == "f" and space.shape:
        low, high = (np.ravel(bound).astype(float) for bound in (space.low, space.high))
        unbounded = np.flatnonzero(~(np.isfinite(low) & np.isfinite(high)))
        if len(unbounded):
            worst = unbounded[0]
            raise UserError(
                f"'{name}' has the actions {space_text(space)}, of which number {worst} is from {low[worst]:g} to "
                f"{high[worst]:g}: bounds must be finite, since agents act between them. {ACTIONS}; Gymnasium's "
                "wrapper RescaleAction, or ClipAction, gives an environment bounds."
            )
        if (low >= high).any():
            raise UserError(f"'{name}' has the actions {space_text(space)}, whose bounds leave nothing between them.")
        return ActionSpec(low=tuple(low.tolist()), high=tuple(high.tolist()))
    raise UserError(
        f"'{name}' has the actions {space_text(space)}. {ACTIONS}. Gymnasium's wrapper TransformAction makes others of "
        f"them{_by_number(space)}."
    )


def _by_number(space: Space[Any]) -> str:
    """Return how choices of several numbers become choices of one."""
    counts = [2] * int(np.prod(space.shape)) if isinstance(space, MultiBinary) else getattr(space, "nvec", None)
    if counts is None or np.ndim(counts) != 1 or len(counts) == 0:
        return ""
    sizes = [int(count) for count in counts]
    decoded = f"numpy.array(numpy.unravel_index(n, {shortened(str(sizes), 60)}))"
    return f", such as TransformAction(env, lambda n: {decoded}, Discrete({math.prod(sizes)}))"


def space_text(space: Space[Any]) -> str:
    """Return a space in one line of text, cut where it is long."""
    return shortened(" ".join(str(space).split()), 300)


def observation_space(spec: ObservationSpec) -> Space[Any]:
    """Return the space of one observation."""
    return _box(spec.only) if spec.only else Dict({name: _box(part) for name, part in spec.parts})


def action_space(spec: ActionSpec) -> Space[Any]:
    """Return the space of one action; a box is from -1 to 1."""
    return Discrete(spec.count) if spec.is_discrete else Box(-1.0, 1.0, spec.shape, np.float32)


def bounded_action_space(spec: ActionSpec) -> Space[Any]:
    """Return the space of one action in the environment's own units."""
    if spec.is_discrete:
        return Discrete(spec.count)
    low, high = (np.array(bound, np.float32) for bound in (spec.low, spec.high))
    return Box(low, high, dtype=np.float32)


def _box(part: ArraySpec) -> Box:
    return Box(0, 255, part.shape, np.uint8) if part.is_image else Box(-np.inf, np.inf, part.shape, np.float32)


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
