"""The state of one copy of a foreign environment: of all its wrappers, of itself, and of its random generator."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import gymnasium

from worldmodels.core.errors import UserError
from worldmodels.envs.foreign.states.state_savers import CANNOT, class_name, find_saver
from worldmodels.envs.foreign.states.state_values import tree_value, value_tree


def why_not_saved(env: Any) -> str:
    """Return why an environment cannot be saved, in a clause without an end; "" where it can."""
    for layer in reversed(list(_layers(env))):
        if find_saver(layer) is None:
            known = (why for module, why in CANNOT.items() if class_name(layer).startswith(module))
            return next(known, f"nobody here knows how to save '{type(layer).__name__}'")
    return ""


def save_copy(env: Any) -> dict[str, Any]:
    """Return the state of an environment that can be saved (`why_not_saved`), as a tree (`core/files/tree.py`).

    Raises:
        UserError: its own `get_state` returned what cannot be stored.
    """
    layers = list(_layers(env))
    return {
        "layers": [class_name(layer) for layer in layers],
        "states": [find_saver(layer).save(layer) for layer in layers],  # type: ignore[union-attr]
        "random": value_tree(_random(layers[-1])),
    }


def load_copy(env: Any, tree: dict[str, Any]) -> None:
    """Take over what `save_copy` gave of an environment that was made in the same way.

    Raises:
        UserError: it was another one.
    """
    layers = list(_layers(env))
    own = [class_name(layer) for layer in layers]
    if tree["layers"] != own:
        raise UserError(f"A state here is of {_nested(own)}; received one of {_nested(tree['layers'])}.")
    for layer, state in zip(layers, tree["states"], strict=True):
        find_saver(layer).load(layer, state)  # type: ignore[union-attr]
    if tree["random"] is not None:
        layers[-1]._np_random = tree_value(tree["random"])


def _layers(env: Any) -> Iterator[Any]:
    """Yield the wrappers of an environment, the outermost first, and last the environment itself."""
    while isinstance(env, gymnasium.Wrapper):
        yield env
        env = env.env
    yield env


def _nested(names: list[str]) -> str:
    """Return how Gymnasium prints an environment in its wrappers."""
    return "<".join(name.rpartition(".")[2] for name in names) + ">" * (len(names) - 1)


def _random(env: Any) -> Any:
    """Return an environment's `np_random`, or None if it has none yet: reading the property would make one."""
    return vars(env).get("_np_random")
