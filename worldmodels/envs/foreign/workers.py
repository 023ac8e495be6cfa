"""Copies of a foreign environment in worker processes; an error names the copy that failed or died.

Gymnasium's `AsyncVectorEnv` has a process for each copy, and says of one that was killed only that a pipe has ended.
"""

from __future__ import annotations

import atexit
import time
from collections.abc import Sequence
from contextlib import suppress
from functools import partial
from multiprocessing import get_context
from multiprocessing.connection import Connection
from multiprocessing.context import SpawnProcess
from multiprocessing.reduction import ForkingPickler
from typing import Any, NamedTuple

import numpy as np

from worldmodels.core.child_process import exit_text, kill
from worldmodels.core.errors import ForeignEnvError, UserError
from worldmodels.core.specs import ActionSpec, ObservationSpec
from worldmodels.envs.config import NO_INFO, InfoConfig
from worldmodels.envs.foreign.given import Factory, Given
from worldmodels.envs.foreign.guard import copy_name, described, moment_name
from worldmodels.envs.foreign.shared_arrays import SharedArrays
from worldmodels.envs.foreign.vector_env import Array, ForeignVectorEnv, Seeds, Steps, SyncForeignEnv, told_layouts
from worldmodels.envs.foreign.worker import work
from worldmodels.envs.foreign.wrappers import ImageFormat

CLOSE_SECONDS = 10.0
"""A worker that takes longer to close its environments is killed."""


class Worker(NamedTuple):
    """A process, our end of its pipe, and the copies that it steps."""

    process: SpawnProcess
    pipe: Connection
    copies: range


class About(NamedTuple):
    """All that is known of copies before they are made in workers."""

    observation: ObservationSpec
    action: ActionSpec
    meanings: list[str]
    """The names of the actions."""
    why_not_saved: str
    notes: tuple[str, ...]


def about_copies(make: Factory, id: str, images: ImageFormat) -> About:
    """Describe an environment by a copy made here for a moment; see `WorkerForeignEnv` for its errors."""
    check_can_be_sent(make, id)
    sample = SyncForeignEnv(make, id, 1, images)
    try:
        specs = sample.observation_spec, sample.action_spec
        return About(*specs, sample.action_meanings(), sample.why_not_saved, sample.notes)
    finally:
        sample.close()


