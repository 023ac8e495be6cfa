"""Measures the replay store: the size of its frames, and the speed of appending and sampling.

    python benchmarks/replay_speed.py [--games coinrun maze] [--sizes 10000 1000000] [--folder FOLDER]

Experience of 16 environments with default options (64x64 RGB, sprites, backgrounds): of uniformly random actions, and
of random ones that are repeated 16 times. Batches of 16 windows of 32 steps are read from disk (page cache warm),
without the ring of newest frames, and for comparison from frames that were written as they are. Times are processor
time of the one thread, medians over repeats in turn; appending is timed through to the page cache. Then the same store
at growing sizes, filled with CoinRun. Writes results/replay_speed.md.
"""

from __future__ import annotations

import argparse
import os
import platform
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from provenance import made_now

from worldmodels.core.specs import ActionSpec, ObservationSpec
from worldmodels.core.types import Step
from worldmodels.envs import GAMES, make_vec
from worldmodels.replay import Replay, ReplayConfig, ReplayReader

STREAMS, SHAPE = 16, (64, 64, 3)
STEPS = 1_024
"""So many steps of each stream are played, and stored for the table of games."""
BATCH, LENGTH, REPEATS = 16, 32, 200
SIZES = (10_000, 100_000, 1_000_000)
OUTPUT = Path(__file__).parent / "results" / "replay_speed.md"

Frames = npt.NDArray[np.uint8]


class Result(NamedTuple):
    random: float
    """Random play became so many times smaller, records included."""
    repeated: float
    append: float
    """Appending does so many steps per second."""
    sample: float
    """A batch from disk takes so many milliseconds; `raw` says the same of raw frames."""
    raw: float


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--games", nargs="*", default=list(GAMES))
    parser.add_argument("--sizes", nargs="*", type=int, default=SIZES)
    parser.add_argument("--folder", help="where to put the stores while measuring (default: a temporary folder)")
    arguments = parser.parse_args()
    lines = head()
    for game in arguments.games:
        with tempfile.TemporaryDirectory(dir=arguments.folder) as folder:
            result = measure_game(game, Path(folder))
        lines.append(
            f"| {game} | {result.random:.1f} | {result.repeated:.1f} | {result.append:,.0f} | {result.sample:.1f} | "
            f"{result.raw:.1f} |"
        )
        print(lines[-1], flush=True)
    lines += ["", "| steps stored | MB on disk | ms per batch from disk |", "|---:|---:|---:|"]
    frames = play("coinrun", repeat=1)
    for steps in arguments.sizes:
        with tempfile.TemporaryDirectory(dir=arguments.folder) as folder:
            lines.append(measure_size(frames, steps, Path(folder)))
        print(lines[-1], flush=True)
    OUTPUT.write_text("\n".join([*lines, "", made_now()]) + "\n")


def play(game: str, repeat: int) -> Frames:
    """Return the frames (T, N, H, W, C) of random actions, each of which is taken `repeat` times."""
    env, random = make_vec(game, seed=0, num_envs=STREAMS), np.random.default_rng(0)
    frames = np.empty((STEPS, STREAMS, *SHAPE), np.uint8)
    frames[0] = env.reset()[0]
    for t in range(1, STEPS):
        if (t - 1) % repeat == 0:
            actions = random.integers(0, 15, STREAMS)
        frames[t] = env.step(actions)[0]
    return frames


def measure_game(game: str, folder: Path) -> Result:
    frames = play(game, repeat=1)
    append = store(folder / "random", frames, STEPS)
    store(folder / "repeated", play(game, repeat=16), STEPS)
    reader, raw = ReplayReader(folder / "random"), raw_sampler(folder / "raw", frames)
    sample, raw_sample = medians([lambda random: reader.sample(BATCH, LENGTH, random), raw])
    small = [frames.nbytes / disk_bytes(folder / name) for name in ("random", "repeated")]
    return Result(small[0], small[1], append, sample, raw_sample)


def measure_size(frames: Frames, steps: int, folder: Path) -> str:
    store(folder / "store", frames, steps // STREAMS)
    reader = ReplayReader(folder / "store")
    (sample,) = medians([lambda random: reader.sample(BATCH, LENGTH, random)])
    return f"| {len(reader):,} | {disk_bytes(folder / 'store') / 1e6:,.0f} | {sample:.1f} |"


def store(path: Path, frames: Frames, count: int) -> float:
    """Append `count` steps of all streams, the frames over and over; return the steps per second."""
    replay = Replay(path, STREAMS, ObservationSpec.of(*SHAPE), ActionSpec(15), ReplayConfig(count * STREAMS, 100))
    none, zeros, actions = np.zeros(STREAMS, bool), np.zeros(STREAMS, np.float32), np.zeros(STREAMS, np.int32)
    start = time.thread_time()
    for t in range(count):
        replay.append(Step(frames[t % len(frames)], zeros, none, none, none, actions))
    seconds = time.thread_time() - start
    replay.close()
    return count * STREAMS / seconds


def raw_sampler(path: Path, frames: Frames) -> Callable[[np.random.Generator], Frames]:
    """Write frames as they are, stream after stream, and return what reads a batch of windows of them."""
    path.write_bytes(np.ascontiguousarray(frames.swapaxes(0, 1)).tobytes())
    descriptor, frame_bytes = os.open(path, os.O_RDONLY), frames[0, 0].nbytes

    def sample(random: np.random.Generator) -> Frames:
        batch = np.empty((BATCH, LENGTH, *SHAPE), np.uint8)
        for row, pick in zip(batch, random.integers(STREAMS * (STEPS - LENGTH), size=BATCH), strict=True):
            stream, first = divmod(int(pick), STEPS - LENGTH)
            os.preadv(descriptor, [row.data], (stream * STEPS + first) * frame_bytes)
        return batch

    return sample


def medians(samplers: list[Callable[[np.random.Generator], object]]) -> list[float]:
    """Return the milliseconds that each takes for a batch, measured in turn."""
    random, times = np.random.default_rng(0), np.empty((REPEATS, len(samplers)))
    for repeat in range(-5, REPEATS):  # the first ones warm up
        for index, sampler in enumerate(samplers):
            start = time.thread_time()
            sampler(random)
            times[repeat, index] = time.thread_time() - start
    return (np.median(times, axis=0) * 1e3).tolist()


def disk_bytes(folder: Path) -> int:
    return sum(path.stat().st_size for path in folder.iterdir())


def processor() -> str:
    named = [line for line in Path("/proc/cpuinfo").read_text().splitlines() if line.startswith("model name")]
    return named[0].partition(":")[2].strip() if named else platform.processor()


def head() -> list[str]:
    return [
        "# Size and speed of the replay store",
        "",
        f"`python benchmarks/replay_speed.py` on one core of: {processor()}, {os.cpu_count()} cores, shared with other "
        "work.",
        "",
        f"{STREAMS} environments with default options, {STEPS * STREAMS:,} steps of 64x64 RGB; batches of {BATCH} "
        f"windows of {LENGTH} steps; processor time.",
        "",
        "| game | times smaller, random actions | each repeated 16 times | append, steps/s | ms per batch from disk | "
        "raw frames, ms |",
        "|---|---:|---:|---:|---:|---:|",
    ]


if __name__ == "__main__":
    main()
