"""YAML 1.2 is read and written here, with errors that name the file and the line.

Nested data that a person or another program gives, in YAML or JSON, may be nested so deep, and no deeper.
"""

from __future__ import annotations

import io
import math
import re
import warnings
from collections.abc import Mapping
from itertools import accumulate
from pathlib import Path
from typing import Any

from ruamel.yaml import YAML
from ruamel.yaml.comments import CommentedSeq
from ruamel.yaml.error import MarkedYAMLError, ReusedAnchorWarning
from ruamel.yaml.nodes import CollectionNode

from worldmodels.core.errors import ConfigError, shortened

MOST_VALUES = 10_000
"""The values of a text, at most, with what its aliases repeat; the largest files of our own hold hundreds."""
LEVELS = 100
"""Lists and mappings inside each other; the deepest data of our own, a checkpoint's, has about ten."""
TOO_DEEP = f"it nests lists and mappings more than {LEVELS} levels deep"


def read_mapping(path: Path) -> Mapping[str, Any]:
    """Return the keys of a YAML file; its mappings remember their lines for `place`, and an empty file has no keys."""
    try:
        text = path.read_text(encoding="utf-8")
    except OSError as error:
        raise ConfigError(f"Configuration file '{path}' cannot be read: {error.strerror}.") from error
    except UnicodeDecodeError as error:
        raise ConfigError(f"Configuration file '{path}' is not text in UTF-8 (byte {error.start}).") from error
    # The round-trip reader keeps line numbers; it builds plain data only, whatever tags the file holds.
    tree = _parse(YAML(typ="rt"), text, str(path))
    if tree is None:
        return {}
    if not isinstance(tree, Mapping):
        raise ConfigError(f"{path}: a configuration file holds lines of the form 'key: value', but this one does not.")
    return tree


def parse_value(text: str, source: str) -> Any:
    """Return one value, as on the right of `key=value`, as plain Python data."""
    # "safe" alone would pick the C reader, which knows only YAML 1.1, where 1e-4 is a text and `no` is false.
    return _parse(YAML(typ="safe", pure=True), text, source)


def place(source: str, mapping: Mapping[Any, Any], key: Any) -> str:
    """Return where a key was written: "configs/maze.yaml, line 3", or `source` where lines are not known."""
    lines = getattr(mapping, "lc", None)
    # A key that came in by an anchor's merge (`<<`) has no line of its own.
    return f"{source}, line {lines.key(key)[0] + 1}" if lines and key in (lines.data or {}) else source


def to_yaml(tree: Mapping[str, Any]) -> str:
    """Return the tree as YAML in its own order, lists on one line."""
    writer, out = YAML(typ="rt"), io.StringIO()
    writer.width = 4096  # no folding: one key, one line
    writer.dump(_in_flow_style(tree), out)
    return out.getvalue()


def _in_flow_style(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {key: _in_flow_style(item) for key, item in value.items()}
    if isinstance(value, list):
        sequence = CommentedSeq(_in_flow_style(item) for item in value)
        sequence.fa.set_flow_style()
        return sequence
    return value


def _check_size(values: float, source: str) -> None:
    if values > MOST_VALUES:
        raise ConfigError(
            f"{source} cannot be used: YAML may hold at most {MOST_VALUES:,} values, and each alias (*name) counts as "
            f"the values that it repeats. Received {values:,.0f}. Shorten it."
        )


def _expanded(node: Any, known: dict[int, float], source: str) -> float:
    """Return the number of values of a node and its children where aliases are written out; infinite in a circle.

    Raises:
        ConfigError: a key is a list or a mapping, for which the reader would take time that doubles with each level.
    """
    if id(node) in known:
        return known[id(node)]
    known[id(node)] = math.inf
    children = node.value if isinstance(node, CollectionNode) else ()
    pairs = [child if isinstance(child, tuple) else (child,) for child in children]
    for key in [pair[0] for pair in pairs if len(pair) == 2]:
        if isinstance(key, CollectionNode):
            raise ConfigError(
                f"{source}, line {key.start_mark.line + 1}: a key must be a text or a number. Received a list or a "
                "mapping. Write 'key: value'."
            )
    known[id(node)] = 1 + sum(_expanded(part, known, source) for pair in pairs for part in pair)
    return known[id(node)]


def _parse(reader: Any, text: str, source: str) -> Any:
    _check_size(text.count("\n") + text.count(","), source)  # the reader takes 0.2 milliseconds a value
    brackets = (1 if bracket in "[{" else -1 for bracket in re.findall(r"[][{}]", text))
    if max(accumulate(brackets), default=0) > LEVELS:  # the reader would take seconds to hours over them
        raise ConfigError(f"{source} cannot be used: {TOO_DEEP}.")
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ReusedAnchorWarning)  # a newer anchor of a name replaces the older one
            node = reader.compose(text)
        _check_size(_expanded(node, {}, source), source)
        tree = None if node is None else reader.constructor.construct_document(node)
    except ConfigError:
        raise
    except MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        line = f", line {mark.line + 1}" if mark is not None and "\n" in text.strip() else ""
        problem = (error.problem or error.context or "it cannot be understood").splitlines()[0]
        raise ConfigError(f"{source}{line}: not valid YAML: {problem}.") from error
    except RecursionError:
        raise ConfigError(f"{source} cannot be used: {TOO_DEEP}.") from None
    except Exception as error:  # whatever it is: the reader lets through what Python says of '!!bool x' or '!!int x'
        problem = shortened((str(error).splitlines() or [type(error).__name__])[0])
        raise ConfigError(f"{source}: not valid YAML: {problem}.") from error
    if too_deep(tree):
        raise ConfigError(f"{source} cannot be used: {TOO_DEEP}.")
    return tree


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
