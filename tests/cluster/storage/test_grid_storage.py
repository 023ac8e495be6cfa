"""A grid whose runs are in a storage, with a small program in place of training, and once in earnest."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

pytest.importorskip("fsspec")
from worldmodels.cli import main  # noqa: E402
from worldmodels.cluster.storage import grid_storage, lease  # noqa: E402
from worldmodels.cluster.storage.grid_storage import (
    RemoteEvaluationStorage,  # noqa: E402
    RemoteGridStorage,  # noqa: E402
)
from worldmodels.core.errors import RunError, StorageError  # noqa: E402
from worldmodels.core.files.checkpoint import Checkpoints  # noqa: E402
from worldmodels.core.files.run_dir import RunDir  # noqa: E402
from worldmodels.experiments.engine import LocalEngine, core_shares  # noqa: E402
from worldmodels.experiments.grid import Grid, GridRun, make_grid  # noqa: E402
from worldmodels.experiments.grid_training import train_grid  # noqa: E402

TRAIN = """
import sys
from pathlib import Path
from worldmodels.core.files.checkpoint import Checkpoints
from worldmodels.core.configuration.sections import load_config
from worldmodels.core.files.run_dir import RunDir
from worldmodels.config.run_config import RunConfig
config, path = sys.argv[1:]
run = RunDir(path)
if not run.exists():
    run = RunDir.create(path, load_config(RunConfig, [config]), {})
Checkpoints(run.checkpoints).write(max(Checkpoints(run.checkpoints).steps(), default=0) + 200, {})
(run.replay).mkdir(exist_ok=True)
(run.replay / "0.frames").write_text("frames")
with open(run.metrics, "a") as file:
    file.write('{"step": 200, "episode/return": 1.5}\\n')
print("trained")
"""
WRAPPER = """
import sys
from worldmodels.cluster.attended import end_as
from worldmodels.cluster.storage import stored_command
stored_command.worldmodels_command = lambda words: [sys.executable, "-c", sys.argv[1], *words]
end_as(stored_command.main([*sys.argv[2:], "{config}", "{run}"]))
"""
ONE = LocalEngine(core_shares(1))


@pytest.fixture
def url(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    monkeypatch.setattr(lease, "SETTLE_SECONDS", 0.1)
    monkeypatch.setattr(lease, "BEAT_SECONDS", 0.1)
    monkeypatch.setattr(lease, "WATCH_SECONDS", 1.0)
    monkeypatch.setattr(grid_storage, "PATIENCE_SECONDS", 0.0)
    monkeypatch.setattr(GridRun, "is_finished", lambda run: (run.path / "checkpoints" / "00000400").exists())

    def command(storage: RemoteGridStorage, run: GridRun) -> Sequence[str]:
        storage._under_way.add(run.name)
        return [sys.executable, "-c", WRAPPER, TRAIN, storage._remote.url, run.name]

    monkeypatch.setattr(RemoteGridStorage, "command", command)
    (tmp_path / "storage").mkdir()
    return f"file://{tmp_path}/storage/grid"


def small(folder: Path, **keys: object) -> Grid:
    return make_grid({"config": "debug_ppo", "logdir": str(folder), **keys}, "small")


def test_runs_are_trained_elsewhere_and_their_copies_are_here(
    url: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The first command leaves the run at step 200, and from another folder it goes on from there."""
    outcome = train_grid(small(tmp_path / "a"), ONE, storage=RemoteGridStorage(url, small(tmp_path / "a")))
    assert [run.name for run in outcome.done] == ["small/seed_0"]
    assert "return 1.5" in capsys.readouterr().out
    run = RunDir.open(tmp_path / "a" / "small" / "seed_0")
    assert Checkpoints(run.checkpoints).steps() == [200] and not run.replay.exists()
    assert (tmp_path / "a" / "small" / "log_seed_0.txt").read_text() == "trained\n"
    other = small(tmp_path / "b")
    train_grid(other, ONE, storage=RemoteGridStorage(url, other, with_replay=True))
    run = RunDir.open(tmp_path / "b" / "small" / "seed_0")
    assert Checkpoints(run.checkpoints).steps() == [200, 400]
    assert (run.replay / "0.frames").read_text() == "frames"
    assert json.loads((tmp_path / "b" / "storage.json").read_text()) == {"url": url}
    again = small(tmp_path / "a")
    train_grid(again, ONE, storage=RemoteGridStorage(url, again))  # fetches what is newer
    assert Checkpoints(tmp_path / "a" / "small" / "seed_0" / "checkpoints").steps() == [200, 400]
    assert capsys.readouterr().out.endswith("1 of 1 runs done\n")


