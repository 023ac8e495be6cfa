"""A page is files whose hashes it names, around worlds that can be added; what cannot be in one is a sentence."""

from __future__ import annotations

import gzip
import hashlib
import json
import re
import subprocess
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import gymnasium as gym
import numpy as np
import pytest

from worldmodels.cli import main
from worldmodels.core.errors import UserError
from worldmodels.core.files.packs import gallery, read_card
from worldmodels.core.specs import ActionSpec, ObservationSpec
from worldmodels.envs.config import EnvConfig
from worldmodels.envs.games.table import GAME_INFO
from worldmodels.loading.export import NORMAL, UNIFORM
from worldmodels.player import publish_page
from worldmodels.player.publish_page import GPU_RUNTIME, GPU_SCRIPTS, MODULES, RUNTIME, SCRIPTS

ROOT = Path(__file__).parents[2]
ENV = EnvConfig(game="maze", num_levels=30, start_level=7, skip_layouts=5, use_backgrounds=False)


class FakeRun:
    """A run whose export is two functions of a few bytes."""

    def __init__(self, env: EnvConfig, meaning: str) -> None:
        self.config = SimpleNamespace(env=env, trains_policy=env.game == "heist")
        self.run_dir = SimpleNamespace(path=Path("runs/My Maze"), replay=Path("absent"))
        spec = SimpleNamespace(calls=3, observation=ObservationSpec.of(64, 64, 3), action=ActionSpec(15))
        self.parts = SimpleNamespace(world_model=SimpleNamespace(spec=spec))
        self.meaning = meaning

    def export(self, out: Path, what: str, format: str) -> dict[str, Any]:
        out.mkdir()
        (out / "observe.onnx").write_bytes(b"observe")
        (out / "step.onnx").write_bytes(b"step")
        noise = {"name": "noise_0", "dtype": "float32", "shape": [1], "meaning": self.meaning}
        functions = {"observe": [], "step": [noise]}
        if what == "both":
            (out / "act.onnx").write_bytes(b"act")
            functions["act"] = []
        return {
            "functions": {name: {"file": f"{name}.onnx", "inputs": x, "outputs": []} for name, x in functions.items()}
        }