class WorkerForeignEnv(ForeignVectorEnv):
    """Copies that worker processes step at the same time; the numbers are those of `SyncForeignEnv`.

    Arrays travel through shared memory; infos stay where they are, but for the numbers that are recorded. A worker ends
    with its parent, whatever ends that.

    Args:
        make: makes a copy, and can be sent to another process.
        id: the environment's name for people.
        num_envs: number of copies, spread evenly over the workers.
        workers: number of processes.
        images: how images are handed on.
        about: the copies.
        info: names the numbers in their infos that are wanted.

    Raises:
        UserError: `make` cannot be sent to another process.
        ForeignEnvError: an environment failed, or its worker died; the text says at which step.
    """

    def __init__(
        self,
        make: Factory,
        id: str,
        num_envs: int,
        workers: int,
        images: ImageFormat,
        about: About,
        info: InfoConfig = NO_INFO,
    ) -> None:
        self._workers: list[Worker] = []
        self._processes: list[SpawnProcess] = []
        # multiprocessing would ask them to terminate, which they ignore, and wait for them.
        self._at_exit = partial(kill, self._processes)
        check_can_be_sent(make, id)
        super().__init__(id, num_envs, about.observation, about.action)
        self._meanings, self.why_not_saved, self.notes = about.meanings, about.why_not_saved, about.notes
        # A fork would copy the locks of TensorFlow's threads, but not the threads.
        context = get_context("spawn")
        shared = SharedArrays(
            context,
            {
                "action": ((num_envs, *self.action_spec.shape), self.action_spec.dtype),
                "observation": ((num_envs, self.observation_spec.bytes), np.uint8),
                "reward": ((num_envs,), np.float32),
                "terminated": ((num_envs,), np.bool_),
                "truncated": ((num_envs,), np.bool_),
                **told_layouts(num_envs, info),
            },
        )
        self._arrays = shared.views()
        atexit.register(self._at_exit)
        try:
            for copies in np.array_split(np.arange(num_envs), min(workers, num_envs)):
                self._start(context, (make, id, images, info, range(copies[0], copies[-1] + 1), shared))
            self._wait()
        except BaseException:
            with suppress(UserError):
                self.close_extras()
            raise

    def action_meanings(self) -> list[str]:
        return self._meanings

    def close_extras(self, **_: Any) -> None:
        """Close all copies, and end their processes. Raises the first `ForeignEnvError` once it has tried them all."""
        self.closed = True
        for worker in self._workers:
            with suppress(OSError):  # it is dead
                worker.pipe.send(None)
        until = time.monotonic() + CLOSE_SECONDS
        failures = [failure for worker in self._workers if (failure := _ended(worker, self._id, until))]
        self._workers.clear()
        atexit.unregister(self._at_exit)
        if failures:
            raise ForeignEnvError(failures[0])

    def _start(self, context: Any, task: tuple[Any, ...]) -> None:
        ours, theirs = context.Pipe()
        process = context.Process(target=work, args=(theirs, *task), daemon=True, name="environments")
        process.start()
        theirs.close()  # so that ours ends with the worker
        self._processes.append(process)
        self._workers.append(Worker(process, ours, task[4]))

    def _reset(self, seeds: Seeds, options: dict[str, Any] | None) -> tuple[Any, dict[str, Any]]:
        if options:
            raise UserError(f"Options of a reset are not sent to workers; received {options}. Choose env.workers=0.")
        self._call(lambda worker: ("reset", _seeds_of(worker.copies, seeds)))
        return self._observations(), self._info()

    def _step(self, actions: Array) -> Steps:
        self._arrays["action"][:] = actions
        self._call(lambda worker: ("step", None))
        rewards, terminated, truncated = (self._arrays[name].copy() for name in ("reward", "terminated", "truncated"))
        return self._observations(), rewards, terminated, truncated, self._info()

    def _states(self) -> list[bytes]:
        return [state for states in self._call(lambda worker: ("get_state", None)) for state in states]

    def _restored(self, states: Sequence[bytes]) -> Any:
        self._call(lambda worker: ("set_state", states[worker.copies.start : worker.copies.stop]))
        return self._observations()

    def _info(self) -> dict[str, Any]:
        return {"recorded": self._arrays["recorded"].copy()}

    def _observations(self) -> Any:
        return self.observation_spec.from_bytes(self._arrays["observation"].copy())

    def _call(self, message: Any) -> list[Any]:
        """Send each worker its message; return what they answer. Raises the first copy's `ForeignEnvError`."""
        try:
            for worker in self._workers:
                with suppress(OSError):  # it is dead, which reading tells
                    worker.pipe.send(message(worker))
            return self._wait()
        except KeyboardInterrupt:
            kill(self._processes)  # a later call would take for its own the answers that are still to come
            raise

    def _wait(self) -> list[Any]:
        """Wait until all workers are done with a call. Raises the `ForeignEnvError` of the first copy that failed."""
        answers = [_answer(worker) for worker in self._workers]
        for worker, answer in zip(self._workers, answers, strict=True):
            if answer is None:
                raise ForeignEnvError(self._died(worker))
            if answer[0]:
                raise ForeignEnvError(answer[0])
        return [answer[1] for answer in answers if answer]

    def _died(self, worker: Worker) -> str:
        worker.process.join(CLOSE_SECONDS)
        ended = exit_text(worker.process.exitcode)
        moments = self._arrays["moment"]
        busy = [copy for copy in worker.copies if moments[copy, 2]]
        first = busy[0] if busy else worker.copies[0]
        name = copy_name(self._id, first)
        if moments[first].any():
            return f"{name}, {'' if busy else 'after '}{moment_name(moments[first])}: its worker process {ended}."
        return (
            f"{name}: its worker process {ended} before it was made. What it said stands above. A script that starts "
            "workers is imported by each of them: what it does must stand below `if __name__ == '__main__':`."
        )


def check_can_be_sent(make: Given, id: str, instead: str = "env.workers=0") -> None:
    """Raise UserError where `make` cannot be sent to another process, which says what to choose instead."""
    try:
        ForkingPickler.dumps(make)
    except KeyboardInterrupt:
        raise
    except BaseException as error:
        raise UserError(
            f"'{id}' cannot be sent to worker processes: {described(error)}. A function or class at the top of a "
            f"module can be, and the id of an environment; others run with {instead}."
        ) from error


def _seeds_of(copies: range, seeds: Seeds) -> Sequence[int | None] | None:
    """Return the seeds of some of the copies, as Gymnasium gives them to all."""
    if seeds is None:
        return None
    if isinstance(seeds, (int, np.integer)):
        return [int(seeds) + copy for copy in copies]
    return seeds[copies.start : copies.stop]


def _answer(worker: Worker) -> tuple[str, Any] | None:
    """Return what a worker says of a call: the error, "" where all went well, and the result; None: it is dead."""
    try:
        answer: tuple[str, Any] = worker.pipe.recv()
    except (EOFError, OSError):
        return None
    return answer


def _ended(worker: Worker, id: str, until: float) -> str:
    """Wait until a worker has ended; return its error, or that it was killed because it did not."""
    worker.process.join(max(until - time.monotonic(), 0.0))
    if worker.process.is_alive():
        kill([worker.process])
        return (
            f"{copy_name(id, worker.copies[0])}: its worker process did not close its environments within "
            f"{CLOSE_SECONDS:g} seconds, and was killed."
        )
    failure = ""
    while worker.pipe.poll() and (answer := _answer(worker)) is not None:
        failure = answer[0]  # the last is that of closing; others are of a call that nobody waited for
    worker.pipe.close()
    return failure
