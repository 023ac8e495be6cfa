"""Returns and lengths of the random policy, beside figures measured with Procgen's own games.

    python benchmarks/random_policy.py [--episodes 512] [--games coinrun maze]

Uniform over the 15 actions, levels without limit, the first episodes of each of 128 environments.
"""

from __future__ import annotations

import argparse

import numpy as np

from worldmodels.envs import GAMES, make_vec
from worldmodels.envs.games import GAME_INFO

# Procgen 0.10.7, easy mode, 512 episodes: mean return, its standard deviation, mean length, share completed.
PROCGEN_EASY = {
    "coinrun": (2.71, 4.45, 652, 0.272),
    "maze": (4.24, 4.94, 347, 0.424),
    "starpilot": (1.35, 1.87, 78, 0.0),
}
# Mean returns alone are known for the other modes.
PROCGEN_OTHER = {
    ("maze", "hard"): 2.9,
    ("maze", "memory"): 2.4,
    ("starpilot", "hard"): 0.90,
    ("starpilot", "extreme"): 0.29,
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
    print("game mode | return +- standard error, (Procgen) | sd | length (Procgen) | completed (Procgen)")
    for game in arguments.games:
        for mode in GAME_INFO[game].modes:
            returns, lengths, completed = play(game, mode, arguments.episodes)
            peer = PROCGEN_EASY.get(game) if mode == "easy" else None
            peer_return = peer[0] if peer else PROCGEN_OTHER.get((game, mode), float("nan"))
            error = returns.std() / len(returns) ** 0.5
            print(
                f"{game} {mode} | {returns.mean():.2f} +- {error:.2f} ({peer_return:.2f}) | {returns.std():.2f} | "
                f"{lengths.mean():.0f} ({peer[2] if peer else '-'}) | "
                f"{completed.mean():.3f} ({peer[3] if peer else '-'})"
            )


if __name__ == "__main__":
    main()