def test_folders_and_storages_do_not_mix(url: str, tmp_path: Path) -> None:
    grid = small(tmp_path / "a")
    with RemoteGridStorage(url, grid), pytest.raises(StorageError, match="Another grid works in"):
        RemoteGridStorage(url, small(tmp_path / "b")).__enter__()
    with pytest.raises(RunError, match=f"'.*/a' holds copies of the runs in the storage '{url}'. Give --storage"):
        train_grid(grid, ONE)
    with pytest.raises(RunError, match=f"copies of the runs in the storage '{url}', and not of '{url}_2'"):
        RemoteGridStorage(f"{url}_2", grid).__enter__()
    with pytest.raises(StorageError, match="belongs to another grid: it holds small/seed_0, and the grid 'small' has "):
        RemoteGridStorage(url, small(tmp_path / "c", vary={"env.game": ["maze", "coinrun"]})).__enter__()
    plain = small(tmp_path / "d")
    RunDir.create(plain.runs[0].path, plain.runs[0].config, {})
    with pytest.raises(RunError, match="'.*/d' holds runs that were trained without a storage"):
        RemoteGridStorage(url, plain).__enter__()
    with pytest.raises(RunError, match="is one that was trained without one .*, and not of 'file://"):
        RemoteEvaluationStorage(url, [plain.runs[0].path])
    with RemoteGridStorage(url, small(tmp_path / "e", seeds=3)):  # the same grid with more seeds
        pass
    assert "small/seed_2" in json.loads((tmp_path / "storage" / "grid" / "grid.json").read_text())["runs"]


def test_results_that_cannot_be_fetched_are_fetched_by_the_next_command(
    url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    grid, real = small(tmp_path / "a"), RemoteGridStorage.ended
    storage, away = tmp_path / "storage", tmp_path / "away"

    def ended(ours: RemoteGridStorage, run: GridRun) -> None:
        if storage.exists():
            storage.rename(away)
        real(ours, run)

    monkeypatch.setattr(RemoteGridStorage, "ended", ended)
    with pytest.raises(StorageError, match="of 1 of 1 runs could not be fetched: small/seed_0: .* there is no "):
        train_grid(grid, ONE, storage=RemoteGridStorage(url, grid))
    monkeypatch.setattr(RemoteGridStorage, "ended", real)
    away.rename(storage)
    train_grid(grid, ONE, storage=RemoteGridStorage(url, grid))
    assert Checkpoints(grid.runs[0].path / "checkpoints").steps() == [200, 400]


@pytest.mark.parametrize(
    ("flags", "text"),
    [
        (["--storage", "nonsense"], "A storage is an address such as s3://bucket/folder; received 'nonsense'."),
        (
            ["--storage", "file:///nowhere", "--dry-run"],
            "--dry-run reads only the grid's folder, not the storage: leave out --storage or --dry-run.",
        ),
        (["--fetch-replay"], "--fetch-replay is for runs in a storage: give --storage too."),
        (["--storage", "file:///no/such/x"], "The storage 'file:///no/such/x' cannot be used: there is no '/no/such'."),
    ],
)
def test_mistakes_are_told_before_anything_begins(
    flags: Sequence[str], text: str, url: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "small.yaml"
    file.write_text(f"config: debug\nlogdir: {tmp_path}/grid\n")
    assert main(["grid", str(file), *flags]) == 2
    assert capsys.readouterr().err == f"worldmodels: {text}\n"
    assert not (tmp_path / "grid").exists()


@pytest.mark.slow
def test_in_earnest(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    """A run is trained in a storage, and evaluated there by its copy."""
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    monkeypatch.setattr(lease, "SETTLE_SECONDS", 0.1)
    (tmp_path / "storage").mkdir()
    file = tmp_path / "one.yaml"
    steps = "overrides: {training.steps: 120, schedule.evaluate_every: 0}"
    file.write_text(f"config: debug\n{steps}\nlogdir: {tmp_path}/grid\n")
    storage = ["--storage", f"file://{tmp_path}/storage/x"]
    assert main(["grid", str(file), *storage]) == 0
    run = tmp_path / "grid" / "one" / "seed_0"
    assert Checkpoints(run / "checkpoints").steps()[-1] == 120 and not (run / "replay").exists()
    words = ["eval", str(file), "--videos", "0", "--episodes", "1", "--max-steps", "5", *storage]
    assert main(words) == 0
    assert (run / "eval" / "step_00000120.json").exists()
    capsys.readouterr()
    assert main(words) == 0
    assert capsys.readouterr().out.startswith("1 checkpoint of 1 run, 1 evaluated before")
