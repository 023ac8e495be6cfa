"""Data sets and YAML that somebody forged: each is read, or refused in a sentence, in little time and memory.

Writing, too: the disk fills up at a random byte of a data set, and the process goes on.
"""

from __future__ import annotations

import io
import os
import random
import subprocess
import sys
import tempfile
import time
import tracemalloc
import zipfile
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

from fault_campaign.outcome import Outcome, scaled
from worldmodels.config.run_config import RunConfig
from worldmodels.core.configuration.sections import load_config
from worldmodels.core.errors import UserError
from worldmodels.datasets import open_source, write

TESTS = Path(__file__).parents[2] / "tests"
sys.path.insert(0, str(TESTS))
from datasets_made import SPACES, made_source  # noqa: E402
from mutations import mutated_bytes  # noqa: E402

COUNT = 1500
"""Mutations of each kind of data set."""
TEXTS = 400
"""Forged texts in YAML."""
WRITES = 60
"""Writes of each format that fail."""
SECONDS, MEMORY = 10.0, 100_000_000
"""Bounds of one reading: its time of a processor, and the bytes that a data set takes at once. The files have some
kilobytes."""
FULL = """
import random, resource, signal, sys
from datasets_made import SPACES, made_source
from worldmodels.core.errors import DiskFullError
from worldmodels.datasets import write
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
generator = random.Random(int(sys.argv[2]))
source = made_source(*SPACES["images and choices"], length=1000)
for _ in range(int(sys.argv[3])):
    resource.setrlimit(resource.RLIMIT_FSIZE, (int(10 ** generator.uniform(1, 5)), resource.RLIM_INFINITY))
    try:
        write(sys.argv[1], source)
    except DiskFullError:
        print("refused")
"""


def run(seed: int, scale: float) -> Iterator[Outcome]:
    count = scaled(COUNT, scale)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for suffix in ("npz", "hdf5"):
            whole = folder / f"whole.{suffix}"
            write(str(whole), made_source(*SPACES["a dictionary"], length=60))
            texts = mutated_bytes(whole.read_bytes(), count, seed)
            yield _tried(f"mutated {suffix} files", texts, folder / f"a.{suffix}", _read)
        headers = _forged_headers(folder / "whole.npz", count, seed)
        yield _tried("npz files with forged headers", headers, folder / "b.npz", _read)
        texts = _forged_yaml(scaled(TEXTS, scale), seed)
        yield _tried("forged YAML", texts, folder / "a.yaml", lambda path: load_config(RunConfig, [path]))
        for suffix in ("npz", "hdf5"):
            yield _failed_writes(folder / f"full.{suffix}", scaled(WRITES, scale), seed)


def _read(path: Path) -> None:
    with closing(open_source(str(path))) as source:
        for _ in source.pieces():
            pass


def _tried(what: str, texts: Iterator[bytes], path: Path, read: Callable[[Path], Any]) -> Outcome:
    count, broke = 0, []
    for number, text in enumerate(texts):
        path.write_bytes(text)
        count += 1
        if path.suffix != ".yaml":  # tracing takes several times as long as reading text
            tracemalloc.start()
        begun = time.process_time()
        try:
            read(path)
        except UserError as error:
            sentence = str(error)
            if not 10 < len(sentence) < 2000 or any(ord(sign) < 32 and sign != "\n" for sign in sentence):
                broke.append(f"{number}: the error {sentence[:100]!r}")
        except Exception as error:  # whatever it is, it is a fault
            broke.append(f"{number}: {type(error).__name__}: {str(error)[:100]}")
        seconds, peak = time.process_time() - begun, tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        if seconds > SECONDS or peak > MEMORY:
            broke.append(f"{number}: {seconds:.0f} s, {peak / 1e6:.0f} MB")
    return Outcome(
        f"{what}, read or refused in a sentence within {SECONDS:.0f} s and {MEMORY / 1e6:.0f} MB", count, broke
    )


def _forged_headers(path: Path, count: int, seed: int) -> Iterator[bytes]:
    """Yield archives with right checksums, in which the header of one array is mutated."""
    generator = random.Random(seed)
    with zipfile.ZipFile(path) as archive:
        members = {name: archive.read(name) for name in archive.namelist()}
    for number in range(count):
        changed = generator.choice(list(members))
        end = members[changed].index(b"\n") + 1  # the numbers come behind the header's only line
        (header,) = mutated_bytes(members[changed][:end], 1, seed * count + number)
        out = io.BytesIO()
        with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
            for name, data in members.items():
                archive.writestr(name, header + data[end:] if name == changed else data)
        yield out.getvalue()


def _forged_yaml(count: int, seed: int) -> Iterator[bytes]:
    """Yield texts with aliases that double, merges, deep nesting, many keys, tags of Python, and control characters."""
    generator = random.Random(seed)

    def aliases(size: int) -> str:
        lines = ["a0: &a0 [1, 1]", *(f"a{n}: &a{n} [*a{n - 1}, *a{n - 1}]" for n in range(1, size))]
        return "\n".join(lines)

    def merges(size: int) -> str:
        return "\n".join(
            ["a0: &a0 {x: 1}", *(f"a{n}: &a{n} {{<<: *a{n - 1}, y{n}: *a{n - 1}}}" for n in range(1, size))]
        )

    kinds: list[Callable[[int], str]] = [
        aliases,
        merges,
        lambda size: "env: " + "[" * size * 20 + "]" * size * 20,
        lambda size: "\n".join(f"key{n}: {n}" for n in range(size * 500)),
        lambda size: f"seed: !!python/object/apply:os.system ['echo {size}']",
        lambda size: f'"\\e[3{size % 8}m\\e]0;hi\\a": {size}',
        lambda size: f'env: {{game: "\\e[{size}A"}}',
        lambda size: f"seed: {'9' * size * 100}",
        lambda size: "&a [*a, " * (size % 4 + 1) + "]" * (size % 4 + 1),
        lambda size: "? " * size * 20 + "x",
        lambda size: "- " * size * 20 + "x",
    ]
    for _ in range(count):
        yield generator.choice(kinds)(generator.randrange(1, 40)).encode()


def _failed_writes(path: Path, count: int, seed: int) -> Outcome:
    words = [sys.executable, "-c", FULL, str(path), str(seed), str(count)]
    environment = os.environ | {"PYTHONPATH": os.pathsep.join([str(TESTS), *sys.path])}
    done = subprocess.run(words, env=environment, capture_output=True, text=True, timeout=900, check=False)
    held, broke = done.stdout.split().count("refused"), []
    if done.returncode or held < count:
        broke.append(f"ended with {done.returncode} after {held}: {done.stderr[-300:]}")
    broke += [f"left {left.name}" for left in path.parent.glob(f"*{path.name}*")]
    what = f"writes of {path.suffix[1:]} files for which the disk had no room, refused, and nothing left"
    return Outcome(what, count, broke)
