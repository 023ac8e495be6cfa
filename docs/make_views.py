"""Draw the examples of views by task in docs/experiments.md, from runs that are made up."""

from __future__ import annotations

import json
import tempfile
from pathlib import Path

import numpy as np

from worldmodels.analysis.plots.learning_curves import TaskView, plot_tasks
from worldmodels.analysis.runs.groups import Grouping
from worldmodels.analysis.runs.reference_scores import packaged_scores

IMAGES = Path(__file__).parent / "images"
METHODS = {"Dreamer": 1.1, "SimPLe": 0.7, "PPO": 0.3}
"""The human-normalised return that runs end with, more or less."""
GAMES = {"Pong": 1.0, "Breakout": 1.4, "Freeway": 0.9, "Boxing": 1.3, "Seaquest": 0.4, "MsPacman": 0.7}
"""The factor of it in each game."""
SEEDS, RECORDS, STEPS = 5, 60, 2_000


def make_run(folder: Path, method: str, game: str, seed: int) -> None:
    """Write a run whose return grows like a sigmoid, with noise."""
    generator = np.random.default_rng([seed, len(method), *game.encode()])
    at = np.arange(1, RECORDS + 1) / RECORDS
    last = METHODS[method] * GAMES[game] * generator.normal(1, 0.15)
    score = last / (1 + np.exp(-9 * (at - generator.normal(0.45, 0.07)))) + generator.normal(0, 0.04, RECORDS)
    ends = packaged_scores("atari").tasks[game]
    returns = ends["random"] + (ends["human"] - ends["random"]) * score
    folder.mkdir(parents=True)
    (folder / "config.yaml").write_text(f"seed: {seed}\nenv:\n  game: ALE/{game}-v5\nagent:\n  kind: {method}\n")
    lines = [json.dumps({"step": STEPS * (i + 1), "episode/return": returns[i]}) for i in range(RECORDS)]
    (folder / "metrics.jsonl").write_text("".join(line + "\n" for line in lines))


def main() -> None:
    with tempfile.TemporaryDirectory() as top:
        folders = [Path(top, method) for method in METHODS]
        for folder in folders:
            for game in GAMES:
                for seed in range(3 if folder.name == "SimPLe" else SEEDS):
                    if (folder.name, game) != ("SimPLe", "Seaquest"):
                        make_run(folder / f"{game}_{seed}", folder.name, game, seed)
        tasks = TaskView("tasks", tasks=list(GAMES), baselines=["random", "human"])
        aggregate = TaskView("aggregate", normalize="human", baselines=["human"])
        seeds = TaskView("seeds", tasks=list(GAMES))
        for name, view in (("tasks", tasks), ("aggregate", aggregate), ("seeds", seeds)):
            print(plot_tasks(folders, view, grouping=Grouping(by="path"), save=IMAGES / f"view_{name}.png"))


if __name__ == "__main__":
    main()
