"""What tests of the page share: Node.js, and the games in WebAssembly, compiled if there is Emscripten."""

from __future__ import annotations

import shutil
import subprocess
from importlib.util import find_spec
from pathlib import Path

import pytest

from worldmodels.core.files.packs import GALLERY, gallery
from worldmodels.loading import export
from worldmodels.player import publish_page

ROOT = Path(__file__).parents[3]
HERE = Path(__file__).parent
WITH_POLICY = "gallery:coinrun_dreamer"


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
    done = subprocess.run([str(ROOT / "scripts" / "page"), "games"], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return ROOT / "build" / "engine" / "engine.wasm"


@pytest.fixture(scope="session")
def page(engine: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A published page with the first world of the gallery."""
    return published(GALLERY + min(gallery()), engine, tmp_path_factory.mktemp("site") / "page")


@pytest.fixture(scope="session")
def policy_page(engine: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A published page with a world in which a policy learned."""
    return published(WITH_POLICY, engine, tmp_path_factory.mktemp("site") / "page")


def published(run: str, engine: Path, folder: Path) -> Path:
    """Publish a run in a page, if everything for that is here."""
    if find_spec("tf2onnx") is None:
        pytest.skip("needs the extra 'onnx'")
    if not (engine.parent / publish_page.RUNTIME).is_file():
        pytest.skip("needs ONNX Runtime for browsers: make page")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(export, "CALLS", 8)  # the comparison has tests of its own
        publish_page.publish_page(run, folder)
    return folder
