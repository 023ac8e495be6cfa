"""Nested frozen dataclasses hold the defaults of a configuration, YAML files and `a.b=value` hold the differences.

Sources are merged first, the type of each value checked where it stands, and the dataclasses are built once at the
end: their own checks (`core/configuration/ranges.py`, `__post_init__`) see only the final combination.

A section that comes in several kinds is a union of dataclasses, each with a `kind: str` of its own, or names the table
of its kinds in the metadata of its field (`kinds.py`). The key `kind` chooses among them; a source that names another
kind than the sources before it starts that section anew.
"""

from __future__ import annotations

import dataclasses
import typing
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any, TypeVar

from worldmodels.core.configuration.kinds import Kinds
from worldmodels.core.configuration.presets import read_sources
from worldmodels.core.configuration.ranges import RangeError
from worldmodels.core.configuration.values import MismatchError, convert, received, shown, union_members
from worldmodels.core.errors import ConfigError, UserError, nearest, shortened, unknown
from worldmodels.core.files.yaml_files import parse_value, place

T = TypeVar("T")


def load_config(cls: type[T], files: Sequence[Path | str], overrides: Sequence[str] = ()) -> T:
    """Return the dataclass `cls` from its defaults, then `files` in order, then `overrides` such as "env.num_envs=8".

    A file given as a bare name ("dreamer_small") is a shipped preset; the `base` of a file comes before it
    (`presets.py`).

    Raises:
        ConfigError: a key or value cannot be used; the text names the full key, the file and line or the override, what
            was received and the nearest valid name.
    """
    sources = [(str(source.path), source.values) for source in read_sources(files)]
    return merge(cls, sources + [(shortened(override), _parse_override(override)) for override in overrides])


def from_dict(cls: type[T], mapping: Mapping[str, Any], where: str = "") -> T:
    """Return the dataclass `cls` from its defaults and a nested mapping; `where` is the mapping's origin in errors."""
    return merge(cls, [(where, mapping)])


def merge(cls: type[T], sources: Iterable[tuple[str, Mapping[str, Any]]]) -> T:
    """Return the dataclass `cls` from its defaults and nested mappings, later ones win, each with its origin."""
    root = _Draft(cls, None)
    for where, mapping in sources:
        _Merge(cls, where).into(root, mapping, "")
    return typing.cast(T, _build(root, ""))


def to_dict(config: Any) -> dict[str, Any]:
    """Return the configuration as nested dicts and lists, of which `from_dict` makes an equal one."""
    return {name: _plain(getattr(config, name)) for name in fields_of(type(config))}


def differences(old: Mapping[str, Any], new: Mapping[str, Any], where: str = "") -> Iterator[tuple[str, Any, Any]]:
    """Yield the full key and both values wherever two nested configurations differ; None where a key is missing."""
    for key in dict.fromkeys([*old, *new]):
        a, b, full = old.get(key), new.get(key), _join(where, key)
        if isinstance(a, Mapping) and isinstance(b, Mapping):
            yield from differences(a, b, full)
        elif a != b:
            yield full, a, b


@dataclasses.dataclass
class _Draft:
    """A section that is not built yet, with the values of the sources so far."""

    cls: Any
    base: Any
    """The instance that has the other values; None: the defaults of `cls`."""
    values: dict[str, Any] = dataclasses.field(default_factory=dict)
    places: dict[str, str] = dataclasses.field(default_factory=dict)
    """The place where each value was written."""
    sources: list[str] = dataclasses.field(default_factory=list)

    def current(self, field: dataclasses.Field[Any]) -> Any:
        """Return the field's value as things stand, or `dataclasses.MISSING`."""
        if field.name in self.values:
            return self.values[field.name]
        if self.base is not None:
            return getattr(self.base, field.name)
        if field.default_factory is not dataclasses.MISSING:
            return field.default_factory()
        return field.default


