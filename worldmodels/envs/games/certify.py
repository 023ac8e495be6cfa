"""Levels of a game are proved playable: each is built, solved, and watched for one idle step.

A game's own `certify` solves a level right after it is built, by searching it or by playing it. It uses none of the
generator's data. A level fails if it has no solution, or if standing still for the first step ends it.
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from worldmodels.core.errors import UserError, visible
from worldmodels.core.files.writing import write_atomic
from worldmodels.core.output import print_text
from worldmodels.envs.config import MOST_THREADS
from worldmodels.envs.games.game_env import GameEnv
from worldmodels.envs.games.table import GAMES, GameInfo, check_mode, find_game
from worldmodels.envs.native import _native

CHUNK = 256
"""This many levels are checked in one call: half a second at most, so that Ctrl-C is answered."""
SECONDS_BETWEEN_LINES = 0.2
LEVEL_LIMIT = 2**31 - 1
COLUMNS = {
    "game": -18,
    "mode": -11,
    "levels": 9,
    "unsolvable": 11,
    "end at once": 12,
    "median": 7,
    "95 %": 5,
    "longest": 8,
    "seconds": 8,
}
"""The columns of the table have these widths, negative for texts; the three before the last are steps of solutions."""

Tell = Callable[[int], None]


@dataclass(frozen=True)
class LevelRange:
    """A range says which levels to look at, and with how many threads. Raises `UserError` for an impossible one."""

    count: int = 100_000
    first: int = 0
    threads: int = 2

    def __post_init__(self) -> None:
        if self.count < 1 or not 1 <= self.threads <= MOST_THREADS:
            raise UserError(
                f"Levels are 1 or more, and threads 1 to {MOST_THREADS}; received {self.count} and {self.threads}."
            )
        if self.first < 0 or self.first + self.count > LEVEL_LIMIT:
            last = self.first + self.count - 1
            raise UserError(f"Level seeds are 0 to {LEVEL_LIMIT - 1}; received {self.first} to {last}.")


@dataclass(frozen=True)
class Certification:
    """A certification says what was found out about the levels of one game in one mode.

    Attributes:
        levels: how many were looked at.
        unsolvable, ends_at_once: the level seeds of those that failed.
        median, percentile_95, longest: steps of the solutions; None if the game needs none.
    """

    game: str
    mode: str
    levels: int
    unsolvable: tuple[int, ...] = field(repr=False)
    ends_at_once: tuple[int, ...] = field(repr=False)
    median: float | None
    percentile_95: float | None
    longest: int | None
    seconds: float

    @property
    def passed(self) -> bool:
        return not self.unsolvable and not self.ends_at_once

    def row(self) -> str:
        """Return a line of the table."""
        steps = ["-" if value is None else f"{value:.0f}" for value in (self.median, self.percentile_95, self.longest)]
        counts = [f"{count:,}" for count in (self.levels, len(self.unsolvable), len(self.ends_at_once))]
        return _line([self.game, self.mode, *counts, *steps, f"{self.seconds:.1f}"])

    def failures(self, most: int = 10) -> list[str]:
        """Return a line for each way to fail, with the level seeds of the first ones."""
        found = {"unsolvable": self.unsolvable, "ends at once": self.ends_at_once}
        return [
            f"{self.game} {self.mode}, {what}: {', '.join(map(str, seeds[:most]))}{' ...' * (len(seeds) > most)}"
            for what, seeds in found.items()
            if seeds
        ]

    def tree(self) -> dict[str, Any]:
        """Return all fields and the verdict, for JSON."""
        return {**asdict(self), "passed": self.passed}


def _infos(games: Sequence[str]) -> list[GameInfo]:
    return [find_game(name) for name in (GAMES if "all" in games else games)]


def plan(games: Sequence[str], modes: Sequence[str] = ()) -> list[tuple[GameInfo, str]]:
    """Return what to certify: these games, or "all", in those of these modes (by default all) that each of them has.

    Raises `UserError` for a game that does not exist, or a mode that none of them has, with the nearest one.
    """
    infos = _infos(games)
    for mode in modes:
        if not any(mode in info.modes for info in infos):
            check_mode(infos[0], mode)
    return [(info, mode) for info in infos for mode in modes or info.modes if mode in info.modes]


def certify(info: GameInfo, mode: str, levels: LevelRange, tell: Tell = lambda done: None) -> Certification:
    """Certify levels of one game; `tell` receives the number done so far, a few times a second.

    Exploration mode has one level, whatever the range says.
    """
    start = time.perf_counter()
    if mode == "exploration":
        env = GameEnv(info.name, distribution_mode=mode)
        levels, native_mode = LevelRange(1, env.reset(seed=0)[1]["level_seed"]), "hard"
    else:
        native_mode = mode
    seeds = np.arange(levels.first, levels.first + levels.count)
    steps, solvable, ends = map(np.concatenate, zip(*_chunks(info.name, native_mode, levels, tell), strict=True))
    found = steps[steps >= 0]
    median, high, longest = (
        (float(np.median(found)), float(np.percentile(found, 95)), int(found.max())) if len(found) else [None] * 3
    )
    return Certification(
        info.name,
        mode,
        levels.count,
        unsolvable=tuple(seeds[~solvable].tolist()),
        ends_at_once=tuple(seeds[ends].tolist()),
        median=median,
        percentile_95=high,
        longest=longest,
        seconds=round(time.perf_counter() - start, 2),
    )


def certify_and_report(games: Sequence[str], modes: Sequence[str], levels: LevelRange, json_file: str | None) -> int:
    """Print a line for each game and mode when it is done, write the file, and return the exit status.

    This is `worldmodels certify`. An interruption loses nothing that was printed; the file is written at the end.
    """
    planned = plan(games, modes)
    for mode in modes:
        if without := [info.name for info in _infos(games) if mode not in info.modes]:
            print_text(f"Left out, for they have no mode '{mode}': {', '.join(without)}.")
    print_text(_line(list(COLUMNS)))
    results = []
    for info, mode in planned:
        results.append(certify(info, mode, levels, partial(_show_progress, f"{info.name} {mode}")))
        _show_progress()
        print_text(results[-1].row())
    for result in results:
        print_text("".join(f"{line}\n" for line in result.failures()), end="")
    if json_file:
        write_atomic(
            Path(json_file), json.dumps([result.tree() for result in results], indent=2, allow_nan=False) + "\n"
        )
    return 0 if all(result.passed for result in results) else 1


def _chunks(game: str, mode: str, levels: LevelRange, tell: Tell) -> Iterator[tuple[Any, Any, Any]]:
    told = time.perf_counter()
    for done in range(0, levels.count, CHUNK):
        if time.perf_counter() - told > SECONDS_BETWEEN_LINES:
            tell(done)
            told = time.perf_counter()
        yield _native.certify(game, mode, levels.first + done, min(CHUNK, levels.count - done), levels.threads)


def _line(texts: Sequence[str]) -> str:
    cells = zip(texts, COLUMNS.values(), strict=True)
    return "".join(f"{text:<{-width}}" if width < 0 else f"{text:>{width}}" for text, width in cells)


def _show_progress(what: str = "", done: int = 0) -> None:
    """Write over the line of progress, or take it away, where the output is a terminal."""
    if sys.stderr.isatty():
        line = f"{what}: {done:,} levels" if what else ""
        sys.stderr.write(f"\r\033[K{visible(line)}")
        sys.stderr.flush()
