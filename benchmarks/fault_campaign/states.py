"""Saved states of all games are tampered with, their checksums made right, loaded and played on, under sanitizers."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator
from pathlib import Path

from fault_campaign.outcome import Outcome, scaled

STATES = 300_000
SCRIPT = Path(__file__).parents[2] / "scripts" / "sanitize"


def run(seed: int, scale: float) -> Iterator[Outcome]:
    more = {"STATES": str(scaled(STATES, scale)), "SEED": str(seed + 1)}
    done = subprocess.run([SCRIPT, "states"], capture_output=True, text=True, env=os.environ | more, check=False)
    rows = [line.split() for line in done.stdout.splitlines()]
    counts = [[int(number) for number in row[-4:]] for row in rows if len(row) > 4 and row[-4].isdecimal()]
    tried, refused, let_in, _ = (sum(column) for column in zip(*counts, strict=True)) if counts else (0, 0, 0, 0)
    broke = [done.stderr[-2000:]] if done.returncode else []
    yield Outcome(f"tampered states: {refused:,} refused, {let_in:,} drawn and played on", tried or 1, broke)
