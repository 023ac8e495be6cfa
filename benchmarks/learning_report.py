"""Turns the finished cells of `learning.py` into a table, a JSON file and a picture."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from worldmodels.analysis.aggregate import Estimate, difference, estimate
from worldmodels.analysis.load import Series, load_metrics
from worldmodels.analysis.seed_curves import Panel, SeedCurve, plot_seed_curves
from worldmodels.core.files import write_atomic
from worldmodels.envs.games import GAME_INFO

HEADER = (
    "| game | learner | mean return (95 %) | of each seed | less PPO (95 %) | less random (95 %) | minutes a run |\n"
    "|---|---|---|---|---|---|---|"
)
TRAINING_SECONDS = ("collect", "sample", "fit", "improve", "update")


class Cell(NamedTuple):
    """One finished run."""

    game: str
    learner: str
    title: str
    seed: int
    curve: Series
    """The periodic evaluations."""
    minutes: float
    """Wall time of training, evaluations and start left out."""
    policy: Sequence[float]
    """Returns of the last evaluation's episodes."""
    random: Sequence[float]
    """Of the random policy on the same levels."""


def read_cell(game: str, learner: str, title: str, seed: int, run: Path, returns: dict[str, Any]) -> Cell:
    metrics = load_metrics(run)
    seconds = sum(
        metrics[name].values.sum() for part in TRAINING_SECONDS if (name := f"time/{part}_seconds") in metrics
    )
    return Cell(game, learner, title, seed, metrics["eval/return"], seconds / 60, returns["policy"], returns["random"])


def write_report(cells: Sequence[Cell], heading: str, stem: Path) -> None:
    """`stem`.json, .md and .png; nothing where no cell is finished."""
    if not cells:
        return
    games = list(dict.fromkeys(cell.game for cell in cells))
    rows = [row for game in games for row in _rows([cell for cell in cells if cell.game == game])]
    plot_seed_curves(
        [_panel([c for c in cells if c.game == game]) for game in games], "return", stem.with_suffix(".png")
    )
    write_atomic(stem.with_suffix(".json"), json.dumps(rows, indent=2, allow_nan=False) + "\n")
    text = "\n".join([heading, "", HEADER, *map(_line, rows), ""])
    write_atomic(stem.with_suffix(".md"), text)
    print(text)


def _by_learner(cells: Sequence[Cell]) -> dict[str, list[Cell]]:
    return {name: [c for c in cells if c.learner == name] for name in dict.fromkeys(c.learner for c in cells)}


def _rows(cells: Sequence[Cell]) -> list[dict[str, Any]]:
    """One game. Seeds are the sample: the episodes of one run share what that run happened to learn."""
    scores = {name: [float(np.mean(c.policy)) for c in group] for name, group in _by_learner(cells).items()}
    random = float(np.mean(cells[0].random))
    return [
        {
            "game": group[0].game,
            "learner": name,
            "title": group[0].title,
            "seeds": [cell.seed for cell in group],
            "returns": scores[name],
            "mean": _tree(estimate(scores[name])),
            "less_ppo": _tree(difference(scores[name], scores.get("ppo", []))) if name != "ppo" else None,
            "less_random": _tree(estimate([score - random for score in scores[name]])),
            "random": random,
            "minutes": [cell.minutes for cell in group],
            "curves": [{"steps": c.curve.steps.tolist(), "returns": c.curve.values.tolist()} for c in group],
        }
        for name, group in _by_learner(cells).items()
    ]


def _line(row: dict[str, Any]) -> str:
    each = ", ".join(f"{score:.2f}" for score in row["returns"])
    less_ppo = _interval(row["less_ppo"], "+") if row["less_ppo"] else "-"
    cells = [row["game"], row["title"], _interval(row["mean"]), each, less_ppo, _interval(row["less_random"], "+")]
    return f"| {' | '.join(cells)} | {np.mean(row['minutes']):.1f} |"


def _tree(found: Estimate) -> dict[str, float | None]:
    """For JSON, which has no NaN: what too few seeds leave open is null."""
    return {name: None if math.isnan(value) else value for name, value in found._asdict().items()}


def _interval(found: dict[str, Any], sign: str = "") -> str:
    if found["mean"] is None:
        return "-"
    mean = f"{found['mean']:{sign}.2f}"
    return mean if found["low"] is None else f"{mean} ({found['low']:.2f} to {found['high']:.2f})"


def _panel(cells: Sequence[Cell]) -> Panel:
    curves = [SeedCurve.over(group[0].title, [c.curve for c in group]) for group in _by_learner(cells).values()]
    return Panel(GAME_INFO[cells[0].game].title, curves, float(np.mean(cells[0].random)))
