"""An engine has places in which commands run: cores of this machine, or whatever a cluster has room for."""

from __future__ import annotations

import signal
from abc import ABC, abstractmethod
from collections.abc import Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from types import TracebackType
from typing import NamedTuple, Protocol

STOPPED = (130, -signal.SIGTERM, -signal.SIGINT)
"""Exit statuses of a command that was asked to stop."""
LOST = -1000
"""The status of a command that went down with its machine, and has no exit status: it may go on elsewhere."""


class Used(NamedTuple):
    """The time that a process took, with those that it waited for."""

    wall_seconds: float
    processor_seconds: float


class RunningCommand(Protocol):
    """A command that an engine has started."""

    @property
    def place(self) -> str:
        """Return the place that it has, for people: "core 3"."""

    def poll(self) -> tuple[int, Used] | None:
        """Return the exit status, or `LOST`, and what the command took once it has ended, and None before."""

    def terminate(self) -> None:
        """Ask the command to stop by one SIGTERM, which lets it save; `poll` tells when it has."""

    def kill(self) -> None:
        """End the command at once."""


class Engine(AbstractContextManager["Engine"], ABC):
    """Starts commands. What it needs for that, it has inside of a `with` block.

    Raises:
        UserError: on entering, where that is not to be had.
    """

    def __exit__(self, kind: type | None, error: BaseException | None, trace: TracebackType | None) -> None:
        return None

    def check_folder(self, folder: Path) -> None:
        """Check that commands see a folder of this machine, which is there, wherever they run.

        Raises:
            UserError: some do not; the text names the machine.
        """

    @abstractmethod
    def places(self) -> int:
        """Return how many commands may run at once, as things are now."""

    @abstractmethod
    def start(self, command: Sequence[str], log: Path) -> RunningCommand:
        """Start a command in this process's working directory; fewer than `places` run.

        Args:
            log: the file to which all its output is added; folders that are missing are made.
        """