@pytest.fixture
def built(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "built"
    folder.mkdir()
    for name in ("engine.wasm", RUNTIME, *SCRIPTS, GPU_RUNTIME, *GPU_SCRIPTS):
        (folder / name).write_text(name)
    monkeypatch.setattr(publish_page, "BUILT", folder)
    monkeypatch.setattr(publish_page, "apart", lambda files: (files, b"weights"))
    return folder


def publish(
    monkeypatch: pytest.MonkeyPatch, folder: Path, run: str, env: EnvConfig = ENV, meaning: str = NORMAL
) -> str:
    monkeypatch.setattr(publish_page, "load_run", lambda path, step: FakeRun(env, meaning))
    return publish_page.publish_page(run, folder)


def read(path: Path) -> Any:
    return json.loads(path.read_text())


def test_a_page_names_each_file_with_its_hash(built: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    page = tmp_path / "page"
    assert publish(monkeypatch, page, "runs/My Maze") == "my_maze"
    world = read(page / "worlds" / "my_maze" / "world.json")
    tree = read(page / "page.json")
    assert tree["worlds"] == [{"name": "my_maze", "title": "Maze, My Maze", "path": "worlds/my_maze/world.json"}]
    contents = {"engine.wasm": tree["engine"], RUNTIME: tree["runtime"], "step": world["functions"]["step"]["file"]}
    contents |= {"weights": world["weights"], GPU_RUNTIME: tree["gpu"]["runtime"]}
    for content, file in contents.items():
        packed = (page / file["path"]).read_bytes()
        assert gzip.decompress(packed).decode() == content
        assert file["bytes"] == len(packed)
        assert file["sha256"] == hashlib.sha256(content.encode()).hexdigest()
    assert {file.name for file in MODULES} >= {"page.js", "gamepad.js", "index.html"}
    assert {file.name for file in MODULES} <= {file.name for file in page.iterdir()}
    assert (page / tree["script"]).read_text() == SCRIPTS[0]
    assert (page / tree["gpu"]["script"]).read_text() == GPU_SCRIPTS[0]


def test_a_world_has_its_game_with_options_and_keys(
    built: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    publish(monkeypatch, tmp_path / "page", "runs/maze")
    world = read(tmp_path / "page" / "worlds" / "maze" / "world.json")
    assert (world["game"], world["calls"], world["rate"]) == ("maze", 3, 15)
    options = world["options"]
    assert (options["num_levels"], options["start_level"], options["use_backgrounds"]) == (30, 7, False)
    assert "skip_layouts" not in options
    assert world["keys"] == {"left": ["left", "a"], "right": ["right", "d"], "up": ["up", "w"], "down": ["down", "s"]}
    moves = {"12": "up", "13": "down", "14": "left", "15": "right"}
    specials = {"0": "space", "1": "k", "2": "l", "3": "u", "4": "i", "5": "o"}
    assert world["pad"] == {**specials, "8": "x", "9": "c", **moves}
    assert world["buttons"][7] == ["right"] and len(world["meanings"]) == 15
    assert [x.get("draw") for x in world["functions"]["step"]["inputs"]] == ["normal"]


class Lamp(gym.Env):
    """An environment that names its actions, and is never played."""

    observation_space = gym.spaces.Box(0, 255, (64, 64, 3), np.uint8)
    action_space = gym.spaces.Discrete(3)

    def get_action_meanings(self) -> list[str]:
        return ["NOOP", "LEFT", "FIRE"]


gym.register("pages/Lamp-v0", Lamp)


def test_a_world_of_another_environment_has_recorded_episodes(
    built: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(publish_page, "check_recordable", lambda run: None)
    monkeypatch.setattr(publish_page, "episodes_file", lambda run: b"episodes")
    publish(monkeypatch, tmp_path / "page", "runs/lamp", EnvConfig(game="pages/Lamp-v0"))
    world = read(tmp_path / "page" / "worlds" / "lamp" / "world.json")
    assert not world.keys() & {"game", "options"}
    assert world["episodes"]["path"] == "worlds/lamp/episodes.gz"
    assert world["episodes"]["sha256"] == hashlib.sha256(b"episodes").hexdigest()
    assert gzip.decompress((tmp_path / "page" / world["episodes"]["path"]).read_bytes()) == b"episodes"
    assert world["title"] == "pages/Lamp-v0, My Maze"
    assert world["buttons"] == [[], ["left"], ["fire"]]
    assert world["keys"] == {"left": ["left", "a"], "fire": ["space", "j", "1"]}
    assert world["names"] == {"left": "left", "fire": "fire"}


def test_a_game_may_be_named_as_gymnasium_does(built: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    publish(monkeypatch, tmp_path / "page", "runs/a", replace(ENV, game=GAME_INFO["maze"].id))
    assert read(tmp_path / "page" / "worlds" / "a" / "world.json")["game"] == "maze"


def test_a_page_gets_another_world_and_the_same_one_anew(
    built: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    page = tmp_path / "page"
    publish(monkeypatch, page, "runs/b")
    publish(monkeypatch, page, "runs/a", meaning=UNIFORM)
    publish(monkeypatch, page, "runs/b", replace(ENV, game="heist"))
    assert [world["name"] for world in read(page / "page.json")["worlds"]] == ["b", "a"]  # by their titles
    assert read(page / "worlds" / "b" / "world.json")["game"] == "heist"
    assert read(page / "worlds" / "a" / "world.json")["functions"]["step"]["inputs"][0]["draw"] == "uniform"


def test_a_world_has_the_policy_that_learned_in_it(
    built: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    publish(monkeypatch, tmp_path / "page", "runs/with", replace(ENV, game="heist"))
    publish(monkeypatch, tmp_path / "page", "runs/without")
    found = {name: read(tmp_path / "page" / "worlds" / name / "world.json") for name in ("with", "without")}
    assert {name: sorted(world["functions"]) for name, world in found.items()} == {
        "with": ["act", "observe", "step"],
        "without": ["observe", "step"],
    }


def test_what_no_page_can_have_is_a_sentence(built: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    page = tmp_path / "page"
    with pytest.raises(UserError, match="A page plays one game. The run's environment is a mixture, 'maze,heist'"):
        publish(monkeypatch, page, "runs/a", replace(ENV, game="maze,heist"))
    with pytest.raises(UserError, match="This model also draws whole numbers from 0 to 7"):
        publish(monkeypatch, page, "runs/a", meaning="whole numbers from 0 to 7")
    with pytest.raises(UserError, match="'.*built' holds something, and it is no page"):
        publish(monkeypatch, built, "runs/a")
    (built / "engine.wasm").unlink()
    with pytest.raises(UserError, match="A page needs engine.wasm in .* `make page`"):
        publish(monkeypatch, page, "runs/a")


def test_make_page_takes_the_worlds_that_a_page_can_play() -> None:
    """Pendulum's actions are numbers."""
    recipe = subprocess.run(["make", "-n", "page"], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    assert set(re.findall(r"gallery:(\w+)", recipe)) == {
        name for name in gallery() if read_card(f"gallery:{name}").game in GAME_INFO
    }


def test_the_command_wants_a_pack_or_a_page(
    built: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("worldmodels.loading.quiet.load_tensorflow_for", lambda path: None)
    monkeypatch.setattr(publish_page, "load_run", lambda path, step: FakeRun(ENV, NORMAL))
    folder = str(tmp_path / "page")
    assert main(["publish", "runs/a", "--page", folder, "--title", "A maze"]) == 0
    assert f"Wrote the world 'a' in '{folder}'." in capsys.readouterr().out
    assert read(tmp_path / "page" / "page.json")["worlds"][0]["title"] == "A maze"
    assert main(["publish", "runs/a", "--out", "a.world"]) == 2
    assert "--out needs --title" in capsys.readouterr().err
