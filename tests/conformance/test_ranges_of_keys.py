"""Every number of every configuration has a range, and whatever is written there is taken or refused in plain words."""

from __future__ import annotations

import math
import typing
from collections.abc import Iterator
from dataclasses import fields, is_dataclass, replace
from typing import Annotated, Any

import numpy as np
import pytest

from worldmodels.config.run_config import RunConfig
from worldmodels.core.configuration.ranges import Range, RangeError, annotations_of
from worldmodels.core.configuration.sections import from_dict, kinds_of, load_config
from worldmodels.core.configuration.values import union_members
from worldmodels.core.errors import ConfigError
from worldmodels.imagination.planner_config import PlannerConfig

NEVER = {".nan": math.nan, ".inf": math.inf, "-.inf": -math.inf, "1e400": math.inf, "9" * 400: int("9" * 400)}
"""What no key takes, as it is written and as Python has it."""
PERHAPS = (-1, 0, 0.5, 1, 1e-300, 1e300, 10**12, 2**31)


def sections(cls: Any) -> Iterator[Any]:
    """Yield a dataclass and all below it, of every kind."""
    yield cls
    hints = typing.get_type_hints(cls)
    for field in fields(cls):
        for inner in kinds_of(field, hints[field.name]).values():
            yield from sections(inner)


def numbers(annotation: Any, declared: bool = False) -> Iterator[bool]:
    """Yield for every int or float in an annotation whether a range is declared for it."""
    if typing.get_origin(annotation) is Annotated:
        ranged = any(isinstance(extra, Range) for extra in annotation.__metadata__)
        yield from numbers(annotation.__origin__, ranged)
    elif annotation in (int, float):
        yield declared
    elif typing.get_origin(annotation) is tuple or len(union_members(annotation)) > 1:
        for member in typing.get_args(annotation):
            yield from numbers(member)


SECTIONS = list(dict.fromkeys([*sections(RunConfig), *sections(PlannerConfig)]))
KEYS = [(cls, key) for cls in SECTIONS for key, annotation in annotations_of(cls).items() if list(numbers(annotation))]
each_key = pytest.mark.parametrize("cls, key", KEYS, ids=[f"{cls.__name__}.{key}" for cls, key in KEYS])


def test_all_sections_are_found() -> None:
    names = {cls.__name__ for cls in SECTIONS}
    assert {"RSSMConfig", "LatentConfig", "AdafactorConfig", "StartsConfig", "PlannerConfig", "PPOConfig"} <= names
    assert all(is_dataclass(cls) for cls in SECTIONS) and len(KEYS) > 100


@each_key
def test_it_has_a_range(cls: Any, key: str) -> None:
    assert all(numbers(annotations_of(cls)[key])), f"{cls.__name__}.{key} needs a range (core/configuration/ranges.py)"


def given(cls: Any, key: str, value: Any) -> Any:
    """Return a value as the key takes it, in a list of one where it holds several."""
    return [value] if isinstance(getattr(cls(), key), tuple) else value


@each_key
def test_what_is_no_number_is_refused(cls: Any, key: str) -> None:
    for text, value in NEVER.items():
        with pytest.raises(ConfigError, match=key):
            load_config(cls, [], [f"{key}={str(given(cls, key, 0)).replace('0', text)}"])
        with pytest.raises(ConfigError, match=key) as caught:
            from_dict(cls, {key: given(cls, key, value)})
        assert len(str(caught.value)) < 300
        with pytest.raises(RangeError, match=key):
            replace(cls(), **{key: (value,) if isinstance(getattr(cls(), key), tuple) else value})


@each_key
def test_what_is_far_off_is_taken_or_refused(cls: Any, key: str) -> None:
    for value in PERHAPS:
        try:
            taken = getattr(from_dict(cls, {key: given(cls, key, value)}), key)
        except ConfigError as error:
            assert key in str(error) and len(str(error)) < 300
        else:
            assert taken == (tuple(given(cls, key, value)) if isinstance(taken, tuple) else value)


@each_key
def test_what_learns_can_compute_with_it_in_32_bits(cls: Any, key: str) -> None:
    plain = typing.get_type_hints(cls)[key]
    if plain is not float:
        return
    for value in (1e-300, 1 - 1e-12, 1e300):
        try:
            taken = getattr(from_dict(cls, {key: value}), key)
        except ConfigError:
            continue
        assert math.isfinite(np.float32(taken))