@dataclasses.dataclass(frozen=True)
class _Merge:
    """One source (a file, an override), which `into` puts into the sections under the root dataclass."""

    root: Any
    source: str

    def into(self, draft: _Draft, mapping: Mapping[Any, Any], where: str) -> None:
        """Check and take over every key of `mapping`; `where` is the section's full name."""
        if self.source and self.source not in draft.sources:
            draft.sources.append(self.source)
        hints, fields = _types(draft.cls), fields_of(draft.cls)
        for key, value in mapping.items():
            at = place(self.source, mapping, key)
            at, full = at and at + ": ", _join(where, shown(key))
            if key not in fields:
                raise ConfigError(f"{at}{self._unknown_key(draft.cls, shown(key), where)}")
            draft.places[key] = at
            kinds = kinds_of(fields[key], hints[key])
            if kinds and value is None and type(None) in union_members(hints[key]):
                draft.values[key] = None  # an optional section that is not there
                continue
            if kinds:
                draft.values[key] = self._subsection(draft.current(fields[key]), kinds, value, full, at)
                continue
            try:
                draft.values[key] = _merged(draft.current(fields[key]), convert(hints[key], value))
            except MismatchError as error:
                raise ConfigError(f"{at}'{full}' {error}") from None

    def _subsection(self, current: Any, kinds: Mapping[str, Any], value: Any, full: str, at: str) -> _Draft:
        before = current.cls if isinstance(current, _Draft) else type(current)
        cls = before if before in kinds.values() else next(iter(kinds.values()))
        if not isinstance(value, Mapping):
            keys = ", ".join(fields_of(cls))
            raise ConfigError(f"{at}'{full}' is a section with the keys {keys}; received {received(value)}.")
        if "kind" in value and hasattr(cls, "kind"):
            kind = shown(value["kind"])
            if kind not in kinds:
                raise ConfigError(f"{at}'{full}.kind': {unknown('kind', kind, kinds)}")
            cls = kinds[kind]
        if isinstance(current, _Draft) and current.cls is cls:
            draft = current
        else:
            draft = _Draft(cls, current if type(current) is cls else None)
        self.into(draft, value, full)
        return draft

    def _unknown_key(self, cls: Any, key: str, where: str) -> str:
        keys, full = list(fields_of(cls)), _join(where, key)
        # A key that exists in another section was rather forgotten its prefix than misspelt.
        elsewhere = {path: None for path in key_paths(self.root) if path.rpartition(".")[2] == key and path != full}
        guess = getattr(cls, "OTHER_NAMES", {}).get(key) or nearest(key, keys)
        guesses = list(elsewhere) or ([_join(where, guess)] if guess else [])
        hint = " Did you mean " + " or ".join(f"'{guess}'" for guess in guesses) + "?" if guesses else ""
        kind = f" of kind '{cls.kind}'" if hasattr(cls, "kind") else ""
        owner = f"of {where}{kind}" if where else "at the top"
        return f"unknown key '{full}'.{hint} Keys {owner}: {', '.join(keys)}."


def _build(draft: _Draft, where: str) -> Any:
    values, hints = {}, _types(draft.cls)
    for name, field in fields_of(draft.cls).items():
        value = draft.current(field)
        if value is dataclasses.MISSING and (kinds := kinds_of(field, hints[name])):
            value = _Draft(next(iter(kinds.values())), None)
        if value is dataclasses.MISSING:
            origin = f"{'; '.join(draft.sources)}: the" if draft.sources else "The"
            raise ConfigError(f"{origin} key '{_join(where, name)}' has no default, so it must be given.")
        values[name] = _build(value, _join(where, name)) if isinstance(value, _Draft) else value
    try:
        return draft.cls(**values)
    except RangeError as error:
        raise ConfigError(f"{draft.places.get(error.key, '')}{_join(where, error.key)} {error.problem}") from error
    except (ValueError, UserError) as error:
        origin = f" (set by {'; '.join(draft.sources)})" if draft.sources else ""
        raise ConfigError(f"{where or 'Configuration'}{origin}: {error}") from error


def _parse_override(override: str) -> Mapping[str, Any]:
    """Return an override such as "a.b=1" as a nested mapping, here {"a": {"b": 1}}."""
    key, equals, text = override.partition("=")
    if not equals or not key:
        raise ConfigError(f"'{shortened(override)}' is not of the form key=value, as in seed=3 or env.num_envs=8.")
    value = parse_value(text, f"'{shortened(override)}'")
    for part in reversed(key.strip().split(".")):
        value = {part: value}
    return typing.cast(Mapping[str, Any], value)


def _merged(before: Any, value: Any) -> Any:
    """Return a new value. Mappings are merged key by key; an empty mapping clears the old value."""
    return {**before, **value} if value and isinstance(value, Mapping) and isinstance(before, Mapping) else value


def _plain(value: Any) -> Any:
    if dataclasses.is_dataclass(value):
        return to_dict(value)
    return [_plain(item) for item in value] if isinstance(value, tuple) else value


@cache
def _types(cls: Any) -> dict[str, Any]:
    """Return the types of a dataclass's fields, without their ranges."""
    return typing.get_type_hints(cls)


def fields_of(cls: Any) -> dict[str, dataclasses.Field[Any]]:
    """Return the fields of a dataclass by name; `kind` is the first, even if it extends a dataclass without a kind."""
    fields = sorted(dataclasses.fields(cls), key=lambda field: field.name != "kind")
    return {field.name: field for field in fields}


def kinds_of(field: dataclasses.Field[Any], annotation: Any) -> Mapping[str, Any]:
    """Return the dataclasses that a field may hold, by their kind; nothing for a field that is no section."""
    if "kinds" in field.metadata:
        return typing.cast(Kinds, field.metadata["kinds"])
    members = [member for member in union_members(annotation) if dataclasses.is_dataclass(member)]
    return {getattr(member, "kind", ""): member for member in members}


def key_paths(cls: Any, where: str = "") -> Iterator[str]:
    """Yield every full key below a dataclass, of all kinds of its sections."""
    hints = _types(cls)
    for name, field in fields_of(cls).items():
        yield _join(where, name)
        for inner in kinds_of(field, hints[name]).values():
            yield from key_paths(inner, _join(where, name))


def _join(where: str, key: str) -> str:
    return f"{where}.{key}" if where else key
