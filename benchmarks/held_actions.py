"""How many rewards random play finds, with held actions and without.

    python benchmarks/held_actions.py [--seeds 3] [--games coinrun ninja]

20,000 steps of 16 environments, easy, 200 levels: as the prefill of a run plays them. Writes results/held_actions.md
when the games are those of the table.
"""

from __future__ import annotations

import argparse
from dataclasses import replace
from pathlib import Path

import numpy as np
from provenance import made_now

from worldmodels.acting.actor import RandomActor
from worldmodels.acting.collect import Collector
from worldmodels.acting.held_actor import HeldActor
from worldmodels.config.run_config import HeldActionsConfig
from worldmodels.core.seeding import Streams
from worldmodels.core.specs import ActionSpec
from worldmodels.envs import EnvConfig, make_vec

STEPS, NUM_ENVS, ACTIONS = 20_000, 16, 15
GAMES = (
    *("coinrun", "starpilot", "bossfight", "ninja", "leaper", "fruitbot", "bigfish", "caveflyer", "chaser", "climber"),
    *("dodgeball", "heist", "jumper", "maze", "miner", "plunder"),
)
"""The games of Procgen."""
RESULTS = Path(__file__).parent / "results" / "held_actions.md"
TO_THE_RIGHT = tuple(8.0 if action in (6, 7, 8) else 1.0 for action in range(ACTIONS))
ALIKE = HeldActionsConfig(concentration=100.0, uniform=0.0, reuse=0.0)

WAYS: dict[str, HeldActionsConfig | None] = {
    "uniform": None,
    "held 2 steps": ALIKE,
    "held 5 steps": replace(ALIKE, mean_length=5.0),
    "held 2 steps, preferences, none reused": HeldActionsConfig(uniform=0.0, reuse=0.0),
    "held 2 steps, preferences, 0.75 reused": HeldActionsConfig(uniform=0.0),
    "the same, half of the new ones uniform (the defaults)": HeldActionsConfig(),
    "... 0.5 reused": HeldActionsConfig(reuse=0.5),
    "... 0.9 reused": HeldActionsConfig(reuse=0.9),
    "... held 1 step": HeldActionsConfig(mean_length=1.0),
    "... held 5 steps": HeldActionsConfig(mean_length=5.0),
    "... concentration 0.03": HeldActionsConfig(concentration=0.03),
    "... concentration 0.3": HeldActionsConfig(concentration=0.3),
    "... preferences of 25 steps": HeldActionsConfig(preference_steps=25.0),
    "... preferences of 100 steps": HeldActionsConfig(preference_steps=100.0),
    "... weights of 8 for the right": HeldActionsConfig(weights=TO_THE_RIGHT),
}


def rewards(game: str, seed: int, config: HeldActionsConfig | None) -> int:
    """How many steps pay more than 0."""
    streams = Streams(seed)
    env = make_vec(EnvConfig(game=game, num_envs=NUM_ENVS, num_levels=200))
    collector, generator = Collector(env, streams.integer("env")), streams.generator("prefill")
    actor = HeldActor(config, NUM_ENVS, ACTIONS, generator) if config else RandomActor(ActionSpec(ACTIONS), generator)
    found = 0
    for step, _ in collector.collect(actor, STEPS):
        found += int((step.reward > 0).sum())
        if isinstance(actor, HeldActor):
            actor.reinforce(collector.arrived["reward"])
    env.close()
    return found


def row(name: str, found: np.ndarray, uniform: np.ndarray) -> str:
    """One line of the table: found (games, seeds), and the means over games of the ratios to uniform play."""
    ratios = found.sum(1) / np.maximum(uniform.sum(1), 1)
    cells = [f"{ratio:.1f}" for ratio in ratios] if found is not uniform else [f"{x:.0f}" for x in found.mean(1)]
    geometric = np.exp(np.log(np.maximum(ratios, 0.01)).mean())
    return f"| {' | '.join([name, *cells, f'{ratios.mean():.2f}', f'{geometric:.2f}'])} |"


def main() -> None:
    """Prints and writes the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--games", nargs="*", default=list(GAMES))
    arguments = parser.parse_args()
    columns = ["play", *arguments.games, "mean ratio", "geometric mean"]
    lines = [f"| {' | '.join(columns)} |", "|" + "---|" * len(columns)]
    print("\n".join(lines))
    uniform = None
    for name, config in WAYS.items():
        found = np.array([[rewards(game, seed, config) for seed in range(arguments.seeds)] for game in arguments.games])
        uniform = found if uniform is None else uniform
        lines.append(row(name, found, uniform))
        print(lines[-1], flush=True)
    if tuple(arguments.games) == GAMES:
        heading = (
            "# Rewards that random play finds\n\n"
            f"Steps with a reward above 0 in {STEPS:,} steps of uniformly random play, mean of {arguments.seeds}\n"
            "seeds, and as multiples of that with `training.prefill_policy: held`: easy, 200 levels, 16 environments.\n"
            f"`python benchmarks/held_actions.py --seeds {arguments.seeds}`\n\n"
        )
        RESULTS.write_text(heading + "\n".join([*lines, "", made_now()]) + "\n")


if __name__ == "__main__":
    main()
