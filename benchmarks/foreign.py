"""Trains learners with and without a world model in foreign environments, with the same number of steps.

    pip install -e '.[atari,dmc,crafter]'
    python benchmarks/foreign.py [--experiments pong] [--learners ppo dreamer] [--seeds 1 2] [--jobs 2]
                                 [--budget-minutes 60]

pong      100,000 steps of 4 frames: PPO, Dreamer, SimPLe with motions of patches and larger weights for moved pixels
freeway   the same, but SimPLe has motions of the whole picture only. Uniformly random actions never cross the road, so
          both models learn first from held random actions: SimPLe from 4,000 steps, Dreamer from 4,000 to 12,000. PPO
          runs without held actions, with 4,096 and with 12,288 of them
control   cartpole-swingup from pixels, 50,000 steps of 2 frames: PPO, SAC with about as much computing as Dreamer, and
          Dreamer with gradients through its world model
crafter   50,000 steps: PPO and Plan2Explore without rewards, PPO and Dreamer with rewards; the figure is the score

Each cell (experiment, environment, learner, seed) is an ordinary run under runs/foreign, trained on one core. It is
measured in 20 whole episodes, or 100 of Crafter, and its result is kept in results/foreign.jsonl. After Ctrl-C, SIGTERM
or the end of the budget the same command goes on. Every call writes results/foreign.md from the finished cells:
`--budget-minutes 0` does nothing else.
"""

from __future__ import annotations

import argparse
import math
from pathlib import Path
from typing import Any

from archive import Archive
from few_steps.cell_jobs import CellJob, Place
from few_steps.cells import Experiment, Learner
from few_steps.short_dreams import SHORT_DREAMS
from foreign_worlds.report import report

from worldmodels.config.run_config import RunConfig
from worldmodels.core.configuration.sections import load_config
from worldmodels.core.files.writing import write_atomic
from worldmodels.experiments.engine import LocalEngine, core_shares
from worldmodels.experiments.jobs import log_end, run_jobs

HERE = Path(__file__).parent
RESULTS = HERE / "results"
PLACE = Place(
    HERE.parent / "runs" / "foreign", Archive(RESULTS / "foreign.jsonl"), HERE / "foreign_worlds" / "measure.py"
)

COMMON: dict[str, Any] = {
    "schedule.log_every": 5_000,
    "schedule.evaluate_every": 0,  # measured once, at the end
    "schedule.checkpoint_every": 10_000,
}
PPO: dict[str, Any] = {
    "env.num_envs": 8,
    "agent.discount": 0.99,
    "agent.decay": 0,
    "agent.minibatch": 256,
    "model.frames": 4,
}
DREAMER: dict[str, Any] = {
    "env.num_envs": 4,
    "model.picture_every": 0,  # what is measured is what is learned from
    "training.prefill": 4_000,
    "training.prefill_policy": "random",
    "training.collect": 32,
}
PPO_AGENT: dict[str, Any] = {  # `ppo_nature` and PPO, in a learned world
    "agent.images": "nature",
    "agent.discount": 0.99,
    "agent.minibatch": 256,
    "agent.normalize_advantages": "minibatch",
    "agent.clip": 0.2,
    "agent.value_clip": 0.2,
    "agent.value_scale": 0.25,
    "agent.entropy": 0.01,
    "agent.optimizer": {"learning_rate": 5e-4, "beta1": 0.9, "beta2": 0.999, "epsilon": 1e-5},
}
SIMPLE: dict[str, Any] = {
    **PPO_AGENT,
    **SHORT_DREAMS,
    "model.output.blend": False,
    "model.optimizer.learning_rate": 2e-3,
    "env.num_envs": 8,
    "training.real_rollout": 100,
    # In Freeway a policy that has learned nothing meets no rewards. What is known of them is in the prefill alone, so
    # dreams begin there, too, and are dreamed whether or not new rewards were foreseen.
    "training.imagination_weight": "constant",
    "training.starts.newest": 0,
    "training.starts.rollouts": 64,
    "agent.horizon": 15,
}
CONTROL: dict[str, Any] = {"env.action_repeat": 2, "env.pixels": "only", "env.options": {"shadows": False}}
SAC: dict[str, Any] = {
    "model.frames": 3,
    "agent.images": "small",
    "agent.actor_optimizer.learning_rate": 3e-4,
    "agent.critic_optimizer.learning_rate": 3e-4,
    "replay.memory_megabytes": 2_000,
    "training.prefill": 1_000,
    "training.collect": 16,
    "training.updates": 1,
    "training.batch": 64,
}
CRAFTER: dict[str, Any] = {"env.info.max": list(load_config(RunConfig, ["crafter_small"]).env.info.max)}
SILENT: dict[str, Any] = {"env.options": {"reward": False}}

ATARI = {
    "ppo": Learner("PPO", "ppo_nature atari", PPO),
    "simple": Learner("SimPLe", "simple_deterministic_small atari", SIMPLE),
    "dreamer": Learner("Dreamer", "dreamer_small atari", DREAMER),
}
APART: dict[str, Any] = {  # two paddles and a ball, of which a model of few updates sees none
    "model.network.patch_motions": True,
    "model.output.patch_motions": True,
    "model.output.moved_scale": 30.0,
    "training.fit": 100,
    "training.improve": 4,
}
HELD: dict[str, Any] = {
    "training.prefill_policy": "held",
    "training.prefill_events": 20,
    "agent.entropy": 1e-4,  # a step is worth little, so long before it pays
}


