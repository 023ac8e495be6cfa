"""Draw the example of learning curves in docs/curves.md, from runs that are made up."""

from __future__ import annotations

import json
import tempfile
from pathlib import Path

import numpy as np

from worldmodels.analysis.plots.learning_curves import plot_runs

PICTURE = Path(__file__).parent / "images" / "curves.png"
ENTROPIES = {0.001: 5.5, 0.01: 8.5, 0.1: 3.0}
"""The return that runs end with, by the entropy of their agent."""
SEEDS, RECORDS, STEPS = 5, 200, 1_000


def make_run(folder: Path, seed: int, entropy: float, records: int = RECORDS) -> None:
    """Write a run whose return grows like a sigmoid, with noise, and whose policy becomes more certain."""
    generator = np.random.default_rng([seed, round(entropy * 1000)])
    at = np.arange(1, records + 1) / RECORDS
    last, middle = ENTROPIES[entropy] * generator.normal(1, 0.12), generator.normal(0.45, 0.05)
    returns = last / (1 + np.exp(-10 * (at - middle))) + generator.normal(0, 0.5, records)
    entropies = 2.7 * np.exp(-at * (2 - 8 * entropy) * generator.normal(1, 0.1)) + generator.normal(0, 0.02, records)
    folder.mkdir(parents=True)
    (folder / "config.yaml").write_text(f"seed: {seed}\nagent:\n  kind: ppo\n  entropy: {entropy}\n")
    lines = [
        json.dumps({"step": STEPS * (i + 1), "episode/return": returns[i], "policy/entropy": entropies[i]})
        for i in range(records)
    ]
    (folder / "metrics.jsonl").write_text("".join(line + "\n" for line in lines))


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        for entropy in ENTROPIES:
            for seed in range(SEEDS):
                stopped = entropy == 0.1 and seed > 2
                make_run(
                    Path(folder, f"entropy{entropy}_{seed}"), seed, entropy, RECORDS * 3 // 4 if stopped else RECORDS
                )
        print(plot_runs([folder], ["performance", "policy/entropy"], save=PICTURE))


if __name__ == "__main__":
    main()
