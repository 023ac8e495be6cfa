from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Annotated

import pytest

from worldmodels.core.configuration.ranges import (
    AboveZero,
    AnyInteger,
    BelowOne,
    Count,
    NonNegative,
    Positive,
    Range,
    RangeError,
    Section,
    Share,
    annotations_of,
    at_least,
    between,
    rules_in,
)

DISTINCT = Range("hold none twice", lambda values: len(values) == len(set(values)))


@dataclass(frozen=True)
class Example(Section):
    seed: AnyInteger = 0
    name: str = "x"
    count: Count = 1
    steps: Positive = 1
    weight: NonNegative = 1.0
    rate: AboveZero = 1.0
    share: Share = 0.5
    dropout: BelowOne = 0.5
    shares: Annotated[tuple[Share, ...], DISTINCT] = ()
    pair: tuple[Positive, Annotated[float, between(-1, 1)]] = (1, 0.0)
    side: Annotated[int, at_least(2)] = 2
    maybe: Count | None = None


@pytest.mark.parametrize(
    "key, value, rule",
    [
        ("count", -1, "be at least 0"),
        ("steps", 0, "be at least 1"),
        ("weight", -0.1, "be 0 or more"),
        ("rate", 0.0, "be above 0"),
        ("rate", float("nan"), "be above 0"),
        ("rate", float("inf"), "be between 1e-30 and 1e+30"),
        ("rate", 1e-31, "be between 1e-30 and 1e+30"),  # 0 in float32
        ("weight", float("inf"), "be between 0 and 1000000000.0"),
        ("count", 10**13, "be between 0 and 1000000000000"),
        ("seed", 2**63, "be between -9223372036854775808 and 9223372036854775807"),
        ("steps", "x", "be at least 1"),
        ("share", 1.1, "be between 0 and 1"),
        ("share", -0.1, "be between 0 and 1"),
        ("dropout", 1.0, "be at least 0 and below 1"),
        ("dropout", 1 - 1e-9, "be between 0 and 0.9999999"),  # 1 in float32
        ("maybe", -1, "be at least 0"),
        ("shares", (0.5, 2.0), "be between 0 and 1"),
        ("shares", (0.5, 0.5), "hold none twice"),
        ("pair", (0, 0.0), "be at least 1"),
        ("pair", (1, -2.0), "be between -1 and 1"),
        ("side", 1, "be at least 2"),
    ],
)
def test_a_value_out_of_its_range_is_refused(key: str, value: object, rule: str) -> None:
    with pytest.raises(RangeError) as caught:
        replace(Example(), **{key: value})
    assert str(caught.value) == f"Example.{key} must {rule}. Received {value}."


@pytest.mark.parametrize(
    "key, value",
    [
        *(("seed", -5), ("count", 0), ("steps", 1), ("weight", 0.0), ("rate", 1e30), ("share", 0.0)),
        *(("share", 1.0), ("dropout", 0.0), ("shares", (0.0, 1.0)), ("pair", (9, 1.0)), ("side", 2)),
        *(("maybe", None), ("maybe", 0)),
    ],
)
def test_the_ends_of_a_range_belong_to_it(key: str, value: object) -> None:
    assert getattr(replace(Example(), **{key: value}), key) == value


def test_a_number_of_many_digits_is_not_written_out() -> None:
    with pytest.raises(RangeError) as caught:
        Example(pair=(10**6000, 0.0))
    assert str(caught.value).endswith("Received (one of 19932 bits, 0.0).")


def test_the_rules_of_a_key_can_be_read() -> None:
    rules = {key: rules_in(annotation) for key, annotation in annotations_of(Example).items()}
    assert rules["seed"] == rules["name"] == []
    assert rules["steps"] == ["It must be at least 1."]
    assert rules["rate"] == ["It must be above 0."]  # what nobody would set is not spoken of
    assert rules["maybe"] == ["It must be at least 0."]
    assert rules["shares"] == ["It must hold none twice.", "Each member must be between 0 and 1."]
    assert rules["pair"] == ["Each member must be at least 1.", "Each member must be between -1 and 1."]
