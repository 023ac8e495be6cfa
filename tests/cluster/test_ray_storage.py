"""A grid in a storage, on two nodes that share no folder, of which one is killed."""

from __future__ import annotations

import os
import signal
import threading
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from cluster_nodes import family, numbers_of, processes_of, two_runs

import worldmodels
from worldmodels.experiments.engine import LocalEngine, core_shares
from worldmodels.experiments.grid import GridRun
from worldmodels.experiments.grid_training import train_grid

pytest.importorskip("fsspec")
pytest.importorskip("ray")
from ray.cluster_utils import Cluster  # noqa: E402

from worldmodels.cluster.ray_engine import RayEngine  # noqa: E402
from worldmodels.cluster.storage.grid_storage import RemoteGridStorage  # noqa: E402


@pytest.fixture
def nodes(tmp_path: Path) -> Iterator[tuple[str, list[Any]]]:
    """The address of a cluster, and two nodes with a core each and a folder of temporary files of its own."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PYTHONPATH", str(Path(worldmodels.__file__).parents[1]))
        patch.setenv("RAY_USAGE_STATS_ENABLED", "0")
        found, nodes = Cluster(initialize_head=True, head_node_args={"num_cpus": 0, "include_dashboard": False}), []
        for index in range(2):
            (tmp_path / f"node_{index}").mkdir()
            patch.setenv("TMPDIR", str(tmp_path / f"node_{index}"))
            nodes.append(found.add_node(num_cpus=1, memory=2**30))
        patch.delenv("TMPDIR")
        yield found.address, nodes
        found.shutdown()


def test_a_node_that_dies_costs_nothing_but_the_work_since_the_last_stored_checkpoint(
    nodes: tuple[str, list[Any]], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    plain, grid, killed = two_runs(tmp_path / "plain"), two_runs(tmp_path / "copies"), []
    assert len(train_grid(plain, LocalEngine(core_shares()[:1])).done) == 2
    (tmp_path / "storage").mkdir()
    address, (node, _) = nodes
    raylet = node.all_processes["raylet"][0].process.pid

    def is_stored_by_the_node(run: GridRun) -> bool:
        folder = tmp_path / "storage" / "x" / run.name / "files" / "checkpoints" / "00000120"
        return any(folder.glob("manifest.json*")) and bool(set(processes_of(run.name)) & set(family(raylet)))

    def kill() -> None:
        while not any(map(is_stored_by_the_node, grid.runs)):
            time.sleep(0.05)
        killed.extend(family(raylet))
        for process in killed:
            with suppress(ProcessLookupError):
                os.kill(process, signal.SIGKILL)

    thread = threading.Thread(target=kill, daemon=True)
    thread.start()
    storage = RemoteGridStorage(f"file://{tmp_path}/storage/x", grid)
    outcome = train_grid(grid, RayEngine(address=address, shared=False), storage=storage)
    thread.join(10)
    assert len(outcome.done) == 2 and killed
    assert "the machine was lost" in capsys.readouterr().out
    for ours, theirs in zip(plain.runs, grid.runs, strict=True):
        (records, weights), (other_records, other_weights) = numbers_of(ours.path), numbers_of(theirs.path)
        assert records == other_records
        assert weights.keys() == other_weights.keys()
        assert all(np.array_equal(weights[name], other_weights[name]) for name in weights)
        assert "Trained for 240" in theirs.log.read_text()  # brought from the node
        assert not (theirs.path / "replay").exists()
