"""The annotation of a key declares the range of its number, which is checked when a section is made.

@dataclass(frozen=True)
class AgentConfig(Section):
    horizon: Positive = 15
    factors: tuple[Share, ...] = ()
    patch: Annotated[int, at_least(2)] = 8

A number of a configuration may be a schedule, such as "linear(1e-2, 1e-4, 10_000)".

It changes with the updates of the model or agent that has the number.
"""

from __future__ import annotations

import math
import re
import typing
from collections.abc import Callable, Mapping
from functools import cache
from typing import Annotated, Any, Literal, NamedTuple, TypeAlias

from worldmodels.core.configuration.values import shown, union_members
from worldmodels.core.errors import ConfigError


class Range(NamedTuple):
    """A rule that one value of a configuration must keep."""

    rule: str
    """The rule in words, which complete "the key must ..."."""
    holds: Callable[[Any], bool]
    is_obvious: bool = False
    """Only typos violate this rule: violations are reported, but the help of the key omits it."""

    def broken_by(self, value: Any) -> bool:
        """Return whether a value breaks the rule; a value of another type does."""
        try:
            return not self.holds(value)
        except (TypeError, ValueError, re.error):
            return True


def at_least(low: float) -> Range:
    """Return the range of all numbers from `low` on."""
    return Range(f"be at least {low}", lambda value: value >= low)


def above(low: float) -> Range:
    """Return the range of all numbers greater than `low`."""
    return Range(f"be above {low}", lambda value: value > low)


def between(low: float, high: float) -> Range:
    """Return the range of all numbers from `low` to `high`, both included."""
    return Range(f"be between {low} and {high}", lambda value: low <= value <= high)


def limits(low: float, high: float) -> Range:
    """Return the range of all numbers from `low` to `high`; numbers beyond them are typos, such as a digit too many."""
    return Range(f"be between {low} and {high}", lambda value: low <= value <= high, is_obvious=True)


# Infinity is in none of them, and NaN in no range at all. The limits of floats are such that float32 keeps them apart
# from 0, from 1 and from infinity.
AnyInteger = Annotated[int, limits(-(2**63), 2**63 - 1)]
Count = Annotated[int, at_least(0), limits(0, 10**12)]
Positive = Annotated[int, at_least(1), limits(1, 10**12)]
Size = Annotated[int, at_least(1), limits(1, 65_536)]
"""A number of units, rows or frames, all of which are in memory at once."""
Int32 = Annotated[int, at_least(0), limits(0, 2**31 - 1)]
"""A number that the native games read as one of 32 bits."""
NonNegative = Annotated[float, Range("be 0 or more", lambda value: value >= 0), limits(0, 1e9)]
AboveZero = Annotated[float, above(0), limits(1e-30, 1e30)]
AnyNumber = Annotated[float, limits(-1e300, 1e300)]
Share = Annotated[float, between(0, 1)]
NamePattern = Annotated[str, Range("be a regular expression", lambda value: bool(re.compile(value)))]
BelowOne = Annotated[float, Range("be at least 0 and below 1", lambda value: 0 <= value < 1), limits(0, 0.9999999)]


class RangeError(ConfigError):
    """A value that breaks the rule of its key; `key` and `problem` let a loader put the full key in front."""

    def __init__(self, section: Any, key: str, rule: str) -> None:
        value = getattr(section, key)
        self.key, self.problem = key, f"must {rule}. Received {shown(value)}."
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
    """Return the rules that an annotation declares as sentences, each once, those for the members of a tuple last."""
    rules = []
    for member in union_members(annotation):
        rules += [f"{subject} must {extra.rule}." for extra in _ranges(member) if not extra.is_obvious]
        rules += [rule for item in _items(member) for rule in rules_in(item, "Each member")]
    return list(dict.fromkeys(rules))


def _broken(annotation: Any, value: Any) -> list[Range]:
    """Return the ranges that a value breaks; of a union, those of the member that fits best."""
    members = union_members(annotation)
    if value is None and type(None) in members:
        return []
    return min((_broken_one(member, value) for member in members if member is not type(None)), key=len)


