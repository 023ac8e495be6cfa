"""How many rewards random play finds, with held actions and without.

    python benchmarks/held_actions.py [--seeds 3] [--games coinrun ninja]

20,000 steps of 16 environments, easy, 200 levels: as the prefill of a run plays them. Writes results/held_actions.md
when the games are those of the table.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import numpy as np

from worldmodels.core.seeding import Streams
from worldmodels.envs import EnvConfig, make_vec
from worldmodels.runtime.actor import RandomActor
from worldmodels.runtime.collect import Collector
from worldmodels.runtime.config import HeldActionsConfig
from worldmodels.runtime.held_actor import HeldActor

STEPS, NUM_ENVS, ACTIONS = 20_000, 16, 15
GAMES = ("coinrun", "starpilot", "bossfight", "ninja", "leaper", "fruitbot")
RESULTS = Path(__file__).parent / "results" / "held_actions.md"
TO_THE_RIGHT = tuple(8.0 if action in (6, 7, 8) else 1.0 for action in range(ACTIONS))

WAYS: dict[str, HeldActionsConfig | None] = {
    "uniform": None,
    **{
        f"held {length:g} steps, no preference": HeldActionsConfig(length, concentration=100.0, reuse=0.0)
        for length in (2.0, 3.0, 5.0, 8.0)
    },
    **{
        f"held 5 steps, concentration {concentration:g}": HeldActionsConfig(5.0, concentration=concentration, reuse=0.0)
        for concentration in (1.0, 0.3, 0.1)
    },
    "held 2 steps, concentration 0.1": HeldActionsConfig(reuse=0.0),
    "the defaults: 2 steps, concentration 0.1, 0.75 reused": HeldActionsConfig(),
    **{f"... {reuse:g} reused": HeldActionsConfig(reuse=reuse) for reuse in (0.5, 0.9)},
    **{f"... held {length:g} steps": HeldActionsConfig(length) for length in (1.0, 3.0, 5.0)},
    **{f"... concentration {value:g}": HeldActionsConfig(concentration=value) for value in (0.03, 0.3, 1.0)},
    **{
        f"... preferences of {steps:g} steps": HeldActionsConfig(preference_steps=steps)
        for steps in (25.0, 100.0, 200.0)
    },
    "... weights of 8 for the right": HeldActionsConfig(weights=TO_THE_RIGHT),
}


def rewards(game: str, seed: int, config: HeldActionsConfig | None) -> int:
    """How many steps pay something, other than 0."""
    streams = Streams(seed)
    env = make_vec(EnvConfig(game=game, num_envs=NUM_ENVS, num_levels=200))
    collector, generator = Collector(env, streams.integer("env")), streams.generator("prefill")
    actor = HeldActor(config, NUM_ENVS, ACTIONS, generator) if config else RandomActor(ACTIONS, generator)
    found = 0
    for step, _ in collector.collect(actor, STEPS):
        found += int((step.reward != 0).sum())
        if isinstance(actor, HeldActor):
            actor.reinforce(collector.arrived["reward"])
    env.close()
    return found


def row(name: str, found: np.ndarray, uniform: np.ndarray) -> str:
    """One line of the table: found (games, seeds), and the means over games of the ratios to uniform play."""
    ratios = found.sum(1) / np.maximum(uniform.sum(1), 1)
    cells = [f"{count / found.shape[1]:.0f} ({ratio:.1f})" for count, ratio in zip(found.sum(1), ratios, strict=True)]
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
            f"Steps with a reward other than 0 in {STEPS:,} steps, mean of {arguments.seeds} seeds, and their ratio\n"
            "to those of uniformly random play: easy, 200 levels, 16 environments (`training.prefill_policy: held`).\n"
            f"`python benchmarks/held_actions.py --seeds {arguments.seeds}`\n\n"
        )
        RESULTS.write_text(heading + "\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
