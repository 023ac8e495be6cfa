"""A configuration is written here as YAML in which every key carries its documentation, choices and range as a comment.

The documentation is what stands in the source: the docstring of each dataclass, and the one under each of its keys.
"""

from __future__ import annotations

import ast
import dataclasses
import inspect
import textwrap
import typing
from collections.abc import Iterator
from functools import cache
from itertools import pairwise
from typing import Any, Literal

from worldmodels.core.configuration.ranges import annotations_of, rules_in
from worldmodels.core.configuration.sections import fields_of, kinds_of, to_dict
from worldmodels.core.files.yaml_files import to_yaml

WIDTH = 110
"""Columns of the longest comment."""


def documented_yaml(config: Any) -> str:
    """Return every value of a configuration with its documentation, as YAML that `load_config` reads back."""
    return "\n".join([*_comment(_text_of(type(config))), "", *_lines(config)]) + "\n"


@cache
def key_docs(cls: Any) -> dict[str, str]:
    """Return the docstring under each key of a dataclass and of those that it extends; nothing for a class whose source
    is not at hand."""
    docs: dict[str, str] = {}
    for base in reversed(cls.__mro__):
        docs |= _own_key_docs(base)
    return docs


def _own_key_docs(cls: Any) -> dict[str, str]:
    try:
        source = inspect.getsource(cls)
    except (OSError, TypeError):
        return {}
    body = typing.cast(ast.ClassDef, ast.parse(textwrap.dedent(source)).body[0]).body
    return {
        node.target.id: inspect.cleandoc(after.value.value)
        for node, after in pairwise(body)
        if isinstance(node, ast.AnnAssign)
        and isinstance(node.target, ast.Name)
        and isinstance(after, ast.Expr)
        and isinstance(after.value, ast.Constant)
        and isinstance(after.value.value, str)
    }


def _lines(config: Any, indent: str = "", kinds: tuple[str, ...] = ()) -> Iterator[str]:
    cls: Any = type(config)
    values = to_dict(config)
    for field in fields_of(cls).values():
        value, doc = getattr(config, field.name), key_docs(cls).get(field.name, "")
        if dataclasses.is_dataclass(value):
            if not indent:
                yield ""
            yield from _comment(f"{doc}\n{_text_of(type(value))}", indent)
            yield f"{indent}{field.name}:"
            inner = kinds_of(field, typing.get_type_hints(cls)[field.name])
            yield from _lines(value, indent + "  ", tuple(inner))
        else:
            allowed = _choices(kinds) if field.name == "kind" else facts(annotations_of(cls)[field.name])
            yield from _comment(f"{doc} {allowed}", indent)
            yield textwrap.indent(to_yaml({field.name: values[field.name]}).rstrip("\n"), indent)


def facts(annotation: Any) -> str:
    """Return the choices and the rules that an annotation declares, as sentences."""
    choices = typing.get_args(annotation) if typing.get_origin(annotation) is Literal else ()
    return " ".join([_choices(choices), *rules_in(annotation)])


def _choices(choices: tuple[Any, ...]) -> str:
    return f"One of {', '.join(map(str, choices))}." if len(choices) > 1 else ""


def _text_of(cls: type) -> str:
    return inspect.getdoc(cls) or ""


def _comment(text: str, indent: str = "") -> list[str]:
    """Return a text, its lines and paragraphs run together, as lines that begin with "#"."""
    mark, words = f"{indent}# ", " ".join(text.split())
    return textwrap.wrap(words, WIDTH, initial_indent=mark, subsequent_indent=mark, break_on_hyphens=False)
