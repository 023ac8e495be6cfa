"""One configuration value is converted to one type annotation here, and both are described to a person."""

from __future__ import annotations

import math
import types
import typing
from collections.abc import Mapping
from typing import Any, Literal, Union

from worldmodels.core.lookup import nearest

_NAMES = {bool: "true or false", int: "an integer", float: "a number", str: "text", type(None): "null"}
_PLURALS = {"an integer": "integers", "a number": "numbers", "text": "texts"}


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
    float, str, None, `Literal`, tuples and unions of these.

    Raises:
        MismatchError: the annotation does not take the value.
    """
    for member in union_members(annotation):
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
    return _NAMES.get(annotation, str(annotation))


def received(value: Any) -> str:
    """Return a value with its type, for example "'many' (text)" or "1.5 (a number)"."""
    if isinstance(value, Mapping):
        return f"a section (keys: {', '.join(map(str, value)) or 'none'})"
    if isinstance(value, (list, tuple)):
        return f"[{', '.join(map(shortened, value))}] (a list)"
    if value is None:
        return "nothing (null)"
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, str):
        return f"'{value}' (text)"
    kind = next((name for known, name in _NAMES.items() if isinstance(value, known)), type(value).__name__)
    return f"{shortened(value)} ({kind})"


def shortened(value: Any) -> str:
    """Return a value as text, of an integer beyond 30 digits only how many there are."""
    if isinstance(value, tuple):
        return f"({', '.join(map(shortened, value))}{',' * (len(value) == 1)})"
    if isinstance(value, int) and abs(value) >= 10**30:
        # Python itself writes no more than some thousand digits; the logarithm is close enough.
        return f"an integer of about {round(value.bit_length() * math.log10(2))} digits"
    return str(value)


def _convert_one(annotation: Any, value: Any) -> tuple[bool, Any]:
    """Return whether `value` fits one annotation that is no union, and what it becomes; None alone cannot say both."""
    origin, arguments = typing.get_origin(annotation), typing.get_args(annotation)
    if origin is Literal:
        matches = [choice for choice in arguments if choice == value and type(choice) is _plain_type(value)]
        return bool(matches), matches[0] if matches else None
    if origin is tuple:
        return _convert_tuple(arguments, value)
    if annotation is type(None):
        return value is None, None
    if annotation is bool or isinstance(value, bool):  # a bool is an int to Python, never to a person
        return annotation is bool and isinstance(value, bool), value
    if annotation is int:
        whole = isinstance(value, int) or (isinstance(value, float) and value.is_integer())
        return whole, int(value) if whole else None
    if annotation is float:
        number = isinstance(value, (int, float)) and _is_finite(value)  # NaN and infinity are slips, never settings
        return number, float(value) if number else None
    if annotation is str:
        return isinstance(value, str), str(value)
    raise TypeError(f"A configuration field cannot be annotated as {annotation}.")


def _is_finite(value: float) -> bool:
    try:
        return math.isfinite(value)
    except OverflowError:  # an integer that is larger than any float
        return False


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
    choices = [
        choice
        for member in union_members(annotation)
        if typing.get_origin(member) is Literal
        for choice in typing.get_args(member)
    ]
    guess = nearest(value, map(str, choices)) if isinstance(value, str) else None
    return f" Did you mean '{guess}'?" if guess else ""
