"""Gymnasium's spaces as specs, and foreign environments that show vectors or dictionaries and take boxes of actions."""

from __future__ import annotations

from typing import Any

import gymnasium as gym
import numpy as np
import pytest
from gymnasium.spaces import Box, Dict, Discrete, Graph, MultiBinary, MultiDiscrete, OneOf, Sequence, Text, Tuple

from worldmodels.core.errors import ForeignEnvError, UserError
from worldmodels.core.specs import ActionSpec, ArraySpec, ObservationSpec
from worldmodels.envs import make_vec
from worldmodels.envs.readings import ObservationReading
from worldmodels.envs.spaces import action_space, action_spec, observation_space

IMAGE = Box(0, 255, (20, 30, 3), np.uint8)


class Robot(gym.Env):
    """An eye, a sense of touch, and a counter; it feels the action that it was given, and fails at its third step."""

    observation_space = Dict(
        {"eye": IMAGE, "touch": Box(-np.inf, np.inf, (2, 1), np.float64), "count": Box(0, 99, (), np.int64)}
    )
    action_space = Box(np.array([[0.0], [-1.0]]), np.array([[4.0], [1.0]]), dtype=np.float64)
    made = 0
    wrong = np.nan

    def __init__(self):
        type(self).made += 1
        self.number = type(self).made

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.steps = 0
        return self._show(np.zeros((2, 1))), {}

    def step(self, action):
        self.steps += 1
        felt = np.array([[0.0], [self.wrong]]) if (self.number, self.steps) == (2, 3) else action
        return self._show(felt), 1.0, False, False, {}

    def _show(self, felt):
        image = np.full((20, 30, 3), 10 * self.steps, np.uint8)
        return {"touch": felt, "eye": image, "count": np.int64(self.steps)}


gym.register("test/Robot-v0", Robot, disable_env_checker=True)


@pytest.fixture
def robots(monkeypatch) -> Any:
    monkeypatch.setattr(Robot, "made", 0)
    return make_vec("test/Robot-v0", num_envs=2)


@pytest.mark.parametrize(
    ("space", "shape"),
    [
        (IMAGE, (20, 30, 3)),
        (Box(-1, 1, (4,), np.float32), (4,)),
        (Box(-np.inf, np.inf, (2, 3), np.float64), (6,)),
        (Box(0, 9, (), np.int64), (1,)),
        (Box(0, 255, (15, 84), np.uint8), (1260,)),
        (Box(0, 9, (84, 84), np.uint8), (7056,)),
        (Box(0, 255, (128,), np.uint8), (128,)),
        (Box(0.0, 1.0, (30, 60), np.float32), (1800,)),
        (Box(-np.inf, np.inf, (30, 60, 4), np.float32), (7200,)),
        (Box(0, 2, (20, 20, 3), np.int64), (1200,)),
        (Box(0, 1, (10, 10, 4), np.bool_), (400,)),
        (Box(0, 255, (3, 4, 5, 6), np.uint8), (360,)),
        (Box(0, 255, (8, 8, 12), np.uint8), (8, 8, 12)),
        (Box(0, 255, (2, 3, 4), np.uint8), (2, 3, 4)),
        (Box(0, 255, (6, 7, 12), np.uint8), (6, 7, 12)),
        (Box(0.0, 1.0, (4, 4, 3), np.float32), (48,)),
    ],
)
def test_a_box_is_an_image_or_a_vector(space, shape):
    assert ObservationReading(space, "it").spec == ObservationSpec.of(*shape)


def test_a_dictionary_keeps_its_parts_and_their_names():
    spec = ObservationReading(Robot.observation_space, "it").spec
    assert dict(spec.parts) == {"eye": ArraySpec((20, 30, 3)), "touch": ArraySpec((2,)), "count": ArraySpec((1,))}


