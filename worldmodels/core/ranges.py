"""The numbers of a configuration have ranges: declared in the annotation of a key, checked when a section is made.

@dataclass(frozen=True)
class AgentConfig(Section):
    horizon: Positive = 15
    factors: tuple[Share, ...] = ()
    patch: Annotated[int, at_least(2)] = 8
"""

from __future__ import annotations

import math
import typing
from collections.abc import Callable
from functools import cache
from typing import Annotated, Any, NamedTuple

from worldmodels.core.config_values import shown
from worldmodels.core.errors import ConfigError


class Range(NamedTuple):
    """A rule that one value of a configuration must keep."""

    rule: str
    """The rule in words, which complete "the key must ..."; empty where every value is allowed."""
    holds: Callable[[Any], bool]


def at_least(low: float) -> Range:
    """Return the range of all numbers from `low` on."""
    return Range(f"be at least {low}", lambda value: value >= low)


def above(low: float) -> Range:
    """Return the range of all numbers greater than `low`."""
    return Range(f"be above {low}", lambda value: value > low)


def between(low: float, high: float) -> Range:
    """Return the range of all numbers from `low` to `high`, both included."""
    return Range(f"be between {low} and {high}", lambda value: low <= value <= high)


AnyInteger = Annotated[int, Range("", lambda value: True)]
Count = Annotated[int, at_least(0)]
Positive = Annotated[int, at_least(1)]
NonNegative = Annotated[float, Range("be 0 or more", lambda value: 0 <= value < math.inf)]
AboveZero = Annotated[float, above(0)]
Share = Annotated[float, between(0, 1)]
BelowOne = Annotated[float, Range("be at least 0 and below 1", lambda value: 0 <= value < 1)]


class RangeError(ConfigError):
    """A value that breaks the rule of its key; `key` and `problem` let a loader put the full key in front."""

    def __init__(self, section: Any, key: str, rule: str) -> None:
        value = getattr(section, key)
        finite = " and finite" if math.inf in (value if isinstance(value, tuple) else (value,)) else ""
        self.key, self.problem = key, f"must {rule}{finite}. Received {shown(value)}."
        super().__init__(f"{type(section).__name__}.{key} {self.problem}")


class Section:
    """The base of a configuration's frozen dataclasses, which refuses numbers out of their ranges.

    Raises:
        RangeError: a value breaks the rule of its key; the text names key, rule and value.
    """

    def __post_init__(self) -> None:
        cls: Any = type(self)  # Any: type checkers do not see that a class can be hashed
        for key, annotation in annotations_of(cls).items():
            for broken in _broken(annotation, getattr(self, key)):
                raise RangeError(self, key, broken.rule)


@cache
def annotations_of(cls: Any) -> dict[str, Any]:
    """Return the annotations of a dataclass by key, with the ranges that are declared in them."""
    return typing.get_type_hints(cls, include_extras=True)


def rules_in(annotation: Any, subject: str = "It") -> list[str]:
    """Return the rules that an annotation declares as sentences, those for the members of a tuple last."""
    own = [f"{subject} must {extra.rule}." for extra in _ranges(annotation) if extra.rule]
    return own + [rule for item in _items(annotation) for rule in rules_in(item, "Each member")]


def _broken(annotation: Any, value: Any) -> list[Range]:
    """Return the ranges that a value breaks: its own, then those of its members where it is a tuple."""
    broken = [extra for extra in _ranges(annotation) if not extra.holds(value)]
    members = value if isinstance(value, tuple) else ()
    items = _items(annotation, len(members))
    return broken + [rule for item, member in zip(items, members, strict=False) for rule in _broken(item, member)]


def _ranges(annotation: Any) -> list[Range]:
    return [extra for extra in getattr(annotation, "__metadata__", ()) if isinstance(extra, Range)]


def _items(annotation: Any, length: int = 1) -> list[Any]:
    """Return the annotations of a tuple's members; none for other types."""
    plain = annotation.__origin__ if typing.get_origin(annotation) is Annotated else annotation
    if typing.get_origin(plain) is not tuple:
        return []
    items = list(typing.get_args(plain))
    return items[:1] * length if items[-1] is Ellipsis else items
