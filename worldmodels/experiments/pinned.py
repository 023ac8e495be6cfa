"""A program that becomes a command on some cores, which the kernel stops when its parent ends.

    python pinned.py PARENT CORE,CORE,... COMMAND ARGUMENT...

It needs the standard library alone. This work belongs between fork and exec, where a process with threads may not run
Python.
"""

from __future__ import annotations

import ctypes
import os
import signal
import sys

PR_SET_PDEATHSIG = 1
"""The number of Linux's prctl(2) for "send this signal when my parent dies", which outlives exec."""


def become(parent: int, cores: list[int], command: list[str]) -> None:
    """Replace this process by the command; if the parent has ended already, exit as a stopped command does."""
    if sys.platform == "linux":
        os.sched_setaffinity(0, cores)
        ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGTERM)
    if os.getppid() != parent:
        raise SystemExit(130)
    os.execvp(command[0], command)


if __name__ == "__main__":
    become(int(sys.argv[1]), [int(core) for core in sys.argv[2].split(",")], sys.argv[3:])
