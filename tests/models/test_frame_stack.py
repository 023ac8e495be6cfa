"""The frame stack, spelled out on images of one pixel."""

from __future__ import annotations

import numpy as np

from worldmodels.core.seeding import Streams
from worldmodels.core.specs import ActionSpec, ObservationSpec
from worldmodels.models import build_model
from worldmodels.models.frame_stack_config import FrameStackConfig

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
