"""The public functions of the package, from one run to all that is done with it."""

from __future__ import annotations

import inspect
from dataclasses import dataclass, fields

import gymnasium as gym
import numpy as np
import pytest

import worldmodels
from worldmodels.cli import main, parser
from worldmodels.cli.arguments import CLUSTER
from worldmodels.config.run_config import EvaluationConfig, RunConfig
from worldmodels.core.configuration.sections import load_config
from worldmodels.core.errors import ConfigError, UserError
from worldmodels.imagination.vector_env import ImaginedVectorEnv
from worldmodels.player.session.options import PlayOptions
from worldmodels.training.launch import parse_given


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    folder = tmp_path_factory.mktemp("runs") / "maze"
    overrides = {"training.steps": 120, "schedule.evaluate_every": 0, "seed": np.int64(3), "env.num_levels": 20}
    return worldmodels.train("maze", "debug", overrides, folder)


def test_the_run_has_a_short_text(run):
    assert repr(worldmodels.load(run)) == f"LoadedRun(run_dir=RunDir({str(run)!r}), step=120)"


def test_every_public_function_has_types_and_documentation():
    for name in set(worldmodels.__all__) - {"__version__"}:
        function = getattr(worldmodels, name)
        signature = inspect.signature(function)
        assert signature.return_annotation is not inspect.Signature.empty, name
        assert all(p.annotation is not inspect.Parameter.empty for p in signature.parameters.values()), name
        assert "Args:" in function.__doc__ and "Raises:" in function.__doc__, name


def test_the_options_of_player_evaluation_and_learned_world_are_parameters():
    def defaults(function):
        return {name: parameter.default for name, parameter in inspect.signature(function).parameters.items()}

    def own(kind):
        return {field.name: field.default for field in fields(kind)}

    playing = defaults(worldmodels.play)
    assert {name: playing[name] for name in own(PlayOptions)} == own(PlayOptions)
    assert set(playing) - set(own(PlayOptions)) == {"runs", "game", "env", "game_options"}
    evaluating = defaults(worldmodels.evaluate)
    assert all(evaluating[name] is None for name in set(own(EvaluationConfig)) - {"test_levels"})  # of training alone
    dreaming = defaults(worldmodels.dream)
    for name, default in defaults(ImaginedVectorEnv).items():
        if name not in ("model", "starts"):
            assert dreaming[name] == getattr(default, "value", default), name
    for function in (worldmodels.play, worldmodels.evaluate, worldmodels.dream):
        assert all(f"        {name}: " in function.__doc__ for name in defaults(function))


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
    worldmodels.play(run, policy=True, headless=True, steps=3, video=str(tmp_path / "run.mp4"))
    worldmodels.play(game="maze", headless=True, steps=3, video=str(tmp_path / "game.mp4"), distribution_mode="hard")
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


class Lantern(gym.Env):
    """Shows black and white in turn for six steps; action 1 on white is worth a point."""

    observation_space = gym.spaces.Box(0, 255, (16, 16, 3), np.uint8)
    action_space = gym.spaces.Discrete(3)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.steps = 0
        return self._image(), {}

    def step(self, action):
        reward = float(action == 1 and self.steps % 2 == 1)
        self.steps += 1
        return self._image(), reward, False, self.steps == 6, {}

    def _image(self):
        return np.full((16, 16, 3), 255 * (self.steps % 2), np.uint8)


def test_an_environment_of_ones_own_is_given_wherever_its_run_is_used(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    settings = {"env.image_size": 16, "schedule.evaluate_every": 80, "schedule.log_every": 40}
    for steps in (40, 80):
        run = worldmodels.train(Lantern, "debug_ppo", settings | {"training.steps": steps})
    assert str(run) == "runs/Lantern" and "Continuing from the checkpoint at step 40" in capsys.readouterr().out
    loaded = worldmodels.load(run, env=Lantern)
    assert loaded.config.env.game == "python:Lantern" and loaded.step == 80
    found = worldmodels.evaluate(run, env=Lantern, episodes=2)
    assert found["returns"][0]["policy"]["n"] == 2
    for call in (lambda: worldmodels.load(run), lambda: worldmodels.evaluate(run, env=Lantern())):
        with pytest.raises(UserError, match="'python:Lantern' (was given in Python|is an object)"):
            call()
    assert main(["eval", str(run)]) == 2
    assert "'python:Lantern' was given in Python" in capsys.readouterr().err


def test_an_object_trains_alone(tmp_path):
    lantern, settings = Lantern(), {"training.steps": 20, "schedule.evaluate_every": 0, "env.num_envs": 1}
    run = worldmodels.train(lantern, "debug_ppo", settings, tmp_path / "run")
    assert worldmodels.load(run, env=lantern).step == 20
    for changed, text in [
        ({"env.num_envs": 2}, "which is one copy of an environment; num_envs is 2"),
        ({"schedule.evaluate_every": 10}, "an evaluation needs an environment of its own"),
    ]:
        with pytest.raises(UserError, match=text):
            worldmodels.train(lantern, "debug_ppo", settings | changed, tmp_path / "other")
    assert not (tmp_path / "other").exists()


def test_nothing_is_given_to_a_run_that_needs_nothing(run):
    with pytest.raises(UserError, match="The environment of this run is 'maze'"):
        worldmodels.load(run, env=Lantern)


def test_a_policy_refuses_observations_that_it_cannot_see(run):
    policy = worldmodels.load(run).policy()
    for image, received in ((np.zeros((1, 64, 64, 3)), "float64"), (np.zeros((64, 64, 3), np.uint8), r"\(64, 64, 3\)")):
        with pytest.raises(UserError, match=rf"uint8 \(1, 64, 64, 3\), images from 0 to 255. Received .*{received}"):
            policy(image, np.ones(1, bool))


def test_both_level_sets_at_once(run):
    found = worldmodels.evaluate(run, levels="both", seed=np.int64(3), episodes=2, max_steps=5)
    assert list(found) == ["train", "test"]
    assert [tree["levels"] for tree in found.values()] == ["training levels 0 to 19", "test levels from 20 on"]


@dataclass(frozen=True)
class Steps:
    steps: int = 70


def test_a_configuration_is_anything_that_names_keys(tmp_path):
    file = tmp_path / "seed.yaml"
    file.write_text("seed: 5\n")
    for config in (file, {"seed": 5}, {"seed": np.int64(5)}, ["debug", {"seed": 5}], load_config(RunConfig, [file])):
        assert parse_given(config, {"env.game": "maze"}, tmp_path / "run").seed == 5
    values = {"training": Steps(), "training.demonstrations": [file], "schedule": {"evaluate_every": np.int32(0)}}
    found = parse_given("debug", values, tmp_path / "run")
    assert (found.training.steps, found.training.demonstrations, found.schedule.evaluate_every) == (70, (str(file),), 0)
    with pytest.raises(ConfigError, match="a list of them. Received int"):
        parse_given([7], {}, tmp_path / "run")
    with pytest.raises(ConfigError, match="key 'seed' takes .* Received object"):
        parse_given("debug", {"seed": object()}, tmp_path / "run")


def test_names_of_flags_are_names_of_parameters():
    commands = next(iter(parser()._subparsers._group_actions)).choices
    for command, function, only in (
        ("play", worldmodels.play, {"paths", "option"}),
        (
            "eval",
            worldmodels.evaluate,
            {"path", "planner", "checkpoint", "all_checkpoints", "jobs", "engine", "storage", *CLUSTER},
        ),
    ):
        flags = {action.dest for action in commands[command]._actions} - {"help", "run"}
        assert flags - only <= set(inspect.signature(function).parameters), command
