"""Gymnasium's spaces as specs: the only place that looks at both."""

from __future__ import annotations

from typing import Any

import numpy as np
from gymnasium.spaces import Box, Dict, Discrete, Space

from worldmodels.core.errors import UserError
from worldmodels.core.lookup import shortened
from worldmodels.core.specs import ActionSpec, ArraySpec, ObservationSpec

OBSERVATIONS = (
    "Observations may be uint8 images (height, width, channels), vectors of numbers in any shape, or a Dict of those, "
    "by name"
)
ACTIONS = "Actions may be Discrete ones that start at 0, or a Box of numbers with finite bounds"


def observation_spec(space: Space[Any], name: str) -> ObservationSpec:
    """Return what an environment shows, of its space.

    Args:
        name: of the environment, for people.

    Raises:
        UserError: the space, or a part of it, is of another kind.
    """
    if isinstance(space, Dict):
        if not space.spaces or not all(isinstance(key, str) and key for key in space.spaces):
            raise UserError(
                f"'{name}' has the observations {space_text(space)}, with parts {list(space.spaces)}. {OBSERVATIONS}."
            )
        return ObservationSpec(tuple((key, _part(part, name, key)) for key, part in space.spaces.items()))
    return ObservationSpec((("", _part(space, name, "")),))


def action_spec(space: Space[Any], name: str) -> ActionSpec:
    """Return what an environment takes, of its space; raises as `observation_spec`."""
    if isinstance(space, Discrete) and space.start == 0:
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
    raise UserError(f"'{name}' has the actions {space_text(space)}. {ACTIONS}.")


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


def _part(space: Space[Any], name: str, key: str) -> ArraySpec:
    kind = getattr(space.dtype, "kind", "") if isinstance(space, Box) else ""
    shape = space.shape or ()
    if kind == "u" and space.dtype == np.uint8 and len(shape) == 3:
        return ArraySpec(shape)
    if kind in ("f", "i", "u", "b") and 0 not in shape:
        return ArraySpec((int(np.prod(shape)),))
    where = f"the part '{key}' of its observations" if key else "the observations"
    raise UserError(f"'{name}' has {where} {space_text(space)}. {OBSERVATIONS}.")
