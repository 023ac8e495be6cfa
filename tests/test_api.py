"""The public functions of the package, from one run to all that is done with it."""

from __future__ import annotations

import inspect

import numpy as np
import pytest

import worldmodels
from worldmodels.core.errors import UserError


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    folder = tmp_path_factory.mktemp("runs") / "maze"
    overrides = {"training.steps": 120, "schedule.evaluate_every": 0, "seed": 3}
    return worldmodels.train("maze", "debug", overrides, folder)


def test_every_public_function_has_types_and_documentation():
    for name in set(worldmodels.__all__) - {"__version__"}:
        function = getattr(worldmodels, name)
        signature = inspect.signature(function)
        assert signature.return_annotation is not inspect.Signature.empty, name
        assert all(p.annotation is not inspect.Parameter.empty for p in signature.parameters.values()), name
        assert "Args:" in function.__doc__ and "Raises:" in function.__doc__, name


def test_a_game():
    env = worldmodels.make("maze", distribution_mode="hard", num_levels=1, start_level=4)
    observation, info = env.reset(seed=0)
    assert observation.shape == (64, 64, 3) and info["level_seed"] == 4
    with pytest.raises(UserError, match="Did you mean 'maze'"):
        worldmodels.make("mase")


def test_a_run_is_loaded(run):
    loaded = worldmodels.load(run)
    assert (loaded.step, loaded.config.seed) == (120, 3)
    assert worldmodels.load(run, 100).step == 100
    state = loaded.parts.model.initial(2)
    assert loaded.parts.agent.act(loaded.parts.model.features(state), (), 1.0, np.zeros(2, np.int32))[0].shape == (2,)


def test_the_policy_of_a_run_acts(run):
    loaded = worldmodels.load(run)
    env, policies = loaded.make_env(3), [loaded.policy(3, seed=seed) for seed in (1, 1)]
    observation, _ = env.reset(seed=0)
    first = [policy(observation, np.ones(3, bool)) for policy in policies]
    np.testing.assert_array_equal(*first)
    observation, *_ = env.step(first[0])
    assert policies[0](observation, np.zeros(3, bool)).shape == (3,)
    greedy = [loaded.policy(3, deterministic=True, seed=seed)(observation, np.ones(3, bool)) for seed in (1, 2)]
    np.testing.assert_array_equal(*greedy)


def test_a_run_is_evaluated(run):
    found = worldmodels.evaluate(run, episodes=2, temperatures=(0.0, 1.0), max_steps=5)
    assert [cell["temperature"] for cell in found["returns"]] == [0.0, 1.0]
    assert all(cell["policy"]["n"] == 2 for cell in found["returns"])
    with pytest.raises(UserError, match="episodes"):
        worldmodels.evaluate(run, episodes=0)


def test_a_run_and_a_game_are_played(run, tmp_path):
    worldmodels.play(run, policy=True, headless=True, ticks=3, video=str(tmp_path / "run.mp4"))
    worldmodels.play(game="maze", headless=True, ticks=3, video=str(tmp_path / "game.mp4"), distribution_mode="hard")
    assert (tmp_path / "run.mp4").stat().st_size and (tmp_path / "game.mp4").stat().st_size
    with pytest.raises(UserError, match="Say what to play"):
        worldmodels.play()
    with pytest.raises(UserError, match="Received distribution_mode"):
        worldmodels.play(run, distribution_mode="hard")


def test_a_learned_world_is_an_environment(run):
    envs = worldmodels.dream(run, num_envs=2, horizon=3)
    assert envs.reset(seed=0)[0].shape == (2, 64, 64, 3)
    steps = [envs.step(np.array([t, 2])) for t in range(3)]
    assert steps[0][1].dtype == np.float32
    ended = np.array([terminated | truncated for _, _, terminated, truncated, _ in steps])
    assert ended.any(0).all()  # by the horizon at the latest
