"""Equal frames are encoded by processes whose memory holds other garbage: the films are equal byte for byte."""

from __future__ import annotations

import os
import random
import subprocess
import sys
from collections.abc import Iterator

from fault_campaign.outcome import Outcome, scaled

ARRAYS, PROCESSES = 24, 6
PROGRAM = """
import hashlib, sys
import numpy as np
from worldmodels.telemetry.video import encode_gif
from worldmodels.telemetry.video import encode_mp4
garbage = []
for word in sys.argv[2:]:
    height, width, count, seed = map(int, word.split(","))
    random, other = np.random.default_rng(seed), np.random.default_rng([seed, int(sys.argv[1])])
    garbage.append(other.integers(0, 256, int(other.integers(1, 4_000_000)), np.uint8))
    if len(garbage) > 3: del garbage[int(other.integers(3))]
    noise = random.integers(0, 256, (height, width, 3), np.uint8)
    frames = [np.roll(noise, t, axis=1) for t in range(count)]
    films = encode_mp4(frames, 15), encode_gif(np.stack(frames), 15)
    print(*(hashlib.sha256(film).hexdigest() for film in films))
"""


def run(seed: int, scale: float) -> Iterator[Outcome]:
    generator = random.Random(seed)
    ranges = (2, 300), (2, 400), (1, 40), (0, 10**6)  # height, width, frames and seed
    arrays = [",".join(str(generator.randrange(*limits)) for limits in ranges) for _ in range(scaled(ARRAYS, scale))]
    expected, broke = _digests(arrays, 0), []
    for number in range(1, PROCESSES + 1):
        found = _digests(arrays, generator.randrange(1, 256))
        broke += [f"{one} in process {number}" for one, a, b in zip(arrays, expected, found, strict=True) if a != b]
    yield Outcome("films of equal frames with equal bytes (MP4 and GIF)", PROCESSES * len(arrays), broke)


def _digests(arrays: list[str], garbage: int) -> list[str]:
    """Encode the arrays in a process of its own, in which glibc fills memory with a byte before it hands it out."""
    more = {"MALLOC_PERTURB_": str(garbage)} if garbage else {}
    words = [sys.executable, "-c", PROGRAM, str(garbage), *arrays]
    done = subprocess.run(words, capture_output=True, text=True, env=os.environ | more, check=True)
    return done.stdout.splitlines()
