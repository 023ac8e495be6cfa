"""Runs collectors as processes of this machine."""

from __future__ import annotations

import atexit
from contextlib import suppress
from functools import partial
from multiprocessing import get_context
from multiprocessing.context import SpawnProcess
from queue import SimpleQueue
from threading import Thread
from typing import Any

from worldmodels.config.run_config import RunConfig
from worldmodels.core.child_process import exit_text, kill
from worldmodels.core.errors import UserError
from worldmodels.core.processor import threads_beside
from worldmodels.envs.foreign.given import find_given
from worldmodels.training.collectors.collector_worker import work

PATIENCE = 10.0
"""Seconds after which a collector that does not end is killed."""


def learner_threads(config: RunConfig, start: object) -> int:
    """Return the number of threads of the learner: the cores that the collectors of this machine leave.

    A collector takes one core. Without collectors the number is 0, which means one thread for each core.
    """
    return threads_beside(config.training.collectors) if start is CollectorProcess else 0


class CollectorProcess:
    """A `RemoteCollector` in a process of its own.

    Args:
        number: the number of the collector, for messages.
        config: the configuration of this collector.
    """

    def __init__(self, number: int, config: RunConfig):
        self._name, context = f"Collector {number}", get_context("spawn")  # a fork would copy the locks of TensorFlow
        self._pipe, theirs = context.Pipe()
        self.process: SpawnProcess = context.Process(
            target=work, args=(theirs, config, find_given(config.env.game)), name="collector"
        )
        self.process.start()
        theirs.close()  # so that ours ends with the process
        self._at_exit = partial(kill, [self.process])
        atexit.register(self._at_exit)
        self._arrived: SimpleQueue[Any] = SimpleQueue()
        # A pipe holds a few frames only, so a thread reads while the learner learns.
        Thread(target=self._read, daemon=True).start()

    def ask(self, name: str, argument: Any = None) -> None:
        with suppress(OSError):  # it is dead, and `answer` reports that
            self._pipe.send((name, argument))

    def answer(self) -> Any:
        answer = self._arrived.get()
        if isinstance(answer, UserError):
            raise answer
        if answer is EOFError:
            self.process.join(PATIENCE)
            raise UserError(
                f"{self._name}, a process that steps environments for the learner, {exit_text(self.process.exitcode)}. "
                "Its output, if any, stands above. The same command continues from the last checkpoint. Each collector "
                "imports a script that trains with collectors: the script's code must stand below "
                "`if __name__ == '__main__':`."
            )
        return answer

    def end(self) -> None:
        with suppress(OSError):
            self._pipe.send(None)

    def wait_end(self) -> None:
        self.process.join(PATIENCE)
        self._at_exit()
        atexit.unregister(self._at_exit)

    def _read(self) -> None:
        with suppress(EOFError, OSError):
            while True:
                self._arrived.put(self._pipe.recv())
        self._arrived.put(EOFError)
