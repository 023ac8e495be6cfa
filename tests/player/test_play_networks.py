"""The player with real networks, untrained and tiny, from the folder of a run alone."""

from __future__ import annotations

import numpy as np
import pytest
from untrained import write_untrained_run

from worldmodels.player.app import play_runs
from worldmodels.player.session.options import PlayOptions
from worldmodels.telemetry.video import read_video

RUNS = {
    "rssm": ["dreamer_small", "model.recurrent=8", "model.hidden=8", "model.latents=2", "model.classes=2"],
    "next frame": ["debug_simple"],
    "model-free": ["debug_ppo"],
}
"""Preset and changes by the kind of run."""


@pytest.mark.parametrize("kind", RUNS)
def test_the_same_keys_give_the_same_video(kind, tmp_path):
    preset, *changes = RUNS[kind]
    run, keys = write_untrained_run(tmp_path / "run", [preset], ["env.game=maze", *changes]), tmp_path / "keys.txt"
    keys.write_text("0 press right\n2 release right\n4 tap x\n6 tap p\n9 tap r\n")
    for name in ("a.mp4", "b.mp4"):
        play_runs([run], PlayOptions(headless=True, keys=keys, video=tmp_path / name, zoom=1))
    assert (tmp_path / "a.mp4").read_bytes() == (tmp_path / "b.mp4").read_bytes()
    film = read_video(tmp_path / "a.mp4")
    assert len(film) == 10
    assert np.any(film[-2] != film[-1])
