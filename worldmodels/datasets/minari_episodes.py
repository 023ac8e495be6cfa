"""Episodes as Minari stores them, taken back into steps."""

from __future__ import annotations

from typing import Any

import numpy as np

from worldmodels.core.errors import UserError
from worldmodels.core.specs import ActionSpec, ObservationSpec
from worldmodels.core.types import Batch
from worldmodels.datasets.minari_names import ACTION, IS_FIRST, REWARD

Array = np.ndarray[Any, Any]


def to_steps(data: Any, attributes: Any, observation: ObservationSpec, action: ActionSpec) -> Batch:
    """Return the steps (T,) of an episode, T - 1 steps as Minari counts.

    Args:
        data: arrays by Minari's names.
        attributes: those of the episode.

    Raises:
        UserError: they are none of an episode with these specs, or contradict each other.
    """
    rewards, ends = np.asarray(data["rewards"]), np.asarray(data["terminations"])
    cuts, count = np.asarray(data["truncations"]), len(rewards)
    for what, values in (("rewards", rewards), ("terminations", ends), ("truncations", cuts)):
        if values.shape != (count,) or not count or values.dtype.kind not in ("fiu" if what == "rewards" else "b"):
            raise UserError(f"its {what} are {values.dtype} {values.shape}.")
    if (ends | cuts)[:-1].any():
        raise UserError("it goes on after a step that ends it.")
    reward = np.concatenate([[attributes.get(REWARD, 0.0)], rewards]).astype(np.float32)
    is_first, is_terminal = np.zeros(count + 1, bool), np.concatenate([[False], ends])
    is_first[0] = attributes.get(IS_FIRST, 1)
    is_last = is_terminal | np.concatenate([[False], cuts])
    actions = _actions(data, count, action)
    return Batch(_observations(data, count + 1, observation), reward, is_first, is_last, is_terminal, actions)


def _observations(data: Any, count: int, spec: ObservationSpec) -> Any:
    arrays = {}
    for name, part in spec.parts:
        values = np.asarray(data["observations"][name] if name else data["observations"])
        fits = values.dtype == np.uint8 if part.is_image else values.dtype.kind in "fiub"
        if len(values) != count or values[0].size != part.size or not fits:
            raise UserError(
                f"its observations{f' {name!r}' if name else ''} must be {count} of {part}; received {values.dtype} "
                f"{values.shape}."
            )
        arrays[name] = values.reshape(count, *part.shape).astype(part.dtype)
    return spec.pack(arrays)


def _actions(data: Any, count: int, spec: ActionSpec) -> Array:
    own = (data.get("infos") or {}).get(ACTION)
    if own is not None:
        values = np.asarray(own)
        if values.shape != (count + 1, *spec.shape) or values.dtype != spec.dtype:
            raise UserError(f"its '{ACTION}' is {values.dtype} {values.shape}.")
        return values
    values = np.asarray(data["actions"])
    if (
        len(values) != count
        or values[0].size != (spec.size or 1)
        or values.dtype.kind not in ("iu", "f")[spec.size > 0]
    ):
        raise UserError(f"its actions must be {count} of {spec}; received {values.dtype} {values.shape}.")
    values = values.reshape(count, *spec.shape)
    if not spec.is_discrete:
        low, high = np.array(spec.low), np.array(spec.high)
        values = (values - low) / (high - low) * 2.0 - 1.0
    return np.concatenate([values, np.zeros((1, *spec.shape))]).astype(spec.dtype)
