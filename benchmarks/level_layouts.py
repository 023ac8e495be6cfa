"""Counts the test levels whose layout is among the training levels, in all games and modes.

    python benchmarks/level_layouts.py [--train 200] [--test 1000] [--games coinrun ninja] [--modes easy]

Test levels follow the training levels by their seeds, and two seeds can give one layout. Two levels have one layout if
they look the same at their beginning and after 20 steps of the same random actions, painted without backgrounds, in one
theme, in flat rectangles and, where a game allows it, as a whole. Prints a table in Markdown.
"""

from __future__ import annotations

import argparse

from worldmodels.envs.games.layouts import layout, layouts
from worldmodels.envs.games.table import GAME_INFO


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
            known = layouts(game, mode, 0, arguments.train)
            following = range(arguments.train, arguments.train + arguments.test)
            seen = sum(layout(game, mode, level) in known for level in following)
            print(f"| {game} | {mode} | {seen / arguments.test:.1%} | {len(known)} |", flush=True)


if __name__ == "__main__":
    main()
