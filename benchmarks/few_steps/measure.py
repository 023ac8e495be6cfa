"""Measures a trained run: `python benchmarks/few_steps/measure.py RUN FILE` writes what it finds as JSON.

The policy plays at temperature 1 on training and on test levels, the random policy on the same ones; a world model is
asked what comes next in play on test levels. The same levels for all runs of a game.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from worldmodels.config.run_config import EvaluationConfig
from worldmodels.core.files.writing import write_atomic
from worldmodels.core.seeding import Streams
from worldmodels.envs.games.levels import MEASURED
from worldmodels.loading.quiet import load_tensorflow

if TYPE_CHECKING:
    from worldmodels.evaluation.evaluator import Evaluator
    from worldmodels.evaluation.playing.policy_returns import Episodes

ENVIRONMENTS = 64
EPISODES = 256
WINDOWS = 256
"""Windows of play in which a world model predicts."""
HORIZON = 15
"""Steps ahead at which its image error is reported."""


def measure(run: Path, episodes: int = EPISODES, windows: int = WINDOWS, step: int | None = None) -> dict[str, Any]:
    """Return the step of a run's checkpoint, by default the newest, its returns by levels, and the figures of its world
    model."""
    load_tensorflow()
    from worldmodels.evaluation.evaluator import Evaluator
    from worldmodels.evaluation.measure import Occasion
    from worldmodels.evaluation.measures.returns import play_grid
    from worldmodels.loading.load import load_run

    loaded = load_run(run, step)
    settings = EvaluationConfig(episodes=episodes, windows=windows, horizon=HORIZON, max_steps=4_000)
    evaluator = Evaluator(loaded.parts, settings, Streams(0), ENVIRONMENTS, lambda text: print(text, flush=True))
    try:
        returns = {}
        for levels in MEASURED:
            evaluator.use_levels(levels)
            (cell,) = play_grid(evaluator, Occasion("real")).cells
            returns[levels] = {"policy": _summary(cell.policy), "random": _summary(cell.random)}
        model = _foresight(evaluator) if evaluator.spec.imagines else None
    finally:
        evaluator.close()
    return {"step": loaded.step, "returns": returns, "model": model}


def _summary(episodes: Episodes) -> dict[str, Any]:
    found = episodes.estimate()
    return {
        "episodes": found.n,
        "mean": found.mean,
        "standard_error": found.standard_error,
        "mean_length": float(episodes.lengths.mean()),
        "unfinished": episodes.unfinished,
    }


def _foresight(evaluator: Evaluator) -> dict[str, Any]:
    """Return what a world model foresees in its own policy's play on the levels that are set."""
    from worldmodels.evaluation.measure import Occasion
    from worldmodels.evaluation.measures.world_model import predict_windows
    from worldmodels.evaluation.report.numbers import metrics_tree

    (errors,) = predict_windows(evaluator, Occasion("shift")).errors.values()
    evaluator.forget_recorded()
    images = {name: float(getattr(errors, name).mean[-1]) for name in ("image_error", "copy_image_error")}
    return metrics_tree({**errors.foresight._asdict(), **images})


if __name__ == "__main__":
    write_atomic(sys.argv[2], json.dumps(measure(Path(sys.argv[1])), allow_nan=False) + "\n")
