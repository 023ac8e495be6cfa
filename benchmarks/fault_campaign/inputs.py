"""Files that somebody gives are mutated: each is read, or refused in one sentence of our own."""

from __future__ import annotations

import json
import sys
import tempfile
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from fault_campaign.outcome import Outcome, scaled
from worldmodels.analysis.runs.records import load_metrics
from worldmodels.config.run_config import RunConfig
from worldmodels.core.configuration.sections import load_config
from worldmodels.core.errors import UserError
from worldmodels.core.files.json_files import parse_strict
from worldmodels.core.files.run_dir import RunDir
from worldmodels.core.files.writing import read_regular
from worldmodels.core.files.yaml_files import to_yaml
from worldmodels.player.session.controls.key_script import read_script
from worldmodels.recordings.action_recording import read_recording
from worldmodels.recordings.action_replay import replay_actions
from worldmodels.replay.layout import Layout

sys.path.insert(0, str(Path(__file__).parents[2] / "tests"))
from mutations import mutated_bytes, mutated_json, mutated_trees  # noqa: E402

COUNT = 3000
"""Mutations of each kind of file."""
CONFIGURATIONS = 300
"""YAML is read slowly."""
HEAD = {"worldmodels": "actions", "version": 1, "game": "maze", "options": {"num_levels": 3}, "seed": 7, "source": "a"}
EPISODE = {"actions": [7, 7, 8], "seen": {"0": "90ab", "3": "f00d"}, "events": [[2, "put back"], [3, "sample", 4]]}
RECORDS = {"step": 10, "model/loss": 2.5}, {"step": 20, "model/loss": None, "model/updates": 7}
CONFIG = {"seed": 1, "env": {"game": "maze", "num_envs": 4}, "model": {"kind": "rssm"}, "training": {"steps": 500}}
META = {"format": 1, "created": "2026-01-01", "packages": {"numpy": "2"}, "config_sha256": None}
STORE = {
    **{"format": 4, "num_streams": 2, "names": ["eye", "touch"], "shapes": [[3, 4, 1], [2]]},
    **{"choices": 0, "low": [-1.0, 0.0], "high": [1.0, 2.5], "chunk_steps": 20},
}
SCRIPT = b"0 d\n3 space\n# a remark\n10 H\n"


def run(seed: int, scale: float) -> Iterator[Outcome]:
    count, few = scaled(COUNT, scale), scaled(CONFIGURATIONS, scale)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        recordings, metrics = _lines(HEAD, EPISODE, count, seed), _lines(*RECORDS, count, seed)
        yield _tried("recordings", recordings, folder / "a.jsonl", _play)
        yield _tried("metrics", metrics, folder / "metrics.jsonl", lambda path: load_metrics(path.parent))
        yield _tried("configurations", _yaml(few, seed), folder / "a.yaml", lambda path: load_config(RunConfig, [path]))
        yield _tried("key scripts", mutated_bytes(SCRIPT, count, seed), folder / "keys.txt", read_script)
        (folder / "config.yaml").write_text("seed: 1\n")
        yield _tried("meta.json", mutated_json(META, count, seed), folder / "meta.json", lambda _: RunDir.open(folder))
        yield _tried("store.json", _headers(count, seed), folder / "store.json", lambda path: Layout.read(path.parent))
        results = mutated_json({"step": 3, "metrics": {"return": [1.5, None]}}, count, seed)
        yield _tried("evaluations", results, folder / "e.json", lambda path: parse_strict(read_regular(path), "e.json"))


def _tried(what: str, texts: Iterator[bytes], path: Path, read: Callable[[Path], Any]) -> Outcome:
    count, broke = 0, []
    for text in texts:
        path.write_bytes(text)
        count += 1
        try:
            read(path)
        except UserError as error:
            if not 10 < len(str(error)) < 2000:
                broke.append(f"{len(str(error))} characters of error for {text[:200]!r}")
        except Exception as error:  # whatever it is, it is a fault
            broke.append(f"{type(error).__name__}: {str(error)[:100]} for {text[:200]!r}")
    return Outcome(f"mutated {what}, read or refused in a sentence", count, broke)


def _play(path: Path) -> None:
    for _ in replay_actions(read_recording(path), path):
        pass


def _lines(head: Any, line: Any, count: int, seed: int) -> Iterator[bytes]:
    """Yield JSON lines of which the first or a later one is wrong."""
    first, other = json.dumps(head).encode(), json.dumps(line).encode()
    for text in mutated_json(head, count // 2, seed):
        yield text + b"\n" + other + b"\n"
    for text in mutated_json(line, count - count // 2, seed):
        yield first + b"\n" + text + b"\n" + other + b"\n"


def _yaml(count: int, seed: int) -> Iterator[bytes]:
    for tree in mutated_trees(CONFIG, count // 2, seed):
        try:
            yield to_yaml(tree).encode()
        except (RecursionError, ValueError, TypeError, AttributeError):  # what cannot be written cannot be given either
            yield json.dumps(tree).encode()
    yield from mutated_bytes(to_yaml(CONFIG).encode(), count - count // 2, seed)


def _headers(count: int, seed: int) -> Iterator[bytes]:
    """Yield headers of a store; half of them are forged, so that their checksum is right."""
    for tree in mutated_trees(STORE, count // 2, seed):
        if isinstance(tree, dict):
            tree["checksum"] = _checksum({name: tree.get(name) for name in STORE})
        yield json.dumps(tree).encode()
    header = STORE | {"checksum": _checksum(STORE)}
    yield from mutated_bytes(json.dumps(header).encode(), count - count // 2, seed)


def _checksum(header: dict[str, Any]) -> int:
    return zlib.crc32(json.dumps(header).encode())
