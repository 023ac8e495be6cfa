"""Variants, their folders and commands, and what is refused before the first run begins."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import pytest

from worldmodels.config.run_config import RunConfig
from worldmodels.core.configuration.presets import grid_names
from worldmodels.core.configuration.sections import load_config
from worldmodels.core.errors import ConfigError, RunError, UserError
from worldmodels.core.files.run_dir import RunDir
from worldmodels.experiments.grid import Grid, load_grid, make_grid


def small(folder: Path, **more: Any) -> Grid:
    return make_grid({"config": "debug", "logdir": str(folder / "grid"), **more}, "small")


@pytest.mark.parametrize("name", grid_names())
def test_a_shipped_grid_is_sound(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    grid = load_grid(name)
    assert grid.folder == Path("runs") / name
    grid.check()
    assert list(tmp_path.iterdir()) == []


def test_runs_are_every_combination_seed_by_seed() -> None:
    tree = {
        "overrides": {"env.num_levels": 3, "agent.images": "nature"},
        "vary": {"config": ["ppo", ["ppo", "debug_ppo"]], "env.game": ["maze"], "agent.discount": [0.9, 0.99]},
        "seeds": [4, 2],
        "names": {"agent.discount": "d"},
    }
    grid = make_grid(tree, "games")
    variants = [
        *("config_ppo_d_0.9", "config_ppo_d_0.99", "config_ppo-debug-ppo_d_0.9", "config_ppo-debug-ppo_d_0.99"),
    ]
    assert [run.name for run in grid.runs] == [f"{name}/seed_{seed}" for seed in (4, 2) for name in variants]
    run = grid.runs[-1]
    assert run.path == Path("runs/games/config_ppo-debug-ppo_d_0.99/seed_2")
    assert run.log == Path("runs/games/config_ppo-debug-ppo_d_0.99/log_seed_2.txt")
    overrides = ["env.num_levels=3", "agent.images=nature", "env.game=maze", "agent.discount=0.99", "seed=2"]
    train = [sys.executable, "-m", "worldmodels", "train"]
    assert run.command() == [*train, "--config", "ppo", "debug_ppo", *overrides, "--logdir", str(run.path)]
    assert run.config == load_config(RunConfig, ["ppo", "debug_ppo"], overrides)


def test_each_seed_has_values_of_its_own() -> None:
    tree = {"vary": {"agent.horizon": [5, 6]}, "seeds": [4, 2], "by_seed": {"env.start_level": [0, 100]}}
    assert [run.overrides for run in make_grid(tree, "levels").runs] == [
        ["agent.horizon=5", "env.start_level=0", "seed=4"],
        ["agent.horizon=6", "env.start_level=0", "seed=4"],
        ["agent.horizon=5", "env.start_level=100", "seed=2"],
        ["agent.horizon=6", "env.start_level=100", "seed=2"],
    ]


def test_one_variant_is_called_like_the_grid() -> None:
    assert [run.name for run in make_grid({"vary": {"agent.horizon": [5]}}, "one").runs] == ["one/seed_0"]


@pytest.mark.parametrize(
    ("key", "value", "override"),
    [
        ("env.game", "maze", "env.game=maze"),
        ("env.game", "yes: no", 'env.game="yes: no"'),
        ("env.game", "3", 'env.game="3"'),
        ("env.game", "größe", "env.game=größe"),
        ("a", None, "a=null"),
        ("a", True, "a=true"),
        ("a", 1e-05, "a=1e-05"),
        ("a", [1, {"b": "c"}], 'a=[1, {"b": "c"}]'),
    ],
)
def test_values_are_written_as_they_are_read(key: str, value: Any, override: str) -> None:
    assert make_grid({"overrides": {key: value}}, "a").runs[0].overrides == [override, "seed=0"]


@pytest.mark.parametrize(
    ("more", "problem"),
    [
        ({"overrides": {"env.gaem": 1}}, "Grid 'small', small/seed_0: env.gaem=1: unknown key 'env.gaem'."),
        ({"vary": {"agent.horizon": [5, -4]}}, "Grid 'small', horizon_-4/seed_0: agent.horizon=-4: agent.horizon must"),
        ({"vary": {"env.game": ["maze", "mase"]}}, "Grid 'small', game_mase/seed_0: "),
        ({"vary": {"training.length": [8, 80]}}, "Grid 'small', length_80/seed_0: training.prefill must fill one"),
        ({"vary": {"agent.discount": [1, 1.0]}}, "Grid 'small': discount_1/seed_0 and discount_1.0/seed_0 are the"),
    ],
)  # fmt: skip
def test_a_variant_that_cannot_be_trained_is_named(more: dict[str, Any], problem: str, tmp_path: Path) -> None:
    with pytest.raises(UserError) as error:
        small(tmp_path, **more).check()
    assert str(error.value).startswith(problem)
    assert list(tmp_path.iterdir()) == []


def test_a_run_of_another_configuration_is_refused(tmp_path: Path) -> None:
    grid = small(tmp_path, vary={"agent.horizon": [4, 5]})
    RunDir.create(grid.runs[1].path, load_config(RunConfig, ["debug"], ["agent.horizon=6"]), {})
    with pytest.raises(UserError, match=r"horizon_5/seed_0: .* another configuration.*horizon .saved 6, asked for 5"):
        grid.check()


def test_a_folder_of_another_grid_is_refused(tmp_path: Path) -> None:
    """A grid that has grown is no other one."""
    grid = small(tmp_path, vary={"agent.horizon": [4, 5]})
    for run in grid.runs:
        RunDir.create(run.path, run.config, {})
    small(tmp_path, vary={"agent.horizon": [5, 6]}, seeds=2).check()
    told = r"of another grid: it holds horizon_4/seed_0, horizon_5/seed_0, and the grid 'small' has entropy_1/seed_0."
    with pytest.raises(RunError, match=told):
        small(tmp_path, vary={"agent.entropy": [1, 2]}).check()


def test_a_folder_that_is_a_run_is_no_folder_of_a_grid(tmp_path: Path) -> None:
    RunDir.create(tmp_path / "grid", load_config(RunConfig, ["debug"]), {})
    with pytest.raises(RunError, match="is a run, and the folder of a grid holds runs. Choose another 'logdir'"):
        small(tmp_path).check()


def test_too_many_runs_and_too_long_names_are_slips() -> None:
    with pytest.raises(ConfigError, match="the grid has 100,000 runs, and may have 10,000"):
        make_grid({"vary": {f"a.b{i}": list(range(10)) for i in range(5)}}, "large")
    with pytest.raises(ConfigError, match="is too long for a folder. Give shorter 'names'"):
        make_grid({"vary": {f"a.{'b' * 30}{i}": [1, 2] for i in range(7)}}, "long")


def test_two_keys_need_two_names() -> None:
    tree = {"vary": {"a.b": [1, 2], "a.c": [1, 2]}, "names": {"a.b": "x", "a.c": "X"}}
    with pytest.raises(ConfigError, match="'names' gives one name to two keys: x, X"):
        make_grid(tree, "twins")
