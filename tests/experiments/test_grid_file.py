"""A grid's file is read strictly: what is in it, and what is said of what cannot be."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from worldmodels.core.configuration.presets import find_grid, grid_names
from worldmodels.core.errors import ConfigError
from worldmodels.core.files.yaml_files import read_mapping
from worldmodels.experiments.grid_file import GridFile, read_grid_file

WHOLE = """
config: [debug, mine.yaml]
overrides:
  env.game: maze
  model.encoder: {kind: patch, patch: 16}
vary:
  agent.horizon: [5, 10]
  training.fit_factors: [[], [2.0, 1]]
seeds: [3, 1]
by_seed: {env.start_level: [0, 100]}
names: {agent.horizon: h}
logdir: runs/elsewhere
"""


def read(text: str, folder: Path) -> GridFile:
    path = folder / "grid.yaml"
    path.write_text(text)
    return read_grid_file(read_mapping(path), "grid.yaml")


def test_everything_is_read_as_plain_data(tmp_path: Path) -> None:
    found = read(WHOLE, tmp_path)
    assert found == GridFile(
        config=("debug", "mine.yaml"),
        overrides={"env.game": "maze", "model.encoder": {"kind": "patch", "patch": 16}},
        vary={"agent.horizon": [5, 10], "training.fit_factors": [[], [2.0, 1]]},
        seeds=(3, 1),
        by_seed={"env.start_level": [0, 100]},
        names={"agent.horizon": "h"},
        logdir="runs/elsewhere",
    )
    assert type(found.vary["agent.horizon"]) is list and type(found.overrides["model.encoder"]) is dict


def test_an_empty_file_is_one_run_of_the_default(tmp_path: Path) -> None:
    assert read("", tmp_path) == GridFile(("dreamer_small",), {}, {}, 1, {}, {}, "")


def test_a_number_of_seeds_counts_from_0(tmp_path: Path) -> None:
    assert list(read("seeds: 3", tmp_path).all_seeds) == [0, 1, 2]
    assert list(read("seeds: [3]", tmp_path).all_seeds) == [3]


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("logdir: s3://bucket/x", "or one that a cluster shares; received the address 's3://bucket/x'."),
        ("varry: {}", "grid.yaml, line 1: unknown key 'varry'. Did you mean 'vary'?"),
        ("seeds: 1\nseeds: 2", 'line 2: not valid YAML: found duplicate key "seeds"'),
        ("vary:\n  a.b: [1]\n  a.b: [2]", 'line 3: not valid YAML: found duplicate key "a.b"'),
        ("vary: [1]", "grid.yaml, line 1: 'vary' takes keys and values; received [1] (a list)."),
        ("vary:\n  a.b: []", "grid.yaml, line 2: 'vary' needs at least one value under 'a.b', or there is nothing to"),
        ("vary:\n  a.b: 3", "grid.yaml, line 2: 'vary' takes a list of values under 'a.b'; received 3 (an integer)."),
        ("vary:\n  a: {b: [1]}", "'a'; received a section (keys: b). Keys are dotted: 'a.b'."),
        ("vary:\n  seed: [1, 2]", "grid.yaml, line 2: 'vary' cannot hold 'seed', for which a grid has 'seeds'."),
        ("vary:\n  config: [debug]\nconfig: demo", "line 2: 'vary' holds 'config', which is given for all runs too:"),
        ("vary:\n  config: [debug, 3]", "'config', presets or files, or lists of them; received 3 (an integer)"),
        ("vary:\n  config: [[]]", "'config', presets or files, or lists of them; received [] (a list) in the list."),
        ("vary:\n  a: [2001-02-03]", "'vary' takes numbers, texts, lists and sections under 'a'; received 2001-02-03"),
        ("overrides:\n  a: .inf", "'overrides' takes numbers, texts, lists and sections under 'a'; received inf"),
        ("overrides:\n  seed: 1", "line 2: 'overrides' cannot hold 'seed', for which a grid has 'seeds'."),
        ("overrides: {config: demo}", "'overrides' cannot hold 'config', which stands beside it."),
        ("overrides: {-a=b: demo}", "'overrides' holds '-a=b', and keys are of the form 'env.game'."),
        ("config: []", "grid.yaml, line 1: 'config' as a list must hold at least one preset or file."),
        ("overrides:\n  a.b: 1\nvary:\n  a.b: [2]", "line 2: 'overrides' holds 'a.b', and so does 'vary': each key is"),
        ("seeds: 0", "grid.yaml, line 1: 'seeds' as a number must be between 1 and 10000; received 0."),
        ("seeds: []", "grid.yaml, line 1: 'seeds' as a list must hold at least one, and none twice; received []."),
        ("seeds: [1, 1]", "'seeds' as a list must hold at least one, and none twice; received [1, 1]."),
        ("seeds: two", "grid.yaml, line 1: 'seeds' takes an integer or a list of integers; received 'two' (text)."),
        ("vary: {a.b: [1, 2]}\nnames:\n  a.c: x", "line 3: 'names' names 'a.c', which is no key of 'vary'. Did"),
        ("vary: {a: [1, 2]}\nnames: {a: ../x}", "has up to 40 letters, digits, and signs of '_.+-'; received '../x'."),
        ("by_seed:\n  a: [1, 2]", "'by_seed' takes a list of 1 values under 'a', one for each seed; received"),
        ("seeds: 2\nby_seed: {a: 7}", "takes a list of 2 values under 'a', one for each seed; received 7 (an"),
        ("by_seed: {config: [demo]}", "'by_seed' cannot hold 'config': all seeds of a variant have the same one."),
        ("vary: {a: [1]}\nby_seed: {a: [1]}", "'by_seed' holds 'a', and so does another section: each key is given"),
        ("by_seed: {seed: [1]}", "'by_seed' cannot hold 'seed', for which a grid has 'seeds'."),
        ("logdir: [1]", "grid.yaml, line 1: 'logdir' takes text; received [1] (a list)."),
    ],
)  # fmt: skip
def test_what_cannot_be_is_told_with_its_line(text: str, problem: str, tmp_path: Path) -> None:
    with pytest.raises(ConfigError) as error:
        read(text, tmp_path)
    assert problem in str(error.value)


def test_a_mapping_of_python_has_no_lines() -> None:
    with pytest.raises(ConfigError, match=r"^grid 'a': 'vary' needs at least one value under 'b'"):
        read_grid_file({"vary": {"b": []}}, "grid 'a'")
    assert read_grid_file({"vary": {"b": (1, 2)}}, "").vary == {"b": [1, 2]}


def test_lists_that_name_each_other_cost_nothing(tmp_path: Path) -> None:
    lists: Any = "[[1], " + ", ".join(f"&a{i} [{', '.join([f'*a{i - 1}'] * 9) if i else 1}]" for i in range(40)) + "]"
    with pytest.raises(ConfigError, match=r"YAML may hold at most 10,000 values, .* Received [\d,]+\. Shorten it"):
        read(f"vary:\n  a: {lists}", tmp_path)


def test_shipped_grids_go_by_their_names(tmp_path: Path) -> None:
    assert "learning_rates" in grid_names()
    assert find_grid("learning_rates").name == "learning_rates.yaml"
    with pytest.raises(ConfigError, match=r"Unknown grid 'learning_rate'. Did you mean 'learning_rates'\? Grids: g"):
        find_grid("learning_rate")
    with pytest.raises(ConfigError, match=r"There is no grid file '.*/b.yaml'. Grids: g"):
        find_grid(tmp_path / "b.yaml")
