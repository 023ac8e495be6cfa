"""The reference has every key, command and preset, each with its meaning."""

from __future__ import annotations

import re
import typing
from argparse import ArgumentParser
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Annotated, Literal

import pytest
from site_pages import commands, configuration, presets
from site_pages.markdown import prose, value_text
from site_pages.preset_changes import preset_changes, values_in

from worldmodels.config.run_config import RunConfig
from worldmodels.core.configuration.presets import grid_names, preset_names
from worldmodels.core.configuration.ranges import Positive
from worldmodels.core.configuration.sections import fields_of, key_paths, kinds_of, load_config
from worldmodels.core.configuration.text import key_docs


def sections(cls: type) -> Iterator[type]:
    """Yield a class of the configuration and all classes below it."""
    yield cls
    hints = typing.get_type_hints(cls)
    for name, each in fields_of(cls).items():
        for inner in kinds_of(each, hints[name]).values():
            yield from sections(inner)


def test_every_key_has_a_meaning() -> None:
    without = {
        f"{cls.__name__}.{name}"
        for cls in set(sections(RunConfig))
        for name, each in fields_of(cls).items()
        if name != "kind" and not key_docs(cls).get(name) and not kinds_of(each, typing.get_type_hints(cls)[name])
    }
    assert without == set()


def test_the_pages_have_every_key_once() -> None:
    text = "\n".join(configuration.pages().values())
    keys, names = re.findall(r"^##+ `(.+)`$", text, re.M), re.findall(r"^##? ([\w.]+)", text, re.M)
    assert {*keys, *names} >= set(key_paths(RunConfig))
    page = configuration.pages()["reference/configuration/agent_ppo.md"]
    assert page.count("\n## `agent.horizon`\n") == 1


@dataclass(frozen=True)
class Inner:
    """Inner things."""

    size: Positive = 3
    """The size."""


@dataclass(frozen=True)
class Outer:
    """Outer things."""

    inner: Inner = field(default_factory=lambda: Inner(5))
    """The inner one."""
    other: Inner | None = None
    """Another."""
    share: Annotated[float, "unused"] | str = 0.5
    """A <share>."""
    names: tuple[Literal["a", "b"], ...] = ("a",)
    """Names."""


def test_a_section_shows_types_defaults_ranges_and_presets() -> None:
    changes = {("outer.inner.size", Inner): [("demo", 7)]}
    section = configuration.Section("outer", Outer, "Outer things.", Outer(), ())
    assert list(configuration.section_text(section, changes)) == [
        "Outer things.\n",
        "## `outer.share`\n",
        "Number or schedule, default `0.5`.\n",
        "A \\<share>.\n",
        "## `outer.names`\n",
        "List of choices, default `[a]`.\n",
        "Names.\n",
        "## outer.inner\n",
        "The inner one. Inner things.\n",
        "### `outer.inner.size`\n",
        "Integer, default `5`.\n",
        "The size. It must be at least 1.\n",
        "Set by [demo](../presets.md#demo) `7`.\n",
        "## outer.other\n",
        "Another. Inner things. Left out by default.\n",
        "### `outer.other.size`\n",
        "Integer, default `3`.\n",
        "The size. It must be at least 1.\n",
    ]


def test_what_presets_set() -> None:
    config = load_config(RunConfig, ["debug"])
    values = {"seed": 3, "env": {"game": "maze"}, "model": {"optimizer": {"beta2": 0.9}}}
    found = [(path, value) for path, _, value in values_in(values, config)]
    assert found == [("seed", 3), ("env.game", "maze"), ("model.optimizer.beta2", 0.9)]
    agent = type(load_config(RunConfig, ["demo"]).agent)
    assert ("demo", 10) in preset_changes()["agent.horizon", agent]


@pytest.mark.parametrize(
    ("value", "text"),
    [
        *((None, "null"), (True, "true"), (100_000, "100_000"), (0.5, "0.5"), ("", '""')),
        *(((1, "a"), "[1, a]"), ({"a": 1}, "{a: 1}")),
    ],
)
def test_values_are_those_of_yaml(value: object, text: str) -> None:
    assert value_text(value) == text


def test_marks_outside_of_code_lose_their_meaning() -> None:
    assert prose("a_b *c* `d_e*` [f] <g>") == "a\\_b \\*c\\* `d_e*` \\[f\\] \\<g>"


def test_every_preset_and_grid_has_an_entry() -> None:
    pages = presets.pages()
    assert re.findall(r"^## (.+)", pages["reference/presets.md"], re.M) == preset_names()
    assert re.findall(r"^## (.+)", pages["reference/grids.md"], re.M) == grid_names()
    demo = pages["reference/presets.md"].split("\n## demo\n")[1].split("\n## ")[0]
    assert demo.startswith("\nThe demonstration of `make demo`")
    assert "\nOn: [dreamer_small](#dreamer_small).\n" in demo and "```yaml\nbase: dreamer_small\n" in demo


def test_every_argument_of_every_command_has_help() -> None:
    without = [
        f"{name} {action.option_strings or action.dest}"
        for name, command in commands.commands().items()
        for action in command._actions
        if not action.help
    ]
    assert without == []


def test_a_command_shows_its_synopsis_and_its_arguments() -> None:
    command = ArgumentParser(prog="worldmodels try", description="Try a run.", epilog="It takes a_b.")
    command.add_argument("path", metavar="RUN", help="the run's folder")
    command.add_argument("--seed", type=int, default=3, help="the seed (default: %(default)s)")
    assert "\n".join(commands.command_entry("try", command)) == (
        "## try\n\nTry a run.\n\n```\nworldmodels try [-h] [--seed SEED] RUN\n```\n\n"
        "`RUN`\n: the run's folder\n\n`--seed SEED`\n: the seed (default: 3)\n\nIt takes a\\_b.\n"
    )
