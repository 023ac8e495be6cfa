"""Measures the training speed of whole runs of presets on this machine, with its GPU or without.

    python benchmarks/preset_speed.py [--presets dreamer dreamerv3] [--seconds 20] [--cpu]

Each run is `worldmodels train` in CoinRun in a process of its own, in each precision that pays here, and is stopped
after so many seconds of learning. Figures are medians over its records, without the first ones, when graphs are built.
Measurements are added to results/preset_speed.json as they come, in place of older ones of the same hardware.
"""

from __future__ import annotations

import argparse
import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from statistics import median
from typing import Any

from provenance import made_by, made_line
from speed.stopwatch import precisions

from worldmodels.core.files.writing import write_atomic
from worldmodels.core.processor import usable_cores
from worldmodels.models.devices import computing_processor, has_gpu

RESULTS = Path(__file__).parent / "results" / "preset_speed"
PRESETS = {
    "dreamer": ("training.prefill=2_000", "training.pretrain=1", "schedule.log_every=64"),
    "dreamerv3": ("training.prefill=2_048", "schedule.log_every=128"),
    "dreamer_small": ("training.prefill=2_000", "training.pretrain=1", "schedule.log_every=256"),
}
"""Less prefill than a run has, and records every few updates."""
BUILDING = 2
"""Records of learning that come while graphs are built."""
PATIENCE = 300.0
"""Seconds until a run has to learn."""
FIGURES = ("updates", "frames", "env_steps")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--presets", nargs="+", choices=PRESETS, default=list(PRESETS))
    parser.add_argument("--seconds", type=float, default=20, help="of learning of each run (default: %(default)s)")
    parser.add_argument("--cpu", action="store_true", help="without the GPU")
    parser.add_argument("--output", type=Path, default=RESULTS)
    how = parser.parse_args()
    if how.cpu:
        os.environ["CUDA_VISIBLE_DEVICES"] = "-1"
    json_file = how.output.with_suffix(".json")
    found = json.loads(json_file.read_text())["runs"] if json_file.exists() else []
    processor = computing_processor()
    hardware = str(processor) if has_gpu() else f"{len(usable_cores())} cores of {processor}"
    for preset in how.presets:
        for precision in precisions():
            which = {"preset": preset, "precision": precision, "hardware": hardware}
            found = [run for run in found if not which.items() <= run.items()]
            found.append(which | measure(preset, precision, how.seconds) | {"made_by": made_by()})
            print(found[-1], flush=True)
            write_atomic(json_file, json.dumps({"runs": found}, indent=2) + "\n")
    write_atomic(how.output.with_suffix(".md"), report(found))
    print(report(found))


def measure(preset: str, precision: str, seconds: float) -> dict[str, float]:
    """Train for so many seconds and return the figures per second."""
    overrides = [*PRESETS[preset], f"precision={precision}", "env.game=coinrun", "schedule.evaluate_every=0"]
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, "-m", "worldmodels", "train", "--config", preset, *overrides]
        log, metrics = Path(folder, "log"), Path(folder, "run", "metrics.jsonl")
        with log.open("w") as output:
            run = subprocess.Popen([*command, "--logdir", f"{folder}/run"], stdout=output, stderr=subprocess.STDOUT)
        learns, end = False, time.monotonic() + PATIENCE
        while run.poll() is None and time.monotonic() < end:
            time.sleep(0.5)
            if not learns and len(learning(metrics)) >= BUILDING:
                learns, end = True, time.monotonic() + seconds
        run.send_signal(signal.SIGTERM)
        run.wait()
        records = learning(metrics)[BUILDING:]
        if not records:
            raise SystemExit(f"{preset} in {precision} did not learn for long enough:\n{log.read_text()}")
    return {name: median(record[f"time/{name}_per_second"] for record in records) for name in FIGURES}


def learning(metrics: Path) -> list[dict[str, Any]]:
    """Return the records of a run that say of its speed at learning."""
    if not metrics.exists():
        return []
    records = [json.loads(line) for line in metrics.read_text().split("\n")[:-1]]  # the last one may be half written
    return [record for record in records if record.get("time/updates_per_second")]


def report(runs: list[dict[str, Any]]) -> str:
    """Return a table of all that was measured."""
    lines = [
        "# Speed of presets\n",
        "`python benchmarks/preset_speed.py`: CoinRun, 64 x 64 pixels. An update is one update of the model, and",
        "frames are the frames of its batch.",
        "",
        "| preset | hardware | precision | updates/s | frames/s | steps of environments/s |",
        "|---|---|---|---:|---:|---:|",
    ]
    for run in sorted(runs, key=lambda run: (list(PRESETS).index(run["preset"]), run["hardware"], run["precision"])):
        figures = " | ".join(f"{run[name]:,.1f}" if run[name] < 10 else f"{run[name]:,.0f}" for name in FIGURES)
        lines.append(f"| {run['preset']} | {run['hardware']} | {run['precision']} | {figures} |")
    return "\n".join([*lines, "", made_line(runs), ""])


if __name__ == "__main__":
    main()
