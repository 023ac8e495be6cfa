"""Commands on a Ray cluster of several node processes on this machine, one of which is killed."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path

import numpy as np
import pytest
from cluster_nodes import family, numbers_of, processes_of, two_runs, wait_for

import worldmodels
from worldmodels.cli import main
from worldmodels.config.run_config import RunConfig
from worldmodels.core.configuration.sections import load_config
from worldmodels.core.errors import UserError
from worldmodels.core.files.checkpoint import Checkpoints
from worldmodels.core.files.run_dir import RunDir
from worldmodels.evaluation.request import Request
from worldmodels.experiments.engine import LOST, Engine, LocalEngine, Used, core_shares
from worldmodels.experiments.evaluation_jobs import EvaluationJob, evaluate_in_jobs
from worldmodels.experiments.grid_training import train_grid

pytest.importorskip("ray")
from ray.cluster_utils import Cluster  # noqa: E402

from worldmodels.cluster.ray_engine import RayEngine, RunResources  # noqa: E402

SOURCES = [str(Path(worldmodels.__file__).parents[1]), str(Path(__file__).parents[1] / "experiments")]  # test_jobs
SAVING = "trap 'sleep 0.2; echo saved; exit 130' TERM; echo begun; while true; do sleep 0.05; done"


@pytest.fixture(scope="module")
def cluster() -> Iterator[Cluster]:
    """A head that runs nothing, and two nodes with a core each."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PYTHONPATH", os.pathsep.join(SOURCES))
        patch.setenv("RAY_USAGE_STATS_ENABLED", "0")
        found = Cluster(initialize_head=True, head_node_args={"num_cpus": 0, "include_dashboard": False})
        for _ in range(2):
            found.add_node(num_cpus=1, memory=2**30)
        yield found
        found.shutdown()


def ended(engine: Engine, log: Path, script: str) -> tuple[int, Used]:
    command = engine.start(["sh", "-c", script], log)
    while (found := command.poll()) is None:
        time.sleep(0.05)
    return found


def test_a_command_runs_on_a_node_as_it_would_here(cluster: Cluster, tmp_path: Path) -> None:
    log, busy = tmp_path / "logs" / "a.txt", "i=0; while [ $i -lt 300000 ]; do i=$((i+1)); done"
    with RayEngine(address=cluster.address) as engine:
        assert engine.places() == 2
        assert ended(engine, log, "pwd; echo wrong >&2; exit 3")[0] == 3
        assert ended(engine, log, "kill -KILL $$")[0] == -signal.SIGKILL
        assert ended(engine, log, "grep Cpus_allowed_list /proc/self/status; echo ${OMP_NUM_THREADS-unset}")[0] == 0
        lines = log.read_text().splitlines()
        assert lines[:2] == [os.getcwd(), "wrong"] and lines[3] == "unset"
        assert int(lines[2].split()[1]) in os.sched_getaffinity(0)
        _, used = ended(engine, log, busy)
        assert 0.1 < used.processor_seconds <= used.wall_seconds + 0.1


