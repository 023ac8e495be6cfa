"""Measures PPO over millions of real steps, and how many of them PPO needs for the returns of the other learners.

    python benchmarks/ppo_curves.py [--games coinrun] [--seeds 1] [--jobs 2] [--budget-minutes 60]

PPO by the figures of Procgen's study, with the network of DQN: 64 environments, 16,384 samples an iteration in
minibatches of 2,048, on 200 levels in easy mode. The games are those of `learning.py`, and so are the levels and the
episodes on which its checkpoints are measured, from 131,072 to 4,980,736 steps.

A run is a cell as in `learning.py`, under runs/ppo_curves: the same command goes on with the cells that are missing.
Results are kept in results/ppo_curves.jsonl. Every call writes results/ppo_curves.md from the finished cells and from
results/learning.jsonl: `--budget-minutes 0` does nothing else.
"""

from __future__ import annotations

import argparse
import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import learning
import numpy as np
from archive import Archive
from few_steps.cell_jobs import Place
from few_steps.cells import Experiment, Learner
from few_steps.measure_curve import EVERY, MEASURED_STEPS
from few_steps.reached import Curve, Needed, steps_needed
from few_steps.report import table
from provenance import made_line

from worldmodels.core.files.writing import write_atomic
from worldmodels.envs.games.table import GAME_INFO

ROOT = Path(__file__).parents[1]
RESULTS = Path(__file__).parent / "results" / "ppo_curves"
SCRIPT = Path(__file__).parent / "few_steps" / "measure_curve.py"
PLACE = Place(ROOT / "runs" / "ppo_curves", Archive(RESULTS.with_suffix(".jsonl")), SCRIPT)
PPO = "ppo_nature"
SETTINGS: dict[str, Any] = {
    "agent.images": "nature",
    "env.num_levels": 200,
    "schedule.evaluate_every": 0,
    "schedule.checkpoint_every": EVERY,
    "schedule.keep_checkpoints": MEASURED_STEPS[-1] // EVERY,
}
CURVES = Experiment(
    "curves", MEASURED_STEPS[-1], learning.GAMES, (1, 2, 3), SETTINGS, {PPO: Learner("PPO", "ppo_procgen", {})}, {}
)
COMPARED = {"few": ("simple", "dreamer"), "more": ("simple", "dreamer")}
"""Learners whose returns PPO has to reach, by the experiment of `learning.py`."""
LEVELS = "test"
PREAMBLE = """# The steps that PPO needs

`python benchmarks/ppo_curves.py`: PPO in the real game, 64 environments, 200 levels in easy mode. Returns are of test
levels, means of 256 episodes at temperature 1. *Steps that PPO needs* is the number of real steps after which PPO's
mean return over its seeds first reaches the mean return of another learner over its seeds. Between two measurements the
return is interpolated over the logarithm of the steps. The brackets hold 95 % of 2,000 bootstrap samples, which draw
seeds of both anew; with fewer than three seeds of PPO they are too narrow."""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--games", nargs="+", default=list(CURVES.games), choices=CURVES.games)
    parser.add_argument("--seeds", nargs="+", type=int, default=list(CURVES.seeds), choices=CURVES.seeds)
    parser.add_argument("--jobs", type=int, help="cells at once (default: as many as there are cores)")
    parser.add_argument("--budget-minutes", type=float, default=math.inf, help="stop and save after so many")
    how = parser.parse_args()
    chosen = [cell for cell in CURVES.cells() if cell.game in how.games and cell.seed in how.seeds]
    failed = learning.run(chosen, PLACE, how.jobs, 60 * how.budget_minutes)
    measured = [found for cell in CURVES.cells() if (found := PLACE.result(cell))]
    if measured:
        text = report(measured, others())
        write_atomic(RESULTS.with_suffix(".md"), text)
        print(text)
    if failed:
        raise SystemExit(f"Failed: {', '.join(failed)}")