def _broken_one(annotation: Any, value: Any) -> list[Range]:
    """Return the ranges that a value breaks: its own, then those of its members where it is a tuple or a mapping."""
    broken = [extra for extra in _ranges(annotation) if extra.broken_by(value)]
    members = tuple(value.values()) if isinstance(value, Mapping) else value if isinstance(value, tuple) else ()
    items = _items(annotation, len(members))
    return broken + [rule for item, member in zip(items, members, strict=False) for rule in _broken(item, member)]


def _ranges(annotation: Any) -> list[Range]:
    return [extra for extra in getattr(annotation, "__metadata__", ()) if isinstance(extra, Range)]


def _items(annotation: Any, length: int = 1) -> list[Any]:
    """Return the annotations of a tuple's members or of a mapping's values; none for other types."""
    plain = annotation.__origin__ if typing.get_origin(annotation) is Annotated else annotation
    if typing.get_origin(plain) is Mapping:
        return [typing.get_args(plain)[1]] * length
    if typing.get_origin(plain) is not tuple:
        return []
    items = list(typing.get_args(plain))
    return items[:1] * length if items[-1] is Ellipsis else items


_TEXT = re.compile(r"\s*(linear|warmup|exp|horizon)\s*\(([^()]*)\)\s*")
_FORMS = (
    "linear(first, last, updates), warmup(updates, last), exp(first, last, half_life) or horizon(first, last, updates)"
)
_MOST_UPDATES = 1e12


class NumberSchedule(NamedTuple):
    """A number that goes from `first` to `last` (DreamerV2's schedules, there over environment steps).

    - linear: along a line, where it arrives after `updates`. A warm-up is a line from 0.
    - exp: the distance to `last` halves every `updates`.
    - horizon: 1 - 1 / x of an x along a line, a discount of as many steps.
    """

    kind: Literal["linear", "exp", "horizon"]
    first: float
    last: float
    updates: float

    @property
    def limits(self) -> tuple[float, float]:
        """Return the two values between which it stays."""
        if self.kind == "horizon":
            return 1.0 - 1.0 / self.first, 1.0 - 1.0 / self.last
        return self.first, self.last


def parse_schedule(text: str) -> NumberSchedule:
    """Return the schedule in a text.

    Raises:
        ValueError: the text is no schedule.
    """
    match = _TEXT.fullmatch(text)
    if not match:
        raise ValueError(f"A schedule is {_FORMS}. Received {text}.")
    kind, numbers = match[1], [float(number) for number in match[2].split(",")]
    if kind == "warmup":
        updates, last = numbers
        kind, numbers = "linear", [0.0, last, updates]
    first, last, updates = numbers
    if not (math.isfinite(first) and math.isfinite(last) and 1 <= updates <= _MOST_UPDATES):
        raise ValueError(f"A schedule has finite numbers, and lasts 1 to 10^12 updates. Received {text}.")
    if kind == "horizon" and min(first, last) < 1:
        raise ValueError(f"The horizon of a discount is 1 or more. Received {text}.")
    return NumberSchedule(kind, first, last, updates)  # type: ignore[arg-type]


def _scheduled(words: str, low: float, high: float) -> Range:
    """Return the range of numbers from `low` to `high`, `words`, and of schedules that stay there."""

    def holds(value: Any) -> bool:
        values = parse_schedule(value).limits if isinstance(value, str) else (value,)
        return all(low <= number <= high for number in values)

    return Range(f"{words}, or a schedule of such numbers: {_FORMS}", holds)


_NON_NEGATIVE = _scheduled("be 0 or more", 0.0, 1e9)
_RATE = _scheduled("be above 0 and at most 1", 1e-12, 1.0)
ScheduledNonNegative: TypeAlias = Annotated[float, _NON_NEGATIVE] | Annotated[str, _NON_NEGATIVE]
ScheduledRate: TypeAlias = Annotated[float, _RATE] | Annotated[str, _RATE]
