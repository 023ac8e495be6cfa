from __future__ import annotations

import csv
import math
from pathlib import Path

import pytest
from PIL import Image

from worldmodels.analysis.plots.generalisation import generalisation_panels, plot_generalisation
from worldmodels.core.errors import UserError

T_OF_TWO = 12.706204736432095
"""Student's t of one degree of freedom, 95 %."""


@pytest.fixture
def folder(tmp_path: Path, make_level_run) -> Path:
    """Two methods, two seeds: one with a world model, on 10 and 50 levels; one without, on 10 and on all."""
    for seed in range(2):
        for levels in (50, 10):
            model = {"eval/image_error_at_15": 1.0, "eval/copy_image_error_at_15": 4.0}
            tested = {"eval/test_image_error_at_15": 2.0, "eval/test_copy_image_error_at_15": 4.0}
            returns = {"eval/return": 8.0 + seed, "eval/test_return": levels / 10}
            make_level_run("actor_critic", levels, seed, returns | model | tested)
        make_level_run("ppo", 10, seed, {"eval/return": 6.0, "eval/test_return": 4.0})
        make_level_run("ppo", 0, seed, {"eval/return": 5.0})
    return tmp_path / "runs"


def test_lines_over_the_number_of_levels(folder: Path) -> None:
    returns, gap, image = generalisation_panels([folder])
    assert [panel.title for panel in (returns, gap, image)] == [
        "Return",
        "Return, training less test levels",
        "Image error over copying, 15 ahead",
    ]
    train, test, ppo, ppo_test = returns.lines
    assert [line.name for line in returns.lines] == ["agent.kind=actor_critic"] * 2 + ["agent.kind=ppo"] * 2
    assert [line.value for line in returns.lines] == ["eval/return", "eval/test_return"] * 2
    assert [line.beside for line in returns.lines] == [False, True] * 2
    assert train.curve.x.tolist() == [10, 50] and train.curve.runs.tolist() == [2, 2]
    assert train.curve.estimate.tolist() == [8.5, 8.5]
    # Of 8 and 9 the standard error is a half.
    assert train.curve.high[0] == pytest.approx(8.5 + 0.5 * T_OF_TWO)
    assert test.curve.estimate.tolist() == [1, 5] and test.curve.low.tolist() == [1, 5]
    # Without limit there are no other levels: one number is both, and no gap.
    assert ppo.curve.x.tolist() == [10, math.inf] and ppo.curve.estimate.tolist() == [6, 5]
    assert ppo_test.curve.estimate.tolist() == [4, 5]
    assert [line.curve.estimate.tolist() for line in gap.lines] == [[7.5, 3.5], [2]]
    # PPO has no model, and nobody misses it there.
    assert [line.curve.estimate.tolist() for line in image.lines] == [[0.25, 0.25], [0.5, 0.5]]


def test_values_that_are_asked_for(folder: Path) -> None:
    (panel,) = generalisation_panels([folder], ["eval/image_error_at_15"], "max")
    assert panel.title == "eval/image_error_at_15"
    assert [line.curve.estimate.tolist() for line in panel.lines] == [[1, 1], [2, 2]]


def test_a_run_without_its_evaluation_is_left_out_with_a_warning(folder: Path, make_level_run) -> None:
    make_level_run("ppo", 10, 7, {"episode/return": 3.0})
    with pytest.warns(UserWarning, match=r"'Return' was not recorded in '.*ppo_10_7': left out of its panel"):
        returns = generalisation_panels([folder])[0]
    assert returns.lines[2].curve.runs.tolist() == [2, 2]


def test_evaluations_of_different_steps_are_told(folder: Path, make_level_run) -> None:
    make_level_run("ppo", 10, 7, {"eval/return": 3.0, "eval/test_return": 3.0}, step=2_000)
    with pytest.warns(UserWarning, match="last evaluations of 'agent.kind=ppo' are of 100 to 2,000 steps"):
        generalisation_panels([folder])


def test_what_cannot_be_shown_is_told(folder: Path, tmp_path: Path) -> None:
    with pytest.raises(UserError, match="are called 'eval/...'. Received 'episode/return'"):
        generalisation_panels([folder], ["eval/return", "episode/return"])
    with pytest.raises(UserError, match="Unknown estimator 'meen'. Did you mean 'mean'"):
        generalisation_panels([folder], estimator="meen")
    with pytest.raises(UserError, match="No run has recorded eval/loss on test levels"):
        generalisation_panels([folder], ["eval/loss"])


def test_the_picture_and_its_table(folder: Path, tmp_path: Path) -> None:
    first = plot_generalisation([folder], save=tmp_path / "first.png", export=tmp_path / "a.csv")
    with Image.open(first) as image:
        assert image.size == (1890, 540)  # three panels in a row, and a line of legend
        assert len(image.convert("RGB").getcolors(1 << 24) or []) > 20
    assert plot_generalisation([folder], save=tmp_path / "second.png").read_bytes() == first.read_bytes()
    with open(tmp_path / "a.csv", newline="") as file:
        rows = list(csv.reader(file))
    assert rows[8] == ["agent.kind=ppo", "eval/test_return", "inf", "5", "5", "5", "2", "Return"]
