"""Configuration: nested frozen dataclasses hold the defaults, YAML files and `a.b=value` hold the differences.

Sources are merged first, each value checked where it stands, and the dataclasses are built once at the end: their
own checks (`__post_init__`) see only the final combination.

A field annotated as a union of dataclasses, each with a `kind: str` of its own, is resolved through the key `kind`.
A source that names another kind than the sources before it starts that section anew.
"""

from __future__ import annotations

import dataclasses
import typing
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeVar

from worldmodels.core.config_values import MismatchError, convert, received, union_members
from worldmodels.core.errors import ConfigError, UserError
from worldmodels.core.files import write_atomic
from worldmodels.core.lookup import nearest, unknown
from worldmodels.core.yaml_text import parse_value, place, read_mapping, to_yaml

T = TypeVar("T")


def load_config(cls: type[T], files: Sequence[Path | str], overrides: Sequence[str] = ()) -> T:
    """The dataclass `cls` from its defaults, then `files` in order, then `overrides` such as "env.num_envs=8".

    A file given as a bare name ("dreamer_small") is a shipped preset. Raises `ConfigError`, which names the full key,
    the file and line or the override, what was received and the nearest valid name.
    """
    root = _Section(cls, None)
    for file in files:
        path = find_config(file)
        _Merge(cls, str(path)).into(root, read_mapping(path), "")
    for override in overrides:
        _Merge(cls, override).into(root, _parse_override(override), "")
    return typing.cast(T, _build(root, ""))


def from_dict(cls: type[T], mapping: Mapping[str, Any], where: str = "") -> T:
    """The dataclass `cls` from its defaults and a nested mapping; `where` names the mapping's origin in errors."""
    root = _Section(cls, None)
    _Merge(cls, where).into(root, mapping, "")
    return typing.cast(T, _build(root, ""))


def to_dict(config: Any) -> dict[str, Any]:
    """The configuration as nested dicts and lists; `from_dict` gives back an equal one."""
    return {field.name: _plain(getattr(config, field.name)) for field in dataclasses.fields(config)}


def save_config(config: Any, path: Path | str) -> None:
    """Writes every value, defaults included, as YAML that `load_config` reads back."""
    write_atomic(path, to_yaml(to_dict(config)))


def presets_folder() -> Path:
    """The folder of shipped presets: inside the package where it is installed, beside it in a checkout."""
    package = Path(__file__).parents[1]
    inside = package / "configs"
    return inside if inside.is_dir() else package.parent / "configs"


def preset_names() -> list[str]:
    """The names of the shipped presets, sorted."""
    return sorted(path.stem for path in presets_folder().glob("*.yaml"))


def find_config(file: Path | str) -> Path:
    """The path of a configuration file, or of the preset where `file` is a bare name without slash or suffix."""
    text, path = str(file), Path(file)
    is_name = "/" not in text and not path.suffix
    if is_name and text in preset_names():
        return presets_folder() / f"{text}.yaml"
    if is_name:
        raise ConfigError(unknown("preset", text, preset_names()) + " A file of your own needs its suffix, .yaml.")
    if not path.is_file():
        neighbours = [str(other) for other in sorted(path.parent.glob("*.yaml"))] if path.parent.is_dir() else []
        guess = nearest(text, neighbours)
        hint = f" Did you mean '{guess}'?" if guess else ""
        presets = ", ".join(preset_names()) or "none"
        raise ConfigError(f"There is no configuration file '{path}'.{hint} Presets: {presets}.")
    return path


@dataclasses.dataclass
class _Section:
    """What the sources said so far about one dataclass."""

    cls: Any
    base: Any
    """The instance whose values stand where no source says otherwise; None: the defaults of `cls`."""
    values: dict[str, Any] = dataclasses.field(default_factory=dict)
    sources: list[str] = dataclasses.field(default_factory=list)

    def current(self, field: dataclasses.Field[Any]) -> Any:
        """The field's value as things stand, or `dataclasses.MISSING`."""
        if field.name in self.values:
            return self.values[field.name]
        if self.base is not None:
            return getattr(self.base, field.name)
        if field.default_factory is not dataclasses.MISSING:
            return field.default_factory()
        return field.default


