"""Reads the configuration of a run from its folder, as texts by full key."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any

from worldmodels.core.errors import ConfigError
from worldmodels.core.files.writing import read_regular
from worldmodels.core.files.yaml_files import parse_value

Settings = dict[str, str]
"""The values of a configuration by full key, as texts: {"seed": "3", "env.game": "maze", ...}, in its order."""
_MOST = 10_000
"""A configuration has a few hundred values; a file with more is none of ours."""
_WHOLE_LINE = re.compile(
    r""" *[\w.]+:( ([^\s&*!|>#"'\[\]{}][^#"'\[\]{}]*|\[[^&*!|>#"'\[\]{}]*\]|\{\}|'[^'\\]*'|"[^"\\]*")?)?"""
)
"""A line of a configuration that says all that it says by itself: no anchor, no text that goes on in the next line."""


def read_settings(run: Path) -> Settings:
    """Return the configuration of a run.

    Raises:
        FileNotFoundError: it has none.
        UserError: it cannot be read.
    """
    return dict(_leaves(read_tree(run), ""))


def read_tree(run: Path) -> Mapping[str, Any]:
    """Return the configuration of a run, nested as in its file; it is not to be changed. Raises as `read_settings`."""
    file = run / "config.yaml"
    try:
        text = read_regular(file).decode()
    except UnicodeDecodeError as error:
        raise ConfigError(f"Configuration file '{file}' is not text in UTF-8 (byte {error.start}).") from error
    tree = _by_sections(text) or parse_value(text, str(file))
    if not isinstance(tree, Mapping) or not tree:
        raise ConfigError(f"{file}: a configuration file holds lines of the form 'key: value', but this one does not.")
    if _is_too_large(tree):
        raise ConfigError(f"{file}: a configuration has at most {_MOST:,} values.")
    return tree


def _by_sections(text: str) -> dict[str, Any] | None:
    """Return what a text says, read section by section; None where it has to be read as a whole.

    The runs of an experiment have most sections in common, and equal sections are read once. To read a whole file takes
    60 ms.
    """
    if not all(map(_WHOLE_LINE.fullmatch, text.splitlines())):
        return None
    before, *sections = re.split(r"^(?=\S)", text, flags=re.MULTILINE)
    if before:
        return None
    try:
        trees = [_section(section) for section in sections]
    except ConfigError:
        return None
    merged = {key: value for tree in trees for key, value in tree.items()}
    return merged if len(merged) == len(sections) else None


@lru_cache(maxsize=4096)
def _section(text: str) -> Any:
    return parse_value(text, "a section")


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
