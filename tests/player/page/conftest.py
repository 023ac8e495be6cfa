"""What tests of the page share: Node.js, and the games in WebAssembly, compiled if there is Emscripten."""

from __future__ import annotations

import shutil
import subprocess
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import gymnasium as gym
import numpy as np
import pytest

import worldmodels
from worldmodels.core.files.packs import GALLERY, gallery
from worldmodels.loading import export
from worldmodels.player import publish_page

ROOT = Path(__file__).parents[3]
HERE = Path(__file__).parent
WITH_POLICY = "gallery:coinrun_dreamer"


class Square(gym.Env):
    """A square that moves to the sides; an episode has 40 steps."""

    observation_space = gym.spaces.Box(0, 255, (64, 64, 3), np.uint8)
    action_space = gym.spaces.Discrete(3)

    def get_action_meanings(self) -> list[str]:
        return ["NOOP", "LEFT", "RIGHT"]

    def reset(self, *, seed: int | None = None, options: Any = None) -> tuple[Any, dict[str, Any]]:
        super().reset(seed=seed)
        self.place, self.steps = int(self.np_random.integers(56)), 0
        return self.picture(), {}

    def step(self, action: int) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        self.place = min(max(self.place + (0, -2, 2)[action], 0), 56)
        self.steps += 1
        return self.picture(), float(self.place == 56), False, self.steps == 40, {}

    def picture(self) -> np.ndarray:
        """Return the square on a dark ground."""
        picture = np.full((64, 64, 3), 40, np.uint8)
        picture[28:36, self.place : self.place + 8] = (240, 160, 60)
        return picture


gym.register("pages/Square-v0", Square)


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


@pytest.fixture(scope="session")
def recorded_page(engine: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A published page with a run on no native game, whose recorded episodes are reality."""
    folder = tmp_path_factory.mktemp("runs") / "square"
    worldmodels.train("pages/Square-v0", "debug", {"training.steps": 200, "schedule.evaluate_every": 0}, folder)
    return published(str(folder), engine, tmp_path_factory.mktemp("site") / "page")


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
