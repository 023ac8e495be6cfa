"""A run of somebody else imports the module of its game only if this user trusts it."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from worldmodels.cli import main
from worldmodels.config.run_config import RunConfig, open_config, trust
from worldmodels.core.errors import UserError
from worldmodels.core.files.run_dir import RunDir
from worldmodels.envs.config import EnvConfig
from worldmodels.evaluation.request import Request
from worldmodels.evaluation.shift.shifts import ShiftRequest, chosen_shifts
from worldmodels.loading.load import load_run
from worldmodels.player.session.runs import Run
from worldmodels.recordings.record import recorded_env
from worldmodels.training.launch import parse_config

GAME = "this:CartPole-v1"


@pytest.fixture(autouse=True)
def imported(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Give the user a home of its own, and return the modules that are imported in it."""
    found: list[str] = []
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    monkeypatch.setattr("worldmodels.envs.foreign.adapters.import_module", found.append)
    return found


def made(path: Path, game: str = GAME, seed: int = 0) -> RunDir:
    return RunDir.create(path, RunConfig(seed=seed, env=EnvConfig(game=game)), {})


@pytest.mark.parametrize(
    "opened",
    [
        load_run,
        Run.open,
        lambda path: chosen_shifts(ShiftRequest(Request(path))),
        lambda path: recorded_env(None, str(path), [], "train"),
        lambda path: parse_config([], ["seed=0"], path),
    ],
)
def test_opening_a_folder_imports_no_module(
    tmp_path: Path, imported: list[str], opened: Callable[[Path], object]
) -> None:
    made(tmp_path / "a run")
    said = f"imports a module, which runs its code: '{GAME}'.*If you trust it: worldmodels trust '{tmp_path}/a run'"
    with pytest.raises(UserError, match=said):
        opened(tmp_path / "a run")
    assert imported == [] and not (tmp_path / "state").exists()


def test_who_names_the_game_may_continue(tmp_path: Path) -> None:
    made(tmp_path / "run")
    assert parse_config([], [f"env.game={GAME}"], tmp_path / "run").env.game == GAME


def test_a_trusted_run_may_import_its_module_and_another_may_not(
    tmp_path: Path, imported: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    run, other = made(tmp_path / "run"), made(tmp_path / "other", seed=1)
    assert main(["shift", str(run.path), "--shifts", "none.yaml"]) == 2
    assert f"worldmodels trust {run.path}" in capsys.readouterr().err
    assert main(["trust", str(run.path)]) == 0
    assert f"may import the module of its game from now on: '{GAME}'" in capsys.readouterr().out
    trust(run)
    assert (tmp_path / "state" / "worldmodels" / "trusted_runs.txt").read_text().count("\n") == 1
    assert open_config(run).env.game == GAME and Run.open(run.path).spec.action.count == 2
    assert set(imported) == {"this"}
    copied = shutil.copytree(run.path, tmp_path / "copied")
    assert open_config(RunDir.open(copied)).env.game == GAME
    with pytest.raises(UserError, match="that you trained on this machine, or that you trust"):
        open_config(other)


def test_other_games_need_no_trust(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for game in ("maze", "CartPole-v1", "python:Blinker"):
        run = made(tmp_path / game.replace(":", ""), game)
        assert open_config(run).env.game == game
        assert main(["trust", str(run.path)]) == 0
        assert "imports no module: there is nothing to trust" in capsys.readouterr().out
    assert not (tmp_path / "state").exists()


def test_a_run_that_was_trained_here_is_trusted(tmp_path: Path) -> None:
    words = ["--config", "debug_ppo", f"env.game={GAME}", "training.steps=64", "schedule.evaluate_every=0"]
    assert main(["train", *words, "--logdir", str(tmp_path / "run")]) == 0
    assert open_config(RunDir.open(tmp_path / "run")).env.game == GAME
    shutil.rmtree(tmp_path / "state")
    with pytest.raises(UserError, match="imports a module"):
        open_config(RunDir.open(tmp_path / "run"))
