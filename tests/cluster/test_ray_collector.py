"""Collectors on a Ray cluster of two node processes on this machine."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import numpy as np
import pytest

import worldmodels
from worldmodels.acting.build import build_parts
from worldmodels.cli import main
from worldmodels.config.environment import build_env
from worldmodels.config.run_config import RunConfig
from worldmodels.core.configuration.sections import load_config
from worldmodels.core.errors import UserError
from worldmodels.core.files.checkpoint import Checkpoints
from worldmodels.core.files.tree import flatten
from worldmodels.training.collectors.collector_source import CollectorSource

pytest.importorskip("ray")
import ray  # noqa: E402
from ray.cluster_utils import Cluster  # noqa: E402

from worldmodels.cluster.ray_collector import on_cluster  # noqa: E402

RUN = ("env.game=maze", "training.collectors=2", "training.steps=120", "schedule.evaluate_every=0")


@pytest.fixture(scope="module")
def cluster() -> Iterator[Cluster]:
    """A head that runs nothing, and two nodes with a core each."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PYTHONPATH", str(Path(worldmodels.__file__).parents[1]))
        patch.setenv("RAY_USAGE_STATS_ENABLED", "0")
        found = Cluster(initialize_head=True, head_node_args={"num_cpus": 0, "include_dashboard": False})
        for _ in range(2):
            found.add_node(num_cpus=1)
        yield found
        found.shutdown()


def trained(logdir: Path, *options: str) -> tuple[list[dict[str, float]], dict[str, np.ndarray]]:
    """Return the records of a run, without those of the clock, and all arrays of its last checkpoint."""
    assert main(["train", "--config", "debug_ppo", *RUN, "--logdir", str(logdir), *options]) == 0
    rows = [json.loads(line) for line in (logdir / "metrics.jsonl").read_text().splitlines()]
    rows = [{name: value for name, value in row.items() if not name.startswith("time/")} for row in rows]
    return rows, flatten(Checkpoints(logdir / "checkpoints").read()[1])[1]


def test_collectors_on_a_cluster_give_the_numbers_of_processes(cluster: Cluster, tmp_path: Path) -> None:
    records, arrays = trained(tmp_path / "here")
    other_records, other_arrays = trained(tmp_path / "there", "--engine", "ray", "--address", cluster.address)
    assert other_records == records and records[-1]["step"] == 120
    assert other_arrays.keys() == arrays.keys()
    for name, array in arrays.items():
        np.testing.assert_array_equal(other_arrays[name], array, err_msg=name)


def test_a_collector_that_dies_is_told_by_name(cluster: Cluster) -> None:
    config = load_config(RunConfig, ["debug_ppo"], RUN)
    with closing(build_env(config, num_envs=1)) as env:
        parts = build_parts(config, env)
    with on_cluster(cluster.address) as start, closing(CollectorSource(parts, 2, True, start)) as source:
        ray.kill(source._collectors[1]._actor)  # type: ignore[attr-defined]
        with pytest.raises(UserError, match="Collector 1, .* on the cluster, has failed"):
            list(source.steps(4, at_random=False))


def test_a_cluster_that_is_not_there_or_not_needed_is_told(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    train = ["train", "--config", "debug_ppo", *RUN, "--logdir", str(tmp_path / "run"), "--engine", "ray"]
    assert main([*train, "--address", "127.0.0.1:1"]) == 2
    assert "There is no Ray cluster at '127.0.0.1:1'" in capsys.readouterr().err
    assert main([*train, "training.collectors=0"]) == 2
    assert "training.collectors is 0" in capsys.readouterr().err
    assert not os.listdir(tmp_path)
