"""The page's modules that need no browser, in Node.js."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

HERE = Path(__file__).parent


@pytest.mark.parametrize(
    "file", sorted(set(HERE.glob("*.test.mjs")) - {HERE / "engine.test.mjs"}), ids=lambda x: x.name
)
def test_a_module_does_what_it_says(node: str, file: Path) -> None:
    done = subprocess.run([node, "--test", str(file)], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout
