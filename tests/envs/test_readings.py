"""Observations of unusual layouts and scales are converted, or refused with a wrapper where there is doubt."""

from __future__ import annotations

import gymnasium as gym
import numpy as np
import pytest
from gymnasium.spaces import Box, Dict, Discrete, MultiBinary, MultiDiscrete, Tuple
from gymnasium.wrappers import FrameStackObservation, GrayscaleObservation, NormalizeObservation

from worldmodels.core.errors import ForeignEnvError, UserError
from worldmodels.core.specs import ArraySpec, ObservationSpec
from worldmodels.envs import make_vec
from worldmodels.envs.readings import ObservationReading


class Still(gym.Env):
    """Shows one observation at all steps, and keeps the actions."""

    def __init__(self, space, shown, actions=None):
        self.observation_space, self.shown = space, shown
        self.action_space = actions or Discrete(2)
        self.taken = []

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        return self.shown, {}

    def step(self, action):
        self.taken.append(int(action))
        return self.shown, 0.0, False, False, {}


def read(space, shown):
    reading = ObservationReading(space, "it")
    found = reading(np.asarray(shown)[None])
    reading.spec.check(found, 1)
    return found[0], reading.notes


def ramp(*shape):
    return (np.arange(np.prod(shape)) % 251).astype(np.uint8).reshape(shape)


def test_channels_that_come_first_become_last():
    for shape in ((3, 64, 64), (1, 96, 96), (4, 84, 84), (12, 64, 64), (3, 210, 160)):
        found, notes = read(Box(0, 255, shape, np.uint8), ramp(*shape))
        np.testing.assert_array_equal(found, np.moveaxis(ramp(*shape), 0, 2))
        assert len(notes) == 1 and "channels come first" in notes[0]


def test_a_note_is_a_whole_sentence():
    _, notes = read(Box(0, 1, (3, 64, 64), np.float32), np.zeros((3, 64, 64), np.float32))
    assert notes == (
        "'it': the observations Box(0.0, 1.0, (3, 64, 64), float32) are read as images of 64 x 64 pixels with 3 "
        "channels: their channels come first; float32 from 0 to 1 becomes uint8 from 0 to 255.",
    )


def test_grey_images_without_a_channel_get_one():
    found, notes = read(Box(0, 255, (96, 80), np.uint8), ramp(96, 80))
    np.testing.assert_array_equal(found, ramp(96, 80)[..., None])
    assert "grey without an axis of channels" in notes[0]


def test_frames_of_a_stack_become_channels_the_oldest_first():
    shown = np.zeros((4, 64, 48, 3), np.uint8)
    shown[1, 5, 6, 2] = 9
    found, notes = read(Box(0, 255, (4, 64, 48, 3), np.uint8), shown)
    assert found.shape == (64, 48, 12) and np.argwhere(found).tolist() == [[5, 6, 1 * 3 + 2]]
    assert "frames of a stack become channels" in notes[0]
    found, _ = read(Box(0, 255, (4, 3, 64, 48), np.uint8), np.moveaxis(shown, 3, 1))
    assert np.argwhere(found).tolist() == [[5, 6, 1 * 3 + 2]]


@pytest.mark.parametrize(("low", "high"), [(0.0, 1.0), (0.0, 255.0), (-1.0, 1.0)])
def test_numbers_of_an_image_become_brightness_by_their_bounds(low, high):
    shown = np.full((64, 64, 3), low, np.float64)
    shown[0, 0] = [low + (high - low) * share for share in (0.2, 0.6, 1)]
    found, notes = read(Box(low, high, (64, 64, 3), np.float64), shown)
    assert found.dtype == np.uint8 and found[0, 0].tolist() == [51, 153, 255] and found[1].max() == 0
    assert "becomes uint8 from 0 to 255" in notes[0]


def test_bytes_below_255_become_brightness_by_their_bounds():
    shown = np.zeros((8, 8, 12), np.uint8)
    shown[0, 0, 3] = 1
    found, notes = read(Box(0, 1, (8, 8, 12), np.uint8), shown)
    assert found[0, 0, 3] == 255 and found.sum() == 255 and "brightness from 0 to 1 becomes 0 to 255" in notes[0]
    found, _ = read(Box(0, 10, (8, 8, 3), np.uint8), np.full((8, 8, 3), 4, np.uint8))
    assert (found == 102).all()


