"""Work in a thread, while the player stays responsive; what such work loads for a session."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from typing import Generic, NamedTuple, TypeVar

from worldmodels.player.session.episodes.recorded_world import RecordedWorld
from worldmodels.player.session.players import PolicyPlayer
from worldmodels.player.session.worlds.frames import VectorRanges
from worldmodels.player.session.worlds.inspection import KeptCheckpoints
from worldmodels.player.session.worlds.model_world import ModelWorld

Result = TypeVar("Result")


class BackgroundTask(Generic[Result]):
    """A task runs in a thread of its own, and has a status to read and a result or an error to take.

    Args:
        work: gets a function to which it reports its status.
    """

    def __init__(self, work: Callable[[Callable[[str], None]], Result]) -> None:
        self.status = "Loading"
        self._stopped = False
        self._result: Result
        self._error: BaseException | None = None
        self._thread = threading.Thread(target=self._run, args=(work,))
        self._thread.start()

    @property
    def running(self) -> bool:
        """Whether the work goes on."""
        return self._thread.is_alive()

    def result(self) -> Result:
        """Return the result of work that is done, or raise its error."""
        if self._error is not None:
            raise self._error
        return self._result

    def wait(self) -> None:
        """Wait for the end of the work."""
        self._thread.join()

    def stop(self) -> None:
        """End the work at its next report, without waiting for it.

        The thread is no daemon. So an interpreter that ends waits for it, because it may crash in the midst of a
        compilation; the command line does not wait (`cli/__init__.py`).
        """
        self._stopped = True

    def _run(self, work: Callable[[Callable[[str], None]], Result]) -> None:
        try:
            self._result = work(self._report)
        except BaseException as error:  # not swallowed: `result` raises it again
            self._error = error

    def _report(self, status: str) -> None:
        if self._stopped:
            raise _Stopped
        self.status = status


class Newcomers(NamedTuple):
    """The learned worlds and the policy that join a session once they are loaded."""

    models: Sequence[ModelWorld]
    policy: PolicyPlayer | None
    ranges: VectorRanges | None
    """The ranges of numbers in earlier experience."""
    checkpoints: KeptCheckpoints | None = None
    """The kept checkpoints, if there are several."""
    episodes: RecordedWorld | None = None
    """The recorded episodes of the run, if there are any."""


class _Stopped(Exception):
    """An exception that ends the thread of a task after `stop`."""
