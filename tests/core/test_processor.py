"""The processor, as texts of /proc/cpuinfo describe it."""

from __future__ import annotations

import platform
import subprocess
import sys

import pytest

from worldmodels.core.processor import Processor, read_processor, this_processor, threads_beside

TWO_CORES = """\
processor	: 0
vendor_id	: GenuineIntel
model name	: {name}
flags		: fpu sse2 {flags}
bugs		: spectre_v1: not really
vmx flags	: vnmi avx512_bf16 amx_bf16

processor	: 1
vendor_id	: GenuineIntel
model name	: {name}
flags		: fpu sse2 {flags}
"""
ARM = """\
processor	: 0
BogoMIPS	: 243.75
Features	: fp asimd sve bf16 i8mm
CPU implementer	: 0x41
"""


@pytest.mark.parametrize(
    ("flags", "instructions", "bfloat16"),
    [
        ("avx avx2 avx512f avx512_bf16 amx_bf16 amx_tile", "AMX bfloat16", True),
        ("avx avx2 avx512f avx512_bf16", "AVX-512 bfloat16", True),
        ("avx avx2 avx512f avx512vl", "AVX-512", False),
        ("avx avx2 f16c", "AVX2", False),
    ],
)
def test_the_best_instructions_are_found(flags: str, instructions: str, bfloat16: bool) -> None:
    found = read_processor(TWO_CORES.format(name="Some CPU @ 2.00GHz", flags=flags))
    assert found == Processor("Some CPU @ 2.00GHz", instructions)
    assert found.multiplies_bfloat16 is bfloat16
    assert str(found) == f"Some CPU @ 2.00GHz ({instructions})"


@pytest.mark.parametrize("text", ["", "no colon anywhere\n", TWO_CORES.format(name="", flags=""), ARM])
def test_without_known_flags_there_is_the_architecture_alone(text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(platform, "machine", lambda: "aarch64")
    monkeypatch.setattr(platform, "processor", lambda: "")
    assert read_processor(text) == Processor("aarch64", "aarch64")
    assert not read_processor(text).multiplies_bfloat16


@pytest.mark.parametrize(("instructions", "bfloat16"), [("GPU bfloat16", True), ("GPU", False)])
def test_a_gpu_too_has_bfloat16_or_has_it_not(instructions: str, bfloat16: bool) -> None:
    assert Processor("Some GPU", instructions).multiplies_bfloat16 is bfloat16


def test_a_name_without_known_flags_is_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(platform, "machine", lambda: "x86_64")
    assert read_processor(TWO_CORES.format(name="Old CPU", flags="sse4_2")) == Processor("Old CPU", "x86_64")


def test_this_processor_has_a_name_and_instructions() -> None:
    assert all(this_processor())


def test_processes_with_a_core_each_leave_the_others_and_at_least_one(monkeypatch):
    monkeypatch.setattr("os.sched_getaffinity", lambda _: range(4))
    assert [threads_beside(processes) for processes in (0, 1, 3, 4, 9)] == [0, 3, 1, 1, 1]


def test_free_memory_is_within_the_limit_of_this_process() -> None:
    program = (
        "import resource; from worldmodels.core.processor import free_memory; "
        "resource.setrlimit(resource.RLIMIT_AS, (2 * 10**9,) * 2); print(free_memory())"
    )
    free = int(subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True).stdout)
    assert 10**8 < free < 2 * 10**9