def test_a_command_that_cannot_be_started_says_why_in_its_log(cluster: Cluster, tmp_path: Path) -> None:
    with RayEngine(address=cluster.address) as engine, pytest.MonkeyPatch.context() as patch:
        patch.setattr(Path, "cwd", lambda: tmp_path / "gone")
        assert ended(engine, tmp_path / "log.txt", "true")[0] == 1
        assert "No such file or directory" in (tmp_path / "log.txt").read_text()
        with pytest.raises(UserError, match="The node .* does not see '.*/gone' of this"):
            engine.check_folder(tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["log.txt"]


def test_the_messages_of_rays_own_processes_are_not_printed(
    cluster: Cluster, capfd: pytest.CaptureFixture[str]
) -> None:
    from ray._private.utils import publish_error_to_driver
    from ray._private.worker import global_worker

    with RayEngine(address=cluster.address):
        publish_error_to_driver(
            "node", "Raylet is terminated. Last 20 lines of the Raylet logs", global_worker.gcs_client
        )
        time.sleep(2)
    assert capfd.readouterr().out == ""


def test_runs_that_no_node_has_room_for_are_refused(cluster: Cluster) -> None:
    for resources in (RunResources(cores=2), RunResources(memory=1.5), RunResources(gpus=1)):
        with pytest.raises(UserError, match="No node .* has room .* Nodes have: .*1 cores, 1.0 GiB and 0 GPUs"):
            RayEngine(resources, cluster.address).__enter__()
    with RayEngine(RunResources(memory=0.4), cluster.address) as engine:
        assert engine.places() == 2
    with RayEngine(RunResources(cores=2), cluster.address, jobs=7) as engine:  # nodes may come yet
        assert engine.places() == 7


@pytest.mark.parametrize("address", ["127.0.0.1:1", "nonsense", "127.0.0.1:x"])
def test_a_cluster_that_is_not_there_is_told_at_once(
    address: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "small.yaml"
    file.write_text(f"config: debug\nlogdir: {tmp_path}/grid\n")
    assert main(["grid", str(file), "--engine", "ray", "--address", address]) == 2
    assert f"There is no Ray cluster at '{address}' that could be used" in capsys.readouterr().err
    assert not (tmp_path / "grid").exists()


def test_something_else_at_the_address_is_told(cluster: Cluster) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        address = "127.0.0.1:{1}".format(*server.getsockname())

        def answer() -> None:
            connection, _ = server.accept()
            with connection:
                connection.recv(1000)
                connection.sendall(b"HTTP/1.1 400 Bad Request\r\n\r\n")

        threading.Thread(target=answer, daemon=True).start()
        with pytest.raises(UserError, match=f"at '{address}' that could be used: something else answers there"):
            RayEngine(address=address).__enter__()


@pytest.mark.parametrize(
    ("flags", "text"),
    [
        (["--cores-per-run", "0"], "The cores of a run must be at least 1. Received 0."),
        (["--memory-per-run", "-1"], "The memory of a run must be at least 0. Received -1.0."),
        (["--jobs", "0"], "The number of jobs at once must be at least 1. Received 0."),
    ],
)
def test_numbers_out_of_range_are_refused(
    flags: Sequence[str], text: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "small.yaml"
    file.write_text(f"config: debug\nlogdir: {tmp_path}/grid\n")
    assert main(["grid", str(file), "--engine", "ray", *flags]) == 2
    assert capsys.readouterr().err == f"worldmodels: {text}\n"


GRID = """
from pathlib import Path
from test_jobs import ShellJob, run_jobs
from worldmodels.cluster.ray_engine import RayEngine
with RayEngine(address={address!r}) as engine:
    jobs = [ShellJob(Path({folder!r}), name, {script!r}) for name in "abc"]
    print(run_jobs(jobs, engine, 60, lambda text: None))
"""


@pytest.mark.parametrize(
    ("numbers", "script"),
    [
        ([signal.SIGINT], SAVING),
        ([signal.SIGKILL], SAVING),
        ([signal.SIGINT, signal.SIGINT], SAVING.replace("exit 130", "true")),  # it is deaf
    ],
    ids=["interrupted", "killed", "interrupted twice"],
)
def test_no_process_outlives_a_grid(
    cluster: Cluster, tmp_path: Path, numbers: Sequence[signal.Signals], script: str
) -> None:
    script = f"true {tmp_path}; {script}"
    program = GRID.format(address=cluster.address, folder=str(tmp_path), script=script)
    driver = subprocess.Popen([sys.executable, "-c", program], start_new_session=True)
    logs = [tmp_path / "logs" / f"{name}.log" for name in "ab"]
    wait_for(lambda: all(log.exists() and log.read_text() == "begun\n" for log in logs))
    for number in numbers:
        driver.send_signal(number)
        time.sleep(2.0 if len(numbers) > 1 else 0.0)
    driver.wait(60)
    wait_for(lambda: not processes_of(str(tmp_path)))
    assert [log.read_text() for log in logs] == ["begun\nsaved\n"] * 2
    assert not (tmp_path / "logs" / "c.log").exists()  # it waited


def test_a_command_saves_where_ray_alone_dies(cluster: Cluster, tmp_path: Path) -> None:
    log = tmp_path / "log.txt"
    with RayEngine(address=cluster.address) as engine:
        command = engine.start(["sh", "-c", f"true {tmp_path}; {SAVING}"], log)
        wait_for(lambda: log.exists() and log.read_text() == "begun\n")
        below = {node: family(node.all_processes["raylet"][0].process.pid) for node in cluster.worker_nodes}
        (node,) = (node for node, members in below.items() if set(members) & set(processes_of(str(tmp_path))))
        cluster.remove_node(node, allow_graceful=False)
        cluster.add_node(num_cpus=1, memory=2**30)
        while (found := command.poll()) is None:
            time.sleep(0.05)
        assert found[0] == LOST
        wait_for(lambda: not processes_of(str(tmp_path)))
        assert log.read_text() == "begun\nsaved\n"


def test_evaluations_go_on_elsewhere_when_their_node_dies(
    cluster: Cluster, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    run = RunDir.create(tmp_path / "run", load_config(RunConfig, ["debug_ppo"], []), {})
    for step in (100, 200, 300):
        Checkpoints(run.checkpoints, keep=3).write(step, {})
    script = f"true {tmp_path}; echo begun; while [ ! -e {tmp_path}/go ]; do sleep 0.05; done"
    real = EvaluationJob.command
    monkeypatch.setattr(EvaluationJob, "command", lambda job: real(job) and ["sh", "-c", script])
    logs, node = [run.eval / f"log_{step:08d}.txt" for step in (100, 200)], next(iter(cluster.worker_nodes))

    def kill() -> None:
        wait_for(lambda: all(log.exists() and log.read_text() == "begun\n" for log in logs))
        for process in family(node.all_processes["raylet"][0].process.pid):
            with suppress(ProcessLookupError):  # some end when the first does
                os.kill(process, signal.SIGKILL)
        (tmp_path / "go").touch()

    thread = threading.Thread(target=kill, daemon=True)
    thread.start()
    outcome = evaluate_in_jobs(Request(run.path, all_checkpoints=True), [run.path], RayEngine(address=cluster.address))
    thread.join(10)
    cluster.remove_node(node, allow_graceful=False)
    cluster.add_node(num_cpus=1, memory=2**30)
    assert sorted(outcome.finished) == [f"run at step {step}" for step in (100, 200, 300)]
    assert capsys.readouterr().out.count("the machine was lost") == 1
    assert sorted(log.read_text() for log in logs) == ["begun\n", "begun\nbegun\n"]


def test_a_node_that_dies_costs_nothing_but_the_work_since_the_last_checkpoint(
    cluster: Cluster, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The same grid by processes of this machine, and by two nodes of which one dies with all that it runs."""
    plain, grid = two_runs(tmp_path / "plain"), two_runs(tmp_path / "ray")
    assert len(train_grid(plain, LocalEngine(core_shares()[:1])).done) == 2
    for other in set(cluster.worker_nodes):
        cluster.remove_node(other)
    node, killed = cluster.add_node(num_cpus=1), []
    cluster.add_node(num_cpus=1)

    def kill() -> None:
        raylet = node.all_processes["raylet"][0].process.pid
        while not killed:
            below = set(family(raylet))
            for run in grid.runs:
                steps = Checkpoints(run.path / "checkpoints").steps() if run.path.is_dir() else []
                if steps and steps[-1] >= 120 and below & set(processes_of(str(run.path))):
                    killed.append(run.name)
            time.sleep(0.02)
        for process in family(raylet):  # as when the power goes
            os.kill(process, signal.SIGKILL)

    thread = threading.Thread(target=kill, daemon=True)
    thread.start()
    with_ray = train_grid(grid, RayEngine(address=cluster.address))
    thread.join(10)
    assert len(with_ray.done) == 2 and len(killed) == 1
    printed = capsys.readouterr().out
    assert f"{killed[0]}: the machine was lost" in printed and "raylet" not in printed
    for ours, theirs in zip(plain.runs, grid.runs, strict=True):
        (records, weights), (other_records, other_weights) = numbers_of(ours.path), numbers_of(theirs.path)
        assert records == other_records
        assert weights.keys() == other_weights.keys() and len(weights) > 20
        for name, value in weights.items():
            np.testing.assert_array_equal(value, other_weights[name], err_msg=name)
