"""Measures the checkpoints of a run: `python benchmarks/few_steps/measure_curve.py RUN FILE` writes them as JSON.

Each is measured as `measure.py` measures the newest one, on the same levels.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))
from few_steps.measure import measure
from worldmodels.core.files.writing import write_atomic

EVERY = 131_072
"""Steps between two checkpoints: 8 rollouts of 256 steps in 64 environments."""
MEASURED_STEPS = tuple(EVERY * count for count in (1, 2, 4, 6, 8, 12, 16, 20, 24, 28, 32, 38))


def main(run: Path, file: Path) -> None:
    curve = [measure(run, step=step) for step in MEASURED_STEPS]
    last = curve[-1]
    points = [{"step": point["step"], "returns": point["returns"]} for point in curve]
    write_atomic(file, json.dumps({**last, "curve": points}, allow_nan=False) + "\n")


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))
