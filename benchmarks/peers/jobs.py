"""Trains a cell of one side, measures it and keeps its result."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

from archive import Archive
from few_steps.cells import without_gone

from peers.measure import episode_seeds
from peers.tasks import Cell
from worldmodels.core.files.writing import write_atomic
from worldmodels.core.processor import this_processor
from worldmodels.experiments.engine import Used

POINTS = 50
"""Points of a curve of training."""


class Places(NamedTuple):
    """Where the cells of the benchmark are run and kept."""

    runs: Path
    results: Archive
    peer_python: str | None
    """The Python of an environment with Stable-Baselines3; None where only our side is run."""

    def result(self, cell: Cell) -> dict[str, Any] | None:
        """Return the result of a cell, or None where there is none with the settings that it has now."""
        found = self.results.cells().get(cell.name, {})
        return found if without_gone(found.get("job", {})) == cell.settings else None


class SideJob:
    """Trains and measures a cell. A run of ours goes on where it was stopped; the peer's begins anew."""

    def __init__(self, cell: Cell, places: Places):
        self.name = cell.name
        self._cell, self._places = cell, places
        self.log = places.runs / f"{cell.name}.log"
        self._job, self._found = (places.runs / f"{cell.name}.{what}.json" for what in ("job", "found"))
        self._trained = False

    def obstacle(self) -> None:
        return None

    def command(self) -> Sequence[str] | None:
        if self._places.result(self._cell):
            return None
        here, settings = Path(__file__).parent, self._cell.settings
        if self._cell.side == "peer":
            # Both sides begin these episodes in the same states: where all master a task, as Pendulum, these decide.
            _write(self._job, settings | {"episodes": episode_seeds(self._cell.seed)})
            script = str(here / "stable_baselines.py")
            return [str(self._places.peer_python), script, str(self._job), str(self._found)]
        run = self._places.runs / self._cell.name
        if self._trained:
            return [sys.executable, str(here / "measure.py"), str(run), str(self._cell.seed), str(self._found)]
        overrides = {
            "env.game": settings["env"],
            **({"env.options": settings["options"]} if settings["options"] else {}),
            "env.num_envs": settings["num_envs"],
            "seed": settings["seed"],
            "training.steps": settings["steps"],
            "schedule.log_every": max(1, settings["steps"] // POINTS),
            "schedule.evaluate_every": 0,
            **settings["overrides"],
        }
        words = [f"{key}={json.dumps(value)}" for key, value in overrides.items()]
        return [
            sys.executable,
            "-m",
            "worldmodels",
            "train",
            "--config",
            settings["preset"],
            *words,
            "--logdir",
            str(run),
        ]

    def ended(self, status: int, used: Used) -> int:
        if status != 0:
            return status
        if self._cell.side == "ours" and not self._trained:
            self._trained = True
            return status
        found = {"job": self._cell.settings, "processor": str(this_processor()), **_read(self._found)}
        self._places.results.keep(self._cell.name, found)
        return status

    def summary(self) -> str:
        returns = (self._places.result(self._cell) or {})["returns"]
        return f"mean return {sum(returns) / len(returns):.1f}"


def _read(path: Path) -> dict[str, Any]:
    return json.loads(path.read_text()) if path.is_file() else {}


def _write(path: Path, tree: dict[str, Any]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    write_atomic(path, json.dumps(tree, indent=2, allow_nan=False) + "\n")
