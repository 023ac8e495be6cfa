"""Whatever stands in the state of a checkpoint with a right checksum, it is loaded, or refused in a sentence."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from mutations import mutated_trees, survivors

from worldmodels.acting.build import build_parts
from worldmodels.acting.step_source import LocalSource
from worldmodels.config.environment import build_env
from worldmodels.config.run_config import RunConfig
from worldmodels.core.configuration.sections import load_config
from worldmodels.core.errors import CheckpointError, UserError
from worldmodels.core.files.checkpoint import fitting
from worldmodels.core.files.tree import check_like
from worldmodels.telemetry.dashboard import Progress
from worldmodels.telemetry.logger import Logger
from worldmodels.telemetry.sinks import JSONLSink
from worldmodels.training.check import check_run, is_finished
from worldmodels.training.launch import launch
from worldmodels.training.run_check import check_parts
from worldmodels.training.session import TrainingSession

COUNT = 60


@pytest.mark.filterwarnings("ignore:Checkpoint file")
def test_forged_state_is_loaded_or_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    overrides = ["env.game=maze", "schedule.evaluate_every=0", "training.steps=80", "schedule.log_every=20"]
    config = load_config(RunConfig, ["debug_ppo"], overrides)
    run = launch(config, tmp_path / "run")
    checked = check_run(load_config(RunConfig, [run / "config.yaml"]), run)
    parts = build_parts(checked.config, build_env(checked.config))
    source, logger = LocalSource(parts, build_env(checked.config)), Logger([JSONLSink(checked.run_dir.metrics)])
    session = TrainingSession(checked, source, parts, logger, Progress(80, "forged"))
    monkeypatch.setattr(TrainingSession, "_checkpoint", lambda self, passing=False: None)
    folder = run / "checkpoints" / "00000080"
    whole, manifest = (json.loads((folder / name).read_text()) for name in ("state.json", "manifest.json"))
    whole["records"] = {"sinks": whole["records"]["sinks"][:1]}

    def texts() -> Iterator[bytes]:
        yield json.dumps(whole).encode()
        for tree in mutated_trees(whole, COUNT, 11):
            yield json.dumps(tree).encode()

    def read(text: bytes) -> None:
        (folder / "state.json").write_bytes(text)
        manifest["files"]["state.json"] = {"bytes": len(text), "sha256": hashlib.sha256(text).hexdigest()}
        (folder / "manifest.json").write_text(json.dumps(manifest))
        is_finished(checked.run_dir, checked.config)
        session.resume()

    assert 0 < survivors(texts(), read, UserError) < COUNT
    assert list(check_parts(checked.run_dir))


@pytest.mark.parametrize(
    ("value", "like", "rule"),
    [
        (1.5, 0, "'x' must be int; it is float"),
        (True, 0, "'x' must be int; it is bool"),
        (1, False, "'x' must be bool; it is int"),
        (-1, 0, "'x' must be 0 or more; it is -1"),
        ("1", 2.0, "'x' must be float; it is str"),
        ({}, [], "'x' must be list; it is dict"),
        (3, {}, "'x' must be dict; it is int"),
        ({"a": {"b": None}}, {"a": {"b": "text"}, "c": 1}, "'x/a/b' must be str; it is NoneType"),
        (np.zeros(3), np.zeros(2), r"'x' must be float64 \(2,\); it is float64 \(3,\)"),
        (np.zeros(2, np.int32), np.zeros(2), r"'x' must be float64 \(2,\); it is int32 \(2,\)"),
        (b"", np.zeros(2), "'x' must be ndarray; it is bytes"),
    ],
)
def test_a_value_of_another_kind_is_refused(value: Any, like: Any, rule: str) -> None:
    with pytest.raises(ValueError, match=f"^{rule}$"):
        check_like(value, like, "x")


def test_values_that_change_while_a_run_goes_on_are_let_in() -> None:
    like = {"step": 0, "sum": 0.0, "waiting": None, "means": {}, "steps": [], "sums": np.zeros((0,), np.float32)}
    saved = {"step": 9, "sum": -3, "waiting": [1], "means": {"a": 1.0}, "steps": [{}], "sums": np.ones(2, np.float32)}
    check_like(saved, like, "x")


def test_what_a_part_raises_names_the_part_and_the_way_out() -> None:
    text = r"does not fit this run: .*KeyError: 'next'.*with --checkpoint STEP\.$"
    with pytest.raises(CheckpointError, match=text), fitting("this run"):
        raise KeyError("next")
    with pytest.raises(UserError, match="^as it is$"), fitting("this run"):
        raise UserError("as it is")
