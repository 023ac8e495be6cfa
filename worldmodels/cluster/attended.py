"""A program that runs a command, passes the signal to stop on to it, and ends with its exit status.

    python attended.py CORE,CORE,... COMMAND ARGUMENT...

Ray kills the children of a worker that ends, without a signal to stop. This process is such a child, and the command is
its child: the kernel sends the command SIGTERM, so that it saves. Like `pinned.py` this is a program, which needs the
standard library alone.
"""

import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import NoReturn

PINNED = str(Path(__file__).parents[1] / "experiments" / "pinned.py")


def attend(cores: str, command: list[str]) -> int:
    """Run a command on some cores until it ends, and return its exit status; -N means ended by signal N."""
    child = subprocess.Popen([sys.executable, "-I", "-S", PINNED, str(os.getpid()), cores, *command])
    signal.signal(signal.SIGTERM, lambda number, frame: child.send_signal(number))
    return child.wait()


def end_as(status: int) -> NoReturn:
    """End this process with the exit status of a child; -N means ended by signal N."""
    if status < 0:
        if -status != signal.SIGKILL:
            signal.signal(-status, signal.SIG_DFL)
        os.kill(os.getpid(), -status)
    sys.exit(status)


if __name__ == "__main__":
    end_as(attend(sys.argv[1], sys.argv[2:]))
