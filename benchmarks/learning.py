"""Compares the returns of PPO in the real game, SimPLe and Dreamer after the same few real steps.

    python benchmarks/learning.py [--experiments few] [--learners ppo dreamer] [--games coinrun] [--seeds 1 2]
                                  [--jobs 2] [--budget-minutes 60]

few      20,000 real steps, six games, five seeds; beside them SimPLe without dreams
more     100,000 real steps, two games, three seeds
parts    20,000 real steps, CoinRun, three seeds: Dreamer from imagination alone, with recent real steps as in the other
         two, and without each of its parts
ceiling  80,000 real steps, six games, five seeds, PPO alone, by its settings and by SimPLe's: about as many as SimPLe
         learns from in `few`, real and imagined, so what it could reach in a world without a fault
sampled  20,000 real steps, six games, three seeds: SimPLe, Dreamer, and PPO that learns in the flow model
truth    20,000 real steps, three games, two seeds: Dreamer, and Dreamer with parts of its world model replaced by the
         game itself (few_steps/true_world.py). The part that lifts the return bounds it

Easy mode, 200 levels, sprites and backgrounds as people see them. The settings of all learners were chosen on seed 0
and on other levels (`env.start_level=5000`); the runs that are reported have the levels 0 to 199 and seeds from 1 on.

Each cell (experiment, game, learner, seed) is an ordinary run under runs/learning/EXPERIMENT/GAME/LEARNER_SEED, trained
by `worldmodels train` on one core, with its log beside it, and then measured: 256 episodes on the training levels and
256 on test levels, with the random policy beside, and what a world model foresees. Its result is kept in
results/learning.jsonl: a cell whose result is there, with the settings that it has now, is finished even if the run is
gone. Cells run side by side, one on each core, seed by seed, so that all learners are compared whenever it ends.

Ctrl-C, SIGTERM and the end of the budget let every run write a checkpoint; the same command goes on. Every call writes
results/learning.json, .md and .png from all that is finished by then: `--budget-minutes 0` does nothing else.
"""

from __future__ import annotations

import argparse
import json
import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from archive import Archive
from few_steps.cell_jobs import CellJob, Place
from few_steps.cells import Cell, Experiment, Learner
from few_steps.chart import draw
from few_steps.figures import experiment_figures
from few_steps.measure import EPISODES
from few_steps.report import report

from worldmodels.core.files.writing import write_atomic
from worldmodels.experiments.engine import LocalEngine, core_shares
from worldmodels.experiments.jobs import log_end, run_jobs

ROOT = Path(__file__).parents[1]
RESULTS = Path(__file__).parent / "results"
PLACE = Place(ROOT / "runs" / "learning", Archive(RESULTS / "learning.jsonl"))

# Real steps are 16 environments' in whole rollouts, prefills and turns, so that each learner has exactly as many.
LEARNERS = {
    "ppo": Learner("PPO", "few_ppo", {}),
    "simple": Learner("SimPLe", "few_simple", {}),
    "dreamer": Learner("Dreamer", "few_dreamer", {}),
}
NO_DREAMS: dict[str, Any] = {"training.improve": 0}
FEW = {  # what dreams are worth, too: SimPLe, model and all, with a policy that learns in the real game alone
    **LEARNERS,
    "simple": LEARNERS["simple"]._replace(controls=("no_dreams", "more_passes")),
    "no_dreams": Learner("SimPLe without dreams", "few_simple", NO_DREAMS),
    "more_passes": Learner(  # 960 optimizer steps: SimPLe makes 420 to 1,160 in CoinRun and Ninja, where it dreams most
        "SimPLe without dreams, four times the passes", "few_simple", {**NO_DREAMS, "agent.epochs": 12}
    ),
}
CEILING = {
    "ppo": LEARNERS["ppo"],
    "ppo_of_simple": Learner(
        "PPO, entropy 0.003, rate 1e-3", "few_ppo", {"agent.entropy": 3e-3, "agent.optimizer.learning_rate": 1e-3}
    ),
}
SAMPLED = {
    "simple": LEARNERS["simple"],
    "dreamer": LEARNERS["dreamer"],
    "flow": Learner(  # the loop of `few_simple`, with three eighths of its imagined steps
        "PPO in the flow model",
        "flow_small few_agent few",
        {
            "model.optimizer.learning_rate": "linear(6e-4, 1e-5, 1_050)",
            **{"agent.style.norm": "rms", "agent.horizon": 5, "agent.entropy": 1e-2, "agent.imagined_epochs": 1},
            **{"agent.scale_imagined_policy": True, "agent.optimizer.learning_rate": 1e-3, "replay.held_out_every": 0},
            **{"training.prefill": 4_000, "training.collect": 800, "training.real_rollout": 50, "training.fit": 50},
            **{"training.fit_factors": [2], "training.improve": 12, "training.starts.rollouts": 160},
            **{"training.imagination_weight": "rewards_and_ends", "training.event_share": 0.5},
            **{"schedule.log_updates": 0, "schedule.checkpoint_updates": 0},
        },
    ),
}
IMAGINATION_ALONE: dict[str, Any] = {"agent.recent.policy_scale": 0.0, "agent.recent.steps": 64}


