"""A number of a configuration may be a schedule, such as "linear(1e-2, 1e-4, 10_000)".

It changes with the updates of the model or agent that has the number.
"""

from __future__ import annotations

import math
import re
from typing import Annotated, Any, Literal, NamedTuple, TypeAlias

from worldmodels.core.configuration.ranges import Range

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
