"""Becomes a command that is pinned to some cores, and that is asked to stop when its parent dies.

    python pinned.py PARENT CORE,CORE,... COMMAND ARGUMENT...

It is a program and no module, and needs nothing but the standard library: what has to be done between fork and exec is
done here, for there no Python may run in a process that has threads.
"""

import ctypes
import os
import signal
import sys

PR_SET_PDEATHSIG = 1
"""The number of Linux's prctl(2) for "send this signal when my parent dies", which outlives exec."""


def become(parent: int, cores: list[int], command: list[str]) -> None:
    """Replace this process by the command; where the parent has died already, end as one that was asked to stop."""
    if sys.platform == "linux":
        os.sched_setaffinity(0, cores)
        ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGTERM)
    if os.getppid() != parent:
        raise SystemExit(130)
    os.execvp(command[0], command)


if __name__ == "__main__":
    become(int(sys.argv[1]), [int(core) for core in sys.argv[2].split(",")], sys.argv[3:])
