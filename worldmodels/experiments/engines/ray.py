"""Commands on a Ray cluster, each attended by an actor that holds its cores, memory and GPUs (Moritz et al. 2018).

The folders in which commands work are on storage that all nodes share. A node that dies takes its actors along, which
is how that is noticed. Nothing else in the package imports Ray.
"""

from __future__ import annotations

import asyncio
import logging
import os
import signal
import socket
import subprocess
import sys
import time
import uuid
from collections.abc import Sequence
from contextlib import ExitStack, suppress
from pathlib import Path
from types import TracebackType
from typing import Any, NamedTuple

from worldmodels.core.errors import UserError
from worldmodels.core.files import write_atomic
from worldmodels.experiments.engines.api import LOST, Engine, Used
from worldmodels.experiments.engines.kept_cores import kept_cores
from worldmodels.experiments.engines.local import pinned, reap

try:
    import ray
    from ray.exceptions import GetTimeoutError, RayError, RayTaskError
    from ray.util.scheduling_strategies import NodeAffinitySchedulingStrategy
except ModuleNotFoundError as error:
    raise UserError(
        "The engine 'ray' needs Ray, which is not installed: pip install 'worldmodels[ray]' brings it. It has to be "
        "there on every node of the cluster, in the same version."
    ) from error

CURRENT_CLUSTER = Path(os.environ.get("RAY_TMPDIR", "/tmp"), "ray", "ray_current_cluster")
"""The file in which `ray start` notes the cluster's address."""
ATTENDED = Path(__file__).with_name("attended.py")
POLL_SECONDS = 0.1
NODES_SECONDS = 2.0
"""The cluster is asked for its nodes this often."""
PROBE_SECONDS = 5.0
ANSWER_SECONDS = 120.0
"""Within this a node starts a worker and answers."""
GIB = 2**30


class RunResources(NamedTuple):
    """The share of a node that a command takes."""

    cores: int = 1
    memory: float = 0.0
    """GiB; 0 where it is not counted."""
    gpus: int = 0

    def check(self) -> None:
        """Raise UserError where a number is out of range."""
        for name, least in (("cores", 1), ("memory", 0), ("gpus", 0)):
            if (value := getattr(self, name)) < least:
                raise UserError(f"The {name} of a run must be at least {least}. Received {value}.")

    def demand(self) -> dict[str, float]:
        """Return the resources by Ray's names."""
        named = {"CPU": float(self.cores), "memory": self.memory * GIB, "GPU": float(self.gpus)}
        return {name: amount for name, amount in named.items() if amount}

    def __str__(self) -> str:
        parts = [f"{self.cores} core{'s' if self.cores > 1 else ''}"]
        parts += [f"{self.memory:g} GiB of memory"] if self.memory else []
        return ", ".join([*parts, *([f"{self.gpus} GPUs"] if self.gpus else [])])


