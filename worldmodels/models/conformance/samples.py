"""All checks share these small models, batches of noise, and the comparison of nests and saved states bit for bit."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
import tensorflow as tf

from worldmodels.core.errors import ConformanceError
from worldmodels.core.files.tree import flatten
from worldmodels.core.specs import ActionSpec, ArraySpec, ObservationSpec
from worldmodels.core.types import Batch
from worldmodels.models import build_model, precision
from worldmodels.models.config import ModelConfig
from worldmodels.models.graph import make_deterministic

SHAPE, ACTIONS = (20, 24, 3), 5
SPACES = (ObservationSpec.of(*SHAPE), ActionSpec(ACTIONS))
"""Images that no model may count on: not square, and with sides that are no powers of two."""
BOX = ActionSpec(low=(0.0, -2.0), high=(1.0, 2.0))
OTHER_SPACES = {
    "vectors": (ObservationSpec.of(7), ActionSpec(ACTIONS)),
    "a dictionary": (ObservationSpec((("touch", ArraySpec((2,))), ("eye", ArraySpec(SHAPE)))), ActionSpec(ACTIONS)),
    "a box of actions": (SPACES[0], BOX),
    "a dictionary and a box of actions": (
        ObservationSpec((("eye", ArraySpec((6, 4, 1))), ("far", ArraySpec(SHAPE)), ("touch", ArraySpec((1,))))),
        BOX,
    ),
}
"""Spaces that a model has, or refuses."""
ROWS, STEPS = 3, 8
ACTION = np.array([1, 0, 4], np.int32)


def key(number: int) -> np.ndarray:
    """Return a seed, int32 (2,)."""
    return np.array([number, 11], np.int32)


def make_batch(shape: tuple[int, int, int] = SHAPE, actions: int = ACTIONS) -> Batch:
    """Return windows of noise; in row 1 an episode ends at step 4 and another begins, row 2 begins with one."""
    return make_batch_of(ObservationSpec.of(*shape), ActionSpec(actions))


def make_batch_of(observation: ObservationSpec, action: ActionSpec) -> Batch:
    """Return windows of noise of any spaces, with the same borders of episodes."""
    random = np.random.default_rng(4)
    is_first, is_last = np.zeros((2, ROWS, STEPS), bool)
    is_first[1, 5] = is_first[2, 0] = is_last[1, 4] = True
    return Batch(
        observation.pack({name: _noise(part, random) for name, part in observation.parts}),
        random.choice([-1.0, 0.0, 1.0], (ROWS, STEPS)).astype(np.float32),
        is_first,
        is_last,
        is_last,
        action.random(ROWS * STEPS, random).reshape(ROWS, STEPS, *action.shape),
    )


def _noise(part: ArraySpec, random: np.random.Generator) -> np.ndarray:
    shape = (ROWS, STEPS, *part.shape)
    return random.integers(0, 256, shape, np.uint8) if part.is_image else random.normal(size=shape).astype(np.float32)


BATCH = make_batch()


def make_model(
    config: ModelConfig, number: int = 0, shape: tuple[int, int, int] = SHAPE, actions: int = ACTIONS
) -> Any:
    """Return a fresh model in the current precision, whose weights the number decides."""
    return make_model_of(config, ObservationSpec.of(*shape), ActionSpec(actions), number)


def make_model_of(config: ModelConfig, observation: ObservationSpec, action: ActionSpec, number: int = 0) -> Any:
    """Return a fresh model of any spaces."""
    make_deterministic()
    return build_model(config, observation, action, key(number))


def make_observation(spec: ObservationSpec, number: int) -> Any:
    """Return an observation of noise in each row."""
    random = np.random.default_rng(number)

    def noise(part: ArraySpec) -> np.ndarray:
        values = random.normal(128, 40, (ROWS, *part.shape))
        return values.clip(0, 255).astype(part.dtype)

    return spec.pack({name: noise(part) for name, part in spec.parts})


def shared_model(config: ModelConfig) -> Any:
    """Return one model for all checks that leave it as it is: tracing its graphs again would take most of the time."""
    return _shared(config, precision.current())


@cache
def _shared(config: ModelConfig, _: precision.Precision) -> Any:
    return make_model(config)


@cache
def _learner(config: ModelConfig, _: precision.Precision) -> Any:
    return make_model(config)


def renewed_learner(config: ModelConfig, number: int = 0) -> Any:
    """Return a model to be fitted, with fresh weights: always the same object, since tracing an update takes long."""
    model = _learner(config, precision.current())
    model.load(make_model(config, number).save())
    return model


def observed(model: Any) -> Any:
    """Return the state after one observation in each row, which opens an episode."""
    return model.observe(model.initial(ROWS), BATCH.observation[:, 0], ACTION, np.ones(ROWS, bool), key(1))


def followed(model: Any, batch: Batch = BATCH, seed: int = 1) -> Any:
    """Return the states along a batch, leading (B, T)."""
    return model.observe_sequence(batch.observation, before(batch), batch.is_first, key(seed))


def before(batch: Batch) -> np.ndarray:
    """Return the action before each observation, int32 (B, T); 0 at the first step."""
    return np.pad(batch.action, ((0, 0), (1, 0)))[:, :-1]


def last(states: Any) -> Any:
    """Return the states at the last step of states in time."""
    return tf.nest.map_structure(lambda x: x[:, -1], states)


def at_rows(state: Any, rows: np.ndarray) -> Any:
    """Return the rows of a state at which a mask holds."""
    return tf.nest.map_structure(lambda x: np.asarray(x)[rows], state)


def signature(state: Any) -> list[tuple[tuple[int, ...], Any]]:
    """Return shape and type of every tensor in a nest."""
    return [(tuple(x.shape), x.dtype) for x in tf.nest.flatten(state)]


def seen(model: Any, state: Any) -> list[Any]:
    """Return everything that can be read of a world model's state."""
    return [read(state) for read in (model.features, model.frame, model.reward, model.continuation)]


