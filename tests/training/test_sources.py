"""What a run takes over from another one."""

import numpy as np
import pytest
from image_spaces import image_replay

from worldmodels.config.run_config import RunConfig
from worldmodels.core.configuration.sections import from_dict, to_dict
from worldmodels.core.errors import CheckpointError, ConfigError, RunError
from worldmodels.core.files.checkpoint import Checkpoints
from worldmodels.core.files.run_dir import RunDir
from worldmodels.core.types import Step
from worldmodels.replay import ReplayConfig
from worldmodels.training.sources import check_sources, load_pretrained

SHAPE = (64, 64, 3)


def made_run(path, config, steps=10):
    """A run's folder with a store of `steps` steps of each environment, numbered by their actions."""
    run = RunDir.create(path, config, {})
    replay = image_replay(run.replay, config.env.num_envs, SHAPE, ReplayConfig(400, 100))
    for t in range(steps):
        n = config.env.num_envs
        none, frames = np.zeros(n, bool), np.full((n, *SHAPE), t, np.uint8)
        replay.append(Step(frames, np.full(n, t, np.float32), none | (t % 5 == 0), none, none, np.full(n, t, np.int32)))
    replay.close()
    return run


def configured(training=None, **more):
    return from_dict(RunConfig, {"env": {"game": "maze", "num_envs": 2}, "training": training or {}} | more)


def test_an_initial_replay_becomes_the_runs_own_experience(tmp_path, model_based):
    made_run(tmp_path / "other", configured(), steps=150)
    training = {"initial_replay": str(tmp_path / "other"), "collect": 0, "turns": 2, "fit": 3, "improve": 0}
    loop = model_based(training, every=4)
    loop.begin()
    assert loop._replay.span == range(150)
    window = loop._replay.window(1, 0, 150)
    assert window.action[0].tolist() == list(range(150))
    assert window.reward[0].tolist() == list(range(150))
    assert window.observation[0, :, 5, 5, 1].tolist() == list(range(150))
    assert window.is_first[0].tolist() == [t % 5 == 0 for t in range(150)]
    # Held out anew: of the episodes of two streams, numbered as they begin, every fourth is one of stream 1.
    held_out = loop._replay.sample(200, 1, np.random.default_rng(0), "held_out")
    assert set((held_out.action[:, 0] // 5 % 2).tolist()) == {1}
    while not loop.finished:
        loop.iterate()
    assert (loop.step, loop.updates) == (0, 6)


def test_a_run_killed_while_it_copied_begins_again(tmp_path, model_based):
    made_run(tmp_path / "other", configured())
    loop = model_based({"initial_replay": str(tmp_path / "other"), "collect": 0, "turns": 1, "improve": 0})
    loop.begin()
    loop.begin()
    assert loop._replay.span == range(10)


def test_a_pretrained_model_is_taken_over(tmp_path, model_based):
    run = made_run(tmp_path / "other", configured())
    loop = model_based({"pretrained": str(run.path), "fit": 0, "starts": {"context": 3}})
    Checkpoints(run.checkpoints).write(0, {"model": {"weight": np.full((), 0.25, np.float32)}})
    loop.begin()
    assert float(loop.parts.model.weight) == 0.25


def test_the_optimizers_of_a_pretrained_model_begin_anew(tmp_path):
    """Otherwise the learning rate of a run whose schedule ends after 10 updates would be the last from the first on."""

    class Model:
        def save(self):
            return {"weights": 1, "optimizer": {"updates": 0}, "picture": {"weights": 2, "optimizer": {"updates": 0}}}

        def load(self, tree):
            self.loaded = tree

    run = made_run(tmp_path / "other", configured())
    trained = {"weights": 3, "optimizer": {"updates": 10}, "picture": {"weights": 4, "optimizer": {"updates": 10}}}
    Checkpoints(run.checkpoints).write(0, {"model": trained})
    load_pretrained(model := Model(), str(run.path))
    assert model.loaded["weights"] == 3 and model.loaded["picture"]["weights"] == 4
    assert model.loaded["optimizer"] == model.loaded["picture"]["optimizer"] == {"updates": 0}


def test_a_model_of_another_size_names_the_run(tmp_path):
    class Other:
        def save(self):
            return {}

        def load(self, tree):
            raise CheckpointError("'a' has shape (1,) in the checkpoint and (2,) in the world model.")

    run = made_run(tmp_path / "other", configured())
    Checkpoints(run.checkpoints).write(0, {"model": {}})
    with pytest.raises(CheckpointError, match=r"training.pretrained '.*other': 'a' has shape \(1,\)"):
        load_pretrained(Other(), str(run.path))


@pytest.mark.parametrize(
    ("other", "training", "text"),
    [
        (
            {"model": {"kind": "deterministic"}},
            "pretrained",
            "model.kind is deterministic; in this run it is rssm",
        ),
        ({"env": {"game": "maze", "num_envs": 3}}, "initial_replay", "holds 3 streams, and env.num_envs is 2"),
    ],
)
def test_runs_that_do_not_fit_are_refused(tmp_path, other, training, text):
    made_run(tmp_path / "other", configured(**other))
    with pytest.raises(ConfigError, match=text):
        check_sources(configured({training: str(tmp_path / "other")}))


def test_frames_and_actions_must_be_the_same(tmp_path, monkeypatch):
    run = made_run(tmp_path / "other", configured())
    config = to_dict(configured())
    spaces = {"maze": ((64, 64, 3), 15), "heist": ((32, 32, 3), 6)}
    monkeypatch.setattr("worldmodels.training.sources._spaces", lambda config: spaces[config.env.game])
    config["env"]["game"], config["training"]["pretrained"] = "heist", str(run.path)
    with pytest.raises(ConfigError, match=r"is \(\(64, 64, 3\), 15\); in this run it is \(\(32, 32, 3\), 6\)"):
        check_sources(from_dict(RunConfig, config))


def test_an_initial_replay_too_short_for_a_sequence(tmp_path):
    made_run(tmp_path / "other", configured())
    with pytest.raises(ConfigError, match="holds 10 steps of each environment; .* need 50"):
        check_sources(configured({"initial_replay": str(tmp_path / "other")}))


def test_images_of_another_size_are_refused_with_the_command_that_resizes_them(tmp_path):
    replay = image_replay(tmp_path / "larger", 2, (96, 80, 3), ReplayConfig(400, 100))
    none, images = np.zeros(2, bool), np.zeros((2, 96, 80, 3), np.uint8)
    replay.append(Step(images, np.zeros(2, np.float32), ~none, none, none, np.zeros(2, np.int32)))
    replay.save()
    replay.close()
    with pytest.raises(ConfigError, match="convert .*larger OUT --image-size 64' resizes images"):
        check_sources(configured({"initial_replay": str(tmp_path / "larger")}))


def test_a_run_that_is_not_there(tmp_path):
    with pytest.raises(RunError, match="There is no run folder"):
        check_sources(configured({"pretrained": str(tmp_path / "nowhere")}))
