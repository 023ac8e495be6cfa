"""From names to environments: our own, Gymnasium's registry, and foreign ones."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import gymnasium as gym
import numpy as np
import pytest

from worldmodels.config.run_config import RunConfig
from worldmodels.core.configuration.sections import load_config
from worldmodels.core.errors import ConfigError, UserError
from worldmodels.envs import GAMES, EnvConfig, GameEnv, GameVectorEnv, make, make_vec
from worldmodels.envs.foreign.adapters import make_foreign_vec
from worldmodels.envs.games.table import ACTION_KEYS, GAME_INFO


class Blinker(gym.Env):
    """Four steps of images 20 x 30; the brightness counts the steps."""

    observation_space = gym.spaces.Box(0, 255, (20, 30, 3), np.uint8)
    action_space = gym.spaces.Discrete(3)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.steps = 0
        return self._image(), {}

    def step(self, action):
        self.steps += 1
        return self._image(), float(action), self.steps == 4, False, {}

    def _image(self):
        return np.full((20, 30, 3), 10 * self.steps, np.uint8)


gym.register("test/Blinker-v0", Blinker)


@pytest.mark.parametrize("name", GAMES)
def test_gymnasium_makes_every_game(name):
    import worldmodels.envs.making  # noqa: F401

    id = GAME_INFO[name].id
    assert isinstance(gym.make(id).unwrapped, GameEnv)
    assert isinstance(gym.make(f"worldmodels.envs.making:{id}").unwrapped, GameEnv)
    envs = gym.make_vec(id, num_envs=3, num_threads=2, distribution_mode="easy", num_levels=4)
    assert isinstance(envs, GameVectorEnv) and envs.num_envs == 3
    assert isinstance(make_vec(id), GameVectorEnv)


@pytest.mark.parametrize("order", ["worldmodels, gymnasium", "gymnasium, worldmodels"])
def test_importing_the_package_registers_the_games(order):
    code = f"import {order}; print(gymnasium.make('worldmodels/Maze-v0').spec.id, gymnasium.spec('CartPole-v1').id)"
    shown = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert shown == "worldmodels/Maze-v0 CartPole-v1\n"


def test_configuration_and_overrides():
    env = make_vec(EnvConfig("maze", num_envs=3), seed=1, num_envs=5)
    assert env.num_envs == 5 and env.reset()[0].shape == (5, 64, 64, 3)


def test_meanings_and_keys():
    env = make("coinrun")
    assert env.action_meanings[8] == "run right and jump" and env.action_keys[8] == ("right", "up")
    assert ACTION_KEYS[4] == () and ACTION_KEYS[9] == ("d",)
    assert env.title == "CoinRun" and "coin" in env.rules


def test_record_statistics_wrapper():
    envs = gym.wrappers.vector.RecordEpisodeStatistics(make_vec("maze", seed=0, num_envs=4))
    envs.reset()
    random, returns = np.random.default_rng(0), np.zeros(4)
    for _ in range(501):
        _, rewards, terminated, truncated, info = envs.step(random.integers(0, 9, 4))
        returns += rewards
        if (ended := terminated | truncated).any():
            break
    assert info["_episode"].tolist() == ended.tolist()
    assert info["episode"]["r"][ended].tolist() == returns[ended].tolist()
    assert (info["episode"]["l"][ended] > 0).all()


def test_foreign_environment_is_resized_and_steps_in_next_step_mode():
    env = make_vec("test/Blinker-v0", seed=3, num_envs=2)
    assert env.single_observation_space.shape == (64, 64, 3) and env.single_action_space.n == 3
    observations, _ = env.reset()
    values, ends, rewards = [int(observations[0, 0, 0, 0])], [], []
    for action in [2, 1, 0, 2, 1, 1]:
        observations, reward, terminated, truncated, _ = env.step([action, action])
        values.append(int(observations[1, 63, 63, 2]))
        ends.append(bool(terminated[0]))
        rewards.append(float(reward[0]))
    assert observations.shape == (2, 64, 64, 3) and observations.dtype == np.uint8 and reward.dtype == np.float32
    assert values == [0, 10, 20, 30, 40, 0, 10]
    assert ends == [False, False, False, True, False, False]
    assert rewards == [2, 1, 0, 2, 0, 1]
    for call in (env.get_state, lambda: env.set_state([])):
        with pytest.raises(
            UserError, match="'test/Blinker-v0' cannot be saved: nobody here knows how to save 'Blinker'"
        ):
            call()
    env.close()


@pytest.mark.parametrize(
    ("id", "package", "extra"),
    [
        ("LunarLander-v3", "Box2D", "box2d"),
        ("HalfCheetah-v5", "mujoco", "mujoco"),
        ("ALE/Pong-v5", "ale_py", "atari"),
        ("dm_control/walker-walk-v0", "shimmy", "dmc"),
        ("dm_control/walker-walk-v0", "dm_control", "dmc"),
        ("MiniGrid-Empty-5x5-v0", "minigrid", "minigrid"),
        ("CrafterReward-v1", "crafter", "crafter"),
    ],
)
def test_packages_that_are_missing_are_told_with_what_brings_them(monkeypatch, id, package, extra):
    for name in [name for name in sys.modules if name.startswith((f"gymnasium.envs.{extra}", package))]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, package, None)
    if extra not in ("mujoco", "box2d", "crafter"):
        monkeypatch.delitem(gym.registry, id, raising=False)
    with pytest.raises(UserError) as error:
        make_vec(id)
    text = str(error.value)
    assert text.startswith(
        f"'{id}' needs packages that are not installed: pip install 'worldmodels-lab[{extra}]' brings"
    )


@pytest.fixture
def own_folder(tmp_path, monkeypatch):
    """An empty current folder that is not on the path of Python, as where an installed command is called."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [path for path in sys.path if path])
    return tmp_path