class RayEngine(Engine):
    """Runs commands on a cluster that is there already, as many as it has room for.

    Args:
        resources: of each command; by default a core.
        address: "HOST:PORT" of the cluster; by default that of RAY_ADDRESS, or of the one that this machine belongs to.
        jobs: commands at once; Ray lets them wait where there is no room. By default as many as there is room for now.

    Raises:
        UserError: a number is out of range; on entering: there is no such cluster, or none of its nodes has the room.
    """

    def __init__(
        self, resources: RunResources | None = None, address: str | None = None, jobs: int | None = None
    ) -> None:
        resources = resources or RunResources()
        resources.check()
        if jobs is not None and jobs < 1:
            raise UserError(f"The number of jobs at once must be at least 1. Received {jobs}.")
        self._resources, self._jobs = resources, jobs
        self._address = address
        self._nodes: list[dict[str, Any]] = []
        self._looked = 0.0

    def __enter__(self) -> RayEngine:
        _connect(self._address)
        if not self.places():
            ray.shutdown()
            raise UserError(
                f"No node of the Ray cluster has room for a run of {self._resources}. Nodes have: "
                f"{'; '.join(map(_contents, self._nodes)) or 'there is none'}. Ask for less for each run, or add nodes "
                "(ray start --address=...)."
            )
        return self

    def __exit__(self, kind: type | None, error: BaseException | None, trace: TracebackType | None) -> None:
        ray.shutdown()

    def check_folder(self, folder: Path) -> None:
        token, missing = folder.absolute() / f".cluster-{uuid.uuid4().hex}", {}
        write_atomic(token, "")
        try:
            looks = {node["NodeManagerAddress"]: _look(node, [token, Path.cwd()]) for node in self._with_room()}
            missing = {node: _answer(node, look) for node, look in looks.items()}
        finally:
            token.unlink(missing_ok=True)
        for node, unseen in missing.items():
            if unseen:
                path = folder.absolute() if str(token) in unseen else Path.cwd()
                raise UserError(
                    f"The node {node} of the Ray cluster does not see '{path}' of this machine. Runs need a working "
                    "directory and a 'logdir' on storage that all nodes share, under the same path."
                )

    def places(self) -> int:
        if time.monotonic() - self._looked > NODES_SECONDS:
            self._nodes = [node for node in ray.nodes() if node["Alive"]]
            self._looked = time.monotonic()
        return self._jobs or sum(map(self._room, self._nodes))

    def start(self, command: Sequence[str], log: Path) -> RayCommand:
        log.parent.mkdir(parents=True, exist_ok=True)
        log.touch()
        return RayCommand(command, log.absolute(), self._resources)

    def _with_room(self) -> list[dict[str, Any]]:
        return [node for node in self._nodes if self._room(node)]

    def _room(self, node: dict[str, Any]) -> int:
        """Return how many commands fit on a node that has nothing else to do."""
        return min(int(node["Resources"].get(name, 0.0) // amount) for name, amount in self._resources.demand().items())


class RayCommand:
    """A command on the node that Ray chooses for it."""

    def __init__(self, command: Sequence[str], log: Path, resources: RunResources):
        self.place = f"the cluster with {resources}"
        self._log, self._submitted = log, time.monotonic()
        actor: Any = ray.remote(num_cpus=resources.cores, num_gpus=resources.gpus)(Attendant)
        memory = {"memory": int(resources.memory * GIB)} if resources.memory else {}
        self._actor = actor.options(**memory).remote(resources.cores)
        self._begun = self._actor.start.remote(list(command), sys.executable, str(Path.cwd()), str(log))
        self._ended = self._actor.wait.remote(self._begun)

    def poll(self) -> tuple[int, Used] | None:
        if not _is_ready(self._ended):
            return None
        try:
            status, used = ray.get(self._ended)
        except RayTaskError as error:  # ours: the command was not to be started there
            with open(self._log, "a") as log:
                log.write(f"{error.cause}\n")
            status, used = 1, self._wall_time()
        except RayError:
            status, used = LOST, self._wall_time()
        ray.kill(self._actor)
        return status, Used(*used)

    def terminate(self) -> None:
        if _is_ready(self._begun):
            self._actor.terminate.remote()
        else:
            ray.kill(self._actor)  # it waits for a place

    def kill(self) -> None:
        with suppress(RayError):
            ray.get(self._actor.kill.remote(), timeout=PROBE_SECONDS)
        ray.kill(self._actor)

    def _wall_time(self) -> Used:
        return Used(time.monotonic() - self._submitted, 0.0)


class Attendant:
    """The actor of a command: on a node, it starts the command, waits for it, and stops it."""

    def __init__(self, cores: int) -> None:
        self._kept = ExitStack()
        self._cores = self._kept.enter_context(kept_cores(cores))

    async def start(self, command: Sequence[str], python: str, folder: str, log: str) -> None:
        """Start a command in a working directory; `python`, where it is its first word, is this node's Python.

        Raises:
            FileNotFoundError: the folder or the log is not there.
        """
        words = [sys.executable if command[0] == python else command[0], *command[1:]]
        attended = [sys.executable, "-I", "-S", str(ATTENDED), ",".join(map(str, self._cores)), *words]
        # Ray sets it for its own workers; without it libraries see the cores that the command has.
        environment = {name: value for name, value in os.environ.items() if name != "OMP_NUM_THREADS"}
        with open(log, "r+b") as file:
            file.seek(0, os.SEEK_END)
            self._started = time.monotonic()
            self._process = subprocess.Popen(
                pinned(attended, self._cores),
                stdin=subprocess.DEVNULL,
                stdout=file,
                stderr=subprocess.STDOUT,
                start_new_session=True,
                cwd=folder,
                env=environment,
            )

    async def wait(self, begun: None) -> tuple[int, Used]:
        """Return the exit status of the command, and what it took, once it has ended.

        Args:
            begun: what `start` returned: an actor of this kind may do things in another order than asked for.
        """
        while not (ended := reap(self._process, self._started)):
            await asyncio.sleep(POLL_SECONDS)
        return ended

    async def terminate(self) -> None:
        """Ask the command to stop."""
        if self._process.returncode is None:
            os.kill(self._process.pid, signal.SIGTERM)

    async def kill(self) -> None:
        """End the command, and whatever it has started, at once."""
        if self._process.returncode is None:
            os.killpg(self._process.pid, signal.SIGKILL)


def _connect(address: str | None) -> None:
    """Connect this process to a cluster, which Ray itself would wait for without an end if it is not there.

    Raises:
        UserError: there is none, or it has another version of Python or of Ray.
    """
    try:
        address = address or os.environ.get("RAY_ADDRESS") or CURRENT_CLUSTER.read_text().strip()
        host, _, port = address.rpartition(":")
        socket.create_connection((host.strip("[]"), int(port)), PROBE_SECONDS).close()
        ray.init(address=address, log_to_driver=False, logging_level=logging.ERROR)
    except (OSError, ValueError, RuntimeError, RayError) as error:
        where = f"at '{address}'" if address else "to which this machine belongs"
        why = "" if isinstance(error, FileNotFoundError) else f": {str(error).splitlines()[0]}"
        raise UserError(
            f"There is no Ray cluster {where} that could be used{why}. Start one by 'ray start --head', let other "
            "machines join it by 'ray start --address=HOST:PORT', and run this command on one of them; or give the "
            "--address of another one."
        ) from error


def _unseen(paths: Sequence[str]) -> list[str]:
    return [path for path in paths if not os.path.exists(path)]


def _look(node: dict[str, Any], paths: Sequence[Path]) -> Any:
    """Begin to ask a node which of some paths it does not see."""
    there = NodeAffinitySchedulingStrategy(node["NodeID"], soft=False)
    return ray.remote(num_cpus=0, scheduling_strategy=there)(_unseen).remote([str(path) for path in paths])


def _answer(node: str, look: Any) -> list[str]:
    try:
        return list(ray.get(look, timeout=ANSWER_SECONDS))
    except (RayError, GetTimeoutError) as error:
        last = str(error).strip().splitlines()[-1:]
        raise UserError(
            f"The node {node} of the Ray cluster cannot run worldmodels: {''.join(last)} It has to be installed there "
            "as it is here."
        ) from error


def _is_ready(reference: Any) -> bool:
    return bool(ray.wait([reference], timeout=0)[0])


def _contents(node: dict[str, Any]) -> str:
    found = node["Resources"]
    memory = found.get("memory", 0.0) / GIB
    return f"{found.get('CPU', 0):g} cores, {memory:.1f} GiB and {found.get('GPU', 0):g} GPUs"
