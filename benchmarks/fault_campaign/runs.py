"""Trains small runs in processes of their own, and compares how two of them ended."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from worldmodels.core.files.checkpoint import Checkpoints
from worldmodels.core.files.run_dir import RunDir
from worldmodels.replay import ReplayReader
from worldmodels.replay.layout import LOST

PRESETS = ("debug", "debug_ppo", "debug_simple")
TIMEOUT = 900
"""A process that takes longer, in seconds, hangs."""


WORLDMODELS = (sys.executable, "-m", "worldmodels")


def command(logdir: Path, preset: str, *words: str) -> list[str]:
    """Return the command line that trains a small run."""
    return [
        *(*WORLDMODELS, "train", "--config", preset, "env.game=maze"),
        *(*words, "--logdir", str(logdir)),
    ]


def train(logdir: Path, preset: str, *words: str, **more: str) -> subprocess.CompletedProcess[str]:
    """Train a small run to its end; `more` is added to the environment of the process."""
    return finished(command(logdir, preset, *words), **more)


def finished(words: list[str], **more: str) -> subprocess.CompletedProcess[str]:
    """Run a command to its end."""
    # Into a file: a pipe that nobody reads would stop the process.
    with tempfile.TemporaryFile("w+") as output:
        done = subprocess.run(words, stdout=output, stderr=output, env=os.environ | more, timeout=TIMEOUT, check=False)
        output.seek(0)
        return subprocess.CompletedProcess(words, done.returncode, output.read(), "")


def told(done: subprocess.CompletedProcess[str]) -> str | None:
    """Return what is wrong with how a command ended that may refuse, but only in a sentence; None if nothing is."""
    if done.returncode in (0, 2) and "Traceback" not in done.stdout:
        return None
    return f"ended with {done.returncode}: {done.stdout[-400:]!r}"


def difference(one: Path, other: Path, without: str = "") -> str | None:
    """Return in what two run folders differ: state (tensors and all else), records, experience or films; None if in
    nothing. What is looked at `without` stays out."""
    for name, look in (("state", _state), ("records", _records), ("experience", _experience), ("films", _films)):
        if name != without and not _equal(look(one), look(other)):
            return f"other {name} than in the undisturbed run"
    return None


def _state(run: Path) -> dict[str, Any]:
    """Return all that the newest checkpoint holds, but what tells of earlier checkpoints and processes."""
    step, tree = Checkpoints(run / "checkpoints").read()
    left_out = ("replay/saved", "records/sinks")
    return {"step": step} | {name: value for name, value in _leaves(tree) if name not in left_out}


def _records(run: Path) -> list[dict[str, float]]:
    rows = [json.loads(line) for line in RunDir(run).metrics.read_text().splitlines()]
    return [{key: value for key, value in row.items() if not key.startswith("time/")} for row in rows]


def _experience(run: Path) -> list[Any]:
    if not RunDir(run).replay.exists():
        return []
    reader = ReplayReader(RunDir(run).replay)
    span = reader.span
    if (reader._records.at(span)["flags"] & LOST).any():
        return ["some is lost"]
    windows = [reader.window(stream, span.start, len(span)) for stream in range(reader.num_streams)]
    reader.close()
    return [value for window in windows for value in window]


def _films(run: Path) -> dict[str, bytes]:
    return {str(path.relative_to(run)): path.read_bytes() for path in sorted(RunDir(run).videos.glob("*"))}


def _leaves(tree: Mapping[str, Any], prefix: str = "") -> Iterator[tuple[str, Any]]:
    for key, value in tree.items():
        if isinstance(value, Mapping):
            yield from _leaves(value, f"{prefix}{key}/")
        else:
            yield f"{prefix}{key}", value


def _equal(one: Any, other: Any) -> bool:
    try:
        np.testing.assert_equal(one, other)
    except AssertionError:
        return False
    return True
