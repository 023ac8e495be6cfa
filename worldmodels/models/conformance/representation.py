"""These checks are the contract of a representation, which observes."""

from __future__ import annotations

from typing import Any

import numpy as np
import tensorflow as tf

from worldmodels.core.errors import ConfigError
from worldmodels.models.api import LatentModel, ModelSpec, Representation, SampledModel, WorldModel
from worldmodels.models.config import ModelConfig
from worldmodels.models.conformance.samples import (
    ACTION,
    ACTIONS,
    BATCH,
    OTHER_SPACES,
    ROWS,
    SHAPE,
    SPACES,
    at_rows,
    differ,
    key,
    leaves,
    make_batch,
    make_batch_of,
    make_model,
    make_model_of,
    make_observation,
    observed,
    require,
    require_same,
    seen,
    shared_model,
    signature,
)


def check_methods(config: ModelConfig) -> None:
    """Check that the model has every method of its contract."""
    model = shared_model(config)
    contract = {**vars(Representation), **(vars(WorldModel) if model.spec.imagines else {})}
    contract |= vars(LatentModel) if model.spec.latent_groups else {}
    contract |= vars(SampledModel) if model.spec.calls else {}
    methods = [name for name, value in contract.items() if callable(value) and not name.startswith("_")]
    if not model.spec.imagines or not model.spec.vectors:
        methods = [name for name in methods if name != "vectors"]  # nobody asks for what is not there
    missing = [name for name in methods if not callable(getattr(model, name, None))]
    require(not missing, f"it must have the methods {', '.join(methods)}; it lacks {', '.join(missing)}.")


def check_spec_and_features(config: ModelConfig) -> None:
    """Check that features and states are as the spec describes."""
    model = shared_model(config)
    spec, state = model.spec, observed(shared_model(config))
    promised = config.spec(*SPACES)
    require(spec == promised, f"model.spec must be config.spec(...), {promised}. Received {spec}.")
    fits = (spec.observation, spec.action) == SPACES
    require(fits, f"the spec must hold the shape {SHAPE} and {ACTIONS} actions that were given. Received {spec}.")
    dtype, axes = {"vector": (tf.float32, 1), "images": (tf.uint8, 3)}[spec.feature_kind]
    require(len(spec.feature_shape) == axes, f"features of kind {spec.feature_kind} must have {axes} axes.")
    found, wanted = signature(model.features(state)), [((ROWS, *spec.feature_shape), dtype)]
    require(found == wanted, f"features must have shape and type {wanted}, as the spec says. Received {found}.")
    found, wanted = signature(state), signature(model.initial(ROWS))
    require(found == wanted, f"an observed state must look like an initial one, {wanted}. Received {found}.")
    if spec.feature_kind == "images":
        newest = model.features(state)[..., -SHAPE[2] :]
        require_same(newest, BATCH.observation[:, 0], "the newest image of the features and the observation")


def check_observing_depends_on_its_seed_alone(config: ModelConfig) -> None:
    """Check that the same observation and seed give the same state."""
    model = shared_model(config)
    require_same(observed(model), observed(model), "states of the same observation and seed")


def check_a_first_observation_forgets_what_was_before(config: ModelConfig) -> None:
    """Check that state and action before have no influence where an episode begins, and one where none does.

    A representation that predicts nothing and stacks no frames may show each observation alone.
    """
    model, is_first = shared_model(config), np.array([True, False, True])
    old = [model.observe(observed(model), BATCH.observation[:, i], ACTION, ~is_first, key(i)) for i in (1, 2)]
    actions = [ACTION, ACTION[::-1].copy()]
    one, other = (
        model.observe(state, BATCH.observation[:, 3], action, is_first, key(5))
        for state, action in zip(old, actions, strict=True)
    )
    require_same(at_rows(one, is_first), at_rows(other, is_first), "states where an episode begins")
    require(
        differ(at_rows(one, ~is_first), at_rows(other, ~is_first))
        or not (model.spec.imagines or model.spec.frames_before),
        "a state must depend on the state and the action before it where no episode begins; it does not.",
    )


