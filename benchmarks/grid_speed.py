"""Measures how long a grid of small runs takes: one run at a time, two at once, and two on a Ray cluster.

    python benchmarks/grid_speed.py [--ways one two ray] [--repeats 3] [--steps 400] [--runs 4]

one   `worldmodels grid --jobs 1`: each run has all cores
two   `--jobs 2`: each run has half of the cores
ray   `--engine ray` on two node processes of this machine, each with half of the cores; needs `pip install -e '.[ray]'`

Each measurement is the whole command in a process of its own, on a folder of its own; the cluster is there before. The
ways take turns, and what counts is the median of each and the ratio to the median of `two`. Measurements are added to
results/grid_speed.json as they come.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from statistics import median
from typing import Any

from provenance import made_by, made_line

from worldmodels.core.files.writing import write_atomic
from worldmodels.core.processor import this_processor, usable_cores

RESULTS = Path(__file__).parent / "results" / "grid_speed"
WAYS = ("one", "two", "ray")
NODES = 2


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--ways", nargs="+", choices=WAYS, default=list(WAYS))
    parser.add_argument("--repeats", type=int, default=3, help="measurements of each (default: %(default)s)")
    parser.add_argument("--config", default="debug", help="preset of the runs (default: %(default)s)")
    parser.add_argument("--steps", type=int, default=400, help="environment steps of a run (default: %(default)s)")
    parser.add_argument("--runs", type=int, default=4, help="runs of the grid (default: %(default)s)")
    parser.add_argument("--output", type=Path, default=RESULTS)
    how = parser.parse_args()
    setting = {"config": how.config, "steps": how.steps, "runs": how.runs, "cores": len(usable_cores())}
    json_file = how.output.with_suffix(".json")
    found = json.loads(json_file.read_text()) if json_file.exists() else {}
    seconds = found["seconds"] if found.get("setting") == setting else {}
    with cluster(max(1, len(usable_cores()) // NODES)) if "ray" in how.ways else no_cluster() as address:
        for _ in range(how.repeats):
            for way in how.ways:
                seconds.setdefault(way, []).append(measure(way, setting, address))
                print(f"{way}: {seconds[way][-1]:.1f} s", flush=True)
                found = {"processor": str(this_processor()), "made_by": made_by()}
                tree = {**found, "setting": setting, "seconds": seconds}
                write_atomic(json_file, json.dumps(tree, indent=2) + "\n")
    text = f"{report(setting, seconds)}\n{made_line([tree])}\n"
    write_atomic(how.output.with_suffix(".md"), text)
    print(text)


@contextmanager
def no_cluster() -> Iterator[str]:
    yield ""


@contextmanager
def cluster(cores: int) -> Iterator[str]:
    """Give the address of a Ray cluster of nodes with so many cores, and a head that runs nothing."""
    from ray.cluster_utils import Cluster

    os.environ |= {"PYTHONPATH": str(Path(__file__).parents[1]), "RAY_USAGE_STATS_ENABLED": "0"}
    nodes = Cluster(initialize_head=True, head_node_args={"num_cpus": 0, "include_dashboard": False})
    try:
        for _ in range(NODES):
            nodes.add_node(num_cpus=cores)
        yield nodes.address
    finally:
        nodes.shutdown()


def measure(way: str, setting: dict[str, Any], address: str) -> float:
    """Return the seconds that a grid's whole command takes."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        tree = {
            "config": setting["config"],
            "overrides": {"training.steps": setting["steps"], "schedule.evaluate_every": 0},
            "seeds": setting["runs"],
            "logdir": str(folder / "runs"),
        }
        (folder / "grid.yaml").write_text(json.dumps(tree))
        command = [sys.executable, "-m", "worldmodels", "grid", str(folder / "grid.yaml"), *flags(way, address)]
        start = time.perf_counter()
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        seconds = time.perf_counter() - start
        if done.returncode:
            raise SystemExit(f"{way} failed:\n{done.stdout}{done.stderr}")
    return seconds


def flags(way: str, address: str) -> Sequence[str]:
    cores = max(1, len(usable_cores()) // NODES)
    ray = ["--engine", "ray", "--address", address, "--cores-per-run", str(cores)]
    return {"one": ["--jobs", "1"], "two": ["--jobs", "2"], "ray": ray}[way]


def report(setting: dict[str, Any], seconds: dict[str, list[float]]) -> str:
    """Return a table of the medians, and how the throughput of each way compares to that of `two`."""
    base = median(seconds["two"]) if "two" in seconds else None
    rows = [
        f"| {way} | {median(seconds[way]):.1f} | {min(seconds[way]):.1f} to {max(seconds[way]):.1f} | "
        f"{len(seconds[way])} | {f'{base / median(seconds[way]):.2f}' if base else '–'} |"
        for way in WAYS
        if way in seconds
    ]
    head = (
        "# Speed of a grid\n\n"
        f"{setting['runs']} runs of {setting['steps']} steps of `{setting['config']}`, {setting['cores']} cores.\n"
    )
    columns = "| way | median s | range | measurements | throughput, of two at once |\n|---|---:|---:|---:|---:|"
    return "\n".join([head, columns, *rows, ""])


if __name__ == "__main__":
    main()