def require(condition: Any, text: str) -> None:
    """Raise ConformanceError with `text` unless the condition holds."""
    if not condition:
        raise ConformanceError(text)


def differ(one: Any, other: Any) -> bool:
    """Return whether two nests of one structure differ in any value."""
    pairs = zip(tf.nest.flatten(one), tf.nest.flatten(other), strict=True)
    return any(not np.array_equal(np.asarray(first), np.asarray(second)) for first, second in pairs)


def require_same(one: Any, other: Any, what: str) -> None:
    """Raise ConformanceError where two nests are not equal; NaN equals NaN.

    Args:
        what: the subject of the error's sentence, "the two futures", for example.
    """
    try:
        tf.nest.assert_same_structure(one, other)
        for first, second in zip(tf.nest.flatten(one), tf.nest.flatten(other), strict=True):
            np.testing.assert_array_equal(np.asarray(first), np.asarray(second))
    except (AssertionError, TypeError, ValueError) as error:
        raise ConformanceError(f"{what} must be the same, bit for bit; they are not:\n{error}") from error


def leaves(tree: dict[str, Any]) -> dict[str, Any]:
    """Return every value that a checkpoint would hold, by its name; TypeError for other types."""
    rest, tensors = flatten(tree)
    return {"rest": rest, **tensors}


def require_same_tree(one: dict[str, Any], other: dict[str, Any], what: str) -> None:
    """Raise ConformanceError where two trees of saved state are not equal; `what` as in `require_same`."""
    try:
        np.testing.assert_equal(leaves(one), leaves(other))
    except AssertionError as error:
        raise ConformanceError(f"{what} must be the same, bit for bit; they are not:\n{error}") from error


def poisoned(tree: dict[str, Any]) -> dict[str, Any]:
    """Return the tree with NaN in every matrix and every kernel."""

    def visit(node: Any) -> Any:
        if isinstance(node, dict):
            return {name: visit(value) for name, value in node.items()}
        if isinstance(node, np.ndarray) and node.dtype == np.float32 and node.ndim > 1:
            return np.full_like(node, np.nan)
        return node

    return visit(tree)
