"""A run is looked at while it trains: nothing that looks fails, and the run ends as if nobody had looked."""

from __future__ import annotations

import itertools
import subprocess
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from fault_campaign.outcome import Outcome, scaled
from fault_campaign.runs import TIMEOUT, WORLDMODELS, command, difference, finished, train
from worldmodels.core.files.checkpoint import Checkpoints

RUNS = 2
LONG = ("training.steps=4000", "schedule.checkpoint_every=50", "schedule.keep_checkpoints=1")
LOOKS = (
    ("eval", "{run}", "--episodes", "2", "--videos", "0"),
    ("check", "{run}"),
    ("enjoy", "{run}", "--steps", "60", "--video", "{beside}/film.mp4"),
    ("plot", "{run}", "--save", "{beside}/curves.png"),
)


def run(seed: int, scale: float) -> Iterator[Outcome]:
    with tempfile.TemporaryDirectory() as name:
        alone = Path(name) / "alone"
        train(alone, "debug", *LONG)
        looks: Counter[str] = Counter()
        failed, changed, tried = [], [], scaled(RUNS, scale)
        for number in range(tried):
            run = Path(name) / f"watched_{number}"
            failed += _watch(run, looks)
            if problem := difference(alone, run):
                changed.append(problem)
        text = ", ".join(f"{count} x {word}" for word, count in looks.items())
        yield Outcome(f"looks at a run that trains ({text})", sum(looks.values()), failed)
        yield Outcome("runs that ended the same although they were looked at", tried, changed)


def _watch(run: Path, looks: Counter[str]) -> list[str]:
    failed = []
    process = subprocess.Popen(command(run, "debug", *LONG), stdout=subprocess.DEVNULL, stderr=subprocess.STDOUT)
    deadline = time.monotonic() + TIMEOUT
    while not Checkpoints(run / "checkpoints").steps() and process.poll() is None and time.monotonic() < deadline:
        time.sleep(0.1)
    for look in itertools.cycle(LOOKS):
        if process.poll() is not None:
            break
        words = [word.format(run=run, beside=run.parent) for word in look]
        done = finished([*WORLDMODELS, *words], SDL_VIDEODRIVER="dummy")
        looks[look[0]] += 1
        if done.returncode:
            failed.append(f"{' '.join(words)} ended with {done.returncode}: {done.stdout[-400:]!r}")
    if process.wait(TIMEOUT):
        failed.append(f"training ended with {process.returncode}")
    return failed
