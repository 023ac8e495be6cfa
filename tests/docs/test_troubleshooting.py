"""Each error that the page of troubleshooting quotes is one that the program can print."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
QUOTED = re.compile(r'^### (?:[^"\n]+: )?"(.+?)"$', re.M)
QUOTES = QUOTED.findall((ROOT / "docs" / "troubleshooting.md").read_text())


@pytest.fixture(scope="module")
def texts() -> str:
    """All texts of the package and of `scripts/setup`; where a value is put in, a text has another line."""
    files = (ROOT / "worldmodels").rglob("*.py")
    nodes = (node for file in files for node in ast.walk(ast.parse(file.read_text())))
    found = [node.value for node in nodes if isinstance(node, ast.Constant) and isinstance(node.value, str)]
    return "\n".join([*found, (ROOT / "scripts" / "setup").read_text()])


def test_errors_are_quoted() -> None:
    assert len(QUOTES) > 10
    assert QUOTED.findall('### "A … b"\n### So: "c"\n### Why?\n"no"\n') == ["A … b", "c"]


@pytest.mark.parametrize("quote", QUOTES)
def test_an_error_can_be_printed(quote: str, texts: str) -> None:
    parts = [part.strip() for part in quote.split("…")]
    assert [part for part in parts if part not in texts] == []
