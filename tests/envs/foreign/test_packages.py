"""Environments of extras, each from its id: what they show and take, where they are installed."""

from __future__ import annotations

from importlib.util import find_spec

import gymnasium as gym
import numpy as np
import pytest

from worldmodels.core.errors import UserError
from worldmodels.envs import make_vec
from worldmodels.envs.foreign.copy_state import class_name
from worldmodels.envs.foreign.crafter import CrafterEnv, crafter_score

IMAGE = "image uint8 (64, 64, 3)"
SPECS = {
    ("crafter", "CrafterReward-v1"): ({}, IMAGE, "one of 17 choices"),
    ("minigrid", "MiniGrid-DoorKey-5x5-v0"): ({}, IMAGE, "one of 7 choices"),
    ("minigrid", "MiniGrid-Empty-8x8-v0"): ({"options": {"view": "grid"}}, IMAGE, "one of 7 choices"),
    ("ale_py", "ALE/Pong-v5"): ({}, IMAGE, "one of 6 choices"),
    ("ale_py", "PongNoFrameskip-v4"): ({"grey": True}, "image uint8 (64, 64, 1)", "one of 6 choices"),
    ("shimmy", "dm_control/walker-walk-v0"): (
        {},
        "height: vector float32 (1,), orientations: vector float32 (14,), velocity: vector float32 (9,)",
        "a box of 6 numbers from -1 to 1",
    ),
    ("shimmy", "dm_control/hopper-hop-v0"): (
        {"options": {"flat": True}},
        "vector float32 (15,)",
        "a box of 4 numbers from -1 to 1",
    ),
    ("shimmy", "dm_control/cartpole-swingup-v0"): (
        {"pixels": "only", "options": {"shadows": False, "camera": 0}},
        IMAGE,
        "a box of 1 numbers from -1 to 1",
    ),
}


@pytest.mark.parametrize("which", SPECS, ids=lambda which: which[1])
def test_what_they_show_and_take(which):
    package, game = which
    if not find_spec(package):
        pytest.skip(f"{package} is not installed")
    settings, observation, action = SPECS[which]
    env = make_vec(game, num_envs=2, **settings)
    assert (str(env.observation_spec), str(env.action_spec)) == (observation, action)
    env.reset(seed=0)
    random = np.random.default_rng(0)
    for _ in range(3):
        shown = env.step(env.action_spec.random(2, random))[0]
        env.observation_spec.check(shown, 2)
    images = [array for array in env.observation_spec.arrays(shown).values() if array.ndim == 4]
    assert all(len(np.unique(image)) > 3 for image in images)
    env.close()


@pytest.mark.parametrize("call", [{"options": {"view": "all"}}])
def test_a_view_that_is_none_is_answered(call):
    pytest.importorskip("minigrid")
    with pytest.raises(UserError, match="The option 'view' of 'MiniGrid-Empty-5x5-v0' is 'agent' or 'grid'; rec"):
        make_vec("MiniGrid-Empty-5x5-v0", **call)


def test_the_actions_of_atari_repeat_as_often_as_is_asked():
    pytest.importorskip("ale_py")
    env = make_vec("ALE/Pong-v5", num_envs=1, options={"frameskip": 1, "repeat_action_probability": 0.25})
    console, taken = env._copies[0].unwrapped.ale, []
    env.reset(seed=0)
    for step in range(2000):
        env.step([2 + step % 2])
        taken.append(console.last[0].value)
    # The right and the left in turn: one that is repeated is followed by the same, or by the next choice.
    names = [env._copies[0].unwrapped._action_set[2 + step % 2].value for step in range(2000)]
    kept = np.mean([one == other for one, other in zip(taken, names, strict=True)])
    # It is off after an odd number of repetitions: 0.25 * 0.75 + 0.25**3 * 0.75 + ... = 0.2.
    assert abs(kept - 0.8) < 0.04


@pytest.fixture
def crafter():
    pytest.importorskip("crafter")
    return CrafterEnv


