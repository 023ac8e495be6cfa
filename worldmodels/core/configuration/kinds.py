"""A table holds the kinds of a configuration's section; other packages may add to it.

A package adds to a table by calling `register`. Its entry point in the table's group names a module that calls it on
import. Entry points are loaded if a configuration names an unknown kind, and for a list of the kinds.
"""

from __future__ import annotations

import dataclasses
import warnings
from collections.abc import Iterator, Mapping
from importlib import import_module
from importlib.metadata import entry_points
from typing import Any

from worldmodels.core.errors import ConfigError, unknown


class Kinds(Mapping[str, type]):
    """A mapping from each kind to its configuration class; looking for an unknown kind loads the plugins first.

    Args:
        noun: what the kinds are kinds of, such as "model".
        group: the group of entry points through which other packages add kinds.
    """

    def __init__(self, noun: str, group: str) -> None:
        self._noun, self._group = noun, group
        self._configs: dict[str, type] = {}
        self._homes: dict[str, str] = {}
        self._plugins_loaded = False

    def __getitem__(self, kind: str) -> type:
        if kind not in self._configs:
            self.load_plugins()
        return self._configs[kind]

    def __iter__(self) -> Iterator[str]:
        return iter(self._configs)

    def __len__(self) -> int:
        return len(self._configs)

    def register(self, kind: str, config: type, home: str) -> None:
        """Add a kind; adding the same again changes nothing.

        Args:
            kind: as in YAML.
            config: a frozen dataclass whose `kind` is the same; its module should import nothing heavy.
            home: the class that is built from it, as "package.module:Class"; it is imported when one is built.

        Raises:
            ConfigError: the kind is taken by another class, or `config` is no such dataclass.
        """
        if not dataclasses.is_dataclass(config) or getattr(config, "kind", None) != kind:
            raise ConfigError(
                f"The configuration of the {self._noun} '{kind}' must be a dataclass with kind: str = '{kind}'. "
                f"Received {config!r}."
            )
        before = self._configs.get(kind), self._homes.get(kind)
        if kind in self._configs and before != (config, home):
            raise ConfigError(
                f"The {self._noun} '{kind}' is registered already, as {before[1]}; it cannot be {home} as well. Choose "
                "another kind."
            )
        self._configs[kind], self._homes[kind] = config, home

    def load_plugins(self) -> None:
        """Load what other packages add, once; one that fails is warned about by name and reason."""
        if self._plugins_loaded:
            return
        self._plugins_loaded = True
        for plugin in entry_points(group=self._group):
            try:
                plugin.load()
            except Exception as error:  # whatever it is: a broken package must not take the others with it
                reason = f"{type(error).__name__}: {error}"
                warnings.warn(f"The plugin '{plugin.name}' ({plugin.value}) cannot be used: {reason}", stacklevel=2)

    def build(self, config: Any, *arguments: Any) -> Any:
        """Return what `config` describes, made from it and `arguments`.

        Raises:
            ConfigError: there is no such kind, or its class cannot be imported.
        """
        if config.kind not in self:
            raise ConfigError(unknown(self._noun, config.kind, self))
        module, _, name = self._homes[config.kind].partition(":")
        try:
            cls = getattr(import_module(module), name)
        except (ImportError, AttributeError) as error:
            raise ConfigError(
                f"The {self._noun} '{config.kind}' cannot be loaded from '{module}:{name}': {error}"
            ) from error
        return cls(config, *arguments)
