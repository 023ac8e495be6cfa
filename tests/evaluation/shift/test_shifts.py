"""Distribution shifts: which there are, how they are read, and which are refused."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from worldmodels.config.run_config import RunConfig
from worldmodels.core.configuration.sections import load_config
from worldmodels.core.errors import ConfigError, UserError
from worldmodels.envs.config import EnvConfig
from worldmodels.evaluation.shift.shifts import (
    DistributionShift,
    check_shifts,
    default_shifts,
    read_shifts,
    training_distribution,
)

TEN = EnvConfig(game="coinrun", num_envs=2, num_levels=10, start_level=5)
RUN = load_config(RunConfig, ["debug"], ["env.num_levels=10", "env.start_level=5"])


def test_one_thing_changes_at_a_time() -> None:
    assert training_distribution(TEN) == ("training levels", TEN)
    assert training_distribution(replace(TEN, num_levels=0)).name == "as in training"
    shifts = dict(default_shifts(TEN, ["maze"]))
    assert list(shifts) == [
        *("test levels", "no backgrounds", "generated textures", "flat rectangles"),
        *("one theme", "whole level shown", "velocity painted"),
        *("no pits", "no crates", "no changes of height", "mode hard", "maze"),
    ]
    assert shifts["test levels"] == replace(TEN, start_level=15, num_levels=0)
    assert shifts["no backgrounds"] == replace(TEN, use_backgrounds=False)
    assert shifts["no crates"] == replace(TEN, debug_mode=4)
    assert shifts["mode hard"] == replace(TEN, distribution_mode="hard")
    assert shifts["maze"] == replace(TEN, game="maze")
    check_shifts(RUN, default_shifts(RUN.env, ["maze"]))


def test_other_games_have_other_modes_and_no_physics_to_switch_off() -> None:
    names = [shift.name for shift in default_shifts(EnvConfig(game="maze"))]
    assert names[-2:] == ["mode hard", "mode memory"] and "no pits" not in names and "test levels" not in names


def test_shifts_are_read_from_a_file(tmp_path: Path) -> None:
    path = tmp_path / "shifts.yaml"
    path.write_text("black: {use_backgrounds: false}\nhard maze: {game: maze, distribution_mode: hard}\n")
    assert read_shifts(path, TEN) == [
        DistributionShift("black", replace(TEN, use_backgrounds=False)),
        DistributionShift("hard maze", replace(TEN, game="maze", distribution_mode="hard")),
    ]


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("", "a file of shifts holds lines of the form 'name: {use_backgrounds: false}'"),
        ("black: 3\n", "the shift 'black' takes keys of env and values; received 3 (an integer)"),
        ("black: {use_background: false}\n", "unknown key 'use_background'. Did you mean 'use_backgrounds'?"),
        ("black: {use_backgrounds: 3}\n", "'use_backgrounds' takes"),
    ],
)
def test_a_file_that_cannot_be_used_is_told(tmp_path: Path, text: str, problem: str) -> None:
    path = tmp_path / "shifts.yaml"
    path.write_text(text)
    with pytest.raises(ConfigError) as error:
        read_shifts(path, TEN)
    assert problem in str(error.value)


def test_what_a_run_cannot_play_is_refused_by_name() -> None:
    cartpole = DistributionShift("poles", EnvConfig(game="CartPole-v1"))
    with pytest.raises(ConfigError) as error:
        check_shifts(RUN, [cartpole])
    assert str(error.value) == (
        "The shift 'poles' does not fit: the run, trained in 'coinrun', sees image uint8 (64, 64, 3); "
        "'CartPole-v1' has vector float32 (4,)."
    )
    for env, problem in [
        (replace(RUN.env, game="CartPole-v1"), "'poles' cannot be played: The option 'num_levels' belongs to native"),
        (replace(RUN.env, distribution_mode="memory"), "'poles' cannot be played: Unknown coinrun distribution mode"),
        (replace(RUN.env, game="coinrun,maze"), "'poles' is a mixture of games; a shift plays one: coinrun,maze."),
    ]:
        with pytest.raises(ConfigError, match=problem):
            check_shifts(RUN, [DistributionShift("poles", env)])
    with pytest.raises(ConfigError, match="'poles' is there twice"):
        check_shifts(RUN, [cartpole, cartpole])
    with pytest.raises(ConfigError, match=r"env.game 'CartPole-v1'. Name the shifts in a file, --shifts FILE"):
        default_shifts(EnvConfig(game="CartPole-v1"))
    with pytest.raises(UserError, match="Did you mean 'maze'"):
        default_shifts(TEN, ["mase"])
