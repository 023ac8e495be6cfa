"""MuJoCo draws with OpenGL, and only in processes without TensorFlow.

Where there is no GPU, Mesa draws with LLVM, and TensorFlow brings an LLVM of its own: in one process the two end in a
segmentation fault, whichever comes first. So environments whose pictures MuJoCo draws live in workers, which have no
TensorFlow, and nothing of OpenGL is loaded anywhere else.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from ctypes import CDLL

BACKEND = "MUJOCO_GL"
"""The variable that says what MuJoCo draws with: egl, osmesa or glfw. It is read when its packages are imported."""


def draw_without_window() -> None:
    """Let MuJoCo draw in this process, without a window where there is no display."""
    if sys.platform == "linux" and not os.environ.get("DISPLAY"):
        with suppress(OSError):
            CDLL("libEGL.so.1")
            os.environ.setdefault(BACKEND, "egl")


@contextmanager
def not_drawing() -> Iterator[None]:
    """Let packages of MuJoCo that are imported within the block load nothing to draw with."""
    before = os.environ.get(BACKEND)
    os.environ[BACKEND] = "disabled"
    try:
        yield
    finally:
        if before is None:
            del os.environ[BACKEND]
        else:
            os.environ[BACKEND] = before
