"""Returns and lengths of the random policy, beside figures measured with Procgen's own games.

    python benchmarks/random_policy.py [--episodes 512] [--games coinrun maze]

Uniform over the 15 actions, levels without limit, the first episodes of each of 128 environments.
"""

from __future__ import annotations

import argparse

import numpy as np

from worldmodels.envs import GAMES, make_vec
from worldmodels.envs.games import GAME_INFO

# Procgen 0.10.7 under the same policy: mean return, its standard error, mean length, share completed; from 1024
# episodes (starpilot 2048).
PROCGEN = {
    ("coinrun", "easy"): (2.87, 0.14, 650, 0.287),
    ("coinrun", "hard"): (2.45, 0.13, 613, 0.245),
    ("maze", "easy"): (4.54, 0.16, 338, 0.454),
    ("maze", "hard"): (2.73, 0.14, 405, 0.273),
    ("maze", "memory"): (2.18, 0.13, 420, 0.218),
    ("starpilot", "easy"): (1.51, 0.04, 80, 0.0),
    ("starpilot", "hard"): (0.87, 0.03, 80, 0.0),
    ("starpilot", "extreme"): (0.25, 0.01, 75, 0.0),
}


def play(game: str, mode: str, episodes: int, num_envs: int = 128) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Returns, lengths and completions (episodes,) of the first `episodes / num_envs` episodes of each environment."""
    env = make_vec(game, seed=0, num_envs=num_envs, distribution_mode=mode)
    random = np.random.default_rng(0)
    each = episodes // num_envs
    found: list[list[tuple[float, int, bool]]] = [[] for _ in range(num_envs)]
    returns, lengths = np.zeros(num_envs), np.zeros(num_envs, int)
    over = np.zeros(num_envs, bool)
    env.reset()
    while min(map(len, found)) < each:
        _, rewards, terminated, truncated, info = env.step(random.integers(0, 15, num_envs))
        returns, lengths = returns + rewards, lengths + ~over
        over = terminated | truncated
        for index in np.flatnonzero(over):
            found[index].append((returns[index], lengths[index], bool(info["prev_level_complete"][index])))
            returns[index] = lengths[index] = 0
    columns = zip(*(episode for list_ in found for episode in list_[:each]), strict=True)
    return tuple(np.array(column) for column in columns)  # type: ignore[return-value]


def main() -> None:
    """Prints one line per game and mode."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--episodes", type=int, default=512)
    parser.add_argument("--games", nargs="*", default=list(GAMES))
    arguments = parser.parse_args()
    print("game mode | return (Procgen) | length (Procgen) | completed (Procgen)")
    for game in arguments.games:
        for mode in GAME_INFO[game].modes:
            returns, lengths, completed = play(game, mode, arguments.episodes)
            peer = PROCGEN.get((game, mode))
            ours = (returns.mean(), returns.std() / len(returns) ** 0.5, lengths.mean(), completed.mean())
            cells = ["{0:.2f} +- {1:.2f}", "{2:.0f}", "{3:.3f}"]
            shown = (f"{cell.format(*ours)} ({cell.format(*peer) if peer else '-'})" for cell in cells)
            print(f"{game} {mode} | " + " | ".join(shown), flush=True)


if __name__ == "__main__":
    main()
