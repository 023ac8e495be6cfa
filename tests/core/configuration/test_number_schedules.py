"""Schedules as they are written in a configuration."""

from __future__ import annotations

from dataclasses import dataclass

import pytest

from worldmodels.core.configuration.ranges import (
    NumberSchedule,
    RangeError,
    ScheduledNonNegative,
    ScheduledRate,
    Section,
    parse_schedule,
)
from worldmodels.core.configuration.sections import from_dict, load_config
from worldmodels.core.configuration.text import documented_yaml
from worldmodels.core.errors import ConfigError


@dataclass(frozen=True)
class ScheduledSection(Section):
    """A section."""

    weight: ScheduledNonNegative = 0.5
    """Weight."""
    share: ScheduledRate = 0.5
    """Share."""


@pytest.mark.parametrize(
    ("text", "schedule"),
    [
        ("linear(1, 0.5, 10_000)", NumberSchedule("linear", 1.0, 0.5, 10_000)),
        (" linear (1e-2,1e-4,1e6) ", NumberSchedule("linear", 0.01, 0.0001, 1_000_000)),
        ("warmup(100, 0.3)", NumberSchedule("linear", 0.0, 0.3, 100)),
        ("exp(1, 0.1, 500)", NumberSchedule("exp", 1.0, 0.1, 500)),
        ("horizon(15, 300, 20)", NumberSchedule("horizon", 15.0, 300.0, 20)),
    ],
)
def test_every_form(text, schedule):
    assert parse_schedule(text) == schedule


@pytest.mark.parametrize(
    "text",
    [
        *("linear", "linear()", "linear(1, 2)", "linear(1, 2, 3, 4)", "warmup(1, 2, 3)", "cosine(1, 2, 3)", "0.5", ""),
        *("linear(a, 2, 3)", "linear(nan, 1, 3)", "linear(1, inf, 3)", "linear(1, 2, 0)", "exp(1, 2, -5)"),
        *("linear(1, 2, 1e13)", "horizon(0.5, 3, 10)", "linear(1, 2, 3) + 1", "linear(linear(1, 2, 3), 2, 3)"),
    ],
)
def test_what_is_no_schedule_is_refused_with_all_forms(text):
    with pytest.raises(ValueError):
        parse_schedule(text)
    with pytest.raises(RangeError) as caught:
        ScheduledSection(weight=text)
    assert str(caught.value) == (
        "ScheduledSection.weight must be 0 or more, or a schedule of such numbers: linear(first, last, updates), "
        f"warmup(updates, last), exp(first, last, half_life) or horizon(first, last, updates). Received {text}."
    )


def test_both_ends_keep_the_range():
    assert ScheduledSection(weight="linear(3, 0, 10)", share="horizon(2, 100, 10)")
    with pytest.raises(RangeError, match="share must be above 0 and at most 1, or a schedule"):
        ScheduledSection(share="linear(0.5, 1.5, 10)")
    with pytest.raises(RangeError, match="weight must be 0 or more, or .* Received exp"):
        ScheduledSection(weight="exp(1, -1, 10)")
    with pytest.raises(RangeError, match="weight must be 0 or more, or .* Received -1"):
        ScheduledSection(weight=-1.0)


def test_it_is_read_and_printed_like_any_key(tmp_path):
    config = load_config(ScheduledSection, [], ["weight=linear(1, 0, 1e4)", "share=1"])
    assert config == ScheduledSection("linear(1, 0, 1e4)", 1.0)
    text = documented_yaml(config)
    assert "# Share. It must be above 0 and at most 1, or a schedule of such numbers: linear(first, last" in text
    assert text.count("It must") == 2
    (tmp_path / "again.yaml").write_text(text)
    assert load_config(ScheduledSection, [tmp_path / "again.yaml"]) == config
    with pytest.raises(ConfigError, match=r"'weight' takes a number or text; received \[1\]"):
        from_dict(ScheduledSection, {"weight": [1]})
