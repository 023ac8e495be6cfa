"""Names of folders: short where they can be, safe and different always."""

from __future__ import annotations

import pytest

from worldmodels.experiments.grid_file import folder_name, short_keys, value_texts


def test_a_key_goes_by_as_few_of_its_last_parts_as_tell_it_apart() -> None:
    keys = ["seed", "agent.horizon", "agent.actor.units", "agent.critic.units", "model.units"]
    assert short_keys(keys, {"agent.horizon": "h"}) == {
        "seed": "seed",
        "agent.horizon": "h",
        "agent.actor.units": "actor-units",
        "agent.critic.units": "critic-units",
        "model.units": "model-units",
    }


@pytest.mark.parametrize(
    ("values", "texts"),
    [
        ([1e-4, 3e-5, 1, -2.5], ["0.0001", "3e-05", "1", "-2.5"]),
        ([True, False, None], ["true", "false", "null"]),
        (["coinrun,maze", "a_b"], ["coinrun-maze", "a-b"]),
        ([[1, 2.0], []], ["1", "2"]),
        ([[1, 2.0], [3]], ["1-2.0", "3"]),
        ([{"kind": "patch", "patch": 8}, {"kind": "cnn"}], ["patch-8", "cnn"]),
        ([{"dropout": 0.1}, {"l2": 0.1}], ["dropout-0.1", "l2-0.1"]),
        ([{}, {"l2": 0.1}], ["1", "2"]),
        (["a/b", "a b"], ["1", "2"]),
        (["Maze", "maze"], ["1", "2"]),
        (["x" * 61, "y"], ["1", "2"]),
    ],
)
def test_values_are_texts_where_they_differ_and_numbers_where_not(values: list[object], texts: list[str]) -> None:
    assert value_texts("a.b", values) == texts


def test_configurations_go_by_their_files() -> None:
    assert value_texts("config", ["ppo", "mine/other.yaml", ["dreamer_small", "demo"]]) == [
        "ppo",
        "other",
        "dreamer-small-demo",
    ]


def test_the_name_of_a_grid_is_neither_hidden_nor_a_path() -> None:
    names = ["learning_rates", "two words", "../up", "-x", ".", "größe"]
    assert [folder_name(name) for name in names] == ["learning_rates", "two-words", "up", "x", "grid", "gr-e"]
