from __future__ import annotations

from dataclasses import FrozenInstanceError, dataclass
from pathlib import Path
from typing import Literal

import pytest

from worldmodels.core.configuration.ranges import Positive, Section
from worldmodels.core.configuration.sections import differences, from_dict, load_config, to_dict
from worldmodels.core.errors import ConfigError
from worldmodels.core.files.yaml_files import to_yaml


@dataclass(frozen=True)
class World:
    name: str = "coinrun"
    count: int = 16
    mode: Literal["easy", "hard"] = "easy"

    def __post_init__(self) -> None:
        if self.count < 1:
            raise ValueError(f"count must be at least 1, received {self.count}.")


@dataclass(frozen=True)
class Recurrent:
    kind: str = "recurrent"
    units: int = 8
    sizes: tuple[int, ...] = (1, 2)
    rate: float = 1e-4
    clip: float | None = None


@dataclass(frozen=True)
class Stacked:
    kind: str = "stacked"
    depth: int = 3
    rate: float = 1e-3


@dataclass(frozen=True)
class Run:
    seed: int = 0
    world: World = World()
    model: Recurrent | Stacked = Recurrent(units=9)
    fast: bool = False
    layers: tuple[tuple[int, float], ...] = ()


@dataclass(frozen=True)
class Inner(Section):
    sizes: tuple[Positive, ...] = (1,)


@dataclass(frozen=True)
class Outer:
    inner: Inner = Inner()


@dataclass(frozen=True)
class Needy:
    size: int
    world: World


def write(path: Path, text: str) -> Path:
    path.write_text(text)
    return path


def error_of(*overrides: str, files: tuple[Path | str, ...] = ()) -> str:
    with pytest.raises(ConfigError) as caught:
        load_config(Run, files, overrides)
    return str(caught.value)


def test_defaults_stand_without_sources() -> None:
    assert load_config(Run, []) == Run()


def test_later_files_then_overrides_win(tmp_path: Path) -> None:
    first = write(tmp_path / "first.yaml", "seed: 1\nworld:\n  name: maze\n  count: 4\n")
    second = write(tmp_path / "second.yaml", "world: {count: 5}\n")
    assert load_config(Run, [first, str(second)], ["world.mode=hard", "seed=7"]) == Run(
        seed=7, world=World(name="maze", count=5, mode="hard")
    )


@pytest.mark.parametrize(
    "override, expected",
    [
        ("seed=1e5", Run(seed=100_000)),
        ("model.rate=1e-4", Run(model=Recurrent(units=9, rate=0.0001))),
        ("model.rate=2", Run(model=Recurrent(units=9, rate=2.0))),
        ("model.clip=null", Run(model=Recurrent(units=9, clip=None))),
        ("model.clip=1e9", Run(model=Recurrent(units=9, clip=1e9))),
        ("model.sizes=[3, 4, 5]", Run(model=Recurrent(units=9, sizes=(3, 4, 5)))),
        ("layers=[[1, 2], [3, 0.5]]", Run(layers=((1, 2.0), (3, 0.5)))),
        ("world={name: maze, count: 2}", Run(world=World(name="maze", count=2))),
        ("fast=true", Run(fast=True)),
        ("world.name=yes", Run(world=World(name="yes"))),  # YAML 1.1 would call it a bool
        ("seed=010", Run(seed=10)),  # and this one eight
    ],
)
def test_values_are_yaml_1_2(override: str, expected: Run) -> None:
    loaded = load_config(Run, [], [override])
    assert loaded == expected
    assert repr(loaded) == repr(expected)  # 2.0 is not 2


def test_a_section_keeps_the_values_of_its_default_instance() -> None:
    assert load_config(Run, [], ["model.rate=0.5"]).model == Recurrent(units=9, rate=0.5)


def test_another_kind_starts_the_section_anew(tmp_path: Path) -> None:
    file = write(tmp_path / "a.yaml", "model:\n  units: 64\n  rate: 0.5\n")
    assert load_config(Run, [file], ["model.kind=stacked", "model.depth=4"]).model == Stacked(depth=4)
    assert load_config(Run, [file], ["model.kind=recurrent"]).model == Recurrent(units=64, rate=0.5)


def test_checks_of_the_dataclass_see_the_final_values_only(tmp_path: Path) -> None:
    bad = write(tmp_path / "bad.yaml", "world:\n  count: 0\n")
    assert load_config(Run, [bad], ["world.count=3"]).world.count == 3
    assert error_of(files=(bad,)) == f"world (set by {bad}): count must be at least 1, received 0."


def test_a_value_out_of_its_range_is_told_with_its_full_key_and_place(tmp_path: Path) -> None:
    file = write(tmp_path / "a.yaml", "inner:\n\n  sizes: [2, 0]\n")
    with pytest.raises(ConfigError) as caught:
        load_config(Outer, [file])
    assert str(caught.value) == f"{file}, line 3: inner.sizes must be at least 1. Received (2, 0)."
    with pytest.raises(ConfigError, match=r"^inner.sizes must be at least 1. Received \(0\).$"):
        from_dict(Outer, {"inner": {"sizes": [0]}})
    assert load_config(Outer, [file], ["inner.sizes=[3]"]).inner.sizes == (3,)