def _dreamer(title: str, overrides: dict[str, Any]) -> Learner:
    """Return Dreamer that learns from imagination alone, with other settings than those of its preset."""
    return Learner(title, "few_dreamer", {**IMAGINATION_ALONE, **overrides})


def _true(title: str, parts: str, **overrides: Any) -> Learner:
    """Return Dreamer with parts of its world model replaced by the game."""
    settings = {f"training.{name}": value for name, value in overrides.items()}
    return Learner(f"true {title}", "few_dreamer", settings, trainer=f"few_steps/true_world.py {parts}")


PARTS = {
    "dreamer": _dreamer("Dreamer", {}),
    "recent": LEARNERS["dreamer"]._replace(title="with recent real steps"),
    "random_prefill": _dreamer("uniformly random prefill", {"training.prefill_policy": "random"}),
    "no_event_share": _dreamer("batches drawn uniformly", {"training.event_share": 0.0}),
    "regression": _dreamer(
        "rewards and values by regression",
        {"model.reward_distribution": "normal", "agent.value_distribution": "normal"},
    ),
    "large_batches": _dreamer(
        "a fifth of the updates, five times the batch",
        {"training.batch": 40, "training.collect": 80, "model.optimizer.learning_rate": 5.4e-4},  # over the root of 5
    ),
    "no_uniform_mix": _dreamer("no uniform mix in the latents", {"model.uniform_mix": 0.0}),
}
TRUTH = {
    "dreamer": LEARNERS["dreamer"],
    "true_rewards": _true("rewards and ends", "rewards"),
    "true_dynamics": _true("dynamics", "dynamics"),
    "true_world": _true("dynamics, rewards and ends", "dynamics+rewards"),
    "true_world_longer": _true(
        "dynamics, rewards and ends, four times the policy updates", "dynamics+rewards", improve=20
    ),
}
GAMES = ("coinrun", "starpilot", "bossfight", "ninja", "leaper", "fruitbot")
EXPERIMENTS = (
    Experiment("few", 20_000, GAMES, (1, 2, 3, 4, 5), {}, FEW, overrides={}),
    Experiment("more", 100_000, ("coinrun", "starpilot"), (1, 2, 3), {}, LEARNERS, overrides={}),
    Experiment("parts", 20_000, ("coinrun",), (1, 2, 3), {}, PARTS, overrides={}),
    Experiment("ceiling", 80_000, GAMES, (1, 2, 3, 4, 5), {}, CEILING, overrides={}),
    Experiment("sampled", 20_000, GAMES, (1, 2, 3), {}, SAMPLED, overrides={}),
    Experiment("truth", 20_000, ("coinrun", "ninja", "fruitbot"), (1, 2), {}, TRUTH, overrides={}),
)

