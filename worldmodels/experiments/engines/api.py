"""An engine runs commands in its places: cores of this machine, or shares of the nodes of a cluster."""

from __future__ import annotations

import signal
from abc import ABC, abstractmethod
from collections.abc import Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from types import TracebackType
from typing import NamedTuple, Protocol

STOPPED = (130, -signal.SIGTERM, -signal.SIGINT)
"""Exit statuses of a command that was stopped by a signal."""
LOST = -1000
"""The status of a command whose machine was lost; it may be started again elsewhere."""


class Used(NamedTuple):
    """The time of a process and of its children."""

    wall_seconds: float
    processor_seconds: float


class RunningCommand(Protocol):
    """A command that an engine has started."""

    @property
    def place(self) -> str:
        """Return the place of the command, for messages: "core 3"."""

    def poll(self) -> tuple[int, Used] | None:
        """Return the exit status, or `LOST`, and the times of an ended command; None while it runs."""

    def terminate(self) -> None:
        """Send SIGTERM once, so that the command saves and stops; `poll` returns its end."""

    def kill(self) -> None:
        """End the command at once."""


class Engine(AbstractContextManager["Engine"], ABC):
    """Starts commands inside of a `with` block, which holds the connection to a cluster, for example.

    Raises:
        UserError: on entering, the engine cannot be used.
    """

    def __exit__(self, kind: type | None, error: BaseException | None, trace: TracebackType | None) -> None:
        return None

    def check_folder(self, folder: Path) -> None:
        """Check that commands see an existing folder of this machine, wherever they run.

        Raises:
            UserError: a machine does not see it; the text names the machine.
        """

    @abstractmethod
    def places(self) -> int:
        """Return how many commands may run at once now."""

    @abstractmethod
    def start(self, command: Sequence[str], log: Path) -> RunningCommand:
        """Start a command in this process's working directory, while fewer than `places` commands run.

        Args:
            log: the file to which its output is appended; missing folders are made.
        """