def others() -> list[Mapping[str, Any]]:
    """Return the finished cells of the learners that are compared."""
    return [
        found
        for experiment in learning.EXPERIMENTS
        for cell in experiment.cells()
        if cell.learner in COMPARED.get(experiment.name, ()) and (found := learning.PLACE.result(cell))
    ]


def report(measured: Sequence[Mapping[str, Any]], compared: Sequence[Mapping[str, Any]]) -> str:
    """Return the report as Markdown: the curves, and the steps that PPO needs."""
    games = [game for game in CURVES.games if any(found["game"] == game for found in measured)]
    by_game = {game: [found for found in measured if found["game"] == game] for game in games}
    processors = ", ".join(sorted({found["processor"] for found in measured}))
    lines = [PREAMBLE, "", f"On {processors}. {made_line(measured)}", "", "## Returns of PPO on test levels", ""]
    lines += table(
        ("game", "seeds", *(f"{steps:,}" for steps in MEASURED_STEPS)), [curve_row(cells) for cells in by_game.values()]
    )
    lines += ["## Steps that PPO needs for the return of another learner", ""]
    names = ("game", "learner", "real steps", "runs", "return", "steps that PPO needs", "times as many")
    minutes = ("minutes of a core", "minutes that PPO needs")
    rows = [
        needed_row(game, experiment, learner, cells, by_game[game])
        for experiment, learners in COMPARED.items()
        for learner in learners
        for game in games
        if (cells := [one for one in compared if kind(one) == (experiment, learner, game)])
    ]
    return "\n".join([*lines, *table((*names, *minutes), rows)])


def kind(cell: Mapping[str, Any]) -> tuple[str, str, str]:
    return cell["experiment"], cell["learner"], cell["game"]


def curve_row(cells: Sequence[Mapping[str, Any]]) -> Sequence[str]:
    curve = curve_of(cells)
    return [GAME_INFO[cells[0]["game"]].title, str(len(cells)), *(f"{value:.2f}" for value in curve.returns.mean(0))]


def needed_row(
    game: str, experiment: str, learner: str, cells: Sequence[Mapping[str, Any]], ppo: Sequence[Mapping[str, Any]]
) -> Sequence[str]:
    """Return the row of a learner and a game."""
    (used,) = (one for one in learning.EXPERIMENTS if one.name == experiment)
    returns = np.array([cell["returns"][LEVELS]["policy"]["mean"] for cell in cells])
    needed = steps_needed(curve_of(ppo), returns, np.random.default_rng(0))
    minutes = float(np.mean([cell["processor_seconds"] for cell in cells])) / 60
    a_step = float(np.mean([cell["processor_seconds"] / cell["step"] for cell in ppo])) / 60
    return [
        GAME_INFO[game].title,
        used.learners[learner].title,
        f"{used.steps:,}",
        str(len(cells)),
        f"{returns.mean():.2f}",
        words(needed, 1.0, "{:,.0f}"),
        words(needed, 1 / used.steps, "{:,.1f}"),
        f"{minutes:.1f}",
        words(needed, a_step, "{:.1f}"),
    ]


def curve_of(cells: Sequence[Mapping[str, Any]]) -> Curve:
    returns = [[point["returns"][LEVELS]["policy"]["mean"] for point in cell["curve"]] for cell in cells]
    return Curve(np.array(MEASURED_STEPS, float), np.array(returns))


def words(needed: Needed, factor: float, form: str) -> str:
    """Return a number of steps and its interval, times a factor; the first measured steps bound it from below, and the
    last ones from above."""
    low, middle, high = (bounded(steps, factor, form) for steps in (needed.low, needed.steps, needed.high))
    return f"{middle} ({low} to {high})"


def bounded(steps: float, factor: float, form: str) -> str:
    first, last = MEASURED_STEPS[0], MEASURED_STEPS[-1]
    if steps <= first:
        return f"at most {form.format(factor * first)}"
    return form.format(factor * steps) if steps <= last else f"more than {form.format(factor * last)}"


if __name__ == "__main__":
    main()
