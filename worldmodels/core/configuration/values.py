"""One configuration value is converted to one type annotation here, and both are described to a person."""

from __future__ import annotations

import itertools
import math
import sys
import types
import typing
from collections.abc import Iterable, Mapping
from typing import Any, Literal, Union

from worldmodels.core.errors import nearest, shortened

_NAMES = {bool: "true or false", int: "an integer", float: "a number", str: "text", type(None): "null"}
_PLURALS = {"an integer": "integers", "a number": "numbers", "text": "texts"}
_SHOWN_MEMBERS = 20
"""An error repeats so many members of what was received."""


class MismatchError(Exception):
    """A value that its annotation does not take; the text completes "'key' ..."."""


def union_members(annotation: Any) -> tuple[Any, ...]:
    """Return the members of `A | B`, or the annotation itself."""
    if typing.get_origin(annotation) in (Union, types.UnionType):
        return typing.get_args(annotation)
    return (annotation,)


def convert(annotation: Any, value: Any) -> Any:
    """Return `value`, as YAML gave it, as what `annotation` asks for.

    Integers may be written as whole floats (1e5), floats as integers, tuples as lists. Annotations are bool, int,
    float, str, None, `Literal`, tuples, mappings with text keys, unions of these, and Any. Integers have 64 bits.

    Raises:
        MismatchError: the annotation does not take the value.
    """
    # 1.0 stays a float where an integer or a float may stand.
    for member in sorted(union_members(annotation), key=lambda member: member is not _plain_type(value)):
        found, result = _convert_one(member, value)
        if found:
            return result
    raise MismatchError(f"takes {describe(annotation)}; received {received(value)}.{_hint(annotation, value)}")


def describe(annotation: Any) -> str:
    """Return what an annotation takes, for example "an integer", "one of easy, hard" or "a list of numbers"."""
    members = union_members(annotation)
    if len(members) > 1:
        return " or ".join(describe(member) for member in members)
    origin, arguments = typing.get_origin(annotation), typing.get_args(annotation)
    if origin is Literal:
        return "one of " + ", ".join(map(str, arguments))
    if origin is tuple and arguments[-1] is Ellipsis:
        item = describe(arguments[0])
        return f"a list of {_PLURALS.get(item, 'items, each ' + item)}"
    if origin is tuple:
        return f"a list of exactly {len(arguments)}: " + ", ".join(map(describe, arguments))
    if origin is Mapping:
        return "keys and values" if arguments[1] is Any else f"keys and values, each {describe(arguments[1])}"
    return _NAMES.get(annotation, str(annotation))


def received(value: Any) -> str:
    """Return a value with its type, for example "'many' (text)" or "1.5 (a number)", cut where it is long."""
    if isinstance(value, Mapping):
        return f"a section (keys: {_listed(value) or 'none'})"
    if isinstance(value, (list, tuple)):
        return f"[{_listed(value)}] (a list)"
    if value is None:
        return "nothing (null)"
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, str):
        return f"'{shown(value)}' (text)"
    kind = next((name for known, name in _NAMES.items() if isinstance(value, known)), type(value).__name__)
    return f"{shown(value)} ({kind})"


def shown(value: Any, levels: int = 2) -> str:
    """Return a value as text for an error, cut where it is long or deep."""
    if isinstance(value, (Mapping, list, tuple)):
        opening, closing = "{}" if isinstance(value, Mapping) else "()" if isinstance(value, tuple) else "[]"
        return f"{opening}{_listed(value, levels - 1) if levels else '...'}{closing}"
    if isinstance(value, int) and abs(value) >= 10**80:  # Python refuses to write out the longest ones
        return f"one of {value.bit_length()} bits"
    return shortened(str(value))


def _listed(values: Iterable[Any], levels: int = 1) -> str:
    members = [shown(value, levels) for value in itertools.islice(values, _SHOWN_MEMBERS + 1)]
    return ", ".join([*members[:_SHOWN_MEMBERS], "..."] if len(members) > _SHOWN_MEMBERS else members)


def _convert_one(annotation: Any, value: Any) -> tuple[bool, Any]:
    """Return whether `value` fits one annotation that is no union, and what it becomes; None alone cannot say both."""
    origin, arguments = typing.get_origin(annotation), typing.get_args(annotation)
    if origin is Literal:
        matches = [choice for choice in arguments if choice == value and type(choice) is _plain_type(value)]
        return bool(matches), matches[0] if matches else None
    if origin is tuple:
        return _convert_tuple(arguments, value)
    if origin is Mapping:
        return _convert_mapping(arguments[1], value)
    if annotation is Any:
        return True, value
    if annotation is type(None):
        return value is None, None
    if annotation is bool or isinstance(value, bool):  # a bool is an int to Python, never to a person
        return annotation is bool and isinstance(value, bool), value
    if annotation is int:
        whole = isinstance(value, int) or (isinstance(value, float) and value.is_integer())
        whole = whole and -(2**63) <= value < 2**63
        return whole, int(value) if whole else None
    if annotation is float:
        return _convert_float(value)
    if annotation is str:
        return isinstance(value, str), str(value)
    raise TypeError(f"A configuration field cannot be annotated as {annotation}.")


def _convert_float(value: Any) -> tuple[bool, Any]:
    # NaN and infinity are slips, never settings; and an integer can be larger than the largest float.
    number = isinstance(value, float) and math.isfinite(value)
    number = number or (isinstance(value, int) and abs(value) <= sys.float_info.max)
    return number, float(value) if number else None


def _convert_mapping(item: Any, value: Any) -> tuple[bool, Any]:
    if not isinstance(value, Mapping) or not all(isinstance(key, str) for key in value):
        return False, None
    try:
        return True, {str(key): convert(item, member) for key, member in value.items()}
    except MismatchError:
        return False, None


def _convert_tuple(items: tuple[Any, ...], value: Any) -> tuple[bool, Any]:
    if not isinstance(value, (list, tuple)):
        return False, None
    annotations = [items[0]] * len(value) if items[-1] is Ellipsis else list(items)
    if len(annotations) != len(value):
        return False, None
    try:
        return True, tuple(convert(annotation, item) for annotation, item in zip(annotations, value, strict=True))
    except MismatchError:
        return False, None


def _plain_type(value: Any) -> type:
    """Return the built-in type of a scalar; the YAML reader has subclasses of int, float and str for notations."""
    return next((plain for plain in (bool, int, float, str) if isinstance(value, plain)), type(value))


def _hint(annotation: Any, value: Any) -> str:
    if isinstance(value, (int, float)) and abs(value) >= 2**63:
        return " Integers have at most 64 bits, and numbers are at most 1.8e308."
    choices = [
        choice
        for member in union_members(annotation)
        if typing.get_origin(member) is Literal
        for choice in typing.get_args(member)
    ]
    guess = nearest(value, map(str, choices)) if isinstance(value, str) else None
    return f" Did you mean '{guess}'?" if guess else ""
