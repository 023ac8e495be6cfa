"""The processor and the memory of this machine: what speed and last bits depend on, and how much is free.

After a large piece of work that is not repeated soon (graphs that were built and dropped, a checkpoint, an evaluation),
the allocator holds on to tens of megabytes that nobody uses.
"""

from __future__ import annotations

import ctypes
import gc
import os
import platform
import resource
from functools import cache
from pathlib import Path
from typing import NamedTuple

from worldmodels.core.errors import UserError

INSTRUCTIONS = {
    "amx_bf16": "AMX bfloat16",
    "avx512_bf16": "AVX-512 bfloat16",
    "avx512f": "AVX-512",
    "avx2": "AVX2",
}
"""Flags of Linux and what people call them, from the best instructions for matrix products to the least."""
BFLOAT16 = ("AMX bfloat16", "AVX-512 bfloat16", "GPU bfloat16")


class Processor(NamedTuple):
    """A processor's name, and its best instructions for matrix products."""

    name: str
    instructions: str
    """One of `INSTRUCTIONS`, the architecture, or "GPU" with or without "bfloat16" behind it. Others take sums in
    another order, and so give other last bits."""

    @property
    def multiplies_bfloat16(self) -> bool:
        """Whether it has instructions for products in bfloat16; without them, they are far slower than in float32."""
        return self.instructions in BFLOAT16

    def __str__(self) -> str:
        return f"{self.name} ({self.instructions})"


@cache
def this_processor() -> Processor:
    """Return the processor of this machine; where there is no /proc/cpuinfo, its architecture alone is known."""
    info = Path("/proc/cpuinfo")
    return read_processor(info.read_text() if info.exists() else "")


def usable_cores() -> list[int]:
    """Return the numbers of the cores that this process may use."""
    affinity = getattr(os, "sched_getaffinity", None)  # Linux
    return sorted(affinity(0)) if affinity else list(range(os.cpu_count() or 1))


def threads_beside(processes: int) -> int:
    """Return how many threads compute beside so many processes with a core each; 0, which is all cores, without any."""
    return max(1, len(usable_cores()) - processes) if processes else 0


def read_processor(cpuinfo: str) -> Processor:
    """Return the processor that the text of /proc/cpuinfo describes."""
    lines = (line.split(":", 1) for line in cpuinfo.splitlines() if ":" in line)
    facts = {key.strip(): value.strip() for key, value in lines}
    flags = facts.get("flags", "").split()
    best = next((name for flag, name in INSTRUCTIONS.items() if flag in flags), platform.machine())
    return Processor(facts.get("model name") or platform.processor() or platform.machine(), best)


def check_memory(things: str, needed: int) -> None:
    """Raise `UserError` if things, named in the plural, need more bytes than are free, before they are asked for."""
    if needed > (free := free_memory()):
        raise UserError(
            f"{things} need about {needed / 1e9:,.1f} GB of memory, and {free / 1e9:,.1f} GB are free: choose fewer."
        )


def free_memory() -> int:
    """Return the bytes that this process may still take, of the machine, its control group and its own limit.

    They are 2**63 where nothing says how many.
    """
    own = _kilobytes("/proc/self/status")
    limits = [_kilobytes("/proc/meminfo").get("MemAvailable", 2**53) * 1024]
    for path in ("/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes"):
        text = Path(path).read_text().strip() if os.access(path, os.R_OK) else ""
        limits += [int(text) - own.get("VmRSS", 0) * 1024] if text.isdigit() else []
    soft, _ = resource.getrlimit(resource.RLIMIT_AS)
    limits += [soft - own.get("VmSize", 0) * 1024] if soft != resource.RLIM_INFINITY else []
    return max(0, min(limits))


def _kilobytes(path: str) -> dict[str, int]:
    """Return the sizes in a file of /proc by their names; none on other systems."""
    if not os.access(path, os.R_OK):
        return {}
    lines = (line.split() for line in Path(path).read_text().splitlines())
    return {words[0].rstrip(":"): int(words[1]) for words in lines if words[2:] == ["kB"]}


def release_unused_memory() -> None:
    """Give unused memory back to the system, where the C library can (glibc); elsewhere do nothing but collect."""
    gc.collect()  # graphs are full of cycles
    try:
        trim = ctypes.CDLL(None).malloc_trim
    except (OSError, TypeError, AttributeError):  # another C library: musl, macOS, Windows
        return
    trim(ctypes.c_size_t(0))
