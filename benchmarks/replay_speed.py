"""How long it takes to sample from the replay store, and how much memory that takes, as the store grows.

    python benchmarks/replay_speed.py [--folder FOLDER] [--output benchmarks/results/replay_speed.md]

Batches of 16 windows of 32 frames (64x64 RGB) from 16 streams. The stores are sparse: their rewards, actions and flags
are written, their frames are holes that read as zeros, so that a million steps need no 12 GB of disk and every size
is made in the same way. One store of real frames stands beside them. Each size runs in a process of its own.
"""

from __future__ import annotations

import argparse
import gc
import multiprocessing
import os
import tempfile
import time
from pathlib import Path
from typing import NamedTuple

import numpy as np

from worldmodels.core.types import Step
from worldmodels.replay import Replay, ReplayConfig
from worldmodels.replay.layout import FIRST, RECORD, WRITTEN, Layout

STREAMS, SHAPE = 16, (64, 64, 3)
BATCH, LENGTH, SAMPLES = 16, 32, 200
MEGABYTES = 200
SIZES = (10_000, 100_000, 1_000_000)


class Result(NamedTuple):
    kind: str
    steps: int
    median: float
    ninetieth: float
    in_memory: float
    grown: float


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--folder", help="where to put the stores while measuring (default: a temporary folder)")
    parser.add_argument("--output", type=Path, default=Path(__file__).parent / "results" / "replay_speed.md")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory(dir=arguments.folder) as folder:
        jobs = [("sparse", steps, folder) for steps in SIZES] + [("written", SIZES[0], folder)]
        with multiprocessing.get_context("spawn").Pool(1, maxtasksperchild=1) as pool:
            results = pool.starmap(measure, jobs, chunksize=1)
            append = pool.apply(measure_append, (folder,))
    text = report(results, append)
    arguments.output.parent.mkdir(parents=True, exist_ok=True)
    arguments.output.write_text(text)
    print(text)


def measure(kind: str, steps: int, folder: str) -> Result:
    path = Path(folder) / f"{kind}-{steps}"
    (make_sparse if kind == "sparse" else make_written)(path, steps)
    make_written(path.with_suffix(".small"), LENGTH * STREAMS)
    sample_times(Replay(path.with_suffix(".small"), STREAMS, SHAPE, ReplayConfig(LENGTH * STREAMS, 1)))
    gc.collect()  # by now the interpreter has what it needs, and the allocator one batch
    before = resident_megabytes()
    replay = Replay(path, STREAMS, SHAPE, ReplayConfig(steps, MEGABYTES))
    sample_times(replay)  # the same windows as below: now their pages are in the page cache
    times = sample_times(replay)
    grown = resident_megabytes() - before
    in_memory = len(replay._memory._span) / len(replay.span)
    return Result(kind, len(replay), float(np.median(times)), float(np.quantile(times, 0.9)), in_memory, grown)


def sample_times(replay: Replay) -> list[float]:
    generator, times = np.random.default_rng(0), []
    for _ in range(SAMPLES):
        start = time.perf_counter()
        replay.sample(BATCH, LENGTH, generator)
        times.append(time.perf_counter() - start)
    return times


def measure_append(folder: str) -> float:
    """Steps per second."""
    count = 1_000
    start = time.perf_counter()
    make_written(Path(folder) / "append", count * STREAMS)
    return count * STREAMS / (time.perf_counter() - start)


def make_sparse(path: Path, steps: int) -> None:
    length = steps // STREAMS
    layout = Layout(STREAMS, SHAPE, -(-length // 16))
    layout.write(path)
    for index, start in enumerate(range(0, length, layout.chunk_steps)):
        rows = np.zeros((min(layout.chunk_steps, length - start), STREAMS), RECORD)
        rows["flags"] = WRITTEN
        rows["flags"][::100] |= FIRST
        (path / f"{index:08d}.steps").write_bytes(rows.tobytes())
        frames = path / f"{index:08d}.frames"
        frames.touch()
        os.truncate(frames, STREAMS * layout.chunk_steps * layout.frame_bytes)


def make_written(path: Path, steps: int) -> None:
    replay = Replay(path, STREAMS, SHAPE, ReplayConfig(steps, MEGABYTES))
    generator = np.random.default_rng(0)
    frames = generator.integers(0, 256, (8, STREAMS, *SHAPE), np.uint8)
    none, zeros = np.zeros(STREAMS, bool), np.zeros(STREAMS)
    for t in range(steps // STREAMS):
        replay.append(Step(frames[t % 8], zeros.astype(np.float32), none, none, none, zeros.astype(np.int32)))
    replay.close()


def resident_megabytes() -> float:
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE") / 1e6


def report(results: list[Result], append: float) -> str:
    batch_megabytes = BATCH * LENGTH * np.prod(SHAPE) / 1e6
    lines = [
        "# Speed and memory of the replay store",
        "",
        f"Batches of {BATCH} windows of {LENGTH} frames of 64x64 RGB ({batch_megabytes:.1f} MB) from {STREAMS} "
        f"streams, memory cap {MEGABYTES} MB, page cache warm, one core of a shared 2-core machine.",
        "",
        "`python benchmarks/replay_speed.py`",
        "",
        "| steps stored | frames | of them in memory | ms per batch, median | 90 % | MB/s | memory grew by, MB |",
        "|---:|---|---:|---:|---:|---:|---:|",
    ]
    for result in results:
        lines.append(
            f"| {result.steps:,} | {result.kind} | {result.in_memory:.0%} | {result.median * 1e3:.2f} | "
            f"{result.ninetieth * 1e3:.2f} | {batch_megabytes / result.median:,.0f} | {result.grown:.0f} |"
        )
    lines += [
        "",
        "Memory is what the process gained (resident set) by opening the store and sampling; the cap does not include "
        f"the batches that are handed out ({batch_megabytes:.1f} MB each).",
        "",
        f"Appending, 16 environments a step, through to the page cache: {append:,.0f} steps/s.",
    ]
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    main()
