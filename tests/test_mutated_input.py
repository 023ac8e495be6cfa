"""Whatever is in a file that somebody gives, it is read, or refused in a sentence of our own."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from mutations import mutated_bytes, mutated_json, mutated_trees, nested, survivors

from worldmodels.analysis.runs.records import load_metrics
from worldmodels.cluster.storage.manifest import Key, parse_manifest
from worldmodels.config.checks import check_config
from worldmodels.config.run_config import RunConfig
from worldmodels.core.configuration.sections import load_config
from worldmodels.core.errors import CheckpointError, ConfigError, FileError, RunError, UserError
from worldmodels.core.files.checkpoint import Checkpoints
from worldmodels.core.files.run_dir import RunDir
from worldmodels.core.files.yaml_files import to_yaml
from worldmodels.envs.config import complete_options
from worldmodels.evaluation.result_files import _holds
from worldmodels.experiments.grid import load_grid
from worldmodels.player.session.controls.key_script import KeyScriptError, read_script
from worldmodels.recordings.action_recording import RecordingError, read_recording

COUNT = 400


def reader(path: Path, read: Callable[[Path], Any]) -> Callable[[bytes], Any]:
    """A function that writes a text to a file and reads it."""

    def use(text: bytes) -> Any:
        path.write_bytes(text)
        return read(path)

    return use


def lines_of(head: Any, line: Any, seed: int) -> Iterator[bytes]:
    """JSON lines of which the first or a later one is wrong."""
    whole_head, whole_line = json.dumps(head).encode(), json.dumps(line).encode()
    for text in mutated_json(head, COUNT // 2, seed):
        yield text + b"\n" + whole_line + b"\n"
    for text in mutated_json(line, COUNT // 2, seed):
        yield whole_head + b"\n" + text + b"\n" + whole_line + b"\n"


def test_recordings(tmp_path: Path) -> None:
    head = {"worldmodels": "actions", "version": 1, "game": "maze", "options": {"num_levels": 3}, "seed": 7}
    head |= {"source": "runs/a", "checkpoint": 100}
    line = {"actions": [7, 7, 8], "seen": {"0": "90ab", "3": "f00d"}, "events": [[2, "put back"], [3, "sample", 4]]}

    def read(path: Path) -> None:
        recording = read_recording(path)
        assert all(action in range(15) for episode in recording.episodes for action in episode.actions)
        assert isinstance(recording.seed, int) and 0 <= recording.seed < 2**63

    assert 0 < survivors(lines_of(head, line, 1), reader(tmp_path / "a", read), RecordingError) < COUNT


def test_metrics(tmp_path: Path) -> None:
    head = {"step": 10, "model/loss": 2.5, "episode/return": 1}
    line = {"step": 20, "model/loss": None, "model/updates": 7, "time/updates_per_second": 1.5}
    for x in ("step", "model/updates", "time"):
        read = reader(tmp_path / "metrics.jsonl", lambda path, x=x: load_metrics(tmp_path, x))  # type: ignore[misc]
        assert 0 < survivors(lines_of(head, line, 2), read, UserError) < COUNT


def test_configurations(tmp_path: Path) -> None:
    tree = {"seed": 1, "env": {"game": "maze", "num_envs": 4, "start_level": 3}, "model": {"kind": "rssm"}}
    tree |= {"training": {"kind": "model_based", "steps": 500, "fit_factors": [1.0, 2.0], "demonstrations": []}}
    text = to_yaml(tree).encode() + b"# a remark\nevaluation: &e {episodes: 2}\n"
    tags = [
        b"!!bool x",
        b"!!int ''",
        b"!!set {a}",
        b"!!omap [a]",
        b"&a [*a]",
        b"*no",
        b"0x" + b"f" * 9000,
        b"? [1]\n: 2",
    ]
    tags += [
        b"[" * 300 + b"]" * 300,
        b"[" * 5000,
        b"{a: " * 300,
        b"2001-99-99",
        b"!!timestamp 1",
        b"!!pairs [1]",
        b"<<: 3",
    ]
    odd = (text.replace(b"4", tag) for tag in tags)
    trees = (to_yaml(changed).encode() for changed in mutated_trees(tree, COUNT // 8, 3) if writable(changed))

    def read(path: Path) -> None:
        config = load_config(RunConfig, [path])
        complete_options({"start_level": config.env.start_level})

    good = [
        survivors(texts, reader(tmp_path / "a.yaml", read), UserError)
        for texts in (odd, mutated_bytes(text, COUNT // 8, 3), trees)
    ]
    assert good[0] < len(tags) and 0 < sum(good) < len(tags) + COUNT // 4


def test_grids(tmp_path: Path) -> None:
    tree: dict[str, Any] = {"config": ["debug"], "overrides": {"env.game": "maze", "env.num_levels": 3}, "seeds": [1]}
    tree |= {"vary": {"agent.horizon": [3, 4], "training.fit_factors": [[], [2.0]]}, "names": {"agent.horizon": "h"}}
    text = to_yaml(tree).encode()
    trees = (to_yaml(changed).encode() for changed in mutated_trees(tree, COUNT // 8, 9) if writable(changed))

    def read(path: Path) -> None:
        for run in load_grid(path).runs[:8]:
            assert run.path.parent.parent == Path("runs/a") or "logdir" in path.read_text(errors="replace")
            check_config(run.config)

    for texts in (mutated_bytes(text, COUNT // 8, 9), trees):
        assert 0 < survivors(texts, reader(tmp_path / "a.yaml", read), UserError) < COUNT // 8


def writable(tree: Any) -> bool:
    """Whether the writer of YAML, which recurs, can write a tree that the reader should refuse."""
    try:
        return isinstance(tree, dict) and bool(to_yaml(tree).encode())
    except (RecursionError, ValueError):  # also the signs that no encoding has
        return False


@pytest.mark.parametrize(
    "key", ["seed", "model.kind", "agent", "env.start_level", "training.fit_factors", "agent.discount"]
)
def test_overrides(key: str) -> None:
    values = [b"[1]", b"!!bool x", b"{a: 1}", b"9" * 400, b"9" * 5000, b"-9" + b"9" * 30, b"1e999", b".nan", b"[" * 300]
    values += [
        b"0b1",
        b"1_000",
        b"0o8",
        b"0x" + b"f" * 9000,
        b"'",
        b"*a",
        b"&a [*a]",
        b"~",
        b"",
        b"\x00",
        b"? ",
        b"|",
        b"%",
    ]

    def read(value: bytes) -> None:
        check_config(load_config(RunConfig, ["debug"], [f"{key}={value.decode()}"]))

    survivors(iter(values), read, UserError)


def test_key_scripts(tmp_path: Path) -> None:
    text = b"# walk\n0 press right up\n\n3 release right # stop\n3 tap x\n12 tap shift+f1\n"
    assert survivors(mutated_bytes(text, COUNT, 4), reader(tmp_path / "keys", read_script), KeyScriptError) > 0


def test_meta(tmp_path: Path) -> None:
    run = RunDir.create(tmp_path, {"seed": 1}, {})
    whole = json.loads(run.meta.read_text())
    read = reader(run.meta, lambda path: RunDir.open(tmp_path))
    assert 0 < survivors(mutated_json(whole, COUNT, 5), read, RunError) < COUNT


def test_manifests_of_stored_runs() -> None:
    file = {"version": "2-5e0f12ab-7", "bytes": 1200, "sha256": "0" * 64}
    whole = {"format": 1, "files": {"metrics.jsonl": file, "checkpoints/00000100/state.json": file}}

    def read(data: bytes) -> Any:
        return parse_manifest(Key(2, "5e0f12ab", 7), data, "the manifest")

    assert 0 < survivors(mutated_json(whole, COUNT, 8), read, FileError) < COUNT
    assert 0 < survivors(mutated_bytes(json.dumps(whole).encode(), COUNT, 9), read, FileError) < COUNT


def test_results_of_evaluations(tmp_path: Path) -> None:
    tree = {"seed": 0, "settings": {"episodes": 2}, "returns": [{"mean": 1.5}, {"mean": None}]}
    read = reader(tmp_path / "a.json", lambda path: _holds(path, tree))
    assert survivors(mutated_json({"created": "now", **tree}, COUNT, 6), read, UserError) == COUNT


def test_checkpoints(tmp_path: Path) -> None:
    folder = Checkpoints(tmp_path).write(3, {"weights": np.arange(3.0), "parts": [1, None, {"blob": b"x"}]})
    manifest = json.loads((folder / "manifest.json").read_text())
    state = json.loads((folder / "state.json").read_text())

    def read(text: bytes) -> None:
        (folder / "state.json").write_bytes(text)
        manifest["files"]["state.json"] = {"bytes": len(text), "sha256": hashlib.sha256(text).hexdigest()}
        (folder / "manifest.json").write_text(json.dumps(manifest))
        Checkpoints(tmp_path).read()

    deep = [json.dumps({"a": nested(900, as_objects)}).encode() for as_objects in (False, True)]
    assert survivors(iter(deep), read, CheckpointError) == 0
    assert 0 < survivors(mutated_json(state, COUNT, 7), read, CheckpointError) < COUNT
    whole = json.loads((folder / "manifest.json").read_text())
    survivors(
        mutated_json(whole, COUNT, 8),
        reader(folder / "manifest.json", lambda path: Checkpoints(tmp_path).read()),
        CheckpointError,
    )


def test_aliases_that_name_each_other_cost_nothing() -> None:
    lists = "[[1], " + ", ".join(f"&a{i} [{', '.join([f'*a{i - 1}'] * 9) if i else 1}]" for i in range(40)) + "]"
    with pytest.raises(ConfigError, match="YAML may hold at most 10,000 values"):
        load_config(RunConfig, [], [f"seed={lists}"])