def test_an_environment_of_ones_own_beside_its_file(own_folder):
    """The example of the documentation, with a neighbour that it imports."""
    (example,) = (block for block in code_blocks("environments.md") if "class Blinker" in block)
    (own_folder / "blinker.py").write_text(f"import blinker_neighbour\n{example}")
    (own_folder / "blinker_neighbour.py").write_text("")
    env = make_vec("blinker:Blinker-v0", num_envs=2)
    observations, _ = env.reset(seed=1)
    assert observations.shape == (2, 64, 64, 3) and not observations.any()
    observations, rewards, *_ = env.step([1, 1])
    assert (observations == 255).all() and rewards.tolist() == [0, 0]
    assert env.step([1, 0])[1].tolist() == [1, 0]


def code_blocks(page):
    text = (Path(__file__).parents[2] / "docs" / page).read_text()
    return re.findall(r"```python\n(.*?)```", text, re.DOTALL)


@pytest.mark.parametrize(
    ("id", "source", "texts"),
    [
        ("no_such_module:Own-v0", None, ["No module named 'no_such_module'", "Python looks in", "FOLDER"]),
        ("needs_more:Own-v0", "import no_such_package", ["module 'needs_more'", "No module named 'no_such_package'"]),
        ("misspelt:Own-v0", "import = 3", ["module 'misspelt'", "invalid syntax"]),
        ("forgetful:Own-v0", "", ["cannot make 'forgetful:Own-v0'", "doesn't exist"]),
        (":Own-v0", None, ["'' is not the name of a module"]),
        ("two:colons:Own-v0", None, ["'two:colons' is not the name of a module"]),
    ],
)
def test_modules_that_cannot_be_used_are_answered(own_folder, id, source, texts):
    if source is not None:
        (own_folder / f"{id.split(':')[0]}.py").write_text(source)
    with pytest.raises(UserError) as error:
        make_vec(id)
    for text in texts:
        assert text.replace("FOLDER", str(own_folder)) in str(error.value)


@pytest.mark.parametrize(
    ("call", "text"),
    [
        (lambda: make_vec("mase"), "Did you mean 'maze'?"),
        (
            lambda: make_vec("Taxi-v3"),
            "version v3 for `Taxi` is deprecated. Please use `Taxi-v4`",
        ),
        (lambda: make_vec("CartPole-v9"), "It provides versioned environments: [ `v0`, `v1` ]."),
        (lambda: make_vec("cartpole"), "The nearest id of Gymnasium is 'CartPole-v"),
        (lambda: make_vec("mase"), "'module:Name-v0' imports a module"),
        (lambda: make_vec("Blackjack-v1"), "Observations may be uint8 images"),
        (lambda: make_vec("test/Blinker-v0", num_levels=3), "'num_levels' belongs to native games"),
        (lambda: make_foreign_vec(EnvConfig("no/Such-v0")), "cannot make 'no/Such-v0'"),
    ],
)
def test_mistakes_are_answered(call, text):
    with pytest.raises(UserError) as error:
        call()
    assert text in str(error.value)


@pytest.mark.parametrize(("key", "ours"), [("id", "game"), ("env_id", "game"), ("n_envs", "num_envs")])
def test_keys_of_other_programs_are_answered_with_those_here(key, ours):
    with pytest.raises(ConfigError, match=f"unknown key 'env.{key}'. Did you mean 'env.{ours}'"):
        load_config(RunConfig, [], [f"env.{key}=CartPole-v1"])


class Blind(Blinker):
    """Takes any render mode, and lists none that gives arrays."""

    metadata = {"render_modes": ["human"]}

    def __init__(self, render_mode=None):
        self.render_mode = render_mode


gym.register("test/Blind-v0", Blind)


@pytest.mark.parametrize("how", [{"render_mode": "rgb_array"}, {"pixels": "only"}])
def test_an_environment_that_does_not_draw_says_which_modes_it_has(how):
    with pytest.raises(UserError, match="cannot draw in the render mode 'rgb_array'.* lists the modes 'human'"):
        make_vec("test/Blind-v0", **how)
