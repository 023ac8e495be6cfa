"""YAML of strangers is refused before it takes time or memory."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from worldmodels.core.errors import ConfigError
from worldmodels.core.files.yaml_files import parse_value, read_mapping


def doubling(levels: int, last: str = "[1, 1]") -> str:
    """Return lists of two aliases of the list before; the last one has 2 ** (levels + 1) numbers."""
    lines = [f"a0: &a0 {last}", *(f"a{i}: &a{i} [*a{i - 1}, *a{i - 1}]" for i in range(1, levels + 1))]
    return "\n".join(lines) + "\n"


@pytest.mark.parametrize(
    "text",
    [doubling(40), doubling(40, "{b: 1}"), doubling(90), "\n".join(f"key{i}: {i}" for i in range(300_000))],
)
def test_what_would_take_hours_is_refused_at_once(tmp_path: Path, text: str) -> None:
    file, start = tmp_path / "many.yaml", time.process_time()
    file.write_text(text)
    with pytest.raises(ConfigError, match=r"many.yaml cannot be used: .* 10,000 values, .*Received [1-9][\d,]*"):
        read_mapping(file)
    with pytest.raises(ConfigError, match="at most 10,000 values"):
        parse_value(text, "a value")
    assert time.process_time() - start < 5


def test_a_list_that_holds_itself_is_refused() -> None:
    with pytest.raises(ConfigError, match="cannot be used"):
        parse_value("&a [1, *a]", "a value")


def test_a_few_aliases_are_expanded(tmp_path: Path) -> None:
    file = tmp_path / "few.yaml"
    file.write_text("a: &a {x: 1, y: 2}\nb: *a\nc:\n  <<: *a\n  y: 3\n")
    tree = read_mapping(file)
    assert dict(tree["b"]) == {"x": 1, "y": 2} and dict(tree["c"]) == {"x": 1, "y": 3}


@pytest.mark.parametrize("text", ["? " * 40 + "x", "{" * 40 + "x: 1" + "}: 1" * 39 + "}", "[[a]: 1]", "? [a]\n: 1"])
def test_a_list_or_a_mapping_as_a_key_is_refused_at_once(text):
    with pytest.raises(ConfigError, match="given, line 1: a key must be a text or a number. Received a list"):
        parse_value(text, "given")


def test_an_anchor_that_is_used_again_is_no_matter(recwarn):
    assert parse_value("[&a 1, *a, &a 2, *a]", "given") == [1, 1, 2, 2]
    assert not recwarn.list
