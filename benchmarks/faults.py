"""Breaks things on purpose and counts what held: killed runs, damaged files, harmful input.

    python benchmarks/faults.py [--only kills interrupts damage disk watched inputs foreign_files web_requests states
                                        environments threads films]
                                [--seed 0] [--scale 1.0]

kills         training processes are killed, between any two file operations and at any time, and started again
interrupts    training processes get Ctrl-C or SIGTERM, and are started again
damage        files of a run are damaged, removed or replaced by links; then it is checked, and trained on
disk          the disk is full while a run's folder is made and while it is written, then has room again
watched       a run is evaluated, checked and watched while it trains
inputs        recordings, metrics, configurations, headers and key scripts are mutated, and read
foreign_files data sets and YAML are forged, and read; the disk is full while data sets are written
web_requests  the player's page gets hostile requests
states        saved states of all games are mutated, their checksums made right, and played on, under sanitizers
environments  foreign environments misbehave in every way that we know
threads       several threads of Python use one vector environment
films         the same frames are encoded by processes whose memory holds other garbage

What is the same as in an undisturbed run is compared exactly: tensors, records, experience and films. With a scale of 1
all of it takes less than an hour on two cores; another seed breaks other things. Writes results/faults.md and
results/faults.json; pieces that are left out stay as they were.
"""

from __future__ import annotations

import argparse
import json
import os
import time
from collections.abc import Callable, Iterator
from pathlib import Path

from fault_campaign import (
    damage,
    disk,
    environments,
    films,
    foreign_files,
    inputs,
    kills,
    states,
    threads,
    watched,
    web_requests,
)
from fault_campaign.outcome import Outcome
from provenance import made_by, made_line
from speed.stopwatch import machine

from worldmodels.loading.quiet import load_tensorflow

PIECES: dict[str, Callable[[int, float], Iterator[Outcome]]] = {
    "kills": kills.run,
    "interrupts": kills.run_interrupted,
    "damage": damage.run,
    "disk": disk.run,
    "watched": watched.run,
    "inputs": inputs.run,
    "foreign_files": foreign_files.run,
    "web_requests": web_requests.run,
    "states": states.run,
    "environments": environments.run,
    "threads": threads.run,
    "films": films.run,
}
RESULTS = Path(__file__).parent / "results"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", nargs="*", choices=PIECES, default=list(PIECES), metavar="PIECE")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--scale", type=float, default=1.0, help="how much is tried, relative to the usual")
    arguments = parser.parse_args()
    load_tensorflow()  # without its remarks; whatever asks for the machine would load it
    for name in arguments.only:
        start = time.perf_counter()
        outcomes = []
        for outcome in PIECES[name](arguments.seed, arguments.scale):
            outcomes.append(outcome)
            print(f"{name}: {outcome.what}: {outcome.tried:,} tried, {outcome.tried - len(outcome.broke):,} held")
            print("".join(f"    {text}\n" for text in outcome.broke[:20]), end="", flush=True)
        minutes = (time.perf_counter() - start) / 60
        keep(name, {"seed": arguments.seed, "minutes": minutes, "outcomes": [one._asdict() for one in outcomes]})


def keep(name: str, piece: dict) -> None:
    """Write a piece into the results, beside those of other pieces."""
    path = RESULTS / "faults.json"
    found = json.loads(path.read_text()) if path.exists() else {}
    found[name] = {**piece, "machine": machine(), "made_by": made_by()}
    path.write_text(json.dumps(found, indent=1) + "\n")
    (RESULTS / "faults.md").write_text(report({name: found[name] for name in PIECES if name in found}))


def report(pieces: dict[str, dict]) -> str:
    lines = ["# What was broken on purpose, and what held", "", "`python benchmarks/faults.py`", ""]
    lines += ["| | tried | held |", "|---|---:|---:|"]
    broke = []
    for name, piece in pieces.items():
        for outcome in piece["outcomes"]:
            held = outcome["tried"] - len(outcome["broke"])
            lines.append(f"| {name}: {outcome['what']} | {outcome['tried']:,} | {held:,} |")
            broke += [f"- {name}: {outcome['what']}: {text}" for text in outcome["broke"]]
    for name, piece in pieces.items():
        on = f"{piece['machine']['processor']}, {piece['machine']['cores']} cores"
        lines += ["", f"{name}: seed {piece['seed']}, {piece['minutes']:.0f} minutes on {on}."]
    failures = ["", "What did not hold:", "", *broke] if broke else []
    return "\n".join([*lines, *failures, "", made_line(pieces.values())]) + "\n"


if __name__ == "__main__":
    os.environ.setdefault("SDL_VIDEODRIVER", "dummy")
    main()
