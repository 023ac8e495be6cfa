"""Runs before they are loaded: what their specs allow, and which fit together."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from image_spaces import image_spec

from worldmodels.config.run_config import RunConfig
from worldmodels.core.errors import UserError
from worldmodels.core.files.checkpoint import Checkpoints
from worldmodels.core.files.run_dir import RunDir
from worldmodels.core.specs import ObservationSpec
from worldmodels.envs import EnvConfig
from worldmodels.models.api import ModelSpec
from worldmodels.player.app import play_runs
from worldmodels.player.session.options import PlayOptions
from worldmodels.player.session.runs import Run, check_together, count_models


def test_two_runs_must_know_the_same_game(run_folder, tmp_path):
    other = RunDir.create(tmp_path / "other", RunConfig(env=EnvConfig(game="maze")), {})
    with pytest.raises(UserError, match="'.*other' has no checkpoint yet"):
        play_runs([run_folder, other.path])
    Checkpoints(other.checkpoints).write(0, {"model": {}, "agent": {}})
    with pytest.raises(UserError, match="'.*run' is of 'coinrun', '.*other' of 'maze'"):
        play_runs([run_folder, other.path])
    with pytest.raises(UserError, match="one run, or two side by side. Received 3"):
        play_runs([run_folder] * 3)


class MadeUpConfig:
    """The configuration of a family of models that does not exist."""

    def __init__(self, **what):
        self._what = what

    def spec(self, observation, action):
        return ModelSpec(observation, action, ObservationSpec.of(3), **self._what)


def made_up_run(**what):
    return Run("made_up", replace(RunConfig(), model=MadeUpConfig(**what)), (0,))


@pytest.mark.parametrize("reconstructs", [False, True])
def test_a_new_family_of_models_needs_nothing_but_its_spec(reconstructs):
    run = made_up_run(imagines=True, reconstructs=reconstructs)
    assert run.spec == image_spec((64, 64, 3), 15, (3,), imagines=True, reconstructs=reconstructs)
    assert count_models([run], PlayOptions()) == 1
    assert count_models([run, run], PlayOptions()) == 2
    assert count_models([run], PlayOptions(alone="model")) == 1
    assert count_models([run], PlayOptions(alone="real")) == 0
    check_together([run, run])


def test_a_representation_that_does_not_imagine_is_no_model_to_play():
    run = made_up_run(imagines=False)
    assert count_models([run], PlayOptions()) == 0
    with pytest.raises(UserError, match="the run 'made_up' has no world model"):
        check_together([run, run])
    with pytest.raises(UserError, match="'made_up' has no world model to play alone"):
        count_models([run], PlayOptions(alone="model"))


@pytest.mark.parametrize(
    ("given", "shown"),
    [
        ("runs/maze", "runs/maze, step 1,200"),
        ("gallery:coinrun", "gallery:coinrun, step 1,200"),
        ("/a/long/way/to/runs/maze", "maze, step 1,200"),
    ],
)
def test_a_run_is_named_as_it_was_given_and_a_long_path_by_its_end(given: str, shown: str) -> None:
    assert Run(Path("cache/coinrun-12"), RunConfig(), (800, 1200), given).source == shown
    assert Run(Path(given), RunConfig(), (800, 1200)).source == shown


@pytest.mark.parametrize(("wanted", "step"), [("", 1000), ("@1000", 1000), ("@10", 100), ("@400", 100), ("@900", 1000)])
def test_a_step_behind_the_path_chooses_the_nearest_checkpoint(tmp_path, wanted, step):
    run = RunDir.create(tmp_path / "maze", RunConfig(), {})
    for kept in (100, 1000):
        Checkpoints(run.checkpoints).write(kept, {"model": {}, "agent": {}})
    opened = Run.open(f"{run.path}{wanted}")
    assert (opened.step, opened.path, opened.steps) == (step, run.path, (100, 1000))
    assert opened.source == f"maze, step {step:,}"
    assert opened.title == ("maze" if not wanted else f"maze {step:,}")


def test_a_folder_whose_name_ends_like_a_step_is_a_folder(tmp_path):
    run = RunDir.create(tmp_path / "maze@7", RunConfig(), {})
    Checkpoints(run.checkpoints).write(100, {"model": {}, "agent": {}})
    assert (Run.open(run.path).step, Run.open(run.path).wanted) == (100, None)
    with pytest.raises(UserError, match="maze"):
        Run.open(tmp_path / "maze@8")
