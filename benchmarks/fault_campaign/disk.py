"""The disk is full, anywhere in a run's life: told in a sentence, and with room again the run goes on to the same end.

A small file system in memory is mounted for it, which takes the rights of root.
"""

from __future__ import annotations

import random
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from fault_campaign.outcome import Outcome, scaled
from fault_campaign.runs import difference, train

RUNS = 10


def run(seed: int, scale: float) -> Iterator[Outcome]:
    generator = random.Random(seed)
    with tempfile.TemporaryDirectory() as name:
        whole = Path(name) / "whole"
        train(whole, "debug")
        size = sum(path.stat().st_size for path in whole.rglob("*") if path.is_file())
        broke, tried = [], scaled(RUNS, scale)
        for number in range(tried):
            # A third while the folder is made, the others anywhere until the run is as large as it becomes.
            kilobytes = generator.randrange(4, 40) if number % 3 == 0 else generator.randrange(40, size // 1000)
            try:
                problem = _filled(whole, Path(name) / "small", kilobytes)
            except subprocess.CalledProcessError as error:
                yield Outcome("not tried: a file system in memory cannot be mounted here", 0, [str(error)])
                return
            if problem:
                broke.append(f"{kilobytes} kB: {problem}")
    yield Outcome("runs that a full disk stopped, and that continued to the same end", tried, broke)


def _filled(whole: Path, mount: Path, kilobytes: int) -> str | None:
    with _file_system(mount, kilobytes):
        logdir = mount / "run"
        full = train(logdir, "debug")
        if full.returncode != 2 or "Traceback" in full.stdout or "pace" not in full.stdout:
            return f"ended with {full.returncode}: {full.stdout[-400:]!r}"
        subprocess.run(["mount", "-o", "remount,size=200m", str(mount)], check=True, capture_output=True)
        done = train(logdir, "debug")
        if done.returncode:
            return f"with room again it ended with {done.returncode}: {done.stdout[-400:]!r}"
        return difference(whole, logdir)


@contextmanager
def _file_system(mount: Path, kilobytes: int) -> Iterator[None]:
    mount.mkdir()
    words = ["mount", "-t", "tmpfs", "-o", f"size={kilobytes}k", "tmpfs", str(mount)]
    subprocess.run(words, check=True, capture_output=True)
    try:
        yield
    finally:
        subprocess.run(["umount", str(mount)], check=True, capture_output=True)
        shutil.rmtree(mount)