def _held_start(steps: int, words: str = "", **more: Any) -> Learner:
    """Return PPO that learns first from so many held random actions, as from its own."""
    title = f"PPO, {steps:,} held steps first{words}"
    return Learner(title, "ppo_nature atari", PPO | more, trainer=f"foreign_worlds/held_start.py {steps}")


FREEWAY = {
    **ATARI,
    "ppo_held": _held_start(4_096),
    "ppo_held_long": _held_start(12_288, ", entropy 1e-4", **{"agent.entropy": 1e-4}),
}
EXPERIMENTS = (
    Experiment("pong", 100_000, ("ALE/Pong-v5",), (1, 2, 3), COMMON, ATARI, overrides={"simple": APART}),
    Experiment("freeway", 100_000, ("ALE/Freeway-v5",), (1, 2, 3), COMMON, FREEWAY, overrides={"dreamer": HELD}),
    Experiment(
        "control",
        50_000,
        ("dm_control/cartpole-swingup-v0",),
        (1, 2, 3),
        COMMON | CONTROL,
        {
            "ppo": Learner("PPO", "ppo_nature", PPO | {"agent.reward_transform": "none"}),
            "sac": Learner("SAC", "sac", SAC),
            "dreamer": Learner("Dreamer", "dreamer_small dmc_vision_small", {"model.picture_every": 0}),
        },
        overrides={},
    ),
    Experiment(
        "crafter",
        50_000,
        ("CrafterReward-v1",),
        (1, 2, 3),
        COMMON | CRAFTER,
        {
            "ppo": Learner("PPO, with rewards", "ppo_nature", PPO),
            "ppo_silent": Learner("PPO, without", "ppo_nature", PPO | SILENT),
            "explorer": Learner(
                "Plan2Explore, without rewards", "dreamer_small crafter_small explore", DREAMER | SILENT
            ),
            "dreamer": Learner("Dreamer, with rewards", "dreamer_small crafter_small", DREAMER),
        },
        overrides={},
    ),
)

NOTES = {
    "freeway": """
Would PPO cross the road if it, too, learned first from held random actions? The plan, written before these runs:

- Arms: PPO in the real game as in the first row, but its first steps take the held random actions of the models'
  prefill. PPO learns from these steps as from its own: its policy says how probable each action was. One arm has 4,096
  such steps (SimPLe has 4,000). The other has 12,288 (Dreamer has 12,000 at most) and Dreamer's entropy, 1e-4.
- Seeds 1, 2 and 3; 100,000 steps, the held ones included; 60 minutes of one core for all.
- Measure: the mean return of 20 episodes after training, beside the return of always going up.
- No answer would be the model-based loop with `training.improve: 0`: its agent never learns from the prefill.

Outcome: yes, in both arms. With held first steps PPO learns to cross the road at once. Each run's return is above
always going up and above Dreamer, and as high as SimPLe's. So the held first steps decide Freeway, and the world model
does not. Seed 3 of the second arm was not measured."""
}
PREAMBLE = f"# Environments of others\n\n```\n{__doc__.strip()}\n```"


def main() -> None:
    learners = list(dict.fromkeys(name for experiment in EXPERIMENTS for name in experiment.learners))
    names = [experiment.name for experiment in EXPERIMENTS]
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--experiments", nargs="+", default=names, choices=names)
    parser.add_argument("--learners", nargs="+", default=learners, choices=learners)
    parser.add_argument("--seeds", nargs="+", type=int, default=[1, 2, 3])
    parser.add_argument("--jobs", type=int, help="cells at once (default: as many as there are cores)")
    parser.add_argument("--budget-minutes", type=float, default=math.inf, help="stop and save after so many")
    how = parser.parse_args()
    chosen = [
        cell
        for experiment in EXPERIMENTS
        if experiment.name in how.experiments
        for cell in experiment.cells()
        if cell.learner in how.learners and cell.seed in how.seeds
    ]
    jobs = [CellJob(cell, PLACE) for cell in chosen if PLACE.result(cell) is None]
    print(f"{len(chosen) - len(jobs)} of {len(chosen)} cells are finished", flush=True)
    places = [cores[:1] for cores in core_shares(how.jobs)]
    outcome = run_jobs(jobs, LocalEngine(places), 60 * how.budget_minutes, lambda text: print(text, flush=True))
    for job in jobs:
        if job.name in outcome.failed:
            print(f"{job.name} failed; the end of {job.log}:\n{log_end(job.log)}", flush=True)
    write_report()
    if outcome.failed:
        raise SystemExit(f"Failed: {', '.join(outcome.failed)}")


def write_report() -> None:
    """Write results/foreign.md from the cells that are finished; nothing where there is none."""
    every = [(e, [found for cell in e.cells() if (found := PLACE.result(cell))]) for e in EXPERIMENTS]
    finished = [(experiment, results) for experiment, results in every if results]
    if finished:
        text = report(PREAMBLE, finished, NOTES)
        write_atomic(RESULTS / "foreign.md", text)
        print(text)


if __name__ == "__main__":
    main()
