"""Processes that work for a parent: they obey it alone, and end when it has ended."""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Sequence
from multiprocessing import parent_process
from multiprocessing.connection import wait
from multiprocessing.context import SpawnProcess


def obey_parent() -> None:
    """Leave it to the parent to end this process: pass over Ctrl-C and termination, which reach the whole group of
    processes, and end when the parent has ended, whatever ended that."""
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, signal.SIG_IGN)
    threading.Thread(target=_end_with_parent, daemon=True).start()


def exit_text(code: int | None) -> str:
    """Return how a process ended, from its exit code: "was killed by SIGKILL"."""
    if code is None:
        return "does not answer"
    if code >= 0:
        return f"ended with exit code {code}"
    name = signal.Signals(-code).name
    return f"was killed by {name}" + (", as the system does where memory is short" if name == "SIGKILL" else "")


def kill(processes: Sequence[SpawnProcess]) -> None:
    """Kill processes, and wait until they are gone."""
    for process in processes:
        process.kill()
        process.join()


def _end_with_parent() -> None:
    parent = parent_process()
    if parent is not None:
        wait([parent.sentinel])
        os._exit(1)