@pytest.mark.parametrize(
    ("space", "text"),
    [
        (MultiDiscrete([2, 3]), "the observations MultiDiscrete"),
        (Tuple([IMAGE]), "the observations Tuple"),
        (Text(4), "the observations Text"),
        (Graph(IMAGE, None), "the observations Graph"),
        (Sequence(IMAGE), "the observations Sequence"),
        (OneOf([IMAGE, Discrete(2)]), "the observations OneOf"),
        (Discrete(20_000), r"'it' has the observations Discrete\(20000\)"),
        (Dict({"a": IMAGE, "b": MultiDiscrete([2])}), r"the part 'b' of its observations MultiDiscrete"),
        (Dict({"a": Dict({"b": IMAGE})}), "the part 'a' of its observations Dict"),
        (Dict({}), r"with parts \[\]"),
        (Dict({"": IMAGE}), r"with parts \[''\]"),
        (Box(0, 1, (0,), np.float32), "the observations Box"),
    ],
)
def test_other_observations_are_refused(space, text):
    with pytest.raises(UserError, match=text + r".*Observations may be uint8 images \(height, width, channels\)"):
        ObservationReading(space, "it")


def test_actions_are_choices_or_a_box_with_the_bounds_of_the_environment():
    assert action_spec(Discrete(3), "it") == ActionSpec(3)
    spec = action_spec(Robot.action_space, "it")
    assert spec == ActionSpec(low=(0.0, -1.0), high=(4.0, 1.0))
    assert [type(bound) for bound in spec.low + spec.high] == [float] * 4


@pytest.mark.parametrize(
    ("space", "text"),
    [
        (MultiDiscrete([2, 3]), "the actions MultiDiscrete"),
        (MultiBinary(2), "the actions MultiBinary"),
        (Tuple([Discrete(2)]), "the actions Tuple"),
        (Text(4), "the actions Text"),
        (Dict({"a": Discrete(2)}), "the actions Dict"),
        (Graph(Discrete(2), None), "the actions Graph"),
        (Sequence(Discrete(2)), "the actions Sequence"),
        (OneOf([Discrete(2), Discrete(3)]), "the actions OneOf"),
        (Box(0, 9, (2,), np.int64), "the actions Box"),
        (Box(0, 1, (), np.float32), "the actions Box"),
    ],
)
def test_other_actions_are_refused(space, text):
    with pytest.raises(
        UserError, match=text + ".*Actions may be Discrete ones, or a Box of floats.*wrapper TransformAction"
    ):
        action_spec(space, "it")


def test_actions_without_bounds_are_refused_with_what_helps():
    space = Box(np.float32([-1, 0]), np.float32([1, np.inf]))
    with pytest.raises(UserError) as error:
        action_spec(space, "it")
    for text in ("number 1 is from 0 to inf", "bounds must be finite", "RescaleAction"):
        assert text in str(error.value)
    with pytest.raises(UserError, match="leave nothing between them"):
        action_spec(Box(np.float32([1]), np.float32([1])), "it")


def test_a_space_is_told_in_one_short_line():
    low = np.linspace(-1, 0, 500, dtype=np.float32)
    with pytest.raises(UserError) as error:
        ObservationReading(Tuple([Box(low, 1.0, (500,), np.float32)]), "it")
    assert "\n" not in str(error.value) and len(str(error.value)) < 600


def test_spaces_of_specs():
    spec = ObservationSpec((("a", ArraySpec((2, 2, 1))), ("b", ArraySpec((3,)))))
    assert observation_space(spec) == Dict(
        {"a": Box(0, 255, (2, 2, 1), np.uint8), "b": Box(-np.inf, np.inf, (3,), np.float32)}
    )
    assert observation_space(ObservationSpec.of(3)) == Box(-np.inf, np.inf, (3,), np.float32)
    assert action_space(ActionSpec(5)) == Discrete(5)
    assert action_space(ActionSpec(low=(0.0, -9.0), high=(1.0, 9.0))) == Box(-1.0, 1.0, (2,), np.float32)


def test_native_games_have_specs():
    env = make_vec("maze", num_envs=2)
    assert (env.observation_spec, env.action_spec) == (ObservationSpec.of(64, 64, 3), ActionSpec(15))
    env.close()