def check_looking_changes_nothing(config: ModelConfig) -> None:
    """Check that observing and imagining change nothing that is saved."""
    model = shared_model(config)
    old = leaves(model.save())
    state = observed(model)
    if model.spec.imagines:
        seen(model, model.imagine(state, ACTION, 1.0, key(2)))
    require_same(old, leaves(model.save()), "what is saved before and after looking")


def check_grey_images_of_another_size(config: ModelConfig) -> None:
    """Check that the model works on images of 12 x 8 pixels and one channel."""
    shape = (12, 8, 1)
    model, batch = make_model(config, shape=shape), make_batch(shape)
    state = model.observe(model.initial(ROWS), batch.observation[:, 0], ACTION, batch.is_first[:, 0], key(1))
    found, wanted = tuple(model.features(state).shape), (ROWS, *model.spec.feature_shape)
    require(found == wanted, f"features of grey images must have the shape {wanted}. Received {found}.")
    if model.spec.imagines:
        found, wanted = tuple(model.frame(model.imagine(state, ACTION, 1.0, key(1))).shape), (ROWS, *shape)
        require(found == wanted, f"imagined frames must have the shape {wanted}. Received {found}.")


def check_other_spaces_fit_or_are_refused(config: ModelConfig) -> None:
    """Check that the model works on vectors, dictionaries and boxes of actions, or raises ConfigError."""
    for words, (observation, action) in OTHER_SPACES.items():
        try:
            spec = config.spec(observation, action)
        except ConfigError:
            continue
        _check_spaces(make_model_of(config, observation, action), spec, words)


def _check_spaces(model: Any, spec: ModelSpec, words: str) -> None:
    require(model.spec == spec, f"with {words}, model.spec must be config.spec(...), {spec}. Received {model.spec}.")
    one, other, now = (make_observation(spec.observation, number) for number in (1, 2, 3))
    chosen, begins = spec.action.random(ROWS, np.random.default_rng(1)), np.ones(ROWS, bool)
    states = [model.observe(model.initial(ROWS), seen, chosen, begins, key(1)) for seen in (one, other)]
    found, wanted = signature(states[0]), signature(model.initial(ROWS))
    require(
        found == wanted, f"with {words}, an observed state must look like an initial one, {wanted}. Received {found}."
    )
    found = signature(spec.features.arrays(model.features(states[0])))
    wanted = signature(spec.features.arrays(spec.features.zeros(ROWS)))
    require(found == wanted, f"with {words}, features must have shapes and types {wanted}. Received {found}.")
    begins = np.array([True, False, True])
    first, second = (at_rows(model.observe(state, now, chosen, begins, key(2)), begins) for state in states)
    require_same(first, second, f"with {words}, states where an episode begins")
    if spec.imagines:
        _check_predictions(model, states[0], chosen, words)


def _check_predictions(model: Any, state: Any, action: np.ndarray, words: str) -> None:
    spec = model.spec
    imagined, parts = model.imagine(state, action, 1.0, key(3)), dict(spec.observation.parts)
    predicted = dict(model.vectors(imagined))
    if spec.image is not None:
        predicted[spec.image] = model.frame(imagined)
    found = {name: tuple(array.shape) for name, array in predicted.items()}
    wanted = {name: (ROWS, *parts[name].shape) for name in predicted}
    require(found == wanted, f"with {words}, predictions must have the shapes {wanted}. Received {found}.")
    require(set(spec.vectors) <= set(found), f"with {words}, vectors must be {spec.vectors}. Received {list(found)}.")
    metrics, _ = model.fit(make_batch_of(spec.observation, spec.action), key(4))
    require(bool(metrics["model/finite"]), f"with {words}, an update must be finite; it is not.")


CHECKS = (
    check_methods,
    check_spec_and_features,
    check_observing_depends_on_its_seed_alone,
    check_a_first_observation_forgets_what_was_before,
    check_looking_changes_nothing,
    check_grey_images_of_another_size,
    check_other_spaces_fit_or_are_refused,
)
"""Properties of every representation."""