def test_crafter_tells_achievements_and_pays_for_the_first_of_each(crafter):
    rich, poor = crafter(), crafter(reward=False)
    assert rich.get_action_meanings()[:2] == ["noop", "move left"] and class_name(rich).endswith("crafter.CrafterEnv")
    random = np.random.default_rng(1)
    shown = [env.reset(seed=5)[0] for env in (rich, poor)]
    np.testing.assert_array_equal(*shown)
    unlocked, paid = set(), 0
    for _ in range(300):
        action = int(random.integers(17))
        (image, reward, died, cut, info), (_, nothing, *_) = rich.step(action), poor.step(action)
        now = {name for name, count in info["achievements"].items() if count}
        assert nothing == 0 and reward == pytest.approx(info["reward"]) and not cut
        paid += reward > 0.5
        assert (reward > 0.5) == bool(now - unlocked)
        unlocked |= now
        np.testing.assert_array_equal(rich.render(), image)
        if died:
            break
    reached = {name: count > 0 for name, count in info["achievements"].items()}
    assert paid and len(reached) == 22 and info["unlocked"] == reached and any(reached.values())


def test_crafter_is_truncated_and_repeats_for_a_seed(crafter):
    def play():
        env = crafter(length=20)
        found = [env.reset(seed=3)[0].tobytes()]
        for step in range(20):
            image, reward, died, cut, _ = env.step(step % 17)
            found += [image.tobytes(), reward]
        return found, died, cut

    one = play()
    ballast = [object() for _ in range(1000)]  # objects lie elsewhere
    assert play() == one and one[1:] == (False, True) and ballast


def test_crafters_score_is_a_geometric_mean_of_percentages():
    # 100 %, 50 % and 0 %: (101 * 51 * 1) ** (1 / 3) - 1.
    assert crafter_score([1.0, 0.5, 0.0]) == pytest.approx((101 * 51) ** (1 / 3) - 1)


def test_pixels_are_drawn_once_for_a_repeated_action():
    drawn = []

    class Drawn(gym.Env):
        observation_space = gym.spaces.Box(-1, 1, (2,), np.float32)
        action_space = gym.spaces.Discrete(2)
        render_mode = "rgb_array"

        def reset(self, *, seed=None, options=None):
            self.steps = 0
            return np.zeros(2, np.float32), {}

        def step(self, action):
            self.steps += 1
            return np.zeros(2, np.float32), 1.0, False, False, {}

        def render(self):
            drawn.append(self.steps)
            return np.full((10, 20, 3), self.steps, np.uint8)

    env = make_vec(Drawn, num_envs=1, pixels="beside", action_repeat=3, image_size=8)
    assert str(env.observation_spec) == "image: image uint8 (8, 8, 3), state: vector float32 (2,)"
    env.reset(seed=0)
    drawn.clear()
    observation, rewards, *_ = env.step([0])
    assert drawn == [3] and rewards.tolist() == [3] and (observation["image"] == 3).all()
    assert str(make_vec(Drawn, num_envs=1, pixels="only", image_size=8).observation_spec) == "image uint8 (8, 8, 3)"
    Drawn.render_mode = None
    with pytest.raises(UserError, match="'python:Drawn' must be made with render_mode='rgb_array', and has None"):
        make_vec(Drawn, num_envs=1, pixels="only")
    with pytest.raises(UserError, match=r"frame_max is .* one of the two must be off. Received pixels=only"):
        make_vec("CartPole-v1", pixels="only", frame_max=True, action_repeat=2)


def test_numbers_without_axes_are_vectors_of_one():
    class Scalar(gym.Env):
        observation_space = gym.spaces.Dict({"height": gym.spaces.Box(-9, 9, (), np.float64)})
        action_space = gym.spaces.Discrete(2)

        def reset(self, *, seed=None, options=None):
            return {"height": np.array(1.5)}, {}

    env = make_vec(Scalar, num_envs=2)
    assert str(env.observation_spec) == "height: vector float32 (1,)"
    assert env.reset()[0]["height"].tolist() == [[1.5], [1.5]]