def test_cart_pole():
    env = make_vec("CartPole-v1", seed=3, num_envs=2)
    assert (env.observation_spec, env.action_spec) == (ObservationSpec.of(4), ActionSpec(2))
    observations, _ = env.reset()
    assert observations in env.observation_space
    alone = gym.make("CartPole-v1")
    alone.reset(seed=3)
    expected = alone.step(1)[0]
    observations, rewards, *_ = env.step([1, 0])
    assert observations.shape == (2, 4) and observations.dtype == np.float32 and rewards.tolist() == [1, 1]
    np.testing.assert_array_equal(observations[0], expected)
    env.close()


def test_pendulum_takes_numbers_from_minus_1_to_1():
    env: Any = make_vec("Pendulum-v1", num_envs=4)
    assert (env.observation_spec, env.action_spec) == (ObservationSpec.of(3), ActionSpec(low=(-2.0,), high=(2.0,)))
    env.reset(seed=0)
    observations, *_ = env.step(np.float32([[-1], [0], [1], [3]]))
    assert observations.shape == (4, 3) and observations.dtype == np.float32
    assert [float(copy.unwrapped.last_u) for copy in env._copies] == [-2, 0, 2, 2]
    for actions in (np.zeros((4, 1), int), np.zeros(4, np.float32), np.float32([[0], [0], [0], [np.nan]])):
        with pytest.raises(UserError, match=r"finite floats \(4, 1\), 1 per environment, from -1 to 1"):
            env.step(actions)
    env.close()


def test_a_dictionary_is_resized_flattened_and_scaled(robots):
    first, _ = robots.reset(seed=0)
    assert first in robots.observation_space
    seen, *_ = robots.step(np.float32([[-1, 0.5], [3, -7]]))
    assert {name: (part.shape, part.dtype) for name, part in seen.items()} == {
        "eye": ((2, 64, 64, 3), np.uint8),
        "touch": ((2, 2), np.float32),
        "count": ((2, 1), np.float32),
    }
    # From 0 to 4, and from -1 to 1; what lies outside of -1 to 1 is clipped.
    assert seen["touch"].tolist() == [[0, 0.5], [4, -1]]
    assert seen["count"].tolist() == [[1], [1]] and (seen["eye"] == 10).all()
    robots.observation_spec.check(seen, 2)
    assert robots.action_meanings() == ["action 0", "action 1"]


@pytest.mark.parametrize("wrong", ["nan", "inf", "1e+39"])
def test_numbers_that_are_not_finite_are_refused_with_their_place(robots, monkeypatch, wrong):
    monkeypatch.setattr(Robot, "wrong", float(wrong))
    robots.reset(seed=0)
    for _ in range(2):
        robots.step(np.zeros((2, 2), np.float32))
    with pytest.raises(ForeignEnvError) as error:
        robots.step(np.zeros((2, 2), np.float32))
    assert str(error.value) == (
        "Environment 1 ('test/Robot-v0'), step 3 of episode 1: the part 'touch' of the observation holds "
        f"{wrong} at (1, 0); all its numbers must be finite in float32."
    )


@pytest.mark.parametrize(
    ("observation", "text"),
    [
        (np.zeros((2, 1)), r"the observation holds float64 \(2, 1\); its space says a dictionary of 'count', 'eye'"),
        ({"eye": 0}, "the observation holds 'eye'; its space says"),
        (
            {"eye": np.zeros((20, 30, 3), np.uint8), "touch": np.zeros((2, 1)), "count": 3},
            r"the part 'count' of the observation is a int; its space says int64 \(\)",
        ),
    ],
)
def test_a_dictionary_of_other_parts_is_refused(robots, monkeypatch, observation, text):
    monkeypatch.setattr(Robot, "_show", lambda self, felt: observation)
    with pytest.raises(ForeignEnvError, match=text):
        robots.reset(seed=0)
