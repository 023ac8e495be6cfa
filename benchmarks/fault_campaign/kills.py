"""Training processes are killed or interrupted, and started again; then they end as if nothing had happened."""

from __future__ import annotations

import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from fault_campaign.outcome import Outcome, scaled
from fault_campaign.runs import PRESETS, TIMEOUT, command, difference, train

RUNS = {"debug": 16, "debug_ppo": 8, "debug_simple": 6}
INTERRUPTED = 8
"""Runs of each preset that are interrupted, each up to three times."""
BEGINNING = 90
"""A run's folder is made, and its first checkpoint written, in about so many file operations."""
# Python tells its auditors before it opens, renames, removes or cuts a file: a process that stops there has done
# everything before it and nothing after.
COUNTED = """
import os, runpy, signal, sys
folder, count = sys.argv[1], int(sys.argv[2])
def audit(event, arguments):
    global count
    if event in ("open", "os.mkdir", "os.rename", "os.remove", "os.rmdir", "os.truncate", "os.listdir", "os.scandir"):
        if any(isinstance(a, (str, os.PathLike)) and os.fspath(a).startswith(folder) for a in arguments):
            count -= 1
            if count == 0:
                os.kill(os.getpid(), signal.SIGKILL)
sys.addaudithook(audit)
sys.argv = ["worldmodels", *sys.argv[3:]]
runpy.run_module("worldmodels", run_name="__main__")
"""


def run(seed: int, scale: float) -> Iterator[Outcome]:
    generator = random.Random(seed)
    for preset, whole, seconds in _undisturbed():
        yield _killed(preset, whole, seconds, scaled(RUNS[preset], scale), generator)


def run_interrupted(seed: int, scale: float) -> Iterator[Outcome]:
    generator = random.Random(seed)
    for preset, whole, seconds in _undisturbed():
        yield _interrupted(preset, whole, seconds, scaled(INTERRUPTED, scale), generator)


def _undisturbed() -> Iterator[tuple[str, Path, float]]:
    """Yield each preset, its run's folder, and the seconds that the run took."""
    with tempfile.TemporaryDirectory() as folder:
        for preset in PRESETS:
            whole = Path(folder) / preset
            start = time.perf_counter()
            done = train(whole, preset)
            if done.returncode:
                raise RuntimeError(f"The undisturbed run of {preset} fails: {done.stdout[-400:]}")
            yield preset, whole, time.perf_counter() - start


def _killed(preset: str, whole: Path, seconds: float, runs: int, generator: random.Random) -> Outcome:
    broke, kills = [], 0
    for number in range(runs):
        logdir = whole.with_name(f"{preset}_killed")
        shutil.rmtree(logdir, ignore_errors=True)
        history = []
        # Every second run is killed while its folder is made, every fourth run twice.
        if number % 2:
            history.append(_kill_at(logdir, preset, generator.randrange(1, generator.choice((25, BEGINNING)))))
        if number % 2 == 0 or number % 4 == 1:
            history.append(_kill_after(logdir, preset, generator.uniform(0.3, 1.0) * seconds))
        kills += len(history)
        done = train(logdir, preset)
        problem = done.stdout[-400:] if done.returncode else difference(whole, logdir)
        if problem:
            broke.append(f"{', '.join(history)}: {problem}")
    return Outcome(f"runs of {preset}, killed {kills} times, that continued to the same end", runs, broke)


def _interrupted(preset: str, whole: Path, seconds: float, runs: int, generator: random.Random) -> Outcome:
    broke, kept = [], _checkpoints(whole)
    for _ in range(runs):
        logdir = whole.with_name(f"{preset}_interrupted")
        shutil.rmtree(logdir, ignore_errors=True)
        history = []
        for _ in range(generator.randrange(1, 4)):
            sent = generator.choice((signal.SIGINT, signal.SIGTERM))
            history.append(_kill_after(logdir, preset, generator.uniform(0.3, 1.0) * seconds, sent))
        done = train(logdir, preset)
        problem = done.stdout[-400:] if done.returncode else difference(whole, logdir)
        if not problem and _checkpoints(logdir) != kept:
            problem = f"keeps {_checkpoints(logdir)} for {kept}"
        if problem:
            broke.append(f"{', '.join(history)}: {problem}")
    return Outcome(f"runs of {preset}, interrupted, that end the same and keep the same checkpoints", runs, broke)


def _checkpoints(run: Path) -> list[str]:
    return sorted(path.name for path in (run / "checkpoints").iterdir())


def _kill_at(logdir: Path, preset: str, count: int) -> str:
    words = [sys.executable, "-c", COUNTED, str(logdir), str(count), *command(logdir, preset)[3:]]
    subprocess.run(words, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, timeout=TIMEOUT, check=False)
    return f"killed before file operation {count}"


def _kill_after(logdir: Path, preset: str, seconds: float, sent: signal.Signals = signal.SIGKILL) -> str:
    process = subprocess.Popen(command(logdir, preset), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        process.wait(seconds)
    except subprocess.TimeoutExpired:
        os.kill(process.pid, sent)
        process.wait(TIMEOUT)
    return f"{sent.name} after {seconds:.2f} s"
