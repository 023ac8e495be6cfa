"""Runs commands on a Ray cluster, each through an actor that holds its cores, memory and GPUs (Moritz et al. 2018).

The working folders are on storage that all nodes share, unless the commands bring their own. An actor dies with its
node: so the engine notices the loss.
"""

from __future__ import annotations

import sys
import time
import uuid
from collections import deque
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import Any, NamedTuple

from worldmodels.cluster.attendant import Attendant, unseen
from worldmodels.cluster.ray_connection import (
    GetTimeoutError,
    NodeAffinitySchedulingStrategy,
    RayError,
    RayTaskError,
    connect,
    ray,
)
from worldmodels.core.errors import UserError
from worldmodels.core.files.writing import write_atomic
from worldmodels.experiments.engine import LOST, Engine, Used

NODES_SECONDS = 2.0
"""Seconds between two looks at the list of nodes."""
IDLE_SECONDS = 2.0
"""An idle actor gives its place back after this time."""
PROBE_SECONDS = 5.0
OUTPUT_SECONDS = 5.0
"""Seconds between two fetches of output from nodes that do not see the log."""
ANSWER_SECONDS = 120.0
"""Time limit for a node to start a worker and answer."""
GIB = 2**30


class RunResources(NamedTuple):
    """The share of a node that a command takes."""

    cores: int = 1
    memory: float = 0.0
    """GiB; 0: memory is not counted."""
    gpus: int = 0

    def check(self) -> None:
        """Raise UserError if a number is out of range."""
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


class _Idle(NamedTuple):
    actor: Any
    since: float


