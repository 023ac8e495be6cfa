"""Gives back what the C library keeps of memory that was freed.

After a large piece of work that is not repeated soon (graphs that were built and dropped, a checkpoint, an evaluation),
the allocator holds on to tens of megabytes that nobody uses.
"""

from __future__ import annotations

import ctypes
import gc


def release_unused_memory() -> None:
    """Give unused memory back to the system, where the C library can (glibc); elsewhere do nothing but collect."""
    gc.collect()  # graphs are full of cycles
    try:
        trim = ctypes.CDLL(None).malloc_trim
    except (OSError, TypeError, AttributeError):  # another C library: musl, macOS, Windows
        return
    trim(ctypes.c_size_t(0))
