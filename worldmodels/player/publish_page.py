"""Publishes a run's world model in a static page, in which anybody plays in it beside reality in a browser."""

from __future__ import annotations

import gzip
import hashlib
import json
import re
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from worldmodels.core.errors import UserError
from worldmodels.core.files.json_files import parse_strict
from worldmodels.core.files.packs import GALLERY, is_pack, read_card
from worldmodels.core.files.writing import make_folder, read_regular, write_atomic
from worldmodels.envs.config import EnvConfig, game_options
from worldmodels.envs.games.table import ACTION_KEYS, GAME_INFO, GameInfo
from worldmodels.loading.export import NORMAL, UNIFORM
from worldmodels.loading.load import LoadedRun, load_run
from worldmodels.player.page_episodes import FILE as EPISODES
from worldmodels.player.page_episodes import check_recordable, episodes_file
from worldmodels.player.page_weights import FILE as WEIGHTS
from worldmodels.player.page_weights import apart
from worldmodels.player.session.controls.key_table import COMMAND_KEYS, Command
from worldmodels.player.session.controls.keys import Controls
from worldmodels.player.session.worlds.foreign_game import ForeignGame
from worldmodels.player.web.guide_parts import pad_part

MODULES = (*(Path(__file__).parent / "page").iterdir(), Path(__file__).parent / "web" / "page" / "gamepad.js")
"""The files of the page that are the same for all worlds; gamepads are those of the player in a browser."""
BUILT = Path(__file__).parents[2] / "build" / "engine"
"""The folder in which `make page` puts the games and ONNX Runtime in WebAssembly."""
ENGINE, RUNTIME = "engine.wasm", "ort-wasm-simd-threaded.wasm"
SCRIPTS = ("ort.wasm.min.mjs", "ort-wasm-simd-threaded.mjs")
GPU_RUNTIME = "ort-wasm-simd-threaded.asyncify.wasm"
GPU_SCRIPTS = ("ort.webgpu.min.mjs", "ort-wasm-simd-threaded.asyncify.mjs")
"""Browsers with WebGPU take these instead."""
PAD_BACK = 8
"""The place of the button that is called Back, Select or View."""
PAGE = "page.json"
RATE = 15
"""Steps a second at which a page begins to play."""


def publish_page(run: str | Path, folder: str | Path, title: str | None = None, step: int | None = None) -> str:
    """Write a static page in which anybody plays in a run's world model beside the real game, and return its name.

    Where the run's environment is no native game, recorded episodes of the run are reality. A page that is in the
    folder already gets one more world, or the world of the same name anew.

    Args:
        run: the run's folder, or a pack.
        folder: the folder to write.
        title: a few words for people; None takes those of the pack, or the names of the game and the run.
        step: environment steps of the checkpoint; None takes the newest.

    Raises:
        UserError: `make page` was not run, the folder holds something else, or a page cannot have this run.
        FileError, DiskFullError: the page cannot be written.
    """
    absent = [name for name in (ENGINE, RUNTIME, *SCRIPTS, GPU_RUNTIME, *GPU_SCRIPTS) if not (BUILT / name).is_file()]
    if absent:
        raise UserError(
            f"A page needs {', '.join(absent)} in '{BUILT}'. `make page` in the project's folder builds them, with "
            "Emscripten and npm."
        )
    folder = Path(folder)
    if folder.exists() and any(folder.iterdir()) and not (folder / PAGE).is_file():
        raise UserError(f"'{folder}' holds something, and it is no page: it has no '{PAGE}'. Name another folder.")
    loaded = load_run(run, step)
    env = loaded.config.env
    game = next((info for info in GAME_INFO.values() if env.game in (info.name, info.id)), None)
    if game is None:
        check_recordable(loaded)
    name = re.sub(r"[^a-z0-9]+", "_", Path(str(run).removeprefix(GALLERY)).stem.lower())
    place = f"worlds/{name}"
    if not title:
        ours = f"{game.title if game else env.game}, {loaded.run_dir.path.name}"
        title = read_card(run).title if is_pack(run) else ours
    world = {"name": name, "title": title, "rate": RATE, **_exported(loaded, folder, place)}
    world |= _of_game(game, env) if game else _of_episodes(loaded, folder, place)
    _write_json(folder / "worlds" / name / "world.json", world)
    _write_page(folder, {"name": name, "title": title, "path": f"worlds/{name}/world.json"})
    return name


def _of_game(game: GameInfo, env: EnvConfig) -> dict[str, Any]:
    """Return what the page says about a game, and the options and keys with which it plays it."""
    options = game_options(env)
    options.pop("skip_layouts")  # of other levels than those that are played first
    return {
        "game": game.name,
        "rules": f"{game.rules} {game.rewards} {game.ending}",
        "options": options,
        **_keys(ACTION_KEYS, game.action_meanings),
    }


