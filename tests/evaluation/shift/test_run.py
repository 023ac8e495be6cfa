"""The command that plays a run under distribution shifts, on a tiny run."""

from __future__ import annotations

import json

import pytest

import worldmodels
from worldmodels.cli import main


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    settings = {"schedule.evaluate_every": 0, "training.steps": 120, "env.num_levels": 3}
    return worldmodels.train("maze", "debug", settings, tmp_path_factory.mktemp("runs") / "maze")


def test_a_run_is_played_under_shifts(run, tmp_path, capsys):
    shifts = tmp_path / "shifts.yaml"
    shifts.write_text("black: {use_backgrounds: false}\nsame: {}\n")
    sizes = ["--episodes", "2", "--max-steps", "6", "--windows", "2"]
    assert main(["shift", str(run), "--shifts", str(shifts), *sizes]) == 0
    printed = capsys.readouterr().out
    assert "Playing black" in printed and "Distribution shifts of maze, step 120" in printed
    tree = json.loads((run / "eval" / "shifts_00000120.json").read_text())
    training, black, same = tree["shifts"]
    assert (training["shift"], black["shift"], black["env"]["use_backgrounds"]) == ("training levels", "black", False)
    assert same["policy"] == training["policy"] and same["model"] == training["model"]
    assert black["model"] != training["model"]
    assert (
        (run / "eval" / "shifts_00000120.md").read_text().startswith("# Distribution shifts of maze, step 120\n\n| sh")
    )


def test_mistakes_are_told_before_anything_is_played(run, tmp_path, capsys):
    shifts = tmp_path / "shifts.yaml"
    shifts.write_text("poles: {game: CartPole-v1, num_levels: 0}\n")
    assert main(["shift", str(run), "--shifts", str(shifts)]) == 2
    assert "The shift 'poles' does not fit" in capsys.readouterr().err
    assert main(["shift", str(run), "--shifts", str(shifts), "--games", "ninja"]) == 2
    assert "names its games itself" in capsys.readouterr().err
