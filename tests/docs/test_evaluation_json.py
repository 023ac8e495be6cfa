"""The page of an evaluation's keys has a line for every key of real evaluations, and no other."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import worldmodels
from worldmodels.evaluation.predictions.model_errors import WorldModelErrors

PAGE = (Path(__file__).parents[2] / "docs" / "reference" / "evaluation_json.md").read_text()
ROWS = dict(re.findall(r"^\| `([^`]+)` \| ([^|]+) \|", PAGE, re.M))
"""The type of each key."""
NAMED = ("settings", "metrics", "sharpness", "info", "games", "variables", "places", "things")
"""Objects whose keys are names that differ."""
CURVE, ESTIMATE = {"n", "mean", "standard_error"}, {"n", "mean", "standard_error", "low", "high"}


def keys(value: Any, at: str = "") -> Iterator[tuple[str, str]]:
    """Yield the key and the type of everything in a JSON, without what curves and estimates hold."""
    if isinstance(value, dict):
        own = {name: inner for name, inner in value.items() if name not in part_of(value)}
        for name, inner in own.items():
            key = f"{at}.{'NAME' if at.rpartition('.')[2] in NAMED else name}".lstrip(".")
            yield key, kind(inner)
            yield from keys(inner, key)
    elif isinstance(value, list):
        for inner in value:
            yield from keys(inner, f"{at}[]")


def part_of(value: dict[str, Any]) -> set[str]:
    return next((parts for parts in (ESTIMATE, CURVE) if parts <= set(value)), set())


def kind(value: Any) -> str:
    if isinstance(value, dict):
        return {3: "curve", 5: "estimate"}.get(len(part_of(value)), "object")
    names = {str: "text", bool: "any", int: "integer", float: "number", list: "list", type(None): "null"}
    return names[type(value)]


def fits(found: str, said: str) -> bool:
    """Return whether a type is the one that the page says; an integer is a number, too."""
    return said == "any" or found in said.split(" or ") or (found == "integer" and "number" in said.split(" or "))


@pytest.fixture(scope="module")
def evaluations(tiny_run: Path) -> list[dict[str, Any]]:
    """The results of each mode, and of the planner."""
    model = worldmodels.evaluate(tiny_run, mode="model", horizon=8, windows=4)
    imagined = worldmodels.evaluate(tiny_run, mode="imagined", windows=4)
    real = worldmodels.evaluate(tiny_run, episodes=2, windows=4)
    return [model, imagined, real, worldmodels.evaluate(tiny_run, agent="planner", episodes=2)]


def written(key: str) -> str:
    """Return the key whose line describes it: random actions and blind play have the keys of the policy."""
    return re.sub(r"^returns\[\]\.(random|blind)\.", "returns[].policy.", key)


def test_every_key_has_a_line_with_its_type(evaluations: list[dict[str, Any]]) -> None:
    found = {(written(key), type_) for each in evaluations for key, type_ in keys(each)}
    assert len(found) > 100
    assert {key for key, _ in found} - set(ROWS) == set()
    assert [(key, type_, ROWS[key]) for key, type_ in found if not fits(type_, ROWS[key])] == []


def test_every_line_has_a_key(evaluations: list[dict[str, Any]]) -> None:
    found = {written(key) for each in evaluations for key, _ in keys(each)}
    elsewhere = {"returns[].policy.info.NAME", "returns[].policy.games", "returns[].policy.games.NAME"}
    no_things = {key for key in ROWS if key.startswith(("readings.", "knowledge.variables.", "sharpness"))}
    foresight = {key for key in ROWS if key.startswith("world_model[].foresight.")}
    assert set(ROWS) - found - elsewhere - no_things - foresight == set()


def test_the_keys_of_the_model_are_those_of_the_code() -> None:
    prefix = "world_model[]."
    lines = {key.removeprefix(prefix) for key in ROWS if key.startswith(prefix)}
    assert {key for key in lines if "." not in key} == {"model_temperature", *WorldModelErrors._fields}
