"""Measures returns, lengths and completions of the random policy beside those in Procgen's own games.

    python benchmarks/random_policy.py [--episodes 2048] [--games coinrun maze]

Uniform over the 15 actions, levels without limit, the first episodes of each of 128 environments. Procgen's figures
come from `procgen_random_policy.py`. Distances are in standard errors of the difference. Writes
results/random_policy.md when all games were played.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import Any

import numpy as np
from provenance import made_now

from worldmodels.envs import GAMES, make_vec
from worldmodels.envs.games.table import GAME_INFO

NUM_ENVS = 128
RESULTS = Path(__file__).parent / "results"
HEADER = (
    "| game | mode | return | Procgen | distance | length | Procgen | distance | completed | Procgen |\n"
    "|---|---|---|---|---|---|---|---|---|---|"
)


def play(game: str, mode: str, episodes: int) -> np.ndarray:
    """Return, length and completion of the first episodes of each environment: (episodes, 3)."""
    env = make_vec(game, seed=0, num_envs=NUM_ENVS, distribution_mode=mode)
    random = np.random.default_rng(0)
    each = episodes // NUM_ENVS
    found: list[list[tuple[float, int, bool]]] = [[] for _ in range(NUM_ENVS)]
    returns, lengths = np.zeros(NUM_ENVS), np.zeros(NUM_ENVS, int)
    over = np.zeros(NUM_ENVS, bool)
    env.reset()
    while min(map(len, found)) < each:
        _, rewards, terminated, truncated, info = env.step(random.integers(0, 15, NUM_ENVS))
        returns, lengths = returns + rewards, lengths + ~over
        over = terminated | truncated
        for index in np.flatnonzero(over):
            found[index].append((returns[index], lengths[index], bool(info["prev_level_complete"][index])))
            returns[index] = lengths[index] = 0
    return np.array([episode for list_ in found for episode in list_[:each]], float)


def row(game: str, mode: str, played: np.ndarray, peer: dict[str, Any] | None) -> str:
    """One line of the table."""
    mean, error = played.mean(axis=0), played.std(axis=0) / len(played) ** 0.5
    cells = [game, mode]
    for index, name, digits in ((0, "return", 2), (1, "length", 0)):
        cells.append(f"{mean[index]:.{digits}f} ± {error[index]:.{max(digits, 1)}f}")
        if peer is None:
            cells += ["-", "-"]
            continue
        both = (error[index] ** 2 + peer[f"{name}_error"] ** 2) ** 0.5
        cells.append(f"{peer[name]:.{digits}f} ± {peer[f'{name}_error']:.{max(digits, 1)}f}")
        cells.append(f"{(mean[index] - peer[name]) / both:+.1f}" if both > 0 else "-")
    cells += [f"{mean[2]:.3f}", f"{peer['completed']:.3f}" if peer else "-"]
    return f"| {' | '.join(cells)} |"


def main() -> None:
    """Prints and writes the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--episodes", type=int, default=2048)
    parser.add_argument("--games", nargs="*", default=list(GAMES))
    arguments = parser.parse_args()
    peers = json.loads((RESULTS / "procgen_random_policy.json").read_text())
    lines = [HEADER]
    print(HEADER)
    for game in arguments.games:
        for mode in GAME_INFO[game].modes:
            lines.append(row(game, mode, play(game, mode, arguments.episodes), peers.get(f"{game} {mode}")))
            print(lines[-1], flush=True)
    if set(arguments.games) == set(GAMES):
        heading = (
            "# The random policy\n\n"
            f"Uniform over the 15 actions, {arguments.episodes} episodes, levels without limit; Procgen 0.10.7 under\n"
            "the same policy. MeanMetrics with their standard errors; distances in standard errors of the difference.\n"
            f"`python benchmarks/random_policy.py --episodes {arguments.episodes}`\n\n"
        )
        (RESULTS / "random_policy.md").write_text(heading + "\n".join([*lines, "", made_now()]) + "\n")


if __name__ == "__main__":
    main()
