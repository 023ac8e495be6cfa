"""A search trains the variants that Optuna chooses, and repeats its choices from finished runs."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from typing import Any

import pytest

from worldmodels.cli import main
from worldmodels.core.errors import UserError
from worldmodels.experiments import grid as grid_module
from worldmodels.experiments import search
from worldmodels.experiments.grid import Grid, GridRun, make_grid
from worldmodels.experiments.search import SearchOptions, search_grid

needs_optuna = pytest.mark.skipif(importlib.util.find_spec("optuna") is None, reason="the extra 'optuna'")
HORIZONS = list(range(3, 13))
KINDS = [{"layers": 1}, {"layers": 2}]


@pytest.fixture
def trained(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The names of trained runs, in order; a run records 10 minus the distance of its horizon from 8, plus its seed."""
    names: list[str] = []

    def command(run: GridRun) -> list[str]:
        names.append(run.name)
        agent: Any = run.config.agent
        value = 10 - abs(agent.horizon - 8) + run.config.seed
        records = f'{{"step": 1, "eval/return": -9}}\n{{"step": 2, "eval/return": {value}}}'
        return ["sh", "-c", f"mkdir -p {run.path} && echo '{records}' > {run.path}/metrics.jsonl"]

    monkeypatch.setattr(GridRun, "command", command)
    monkeypatch.setattr(grid_module, "check_run", lambda config, path: None)  # the folders hold records alone
    monkeypatch.setattr(GridRun, "is_finished", lambda run: (run.path / "metrics.jsonl").exists())
    return names


def large(folder: Path) -> Grid:
    tree = {"config": "debug", "vary": {"agent.critic": KINDS, "agent.horizon": HORIZONS}, "seeds": 2}
    return make_grid({**tree, "logdir": str(folder / "grid")}, "large")


@needs_optuna
def test_a_search_trains_some_variants_and_finds_the_best_of_them(
    trained: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    grid = large(tmp_path)
    found = search_grid(grid, SearchOptions(trials=8), jobs=2)
    assert len(found.values) == 8 and not found.stopped
    assert sorted(trained) == sorted(f"{name}/seed_{seed}" for name in found.values for seed in (0, 1))
    for name, value in found.values.items():
        horizon = int(name.rpartition("_")[2])
        assert value == 10 - abs(horizon - 8) + 0.5  # the mean over the seeds 0 and 1
    best = max(found.values, key=lambda name: found.values[name] or 0.0)
    assert found.best == best
    assert f"Best of 8: {found.best}, eval/return" in capsys.readouterr().out


@needs_optuna
def test_a_stopped_search_goes_on_with_the_same_choices(trained: list[str], tmp_path: Path) -> None:
    whole = search_grid(large(tmp_path / "a"), SearchOptions(trials=8, seed=3))
    del trained[:]
    begun = search_grid(large(tmp_path / "b"), SearchOptions(trials=3, seed=3))
    assert len(trained) == 6
    assert search_grid(large(tmp_path / "b"), SearchOptions(trials=8, seed=3)) == whole
    assert len(trained) == 16  # the first three were only read
    assert list(begun.values) == list(whole.values)[:3]


@needs_optuna
def test_the_least_value_may_be_the_best_and_the_whole_grid_be_trained(trained: list[str], tmp_path: Path) -> None:
    tree = {"config": "debug", "vary": {"agent.horizon": [3, 8]}, "logdir": str(tmp_path / "grid")}
    found = search_grid(make_grid(tree, "two"), SearchOptions(trials=50, minimize=True))
    assert (found.values, found.best) == ({"horizon_3": 5.0, "horizon_8": 10.0}, "horizon_3")


@needs_optuna
def test_a_failed_run_fails_its_variant_alone(
    trained: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    command = GridRun.command
    monkeypatch.setattr(GridRun, "command", lambda run: ["false"] if "horizon_8" in run.name else command(run))
    file = tmp_path / "two.yaml"
    file.write_text(f"config: debug\nvary: {{agent.horizon: [3, 8]}}\nlogdir: {tmp_path / 'grid'}\n")
    assert main(["search", str(file), "--trials", "2"]) == 1
    assert (tmp_path / "grid" / "horizon_8" / "failed_seed_0.txt").exists()


@needs_optuna
def test_the_space_is_ordered_for_ascending_numbers_alone() -> None:
    import optuna

    ordered = search._distribution(optuna, [1e-4, 1e-3, 1])
    assert ordered == optuna.distributions.IntDistribution(0, 2)
    for values in ([3, 2, 1], [False, True], ["a", "b"], KINDS):
        indices = tuple(range(len(values)))
        assert search._distribution(optuna, values) == optuna.distributions.CategoricalDistribution(indices)


def test_a_search_that_cannot_be_made_is_refused_before_it_begins(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    grid = large(tmp_path)
    monkeypatch.setattr(search, "find_spec", lambda name: None)
    with pytest.raises(UserError, match=r"needs Optuna.* pip install 'worldmodels-lab\[optuna\]'"):
        search_grid(grid, SearchOptions(trials=1))
    monkeypatch.setattr(search, "find_spec", lambda name: object())
    with pytest.raises(UserError, match="--trials must be at least 1. Received 0"):
        search_grid(grid, SearchOptions(trials=0))
    with pytest.raises(UserError, match="from 0 to 4294967295. Received -1"):
        search_grid(grid, SearchOptions(trials=1, seed=-1))
    tree = {"config": "debug", "overrides": {"schedule.evaluate_every": 0}, "logdir": str(tmp_path / "grid")}
    with pytest.raises(UserError, match="are not evaluated.* no 'eval/length'"):
        search_grid(make_grid(tree, "one"), SearchOptions(trials=1, measure="eval/length"))
    assert not list(tmp_path.iterdir())
