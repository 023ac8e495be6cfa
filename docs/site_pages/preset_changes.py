"""Finds the keys that each preset sets, and to what."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Mapping
from typing import Any, TypeAlias

from worldmodels.config.run_config import RunConfig
from worldmodels.core.configuration.presets import preset_names, read_source
from worldmodels.core.configuration.sections import load_config

Changes: TypeAlias = Mapping[tuple[str, type], list[tuple[str, Any]]]
"""The presets that set a key, and their values, by the full key and the class of its section."""


def preset_changes() -> Changes:
    """Return the changes of all shipped presets, without those of the presets below each.

    An overlay is read over the first preset that it names.
    """
    changes: dict[tuple[str, type], list[tuple[str, Any]]] = {}
    for name in preset_names():
        source = read_source(name)
        config = load_config(RunConfig, [*source.over[:1], name])
        for path, cls, value in values_in(source.values, config):
            changes.setdefault((path, cls), []).append((name, value))
    return changes


def values_in(mapping: Mapping[str, Any], config: Any, where: str = "") -> Iterator[tuple[str, type, Any]]:
    """Yield each full key that a mapping sets, the class of the key's section in a configuration, and the value."""
    for key, value in mapping.items():
        path, inner = f"{where}.{key}".lstrip("."), getattr(config, key)
        if dataclasses.is_dataclass(inner) and isinstance(value, Mapping):
            yield from values_in(value, inner, path)
        else:
            yield path, type(config), value