class RayEngine(Engine):
    """Runs as many commands as a running cluster has room for.

    Args:
        resources: the share of a node for each command; by default one core.
        address: "HOST:PORT" of the cluster; by default RAY_ADDRESS, or the cluster of this machine.
        jobs: commands at once; by default as many as there is room for. Ray queues the others.
        shared: whether nodes see the folders of this machine. If not, commands start in a folder of temporary files,
            and their output is fetched into their logs.

    Raises:
        UserError: a number is out of range; on entering: there is no such cluster, or no node has room.
    """

    def __init__(
        self,
        resources: RunResources | None = None,
        address: str | None = None,
        jobs: int | None = None,
        shared: bool = True,
    ) -> None:
        resources = resources or RunResources()
        resources.check()
        if jobs is not None and jobs < 1:
            raise UserError(f"The number of jobs at once must be at least 1. Received {jobs}.")
        self._resources, self._jobs, self._shared = resources, jobs, shared
        self._address = address
        self._nodes: list[dict[str, Any]] = []
        self._looked = 0.0
        self._idle: deque[_Idle] = deque()

    def __enter__(self) -> RayEngine:
        connect(self._address)
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
        if not self._shared:
            for node, look in [(node, _look(node, [])) for node in self._with_room()]:
                _answer(node, look)  # which tells whether worldmodels is there
            return
        token = folder.absolute() / f".cluster-{uuid.uuid4().hex}"
        write_atomic(token, "")  # another folder of the same path does not have it
        try:
            looks = [(node, _look(node, [token, Path.cwd()])) for node in self._with_room()]
            for node, look in looks:
                for path in _answer(node, look):
                    raise UserError(
                        f"The node {node['NodeManagerAddress']} of the Ray cluster does not see "
                        f"'{folder if path == str(token) else path}' "
                        "of this machine. Runs need a working directory and a 'logdir' on storage that all nodes "
                        "share, under the same path."
                    )
        finally:
            token.unlink(missing_ok=True)

    def places(self) -> int:
        while self._idle and time.monotonic() - self._idle[0].since > IDLE_SECONDS:
            ray.kill(self._idle.popleft().actor)
        if time.monotonic() - self._looked > NODES_SECONDS:
            self._nodes = [node for node in ray.nodes() if node["Alive"]]
            self._looked = time.monotonic()
        return self._jobs or sum(map(self._room, self._nodes))

    def start(self, command: Sequence[str], log: Path) -> RayCommand:
        log.parent.mkdir(parents=True, exist_ok=True)
        log.touch()
        return RayCommand(self._attendant(), command, log.absolute(), self._idle, self._shared)

    def _attendant(self) -> Any:
        """Return an actor with a place for a command: an idle one if possible, because a start takes seconds."""
        if self._idle:
            return self._idle.pop().actor
        memory = {"memory": int(self._resources.memory * GIB)} if self._resources.memory else {}
        actor: Any = ray.remote(num_cpus=self._resources.cores, num_gpus=self._resources.gpus, **memory)(Attendant)
        return actor.remote(self._resources.cores)

    def _with_room(self) -> list[dict[str, Any]]:
        return [node for node in self._nodes if self._room(node)]

    def _room(self, node: dict[str, Any]) -> int:
        """Return how many commands fit on an idle node."""
        return min(int(node["Resources"].get(name, 0.0) // amount) for name, amount in self._resources.demand().items())


class RayCommand:
    """A command on the node of its actor, which Ray chooses; when it ends, the actor becomes idle."""

    def __init__(self, actor: Any, command: Sequence[str], log: Path, idle: deque[_Idle], shared: bool):
        self._actor, self._log, self._idle, self._submitted = actor, log, idle, time.monotonic()
        places = (str(Path.cwd()), str(log)) if shared else (None, None)
        self._begun = self._actor.start.remote(list(command), sys.executable, *places)
        self._ended = self._actor.wait.remote(self._begun)
        self._brings_output, self._asked = not shared, self._submitted
        self._output: Any = None

    @property
    def place(self) -> str:
        with suppress(RayError):
            if _is_ready(self._begun):
                return f"node {ray.get(self._begun)}"
        return "the cluster"

    def poll(self) -> tuple[int, Used] | None:
        if not _is_ready(self._ended):
            if self._brings_output and _is_ready(self._begun):
                self._bring_output()
            return None
        try:
            status, used = ray.get(self._ended)
            for _ in range(2 if self._brings_output else 0):  # what was asked for before the end may be under way
                self._bring_output(wait=True)
            self._idle.append(_Idle(self._actor, time.monotonic()))
            return status, Used(*used)
        except RayTaskError as error:  # ours: the command was not to be started there
            with open(self._log, "a") as log:
                log.write(f"{error.cause}\n")
            status, used = 1, self._wall_time()
        except RayError:
            status, used = LOST, self._wall_time()
        ray.kill(self._actor)
        return status, used

    def terminate(self) -> None:
        if _is_ready(self._begun):
            self._actor.terminate.remote()
        else:
            ray.kill(self._actor)  # it waits for a place

    def kill(self) -> None:
        with suppress(RayError):
            ray.get(self._actor.kill.remote(), timeout=PROBE_SECONDS)
        ray.kill(self._actor)

    def _bring_output(self, wait: bool = False) -> None:
        """Append the new output of the command to the log."""
        if self._output is None and (wait or time.monotonic() > self._asked + OUTPUT_SECONDS):
            self._output, self._asked = self._actor.output.remote(), time.monotonic()
        if self._output is not None and (wait or _is_ready(self._output)):
            with suppress(RayError, OSError), open(self._log, "ab") as log:  # without a log a run is as good
                log.write(ray.get(self._output))
            self._output = None

    def _wall_time(self) -> Used:
        return Used(time.monotonic() - self._submitted, 0.0)


def _look(node: dict[str, Any], paths: Sequence[Path]) -> Any:
    """Start a task that finds the paths that do not exist on a node."""
    there = NodeAffinitySchedulingStrategy(node["NodeID"], soft=False)
    return ray.remote(num_cpus=0, scheduling_strategy=there)(unseen).remote([str(path) for path in paths])


def _answer(node: dict[str, Any], look: Any) -> list[str]:
    try:
        return list(ray.get(look, timeout=ANSWER_SECONDS))
    except (RayError, GetTimeoutError) as error:
        if not any(other["Alive"] for other in ray.nodes() if other["NodeID"] == node["NodeID"]):
            return []  # it has died since, and gets no command
        last = str(error).strip().splitlines()[-1:]
        raise UserError(
            f"The node {node['NodeManagerAddress']} of the Ray cluster cannot run worldmodels: {''.join(last)} "
            "It has to be installed there as it is here."
        ) from error


def _is_ready(reference: Any) -> bool:
    return bool(ray.wait([reference], timeout=0)[0])


def _contents(node: dict[str, Any]) -> str:
    found = node["Resources"]
    memory = found.get("memory", 0.0) / GIB
    return f"{found.get('CPU', 0):g} cores, {memory:.1f} GiB and {found.get('GPU', 0):g} GPUs"
