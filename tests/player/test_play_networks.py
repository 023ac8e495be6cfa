"""The player with real networks, untrained and tiny, from the folder of a run alone."""

from __future__ import annotations

import numpy as np
import pytest
from untrained import write_untrained_run

from worldmodels.player.app import play_runs
from worldmodels.player.session.options import PlayOptions
from worldmodels.recordings.action_recording import read_recording
from worldmodels.recordings.action_replay import verify_recording
from worldmodels.telemetry.video import read_video

RUNS = {
    "rssm": ["dreamer_small", "model.recurrent=8", "model.hidden=8", "model.latents=2", "model.classes=2"],
    "next frame": ["debug_simple"],
    "model-free": ["debug_ppo"],
}
SMALL = ["dreamer_small", "model.picture_every=0", "model.recurrent=8", "model.hidden=8", "model.latents=2"]
NUMBERS = {
    "rssm": [*SMALL, "model.classes=2", "env.game=Pendulum-v1"],
    "model-free": ["debug_ppo", "env.game=CartPole-v1"],
}
"""Preset and changes by the kind of run."""


@pytest.mark.parametrize("kind", RUNS)
def test_the_same_keys_give_the_same_video(kind, tmp_path):
    preset, *changes = RUNS[kind]
    run, keys = write_untrained_run(tmp_path / "run", [preset], ["env.game=maze", *changes]), tmp_path / "keys.txt"
    keys.write_text("0 press right\n2 release right\n4 tap x\n6 tap p\n9 tap r\n")
    for name in ("a.mp4", "b.mp4"):
        play_runs([run], PlayOptions(headless=True, key_script=keys, video=tmp_path / name, zoom=1))
    assert (tmp_path / "a.mp4").read_bytes() == (tmp_path / "b.mp4").read_bytes()
    film = read_video(tmp_path / "a.mp4")
    assert len(film) == 10
    assert np.any(film[-2] != film[-1])


@pytest.mark.parametrize("kind", NUMBERS)
def test_numbers_are_played_beside_their_model_and_the_same_keys_give_the_same_video(kind, tmp_path):
    preset, *changes = NUMBERS[kind]
    run, keys = write_untrained_run(tmp_path / "run", [preset], changes), tmp_path / "keys.txt"
    keys.write_text("0 press right\n2 release right\n3 tap y\n4 tap x p\n8 tap c\n9 tap backspace f2\n10 tap b\n")
    for name in ("a", "b"):
        files = {"pictures": tmp_path / name, "video": tmp_path / f"{name}.mp4", "record": tmp_path / f"{name}.jsonl"}
        play_runs([run], PlayOptions(headless=True, key_script=keys, zoom=5, **files))
    assert (tmp_path / "a.mp4").read_bytes() == (tmp_path / "b.mp4").read_bytes()
    assert (tmp_path / "a.jsonl").read_bytes() == (tmp_path / "b.jsonl").read_bytes()
    verify_recording(read_recording(tmp_path / "a.jsonl"))
    assert (tmp_path / "a" / "play-001.png").is_file()


def test_a_model_of_numbers_is_played_alone(tmp_path):
    preset, *changes = NUMBERS["rssm"]
    run = write_untrained_run(tmp_path / "run", [preset], changes)
    play_runs([run], PlayOptions(headless=True, steps=3, video=tmp_path / "a.mp4", alone="model", start="game"))
    assert len(read_video(tmp_path / "a.mp4")) == 3
