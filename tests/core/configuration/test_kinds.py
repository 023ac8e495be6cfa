from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from worldmodels.core.configuration.kinds import Kinds
from worldmodels.core.configuration.sections import from_dict
from worldmodels.core.errors import ConfigError


@dataclass(frozen=True)
class Small:
    kind: str = "small"
    size: int = 1


@dataclass(frozen=True)
class Other:
    kind: str = "small"


def built(config: Small, *arguments: int) -> tuple[Any, ...]:
    return (config, *arguments)


def table(group: str = "worldmodels.test_kinds") -> Kinds:
    kinds = Kinds("thing", group)
    kinds.register("small", Small, f"{__name__}:built")
    return kinds


def test_a_kind_has_a_configuration_and_is_built_from_it() -> None:
    kinds = table()
    assert dict(kinds) == {"small": Small}
    assert kinds.build(Small(size=3), 4, 5) == (Small(size=3), 4, 5)


def test_a_kind_is_registered_once_or_alike() -> None:
    kinds = table()
    kinds.register("small", Small, f"{__name__}:built")
    with pytest.raises(ConfigError, match="The thing 'small' is registered already, as .*:built; it cannot be a:B"):
        kinds.register("small", Small, "a:B")
    with pytest.raises(ConfigError, match="registered already"):
        kinds.register("small", Other, f"{__name__}:built")
    with pytest.raises(ConfigError, match="must be a dataclass with kind: str = 'large'. Received .*Small"):
        kinds.register("large", Small, "a:B")


def test_what_cannot_be_built_is_told() -> None:
    kinds = Kinds("thing", "worldmodels.test_kinds")
    with pytest.raises(ConfigError, match="Unknown thing 'small'. Things: none."):
        kinds.build(Small())
    kinds.register("small", Small, "no.such.module:Small")
    with pytest.raises(ConfigError, match="The thing 'small' cannot be loaded from 'no.such.module:Small': No module"):
        kinds.build(Small())


def plugin(folder: Path, monkeypatch: pytest.MonkeyPatch, entry_points: str, **modules: str) -> None:
    """A package on the path that adds to the group "worldmodels.test_kinds"."""
    for name, text in modules.items():
        (folder / f"{name}.py").write_text(text)
    info = folder / "things-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: things\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text(f"[worldmodels.test_kinds]\n{entry_points}")
    monkeypatch.syspath_prepend(folder)


@dataclass(frozen=True)
class Large:
    kind: str = "large"


def test_an_unknown_kind_loads_the_plugins(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A plugin that cannot be imported is told by name and reason, and the one after it works."""
    plugin(
        tmp_path,
        monkeypatch,
        "broken = things_broken\nlarge = things_large\n",
        things_broken="import no_such_package\n",
        things_large="import things_table\nthings_table.add()\n",
        things_table="",
    )
    import things_table  # type: ignore[import-not-found]

    kinds = table()
    things_table.add = lambda: kinds.register("large", Large, "things:Large")

    @dataclass(frozen=True)
    class Run:
        thing: Any = field(default_factory=Small, metadata={"kinds": kinds})

    assert from_dict(Run, {"thing": {"size": 2}}) == Run(Small(size=2))
    assert list(kinds) == ["small"]
    reason = r"'broken' \(things_broken\) cannot be used: ModuleNotFoundError: No module named 'no_such_package'"
    with pytest.warns(UserWarning, match=reason):
        assert from_dict(Run, {"thing": {"kind": "large"}}) == Run(Large())
    with pytest.raises(ConfigError, match="Unknown kind 'lrge'. Did you mean 'large'. Kinds: small, large."):
        from_dict(Run, {"thing": {"kind": "lrge"}})
