"""Videos and single pictures of what is seen."""

from __future__ import annotations

import numpy as np
import pygame
import pytest

from worldmodels.player.app import play_runs
from worldmodels.player.session.options import PlayOptions
from worldmodels.player.view.capture import VideoRecorder
from worldmodels.telemetry.video import read_video


def test_a_video_is_kept_when_the_session_breaks_off(tmp_path):
    with pytest.raises(KeyboardInterrupt), VideoRecorder(tmp_path / "a.gif", rate=10) as recorder:
        for grey in (0, 200):
            recorder.add(np.full((4, 6, 3), grey, np.uint8))
        raise KeyboardInterrupt
    assert read_video(tmp_path / "a.gif")[:, 0, 0, 0].tolist() == [0, 200]


@pytest.mark.parametrize("how", [{}, {"headless": True, "video": "play.mp4"}], ids=["window", "headless"])
def test_pictures_are_saved_of_the_window_and_of_each_frame(how, window, run_folder, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    script = tmp_path / "keys.txt"
    script.write_text("2 tap f2\n4 tap f2\n")
    play_runs([run_folder], PlayOptions(key_script=script, rate=240, steps=6, pictures=tmp_path / "pictures", **how))
    names = sorted(path.name for path in (tmp_path / "pictures").iterdir())
    parts = ("", "-difference", "-model", "-real", "-seen")
    assert names == sorted(f"play-{number:03d}{part}.png" for number in (1, 2) for part in parts)
    assert pygame.image.load(str(tmp_path / "pictures" / "play-001-real.png")).get_size() == (64, 64)
