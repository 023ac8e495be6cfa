"""Nested data that a person or another program gives may be nested so deep, and no deeper."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

LEVELS = 100
"""Lists and mappings inside each other; the deepest data of our own, a checkpoint's, has about ten."""
TOO_DEEP = f"it nests lists and mappings more than {LEVELS} levels deep"


def too_deep(tree: Any) -> bool:
    """Return whether lists and mappings nest deeper than `LEVELS`, or hold themselves; itself without recursion."""
    level = _children([tree])
    for _ in range(LEVELS):
        if not level:
            return False
        level = _children([child for node in level for child in _members(node)])
    return bool(level)


def _members(node: Any) -> list[Any]:
    return list(node.values()) if isinstance(node, Mapping) else list(node)


def _children(values: list[Any]) -> list[Any]:
    # Each once: the anchors of a YAML file can name one list a billion times.
    return list({id(value): value for value in values if isinstance(value, (Mapping, list, tuple))}.values())