PREAMBLE = f"""# Learning from few steps

`python benchmarks/learning.py`: PPO in the real game, SimPLe and Dreamer learn from the same number of real steps of
16 environments. The games are in easy mode with sprites and backgrounds. Training has
200 levels; test levels are all other levels. Settings were chosen on seed 0 and on other levels.
A return is the mean of {EPISODES} episodes at temperature 1 after training. The random policy plays the same levels.

Every learner is compared with the first one. SimPLe is also compared with SimPLe without dreams
(`training.improve=0`), and with SimPLe without dreams that passes four times as often through its real samples
(`agent.epochs=12`).

Returns are normalised with the constants of Cobbe et al. (2019): 0 is the return of a policy that sees nothing, and 1
is the best return that is practically possible. By these constants a policy that holds the best action of each game is
above 0, though it sees nothing ([blind_policy.md](blind_policy.md)).

The sample of each interval is the seeds. One game has Student's t interval. The interquartile mean over all games has
the interval of the stratified bootstrap (Agarwal et al., 2021). The probability of improvement is the probability that
a run is better than a run of the other learner on the same game. Minutes are wall time and processor time of training
with its start; each run has one core, and others run beside it."""


def main() -> None:
    names = [experiment.name for experiment in EXPERIMENTS]
    learners = list(dict.fromkeys(name for experiment in EXPERIMENTS for name in experiment.learners))
    seeds = EXPERIMENTS[0].seeds
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--experiments", nargs="+", default=names, choices=names)
    parser.add_argument("--learners", nargs="+", default=learners, choices=learners)
    parser.add_argument("--games", nargs="+", default=list(GAMES), choices=GAMES)
    parser.add_argument("--seeds", nargs="+", type=int, default=list(seeds), choices=seeds)
    parser.add_argument("--jobs", type=int, help="cells at once (default: as many as there are cores)")
    parser.add_argument("--budget-minutes", type=float, default=math.inf, help="stop and save after so many")
    how = parser.parse_args()
    chosen = [
        cell
        for experiment in EXPERIMENTS
        if experiment.name in how.experiments
        for cell in experiment.cells()
        if cell.learner in how.learners and cell.game in how.games and cell.seed in how.seeds
    ]
    failed = run(chosen, PLACE, how.jobs, 60 * how.budget_minutes)
    write_report(EXPERIMENTS, PLACE, RESULTS / "learning")
    if failed:
        raise SystemExit(f"Failed: {', '.join(failed)}")


def run(cells: Sequence[Cell], place: Place, jobs: int | None = None, seconds: float = math.inf) -> list[str]:
    """Train and measure what is not finished of some cells, and return the names of those that failed."""
    waiting = [CellJob(cell, place) for cell in cells if place.result(cell) is None]
    print(f"{len(cells) - len(waiting)} of {len(cells)} cells are finished", flush=True)
    places = [cores[:1] for cores in core_shares(jobs)]
    outcome = run_jobs(waiting, LocalEngine(places), seconds, lambda text: print(text, flush=True))
    for job in waiting:
        if job.name in outcome.failed:
            print(f"{job.name} failed; the end of {job.log}:\n{log_end(job.log)}", flush=True)
    if outcome.left:
        print(f"{len(outcome.left)} cells are left: the same command goes on", flush=True)
    return outcome.failed


def write_report(experiments: Sequence[Experiment], place: Place, stem: Path) -> None:
    """Write `stem`.json, .md and .png from the cells that are finished; nothing where there is none."""
    figures = [
        experiment_figures(experiment, results)
        for experiment in experiments
        if (results := [found for cell in experiment.cells() if (found := place.result(cell))])
    ]
    if not figures:
        return
    text = report(PREAMBLE, figures)
    write_atomic(stem.with_suffix(".json"), json.dumps(figures, indent=2, allow_nan=False) + "\n")
    write_atomic(stem.with_suffix(".md"), text)
    draw(figures, stem.with_suffix(".png"))
    print(text)


if __name__ == "__main__":
    main()
