"""Every number of every configuration has a range, and every key its documentation."""

from __future__ import annotations

import dataclasses
import typing
from collections.abc import Iterator
from typing import Annotated, Any

import pytest

from worldmodels.agents.dreamer.config import ActorCriticConfig
from worldmodels.config.run_config import RunConfig
from worldmodels.core.configuration.ranges import Range, RangeError, Section, annotations_of
from worldmodels.core.configuration.sections import kinds_of, load_config
from worldmodels.core.configuration.text import key_docs
from worldmodels.core.errors import ConfigError
from worldmodels.imagination.planner_config import PlannerConfig
from worldmodels.models.next_frame.config import LatentConfig, StochasticDiscreteConfig


def sections(cls: type) -> Iterator[type]:
    """A configuration class and all that may stand below it."""
    yield cls
    for field in dataclasses.fields(cls):
        for inner in kinds_of(field, typing.get_type_hints(cls)[field.name]).values():
            yield from sections(inner)


ALL = sorted({*sections(RunConfig), PlannerConfig}, key=lambda cls: cls.__name__)


def unranged(annotation: Any, ranged: bool = False) -> bool:
    """Whether an int or float stands in the annotation that no range covers."""
    if typing.get_origin(annotation) is Annotated:
        here = any(isinstance(extra, Range) for extra in annotation.__metadata__)
        return unranged(annotation.__origin__, ranged or (here and annotation.__origin__ in (int, float)))
    if annotation in (int, float):
        return not ranged
    if typing.get_origin(annotation) is typing.Literal:
        return False
    return any(unranged(inner, ranged) for inner in typing.get_args(annotation))


def test_the_walk_finds_sections_and_bare_numbers() -> None:
    names = {cls.__name__ for cls in ALL}
    assert {"RunConfig", "StartsConfig", "PPOConfig", "LatentConfig", "PatchNetworkConfig", "AdafactorConfig"} <= names
    assert all(unranged(bare) for bare in (int, float, tuple[float, ...], int | None))
    assert not any(unranged(fine) for fine in (bool, str, typing.Literal[1, 2], tuple[str, ...]))


@pytest.mark.parametrize("cls", ALL, ids=lambda cls: cls.__name__)
def test_every_number_has_a_range(cls: type) -> None:
    assert issubclass(cls, Section)
    assert [key for key, annotation in annotations_of(cls).items() if unranged(annotation)] == []


@pytest.mark.parametrize("cls", ALL, ids=lambda cls: cls.__name__)
def test_every_key_is_documented(cls: type) -> None:
    """A section may leave it to the docstring of its class."""
    docs = key_docs(cls)
    undocumented = [field.name for field in dataclasses.fields(cls) if field.name not in docs]
    assert [name for name in undocumented if name != "kind" and not holds_section(cls, name)] == []
    assert cls.__doc__ is not None


def holds_section(cls: type, name: str) -> bool:
    field = next(field for field in dataclasses.fields(cls) if field.name == name)
    return bool(kinds_of(field, typing.get_type_hints(cls)[name]))


@pytest.mark.parametrize(
    ("override", "text"),
    [
        ("agent.horizon=0", "agent.horizon=0: agent.horizon must be at least 1. Received 0."),
        ("agent.discount=7", "agent.discount=7: agent.discount must be between 0 and 1. Received 7.0."),
        ("model.encoder.depth=0", "model.encoder.depth=0: model.encoder.depth must be at least 1. Received 0."),
        ("evaluation.noops=[0, 0]", "must hold at least one number, and none twice. Received (0, 0)."),
    ],
)
def test_a_number_out_of_its_range_is_told_with_its_full_key(override: str, text: str) -> None:
    with pytest.raises(ConfigError) as caught:
        load_config(RunConfig, [], [override])
    assert str(caught.value).endswith(text)


def test_a_section_that_is_made_in_python_is_checked_as_well() -> None:
    with pytest.raises(RangeError, match="ActorCriticConfig.horizon must be at least 1. Received 0."):
        ActorCriticConfig(horizon=0)
    with pytest.raises(RangeError, match="LatentConfig.group must divide bits, which is 8. Received 3."):
        LatentConfig(bits=8, group=3)
    with pytest.raises(RangeError, match="network_frames must be at most frames, which is 2. Received 3."):
        StochasticDiscreteConfig(frames=2, network_frames=3)
