"""Videos and single pictures of what is seen."""

from __future__ import annotations

import numpy as np
import pygame
import pytest
from keys import tap
from serving import make_painter

from worldmodels.core.errors import UserError
from worldmodels.player.app import play_runs
from worldmodels.player.session.options import PlayOptions
from worldmodels.player.view import capture
from worldmodels.player.view.capture import Film, VideoRecorder
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


@pytest.mark.parametrize("how", [{}, {"headless": True, "video": "play.mp4"}], ids=["window", "headless"])
def test_the_last_seconds_and_a_film_from_key_to_key_are_written(how, window, run_folder, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(capture, "RECENT_SECONDS", 1)
    script = tmp_path / "keys.txt"
    script.write_text("3 tap f7\n5 tap f6 shift+f6\n8 tap f7\n9 tap c\n16 tap c\n19 tap f7\n")
    play_runs([run_folder], PlayOptions(key_script=script, rate=6, steps=22, pictures=tmp_path / "pictures", **how))
    films = {path.name: len(read_video(path)) for path in (tmp_path / "pictures").iterdir()}
    # The pictures of ticks 0 to 5; the film from tick 4 to 8; the last film is ended with the session.
    assert films == {"play-001.mp4": 6, "play-001.gif": 6, "play-002.mp4": 5, "play-003.mp4": 2}


def test_a_pause_is_no_part_of_the_last_seconds_and_its_end_is_told(make_session, tmp_path):
    session = make_session()
    film = Film(make_painter(session), 1, tmp_path)
    for tick in range(40):
        changed = session.tick(tap({3: "c", 20: "f6"}.get(tick, "")))
        film.follow(session, changed)
    film.finish(session)
    session.tick()
    assert session.snapshot().notice == f"wrote {tmp_path / 'play-001.mp4'}"
    assert film.written == [tmp_path / "play-001.mp4"]
    assert len(read_video(film.written[0])) == 5  # three steps, the pause, and the key that asks


def test_a_film_that_cannot_be_written_is_told_and_ends_nothing(make_session, tmp_path, monkeypatch):
    def full(*what):
        raise UserError("the disk is full")

    monkeypatch.setattr(capture, "write_video", full)
    session = make_session()
    film = Film(make_painter(session), 1, tmp_path)
    film.follow(session, session.tick(tap("f6")))
    film.finish(session)
    session.tick()
    assert (session.snapshot().notice, film.written) == ("the disk is full", [])
