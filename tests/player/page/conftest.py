"""What tests of the page share: Node.js, and the games in WebAssembly, compiled if there is Emscripten."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]
HERE = Path(__file__).parent


@pytest.fixture(scope="session")
def node() -> str:
    """The command of Node.js."""
    found = shutil.which("node")
    if found is None:
        pytest.skip("needs Node.js")
    return found


@pytest.fixture(scope="session")
def engine() -> Path:
    """The module of the games, compiled from the sources as they are now."""
    if shutil.which("emcc") is None:
        pytest.skip("needs Emscripten (emcc)")
    done = subprocess.run([str(ROOT / "scripts" / "page")], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return ROOT / "build" / "engine" / "engine.wasm"
