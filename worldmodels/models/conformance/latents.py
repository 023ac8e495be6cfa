"""These checks are the contract of a world model whose discrete latents can be read and chosen."""

from __future__ import annotations

from typing import Any

import numpy as np
import tensorflow as tf

from worldmodels.models.config import ModelConfig
from worldmodels.models.conformance.samples import (
    ACTION,
    BATCH,
    ROWS,
    differ,
    followed,
    key,
    last,
    observed,
    require,
    require_same,
    seen,
    shared_model,
    signature,
)


def check_latents_of_an_imagined_step(config: ModelConfig) -> None:
    """Check that reading latents changes no future, and that they have the shapes and ranges that they should have."""
    model, state = shared_model(config), last(followed(shared_model(config)))
    for temperature in (1.0, 0.0):
        imagined, latents = model.imagine_latents(state, ACTION, temperature, key(2), _drawn(model))
        plain = model.imagine(state, ACTION, temperature, key(2))
        require_same(imagined, plain, f"the states of imagine and of imagine_latents at temperature {temperature}")
        _require_latents(model, latents, "of an imagined step")
    likeliest = np.asarray(latents.probabilities).argmax(-1)
    require_same(latents.classes, likeliest, "classes at temperature 0, and the most probable ones,")


def check_classes_that_are_held_are_taken(config: ModelConfig) -> None:
    """Check that held groups take their classes, and that a step depends on these alone where all are held."""
    model, state = shared_model(config), last(followed(shared_model(config)))
    _, classes = model.spec.latent_groups
    drawn, latents = model.imagine_latents(state, ACTION, 1.0, key(2), _drawn(model))
    again, taken = model.imagine_latents(state, ACTION, 0.5, key(3), latents.classes)
    require_same(again, drawn, "a state, and the one whose groups are all held at its classes,")
    require_same(taken, latents, "latents, and those of the step whose groups are all held at them,")
    held = _drawn(model)
    held[:, 0] = (np.asarray(latents.classes)[:, 0] + 1) % classes
    other, taken = model.imagine_latents(state, ACTION, 1.0, key(2), held)
    require_same(np.asarray(taken.classes)[:, 0], held[:, 0], "the class of a group, and that at which it is held,")
    require(
        differ(seen(model, other), seen(model, drawn)),
        "what is read of a state must depend on the classes of its latents; another one changes nothing.",
    )


def check_latents_of_an_observed_step(config: ModelConfig) -> None:
    """Check that the latents of an observed step are there, and that a first state has some or none at all."""
    model, first = shared_model(config), observed(shared_model(config))
    going, none = np.zeros(ROWS, bool), np.full(ROWS, -1, np.int32)
    second = model.observe(first, BATCH.observation[:, 1], ACTION, going, key(1))
    latents = model.observed_latents(first, ACTION, second)
    _require_latents(model, latents, "of an observed step")
    require_same(
        latents, model.observed_latents(first, ACTION, second), "the latents of one observed step, read twice,"
    )
    begun = np.asarray(model.observed_latents(model.initial(ROWS), none, first).classes)
    whole = (begun >= 0).all() or (begun == -1).all()
    require(whole, f"the classes of an episode's first state must all be there, or all be -1. Received {begun}.")


def _drawn(model: Any) -> np.ndarray:
    """Return a `held` that holds no group."""
    return np.full((ROWS, model.spec.latent_groups[0]), -1, np.int32)


def _require_latents(model: Any, latents: Any, which: str) -> None:
    groups, classes = model.spec.latent_groups
    wanted = [((ROWS, groups, classes), tf.float32), ((ROWS, groups), tf.int32)]
    found = signature(latents)
    require(found == wanted, f"latents {which} must have the shapes and types {wanted}. Received {found}.")
    probabilities, taken = (np.asarray(part) for part in latents)
    sums = probabilities.sum(-1)
    sound = (probabilities >= 0).all() and np.allclose(sums, 1.0, atol=1e-4)
    require(sound, f"the probabilities {which} must be at least 0 and sum to 1. Received the sums {sums}.")
    inside = ((taken >= 0) & (taken < classes)).all()
    require(inside, f"the classes {which} must be from 0 to {classes - 1}. Received {taken}.")


CHECKS = (
    check_latents_of_an_imagined_step,
    check_classes_that_are_held_are_taken,
    check_latents_of_an_observed_step,
)
"""Properties of every world model with `spec.latent_groups`."""
