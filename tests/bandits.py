"""Experience of one step at a time: what an action pays depends on the place at which it is taken."""

from __future__ import annotations

from typing import Any

import numpy as np
import tensorflow as tf

from worldmodels.agents.api import Rollouts
from worldmodels.core.specs import ActionSpec, ObservationSpec
from worldmodels.models.api import ModelSpec

STEPS, ROWS = 8, 16
TARGETS = np.array([[0.5], [-0.5]], np.float32)
"""The point of a box that pays most at each of two places."""
PLACES = np.eye(2, dtype=np.float32)
"""The features of the two places."""
VECTOR = ObservationSpec.of(2)
CHOICES = ModelSpec(VECTOR, ActionSpec(2), VECTOR)
BOX = ModelSpec(VECTOR, ActionSpec(low=(-1.0,), high=(1.0,)), VECTOR)


def key(number: int) -> np.ndarray:
    return np.array([number, 5], np.int32)


def play(agent: Any, spec: ModelSpec, number: int) -> Rollouts:
    """Act at random places; the choice of the place's number pays 1, a point of the box its nearness to the target."""
    places = np.random.default_rng(number).integers(0, 2, (STEPS + 1, ROWS))
    features = PLACES[places]
    acts = [agent.act(features[t], agent.initial(ROWS), 1.0, key(1000 * number + t)) for t in range(STEPS + 1)]
    actions = tf.stack([act[0] for act in acts])
    if spec.action.is_discrete:
        paid = (actions.numpy() == places).astype(np.float32)
    else:
        paid = 1.0 - np.abs(actions.numpy() - TARGETS[places])[..., 0]
    never, rewards = tf.zeros((STEPS + 1, ROWS), tf.bool), np.concatenate([np.zeros((1, ROWS), np.float32), paid[:-1]])
    extras = tf.nest.map_structure(lambda *x: tf.stack(x), *[act[2] for act in acts])
    ends = tf.zeros((STEPS + 1, ROWS))
    return Rollouts(tf.constant(features), actions, tf.constant(rewards), ends, never, never, extras, ())
