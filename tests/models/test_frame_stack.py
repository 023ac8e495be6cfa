"""The frame stack, spelled out on images of one pixel, and on vectors."""

from __future__ import annotations

import numpy as np

from worldmodels.core.seeding import Streams
from worldmodels.core.specs import ActionSpec, ArraySpec, ObservationSpec
from worldmodels.models import build_model
from worldmodels.models.config import FrameStackConfig

SEED, ACTIONS = Streams(0).key("test"), np.zeros(2, np.int32)


def frames(*values: int) -> np.ndarray:
    """One pixel of two channels for each row: the value, and the value plus 100."""
    return np.array([[[[value, value + 100]]] for value in values], np.uint8)


def test_the_newest_frame_is_last_and_an_episode_begins_with_its_first_frame_alone():
    stack = build_model(FrameStackConfig(frames=3), ObservationSpec.of(1, 1, 2), ActionSpec(5), SEED)
    assert stack.spec.feature_kind == "images" and stack.spec.feature_shape == (1, 1, 6)
    assert not stack.spec.imagines
    state = stack.initial(2)
    state = stack.observe(state, frames(1, 2), ACTIONS, np.array([True, True]), SEED)
    state = stack.observe(state, frames(3, 4), ACTIONS, np.array([False, False]), SEED)
    state = stack.observe(state, frames(5, 6), ACTIONS, np.array([False, True]), SEED)
    assert stack.features(state).numpy().reshape(2, 6).tolist() == [
        [1, 101, 3, 103, 5, 105],
        [6, 106, 6, 106, 6, 106],
    ]


def test_of_a_dictionary_images_are_stacked_and_vectors_are_the_newest():
    observation = ObservationSpec((("touch", ArraySpec((2,))), ("eye", ArraySpec((1, 1, 2)))))
    box = ActionSpec(low=(-1.0,), high=(1.0,))
    stack = build_model(FrameStackConfig(frames=2), observation, box, SEED)
    assert stack.spec.feature_kind == "mixed" and stack.spec.action == box
    assert stack.spec.features == ObservationSpec((("touch", ArraySpec((2,))), ("eye", ArraySpec((1, 1, 4)))))
    state, actions = stack.initial(2), np.zeros((2, 1), np.float32)
    for first, values in (([True, True], (1, 2)), ([False, True], (3, 4))):
        seen = {"touch": np.float32([[v, -v] for v in values]), "eye": frames(*values)}
        state = stack.observe(state, seen, actions, np.array(first), SEED)
    features = stack.features(state)
    assert list(features) == ["touch", "eye"]
    assert features["touch"].numpy().tolist() == [[3, -3], [4, -4]]
    assert features["eye"].numpy().reshape(2, 4).tolist() == [[1, 101, 3, 103], [4, 104, 4, 104]]


def test_vectors_are_seen_as_they_are():
    stack = build_model(FrameStackConfig(frames=4), ObservationSpec.of(3), ActionSpec(2), SEED)
    assert stack.spec.feature_kind == "vector" and stack.spec.feature_shape == (3,)
    seen = np.float32([[1, 2, 3]])
    state = stack.observe(stack.initial(1), seen, ACTIONS[:1], np.array([False]), SEED)
    assert stack.features(state).numpy().tolist() == seen.tolist()
