"""Trackers of experiments receive what the other sinks receive, and never end a run."""

from __future__ import annotations

import math
import sys
from importlib.util import find_spec
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest

from worldmodels.config.checks import check_config
from worldmodels.config.run_config import RunConfig
from worldmodels.core.configuration.sections import load_config
from worldmodels.core.errors import ConfigError
from worldmodels.core.files.run_dir import RunDir
from worldmodels.telemetry.trackers import TrackerSink


@pytest.fixture
def run(tmp_path: Path) -> RunDir:
    return RunDir.create(tmp_path / "maze", {}, {})


class FakeWandb(ModuleType):
    """The part of wandb that a sink uses; it keeps what is logged by the identity of a run."""

    def __init__(self) -> None:
        super().__init__("wandb")
        self.logged: dict[str, list[dict[str, float]]] = {}
        self.failing = False

    def Settings(self, **how: Any) -> dict[str, Any]:  # noqa: N802 (wandb's name)
        return how

    def init(self, **how: Any) -> Any:
        assert (how["project"], how["name"], how["resume"]) == ("worldmodels", "maze", "allow")
        logged = self.logged.setdefault(how["id"], [])

        def log(values: dict[str, float]) -> None:
            if self.failing:
                raise OSError("the server\nis gone")
            logged.append(values)

        return SimpleNamespace(log=log, finish=lambda: logged.append({}), define_metric=lambda *a, **k: None)


@pytest.fixture
def wandb(monkeypatch: pytest.MonkeyPatch) -> FakeWandb:
    package = FakeWandb()
    monkeypatch.setitem(sys.modules, "wandb", package)
    return package


def test_a_continued_run_goes_on_in_its_record(run: RunDir, wandb: FakeWandb) -> None:
    for step in (1, 2):
        sink = TrackerSink("wandb", run, {"seed": 1})
        sink.scalars(step, {"a": step / 2, "b": math.nan})
        sink.load(sink.save())
        sink.close()
    assert list(wandb.logged.values()) == [[{"step": 1, "a": 0.5}, {}, {"step": 2, "a": 1.0}, {}]]


def test_a_tracker_that_fails_is_left_out(run: RunDir, wandb: FakeWandb) -> None:
    sink = TrackerSink("wandb", run, {})
    wandb.failing = True
    with pytest.warns(UserWarning, match="wandb failed, and the run goes on without it: the server is gone"):
        sink.scalars(1, {"a": 1})
    wandb.failing = False
    sink.scalars(2, {"a": 2})
    sink.close()
    assert list(wandb.logged.values()) == [[]]


def test_a_missing_package_is_told_before_training(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("worldmodels.telemetry.trackers.find_spec", lambda name: None)
    config = load_config(RunConfig, ["debug"], ["telemetry.sinks=[mlflow]"])
    with pytest.raises(ConfigError, match=r"'mlflow' needs .* pip install 'worldmodels-lab\[mlflow\]'"):
        check_config(config)


@pytest.mark.parametrize("name", ["wandb", "mlflow", "trackio"])
def test_the_package_itself_takes_records_offline(
    name: str, run: RunDir, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, recwarn: pytest.WarningsRecorder
) -> None:
    if find_spec(name) is None:
        pytest.skip(f"needs the extra {name}")
    monkeypatch.setenv("WANDB_MODE", "offline")
    monkeypatch.setenv("WANDB_DIR", str(tmp_path))
    monkeypatch.setenv("MLFLOW_TRACKING_URI", (tmp_path / "mlflow").as_uri())
    monkeypatch.setenv("MLFLOW_ALLOW_FILE_STORE", "true")
    monkeypatch.setenv("TRACKIO_DIR", str(tmp_path / "trackio"))
    for step in (1, 2):
        sink = TrackerSink(name, run, {"seed": 1, "env": {"game": "maze"}})
        sink.scalars(step, {"episode/return": step / 2, "model/loss": math.nan})
        sink.close()
    assert not [str(warning.message) for warning in recwarn if "goes on without" in str(warning.message)]
    if name == "mlflow":
        from mlflow import MlflowClient

        client = MlflowClient()
        (found,) = client.search_runs([client.get_experiment_by_name("worldmodels").experiment_id])
        history = client.get_metric_history(found.info.run_id, "episode/return")
        assert [(metric.step, metric.value) for metric in history] == [(1, 0.5), (2, 1.0)]
    else:
        assert [path for path in tmp_path.rglob("*") if path.suffix in (".wandb", ".db")]
