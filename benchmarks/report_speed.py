"""Measures a report: the time that it takes, and the size of its page.

    python benchmarks/report_speed.py [--repeats 3]

100 run folders that are made up: 5 variants, 4 games, 5 seeds, each with 200 records of 45 values, a configuration of
full length, and an evaluation in every tenth record. The command is run as one types it, in its own process, and
timed from its start to its end. Writes results/report_speed.md.
"""

from __future__ import annotations

import argparse
import json
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
from provenance import made_now

from worldmodels.core.configuration.sections import to_dict
from worldmodels.core.files.yaml_files import to_yaml
from worldmodels.training.launch import parse_config

VARIANTS, GAMES, SEEDS = (1e-4, 3e-4, 1e-3, 3e-3, 1e-2), ("coinrun", "maze", "fruitbot", "starpilot"), 5
RECORDS, VALUES = 200, 45
OUTPUT = Path(__file__).parent / "results" / "report_speed.md"


def make_run(folder: Path, variant: int, game: str, seed: int) -> None:
    """Write a run whose returns grow, with noise."""
    generator = np.random.default_rng([variant, seed, *game.encode()])
    rate = f"agent.actor_optimizer.learning_rate={VARIANTS[variant]}"
    folder.mkdir(parents=True)
    config = parse_config(["dreamer_small"], [f"env.game={game}", rate, f"seed={seed}"], folder)
    (folder / "config.yaml").write_text(to_yaml(to_dict(config)))
    at = np.arange(1, RECORDS + 1) / RECORDS
    returns = (5 + variant) * at + generator.normal(0, 0.5, RECORDS) + generator.normal(0, 1)
    noise = generator.normal(size=(RECORDS, VALUES))
    with open(folder / "metrics.jsonl", "w") as file:
        for i in range(RECORDS):
            record = {"step": 5_000 * (i + 1), "episode/return": returns[i]}
            record |= {f"model/value_{j}": noise[i, j] for j in range(VALUES)}
            if i % 10 == 9:
                record |= {"eval/return": returns[i], "eval/test_return": returns[i] - 1}
                record |= {
                    f"eval/{name}_at_{h}": 0.05 - 0.03 * at[i]
                    for name in ("image_error", "copy_image_error")
                    for h in (1, 12, 50)
                }
            file.write(json.dumps(record) + "\n")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--repeats", type=int, default=3)
    repeats = parser.parse_args().repeats
    with tempfile.TemporaryDirectory() as top:
        for variant in range(len(VARIANTS)):
            for game in GAMES:
                for seed in range(SEEDS):
                    make_run(Path(top, "grid", f"lr_{VARIANTS[variant]}_{game}", f"seed_{seed}"), variant, game, seed)
        page, seconds = Path(top, "report.html"), []
        for _ in range(repeats):
            start = time.perf_counter()
            command = [sys.executable, "-m", "worldmodels", "report", f"{top}/grid", "--save", str(page)]
            subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
            seconds.append(time.perf_counter() - start)
        size = page.stat().st_size
    took = f"{statistics.median(seconds):.1f} s ({min(seconds):.1f} to {max(seconds):.1f}, {repeats} times)"
    text = (
        "# Speed and size of a report\n\n`python benchmarks/report_speed.py` on one core, shared with other work.\n\n"
        "| runs | records of each | time | size of the page |\n|---:|---:|---:|---:|\n"
        f"| {len(VARIANTS) * len(GAMES) * SEEDS} | {RECORDS} | {took} | {size / 1e6:.2f} MB |\n\n{made_now()}\n"
    )
    OUTPUT.write_text(text)
    print(text)


if __name__ == "__main__":
    main()
