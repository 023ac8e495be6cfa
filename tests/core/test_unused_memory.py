from __future__ import annotations

import sys
from pathlib import Path

import pytest

from worldmodels.core.processor import release_unused_memory


def resident() -> int:
    """The bytes of memory that this process holds."""
    return int(Path("/proc/self/statm").read_text().split()[1]) * 4096


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
def test_memory_between_what_is_still_used_is_given_back() -> None:
    pieces = [bytearray(10_000) for _ in range(6_000)]  # too small to be mapped one by one
    pieces[:-1] = []  # the last one, at the end of the heap, keeps the C library from shrinking it
    before = resident()
    release_unused_memory()
    assert before - resident() > 30e6


def test_where_the_c_library_cannot_nothing_happens(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = []
    monkeypatch.setattr("ctypes.CDLL", asked.append)  # gives None, which has no malloc_trim
    release_unused_memory()
    assert asked == [None]