def test_what_is_read_as_it_stands_has_no_note():
    for space in (Box(0, 255, (64, 64, 3), np.uint8), Box(-1, 1, (4,), np.float32), Box(0, 255, (10, 10, 7), np.uint8)):
        assert ObservationReading(space, "it").notes == ()


@pytest.mark.parametrize(
    ("space", "wrapper"),
    [
        (Box(0, 255, (3, 8, 8), np.uint8), "TransformObservation"),
        (Box(0, 255, (40, 64, 64), np.uint8), "TransformObservation"),
        (Box(-np.inf, np.inf, (96, 96, 3), np.float32), "wrapper NormalizeObservation takes"),
        (Box(-np.inf, np.inf, (4, 96, 96), np.float32), "wrapper NormalizeObservation takes"),
        (Box(0.0, 1.0, (64, 64), np.float32), "ReshapeObservation"),
        (MultiDiscrete([2, 3]), "FlattenObservation"),
        (Tuple([Discrete(2), Discrete(2)]), "FlattenObservation"),
        (Discrete(20_000), "TransformObservation"),
    ],
)
def test_doubt_is_refused_with_the_wrapper_that_decides(space, wrapper):
    for whole in (space, Dict({"part": space})):
        with pytest.raises(UserError, match=wrapper):
            ObservationReading(whole, "it")


def test_wrappers_of_gymnasium_are_read_or_refused():
    class Colour(Still):
        def __init__(self):
            super().__init__(Box(0, 255, (96, 96, 3), np.uint8), ramp(96, 96, 3))

    with pytest.raises(UserError, match="wrapper NormalizeObservation takes"):
        make_vec(lambda: NormalizeObservation(Colour()))
    stacked = make_vec(lambda: FrameStackObservation(GrayscaleObservation(Colour()), 4), image_size=96)
    assert stacked.observation_spec == ObservationSpec.of(96, 96, 4)
    seen, _ = stacked.reset()
    grey = GrayscaleObservation(Colour()).reset()[0]
    np.testing.assert_array_equal(seen[0], np.stack([grey] * 4, -1))
    coloured = make_vec(lambda: FrameStackObservation(Colour(), 2), image_size=96)
    np.testing.assert_array_equal(coloured.reset()[0][0], np.concatenate([ramp(96, 96, 3)] * 2, -1))


def test_choices_that_are_seen_are_one_hot():
    env = make_vec(lambda: Still(Discrete(3, start=5), 6), num_envs=2)
    assert env.observation_spec == ObservationSpec.of(3)
    assert env.notes == (
        "'python:lambda': the observations Discrete(3, start=5) are read as one-hot vectors of 3 numbers.",
    )
    assert env.reset()[0].tolist() == [[0, 1, 0]] * 2
    lake = make_vec("FrozenLake-v1", num_envs=2)
    assert lake.reset(seed=0)[0].tolist() == [[1.0] + [0.0] * 15] * 2
    bits = make_vec(lambda: Still(Dict({"bits": MultiBinary([2, 2])}), {"bits": np.int8([[0, 1], [1, 1]])}))
    assert dict(bits.observation_spec.parts) == {"bits": ArraySpec((4,))}
    assert bits.reset()[0]["bits"][0].tolist() == [0, 1, 1, 1]


def test_a_choice_outside_of_its_space_is_refused():
    with pytest.raises(ForeignEnvError, match=r"the observation is 9; its space says Discrete\(3\)"):
        make_vec(lambda: Still(Discrete(3), 9)).reset()


def test_actions_count_from_0_wherever_the_space_starts():
    still = Still(Discrete(3), 0, Discrete(3, start=-1))
    env = make_vec(still, num_envs=1)
    env.reset()
    for action in (0, 1, 2):
        env.step([action])
    assert still.taken == [-1, 0, 1] and env.action_spec.count == 3


def test_workers_read_alike():
    env = make_vec("FrozenLake-v1", num_envs=2, workers=2)
    try:
        assert env.reset(seed=0)[0].tolist() == [[1.0] + [0.0] * 15] * 2
        assert env.notes == make_vec("FrozenLake-v1").notes != ()
    finally:
        env.close()
