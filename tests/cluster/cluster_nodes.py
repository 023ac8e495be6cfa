"""Nodes of a Ray cluster on this machine, their processes, and a grid that is small enough for them."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

from worldmodels.core.files.checkpoint import Checkpoints
from worldmodels.experiments.grid import Grid, make_grid


def wait_for(condition: Callable[[], Any]) -> None:
    for _ in range(2400):
        if condition():
            return
        time.sleep(0.05)
    raise AssertionError("it did not happen within two minutes")


def processes_of(text: str) -> list[int]:
    """Return the numbers of the processes that have a text in their command lines."""
    found = []
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            words = path.read_bytes()
        except OSError:
            continue
        if text.encode() in words and int(path.parent.name) != os.getpid():
            found.append(int(path.parent.name))
    return found


def family(process: int) -> list[int]:
    """Return a process and all below it, parents first."""
    children: dict[int, list[int]] = {}
    for path in Path("/proc").glob("[0-9]*/stat"):
        try:
            parent = int(path.read_text().rpartition(")")[2].split()[1])
        except OSError:
            continue
        children.setdefault(parent, []).append(int(path.parent.name))
    found = [process]
    for member in found:
        found.extend(children.get(member, []))
    return found


def two_runs(folder: Path) -> Grid:
    overrides = {"training.steps": 240, "schedule.evaluate_every": 0, "schedule.checkpoint_every": 40}
    return make_grid({"config": "debug", "overrides": overrides, "seeds": 2, "logdir": str(folder)}, "two")


def numbers_of(run: Path) -> tuple[list[dict[str, Any]], dict[str, Any]]:
    """Return what a run has recorded but for the clock, and all arrays of its last checkpoint."""
    rows = [json.loads(line) for line in (run / "metrics.jsonl").read_text().splitlines()]
    records = [{key: value for key, value in row.items() if not key.startswith("time/")} for row in rows]
    _, tree = Checkpoints(run / "checkpoints").read()
    return records, dict(arrays(tree))


def arrays(tree: dict[str, Any], prefix: str = "") -> Iterator[tuple[str, Any]]:
    for key, value in tree.items():
        if isinstance(value, dict):
            yield from arrays(value, f"{prefix}{key}/")
        elif isinstance(value, np.ndarray):
            yield prefix + key, value
