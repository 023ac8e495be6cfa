"""A long session: thousands of random keys, with real networks and every picture drawn."""

from __future__ import annotations

import gc
import os
import random
from pathlib import Path

import pytest
from untrained import write_untrained_run

from worldmodels.player.app import play_runs
from worldmodels.player.session.controls.key_table import DEFAULT_KEYS
from worldmodels.player.session.loop import TickClock
from worldmodels.player.session.options import PlayOptions
from worldmodels.player.session.session import Session
from worldmodels.recordings.action_recording import read_recording
from worldmodels.recordings.action_replay import verify_recording

TICKS, SETTLED = 6000, 3000
"""By half of them the rewinding is full, and all that is ever compiled has been."""
GROWTH = 24
"""Megabytes that may be added after that: allocators are not exact. A frame kept at every tick would be 35."""
KEYS = [key for key in DEFAULT_KEYS.names if key not in ("escape", "f2")]


def megabytes():
    gc.collect()
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / 2**20


def write_random_keys(path, seed):
    generator, held, lines = random.Random(seed), set(), []
    for tick in range(TICKS):
        if generator.random() < 0.3:
            key = generator.choice(KEYS)
            lines.append(f"{tick} {'release' if key in held else 'press'} {key}")
            held ^= {key}
    path.write_text("\n".join(lines))


@pytest.mark.slow
@pytest.mark.parametrize("presets", [["dreamer_small", "debug"], ["debug_simple"]], ids=["rssm", "next frame"])
def test_random_keys_neither_crash_nor_fill_the_memory(presets, tmp_path, monkeypatch):
    run = write_untrained_run(tmp_path / "run", presets, ["env.game=coinrun"])
    write_random_keys(tmp_path / "keys.txt", seed=1)
    ticks, memory, tick = 0, {}, Session.tick

    def counted(session, events=()):
        nonlocal ticks
        if ticks in (SETTLED, TICKS - 1):
            memory[ticks] = megabytes()
        ticks += 1
        return tick(session, events)

    monkeypatch.setattr(Session, "tick", counted)
    monkeypatch.setattr(
        TickClock, "next", lambda *_: 0.0
    )  # the clock waits for nothing, whatever speed the keys choose
    monkeypatch.setenv("SDL_VIDEODRIVER", "dummy")
    record = tmp_path / "play.jsonl"
    play_runs([run], PlayOptions(key_script=tmp_path / "keys.txt", steps=TICKS, rate=240, record=record, zoom=1))
    verify_recording(read_recording(record))
    assert memory[TICKS - 1] - memory[SETTLED] < GROWTH
