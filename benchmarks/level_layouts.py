"""Counts the test levels whose layout is among the training levels, in all games and modes.

    python benchmarks/level_layouts.py [--train 200] [--test 1000] [--games coinrun ninja] [--modes easy]

Test levels follow the training levels by their seeds, and two seeds can give one layout. Two levels have one layout if
they look the same at their beginning and after 20 steps of the same random actions, painted without backgrounds, in one
theme, in flat rectangles and, where a game allows it, as a whole. Prints a table in Markdown.
"""

from __future__ import annotations

import argparse
from hashlib import blake2b

import numpy as np

from worldmodels.envs.games.game_env import GameEnv
from worldmodels.envs.games.table import GAME_INFO, NUM_ACTIONS

PLAIN = {"use_backgrounds": False, "restrict_themes": True, "use_monochrome_assets": True, "center_agent": False}
ACTIONS = np.random.default_rng(0).integers(NUM_ACTIONS, size=20).tolist()


def layout(game: str, mode: str, level: int) -> bytes:
    """Return a digest of what a level looks like."""
    env = GameEnv(game, "rgb_array", distribution_mode=mode, start_level=level, num_levels=1, **PLAIN)
    env.reset(seed=0)
    digest = blake2b(np.asarray(env.render()).tobytes(), digest_size=16)
    for action in ACTIONS:
        _, _, terminated, truncated, _ = env.step(action)
        if terminated or truncated:
            break
    digest.update(env.observe().tobytes())
    return digest.digest()


def main() -> None:
    """Counts, and prints a line for each game and mode."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--train", type=int, default=200, help="training levels, from 0 on (default: %(default)s)")
    parser.add_argument("--test", type=int, default=1000, help="test levels after them (default: %(default)s)")
    parser.add_argument("--games", nargs="+", default=list(GAME_INFO), help="(default: all)")
    parser.add_argument("--modes", nargs="+", default=["easy", "hard"], help="(default: easy and hard)")
    arguments = parser.parse_args()
    print(f"| game | mode | test levels with a layout of the first {arguments.train} | layouts of {arguments.train} |")
    print("|---|---|---|---|")
    for game in arguments.games:
        for mode in [mode for mode in GAME_INFO[game].modes if mode in arguments.modes]:
            known = {layout(game, mode, level) for level in range(arguments.train)}
            following = range(arguments.train, arguments.train + arguments.test)
            seen = sum(layout(game, mode, level) in known for level in following)
            print(f"| {game} | {mode} | {seen / arguments.test:.1%} | {len(known)} |", flush=True)


if __name__ == "__main__":
    main()
