"""Attends a command: hands on to it the signal to stop, and ends as it did.

    python attended.py CORE,CORE,... COMMAND ARGUMENT...

Ray kills the children of a worker that ends, at once and without a word. This process is such a child; the command is
its child, and is then asked to stop by the kernel, and saves. Like `pinned.py` it is a program, which needs nothing but
the standard library.
"""

import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import NoReturn

PINNED = str(Path(__file__).parents[1] / "experiments" / "engines" / "pinned.py")


def attend(cores: str, command: list[str]) -> int:
    """Run a command on some cores until it ends, and return its exit status, -N where signal N ended it."""
    child = subprocess.Popen([sys.executable, "-I", "-S", PINNED, str(os.getpid()), cores, *command])
    signal.signal(signal.SIGTERM, lambda number, frame: child.send_signal(number))
    return child.wait()


def end_as(status: int) -> NoReturn:
    """End this process as a child ended whose exit status is known, -N where signal N ended it."""
    if status < 0:
        if -status != signal.SIGKILL:
            signal.signal(-status, signal.SIG_DFL)
        os.kill(os.getpid(), -status)
    sys.exit(status)


if __name__ == "__main__":
    end_as(attend(sys.argv[1], sys.argv[2:]))
