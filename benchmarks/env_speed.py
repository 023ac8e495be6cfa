"""Measures the speed of the native games in turn with Procgen's, and their memory.

    python benchmarks/env_speed.py --peer-python /path/to/venv/bin/python [--repeats 5] [--seconds 1.0]

The peer's environment needs `pip install procgen2 'numpy<2'` (Python 3.11); without `--peer-python` ours are measured
alone. One thread, 64 environments, random actions, observations written, resets included. Medians over the repeats;
the ratio is the median over the repeats of ours / theirs, which were measured one right after the other, each while the
other process waited. Writes results/env_speed.json, .md and .png.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import time
from pathlib import Path
from statistics import geometric_mean, median
from typing import Any

import numpy as np
from games.chart import RESULTS, draw
from games.footprint import footprint
from provenance import made_by, made_now

from worldmodels.analysis.runs.reference_scores import normalised_return
from worldmodels.core.processor import this_processor
from worldmodels.envs import GAMES, make_vec
from worldmodels.envs.games.table import GAME_INFO

NUM_ENVS = 64
PEER_GAMES = tuple(game for game in GAMES if normalised_return(game, "easy", 0) is not None)  # all that were published
# Modes that the peer offers too; exploration is hard mode on another level.
PEER_MODES = ("easy", "hard", "extreme", "memory")
WARM_UP_CALLS = 300  # long enough to have met every background, which are painted on first use


class Peer:
    """The other process: one line in, one line out."""

    def __init__(self, python: str) -> None:
        script = str(Path(__file__).with_name("games") / "procgen_peer.py")
        self._process = subprocess.Popen([python, script], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def speed(self, game: str, mode: str, seconds: float) -> float:
        """Steps per second."""
        assert self._process.stdin and self._process.stdout  # noqa: S101
        order = {"game": game, "mode": mode, "num_envs": NUM_ENVS, "seconds": seconds}
        print(json.dumps(order), file=self._process.stdin, flush=True)
        return float(json.loads(self._process.stdout.readline())["steps_per_second"])


def own_speed(game: str, mode: str, seconds: float, num_threads: int = 1) -> float:
    """Steps per second."""
    env = make_vec(game, seed=0, num_envs=NUM_ENVS, num_threads=num_threads, distribution_mode=mode)
    env.reset()
    actions = np.random.default_rng(0).integers(0, 15, (512, NUM_ENVS)).astype(np.int32)
    for call in range(WARM_UP_CALLS):
        env.step(actions[call])
    calls, start = 0, time.perf_counter()
    while time.perf_counter() - start < seconds:
        env.step(actions[calls % len(actions)])
        calls += 1
    return calls * NUM_ENVS / (time.perf_counter() - start)


def measure(game: str, mode: str, peer: Peer | None, repeats: int, seconds: float) -> dict[str, Any]:
    """One row of the table."""
    own, two, other = [], [], []
    for _ in range(repeats):
        own.append(own_speed(game, mode, seconds))
        if peer and mode in PEER_MODES and game in PEER_GAMES:
            other.append(peer.speed(game, mode, seconds))
        two.append(own_speed(game, mode, seconds, num_threads=2))
    ratios = [mine / theirs for mine, theirs in zip(own, other, strict=False)]
    return {
        "game": game,
        "mode": mode,
        "steps_per_second": round(median(own)),
        "two_threads": round(median(t / o for t, o in zip(two, own, strict=True)), 2),
        "procgen": round(median(other)) if other else None,
        "ratio": round(median(ratios), 1) if ratios else None,
        **footprint(game, mode),
    }


def table(rows: list[dict[str, Any]]) -> str:
    """Markdown."""
    lines = [
        "| game | mode | steps/s | Procgen | ratio | two threads | memory | construction of 64 | state | saved in |",
        "|---|---|---|---|---|---|---|---|---|---|",
    ]
    for row in rows:
        peer = f"{row['procgen']:,} | {row['ratio']}x" if row["procgen"] else "- | -"
        lines.append(
            f"| {row['game']} | {row['mode']} | {row['steps_per_second']:,} | {peer} | {row['two_threads']}x "
            f"| {row['kilobytes']:.0f} kB | {row['construction_ms']} ms "
            f"| {row['state_bytes']:,} B | {row['state_us']} us |"
        )
    ratios = [row["ratio"] for row in rows if row["ratio"]]
    if ratios:
        lines += ["", f"Ratio to Procgen: {min(ratios):.1f} at least, {geometric_mean(ratios):.1f} geometric mean."]
    return "\n".join(lines)


def main() -> None:
    """Measures, prints and writes."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--peer-python", help="the Python of an environment with procgen2")
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--seconds", type=float, default=1.0)
    parser.add_argument("--games", nargs="*", default=list(GAMES))
    arguments = parser.parse_args()
    peer = Peer(arguments.peer_python) if arguments.peer_python else None
    rows = []
    for game in arguments.games:
        for mode in GAME_INFO[game].modes:
            rows.append(measure(game, mode, peer, arguments.repeats, arguments.seconds))
            print(table(rows[-1:]).splitlines()[2], flush=True)
    text = table(rows)
    print(text)
    machine = {"processor": str(this_processor()), "cores": os.cpu_count(), "load": os.getloadavg()[0]}
    RESULTS.mkdir(exist_ok=True)
    (RESULTS / "env_speed.json").write_text(
        json.dumps({"machine": machine, "made_by": made_by(), "rows": rows}, indent=2) + "\n"
    )
    heading = (
        "# Speed of the native games\n\nSteps per second, 64 environments, one thread, random actions, "
        "observations written, resets included.\n"
        f"`python benchmarks/env_speed.py --repeats {arguments.repeats} --seconds {arguments.seconds}`, "
        f"{machine['cores']} cores of {machine['processor']}, load {machine['load']:.1f} at the end. Memory is that of "
        "one environment more, the caller's arrays included.\n\n![Steps per second beside Procgen's](env_speed.png)\n\n"
    )
    (RESULTS / "env_speed.md").write_text(f"{heading}{text}\n\n{made_now()}\n")
    draw(rows, RESULTS / "env_speed.png")


if __name__ == "__main__":
    main()
