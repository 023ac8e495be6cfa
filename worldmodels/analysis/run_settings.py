"""The configuration of a run, as its folder tells it: texts by full key."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from worldmodels.core.errors import ConfigError
from worldmodels.core.files import read_regular
from worldmodels.core.yaml_text import parse_value

Settings = dict[str, str]
"""The values of a configuration by full key, as texts: {"seed": "3", "env.game": "maze", ...}, in its order."""
_MOST = 10_000
"""A configuration has a few hundred values; a file with more is none of ours."""


def read_settings(run: Path) -> Settings:
    """Return the configuration of a run.

    Raises:
        FileNotFoundError: it has none.
        UserError: it cannot be read.
    """
    file = run / "config.yaml"
    try:
        text = read_regular(file).decode()
    except UnicodeDecodeError as error:
        raise ConfigError(f"Configuration file '{file}' is not text in UTF-8 (byte {error.start}).") from error
    tree = parse_value(text, str(file))
    if not isinstance(tree, Mapping) or not tree:
        raise ConfigError(f"{file}: a configuration file holds lines of the form 'key: value', but this one does not.")
    if _is_too_large(tree):
        raise ConfigError(f"{file}: a configuration has at most {_MOST:,} values.")
    return dict(_leaves(tree, ""))


def _is_too_large(tree: Any) -> bool:
    """Return whether a tree has too many values; the anchors of a YAML file can name one list a billion times."""
    waiting, seen = [tree], 0
    while waiting and seen <= _MOST:
        node, seen = waiting.pop(), seen + 1
        waiting += node.values() if isinstance(node, Mapping) else node if isinstance(node, list) else ()
    return seen > _MOST


def _leaves(tree: Any, where: str) -> Iterator[tuple[str, str]]:
    """Yield the full key and the text of every value; lists are values."""
    for key, value in tree.items():
        full = f"{where}.{key}" if where else str(key)
        if isinstance(value, Mapping) and value:
            yield from _leaves(value, full)
        else:
            yield full, _text(value)


def _text(value: Any) -> str:
    if isinstance(value, bool) or value is None:
        return {True: "true", False: "false", None: "null"}[value]
    if isinstance(value, float) and value.is_integer() and abs(value) < 1e15:
        return str(int(value))
    return str(value)