@pytest.mark.parametrize(
    "override, message",
    [
        (
            "world.cuont=3",
            "world.cuont=3: unknown key 'world.cuont'. Did you mean 'world.count'? Keys of world: name, count, mode.",
        ),
        (
            "count=3",
            "count=3: unknown key 'count'. Did you mean 'world.count'? Keys at the top: "
            "seed, world, model, fast, layers.",
        ),
        ("zzz=3", "zzz=3: unknown key 'zzz'. Keys at the top: seed, world, model, fast, layers."),
        (
            "model.depth=3",
            "model.depth=3: unknown key 'model.depth'. Keys of model of kind 'recurrent': "
            "kind, units, sizes, rate, clip.",
        ),
        ("seed=many", "seed=many: 'seed' takes an integer; received 'many' (text)."),
        ("seed=1.5", "seed=1.5: 'seed' takes an integer; received 1.5 (a number)."),
        ("seed=true", "seed=true: 'seed' takes an integer; received true."),
        ("seed=", "seed=: 'seed' takes an integer; received nothing (null)."),
        ("seed.x=1", "seed.x=1: 'seed' takes an integer; received a section (keys: x)."),
        ("fast=1", "fast=1: 'fast' takes true or false; received 1 (an integer)."),
        ("model.rate=.nan", "model.rate=.nan: 'model.rate' takes a number; received nan (a number)."),
        ("model.clip=x", "model.clip=x: 'model.clip' takes a number or null; received 'x' (text)."),
        ("model.sizes=[1, a]", "model.sizes=[1, a]: 'model.sizes' takes a list of integers; received [1, a] (a list)."),
        (
            "world.mode=eazy",
            "world.mode=eazy: 'world.mode' takes one of easy, hard; received 'eazy' (text). Did you mean 'easy'?",
        ),
        ("world=5", "world=5: 'world' is a section with the keys name, count, mode; received 5 (an integer)."),
        (
            "model.kind=stakced",
            "model.kind=stakced: 'model.kind': Unknown kind 'stakced'. Did you mean 'stacked'? "
            "Kinds: recurrent, stacked.",
        ),
        ("model.kind=[a]", "model.kind=[a]: 'model.kind': Unknown kind '[a]'. Kinds: recurrent, stacked."),
        ("seed", "'seed' is not of the form key=value, as in seed=3 or env.num_envs=8."),
        ("seed=[1", "'seed=[1': not valid YAML: expected ',' or ']', but got '<stream end>'."),
    ],
)
def test_errors_say_what_where_and_what_instead(override: str, message: str) -> None:
    assert error_of(override) == message


@pytest.mark.parametrize(
    "text, message",
    [
        ("seed: 1\nworld:\n  count: x\n", ", line 3: 'world.count' takes an integer; received 'x' (text)."),
        ("seed: 1\n\nsede: 2\n", ", line 3: unknown key 'sede'. Did you mean 'seed'?"),
        ("seed: 1\nseed: 2\n", ", line 2: not valid YAML: found duplicate key"),
        ("a: b: c\n", ": not valid YAML: mapping values are not allowed"),
        ("- seed\n", ": a configuration file holds lines of the form 'key: value'"),
        ("seed: !!python/object/apply:os.getcwd []\n", "'seed' takes an integer"),
    ],
)
def test_errors_in_files_name_the_line(tmp_path: Path, text: str, message: str) -> None:
    file = write(tmp_path / "a.yaml", text)
    error = error_of(files=(file,))
    assert error.startswith(str(file)) and message in error


def test_a_file_that_is_missing_suggests_a_neighbour(tmp_path: Path) -> None:
    write(tmp_path / "dreamer.yaml", "")
    error = error_of(files=(tmp_path / "dremer.yaml",))
    assert error.startswith(f"There is no configuration file '{tmp_path}/dremer.yaml'.")
    assert f"Did you mean '{tmp_path}/dreamer.yaml'?" in error


def test_a_file_that_is_not_text(tmp_path: Path) -> None:
    (tmp_path / "a.yaml").write_bytes(b"seed: \xff")
    assert error_of(files=(tmp_path / "a.yaml",)).endswith("is not text in UTF-8 (byte 6).")


def test_saved_configurations_come_back_equal(tmp_path: Path) -> None:
    tricky = "yes: [1e3]\n# 'no' \t é" + "x " * 200
    config = Run(-3, World(tricky, 2**40, "hard"), Stacked(rate=1e-30), True, ((1, 0.1), (2, 1e300)))
    write(tmp_path / "config.yaml", to_yaml(to_dict(config)))
    assert load_config(Run, [tmp_path / "config.yaml"]) == config
    assert from_dict(Run, to_dict(config)) == config


def test_saved_configurations_are_pleasant_to_read() -> None:
    assert to_yaml(to_dict(Run(layers=((1, 0.5),)))) == (
        "seed: 0\nworld:\n  name: coinrun\n  count: 16\n  mode: easy\n"
        "model:\n  kind: recurrent\n  units: 9\n  sizes: [1, 2]\n  rate: 0.0001\n  clip:\n"
        "fast: false\nlayers: [[1, 0.5]]\n"
    )


def test_differences_name_the_full_key_and_both_values() -> None:
    old, new = to_dict(Run(seed=1)), to_dict(Run(seed=2, world=World(count=3), model=Stacked()))
    assert list(differences(old, new)) == [
        ("seed", 1, 2),
        ("world.count", 16, 3),
        ("model.kind", "recurrent", "stacked"),
        ("model.units", 9, None),
        ("model.sizes", [1, 2], None),
        ("model.rate", 1e-4, 1e-3),
        ("model.depth", None, 3),
    ]
    assert list(differences(old, old)) == []


def test_a_key_without_default_must_be_given() -> None:
    assert from_dict(Needy, {"size": 3}) == Needy(3, World())
    with pytest.raises(ConfigError, match="'size' has no default"):
        from_dict(Needy, {})


def test_from_dict_names_where_it_came_from() -> None:
    with pytest.raises(ConfigError, match="^the run's config: unknown key 'sede'"):
        from_dict(Run, {"sede": 1}, "the run's config")


def test_configurations_cannot_be_changed() -> None:
    with pytest.raises(FrozenInstanceError):
        load_config(Run, []).seed = 1  # type: ignore[misc]