def _of_episodes(run: LoadedRun, folder: Path, place: str) -> dict[str, Any]:
    """Write the recorded episodes of a run; return what the page says about them, and their keys."""
    game = ForeignGame(run.config.env)
    game.close()
    return {
        "episodes": _write_packed(folder, f"{place}/{EPISODES}", episodes_file(run)),
        "rules": f"Recorded episodes of {run.config.env.game} are reality here, until an action key is pressed.",
        **_keys(game.action_keys, game.action_meanings),
    }


def _keys(buttons: Sequence[Sequence[str]], meanings: Sequence[str]) -> dict[str, Any]:
    """Return the buttons and names of all actions, and the keys of each button, its meaning and a gamepad's buttons."""
    controls = Controls(buttons, meanings)
    bound = controls.bound_buttons()
    return {
        "buttons": buttons,
        "meanings": meanings,
        "keys": {button: keys for button, keys, _ in bound},
        "names": {button: meaning for button, _, meaning in bound},
        # A page has no screen of help, which this button of a gamepad shows in the player.
        "pad": {**pad_part(controls), PAD_BACK: COMMAND_KEYS[Command.PUT_BACK][0]},
    }


def _exported(run: LoadedRun, folder: Path, place: str) -> dict[str, Any]:
    """Write the functions of a run's world model and policy, and their weights; return what the page says of them."""
    with tempfile.TemporaryDirectory() as temporary:
        out = Path(temporary, "model")
        functions = run.export(out, "both" if run.config.trains_policy else "model", "onnx")["functions"]
        whole = {name: (out / function["file"]).read_bytes() for name, function in functions.items()}
    files, weights = apart(whole)
    for name, function in functions.items():
        functions[name] = {
            "file": _write_packed(folder, f"{place}/{function['file']}", files[name]),
            "inputs": [_drawn(tensor) for tensor in function["inputs"]],
            "outputs": function["outputs"],
        }
    return {
        "functions": functions,
        "weights": _write_packed(folder, f"{place}/{WEIGHTS}", weights),
        "calls": run.parts.world_model.spec.calls,
    }


def _drawn(tensor: Mapping[str, Any]) -> dict[str, Any]:
    """Return the description of an input, with the kind of draw that the page fills it with, if any."""
    if not tensor["name"].startswith("noise_"):
        return dict(tensor)
    kinds = {NORMAL: "normal", UNIFORM: "uniform"}
    if tensor["meaning"] not in kinds:
        raise UserError(f"A page draws {' and '.join(kinds)}. This model also draws {tensor['meaning']}.")
    return {**tensor, "draw": kinds[tensor["meaning"]]}


def _write_page(folder: Path, world: Mapping[str, str]) -> None:
    """Write the page around its worlds, of which one may be new."""
    worlds = [world]
    if (folder / PAGE).is_file():
        known = parse_strict(read_regular(folder / PAGE), f"'{folder / PAGE}'")["worlds"]
        worlds += [other for other in known if other["name"] != world["name"]]
    for file in MODULES:
        write_atomic(folder / file.name, file.read_bytes())
    make_folder(folder / "runtime")
    for script in (*SCRIPTS, *GPU_SCRIPTS):
        write_atomic(folder / "runtime" / script, (BUILT / script).read_bytes())
    page = {
        "engine": _write_packed(folder, ENGINE, (BUILT / ENGINE).read_bytes()),
        "runtime": _write_packed(folder, f"runtime/{RUNTIME}", (BUILT / RUNTIME).read_bytes()),
        "script": f"runtime/{SCRIPTS[0]}",
        "gpu": {
            "runtime": _write_packed(folder, f"runtime/{GPU_RUNTIME}", (BUILT / GPU_RUNTIME).read_bytes()),
            "script": f"runtime/{GPU_SCRIPTS[0]}",
        },
        "worlds": sorted(worlds, key=lambda one: one["title"]),
    }
    _write_json(folder / PAGE, page)


def _write_packed(folder: Path, path: str, content: bytes) -> dict[str, Any]:
    """Write a file, compressed, and return what the page knows of it."""
    packed = gzip.compress(content, mtime=0)
    make_folder((folder / path).parent)
    write_atomic(folder / f"{path}.gz", packed)
    return {"path": f"{path}.gz", "sha256": hashlib.sha256(content).hexdigest(), "bytes": len(packed)}


def _write_json(path: Path, tree: Mapping[str, Any]) -> None:
    make_folder(path.parent)
    write_atomic(path, json.dumps(tree, indent=1, allow_nan=False) + "\n")