@dataclasses.dataclass(frozen=True)
class _Merge:
    """Puts one source (a file, an override) into the sections under the root dataclass."""

    root: Any
    source: str

    def into(self, section: _Section, mapping: Mapping[Any, Any], where: str) -> None:
        """Checks and takes over every key of `mapping`; `where` is the section's full name."""
        if self.source and self.source not in section.sources:
            section.sources.append(self.source)
        hints, fields = typing.get_type_hints(section.cls), _fields(section.cls)
        for key, value in mapping.items():
            at = place(self.source, mapping, key)
            at, full = at and at + ": ", _join(where, str(key))
            if key not in fields:
                raise ConfigError(f"{at}{self._unknown_key(section.cls, str(key), where)}")
            classes = _dataclasses_in(hints[key])
            if classes and not (value is None and type(None) in union_members(hints[key])):
                section.values[key] = self._subsection(section.current(fields[key]), classes, value, full, at)
                continue
            try:
                section.values[key] = convert(hints[key], value)
            except MismatchError as error:
                raise ConfigError(f"{at}'{full}' {error}") from None

    def _subsection(self, current: Any, classes: list[Any], value: Any, full: str, at: str) -> _Section:
        before = current.cls if isinstance(current, _Section) else type(current)
        cls = before if before in classes else classes[0]
        if not isinstance(value, Mapping):
            keys = ", ".join(_fields(cls))
            raise ConfigError(f"{at}'{full}' is a section with the keys {keys}; received {received(value)}.")
        kinds = {one.kind: one for one in classes if hasattr(one, "kind")}
        if kinds and "kind" in value:
            if value["kind"] not in kinds:
                raise ConfigError(f"{at}'{full}.kind': {unknown('kind', str(value['kind']), kinds)}")
            cls = kinds[value["kind"]]
        if isinstance(current, _Section) and current.cls is cls:
            section = current
        else:
            section = _Section(cls, current if type(current) is cls else None)
        self.into(section, value, full)
        return section

    def _unknown_key(self, cls: Any, key: str, where: str) -> str:
        keys, full = list(_fields(cls)), _join(where, key)
        # A key that exists in another section was rather forgotten its prefix than misspelt.
        elsewhere = {path: None for path in _paths(self.root) if path.rpartition(".")[2] == key and path != full}
        guess = nearest(key, keys)
        guesses = list(elsewhere) or ([_join(where, guess)] if guess else [])
        hint = " Did you mean " + " or ".join(f"'{guess}'" for guess in guesses) + "?" if guesses else ""
        kind = f" of kind '{cls.kind}'" if hasattr(cls, "kind") else ""
        owner = f"of {where}{kind}" if where else "at the top"
        return f"unknown key '{full}'.{hint} Keys {owner}: {', '.join(keys)}."


def _build(section: _Section, where: str) -> Any:
    values = {}
    for name, field in _fields(section.cls).items():
        value = section.current(field)
        if value is dataclasses.MISSING and (classes := _dataclasses_in(typing.get_type_hints(section.cls)[name])):
            value = _Section(classes[0], None)
        if value is dataclasses.MISSING:
            raise ConfigError(f"The key '{_join(where, name)}' has no default, so it must be given.")
        values[name] = _build(value, _join(where, name)) if isinstance(value, _Section) else value
    try:
        return section.cls(**values)
    except (ValueError, UserError) as error:
        origin = f" (set by {'; '.join(section.sources)})" if section.sources else ""
        raise ConfigError(f"{where or 'Configuration'}{origin}: {error}") from error


def _parse_override(override: str) -> Mapping[str, Any]:
    """ "a.b=1" as {"a": {"b": 1}}."""
    key, equals, text = override.partition("=")
    if not equals or not key:
        raise ConfigError(f"'{override}' is not of the form key=value, as in seed=3 or env.num_envs=8.")
    value = parse_value(text, f"'{override}'")
    for part in reversed(key.strip().split(".")):
        value = {part: value}
    return typing.cast(Mapping[str, Any], value)


def _plain(value: Any) -> Any:
    if dataclasses.is_dataclass(value):
        return to_dict(value)
    return [_plain(item) for item in value] if isinstance(value, tuple) else value


def _fields(cls: Any) -> dict[str, dataclasses.Field[Any]]:
    return {field.name: field for field in dataclasses.fields(cls)}


def _dataclasses_in(annotation: Any) -> list[Any]:
    return [member for member in union_members(annotation) if dataclasses.is_dataclass(member)]


def _paths(cls: Any, where: str = "") -> Iterator[str]:
    """Every full key below a dataclass."""
    for name, annotation in typing.get_type_hints(cls).items():
        yield _join(where, name)
        for inner in _dataclasses_in(annotation):
            yield from _paths(inner, _join(where, name))


def _join(where: str, key: str) -> str:
    return f"{where}.{key}" if where else key
