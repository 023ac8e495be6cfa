"""The player as the command line calls it, without a window: videos, recordings, scripts, runs."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time

import pygame
import pytest
from headless import headless

from worldmodels.cli import main
from worldmodels.config.run_config import RunConfig
from worldmodels.core.errors import RunError, UserError
from worldmodels.core.files.run_dir import RunDir
from worldmodels.envs import make
from worldmodels.player import app
from worldmodels.player.app import play_game, play_runs
from worldmodels.player.session.options import PlayOptions
from worldmodels.recordings.action_recording import (
    ActionRecording,
    RecordedEpisode,
    frame_hash,
    read_recording,
    write_recording,
)
from worldmodels.telemetry.video import read_video


def test_the_same_script_writes_the_same_video(run_folder, keys, tmp_path):
    videos = [tmp_path / "a.mp4", tmp_path / "b.mp4", tmp_path / "c.mp4"]
    for video, seed in zip(videos, (0, 0, 1), strict=True):
        play_runs([run_folder], headless(keys, video, seed=seed))
    first, again, other = (video.read_bytes() for video in videos)
    assert first == again
    assert first != other
    assert len(read_video(videos[0])) == 25  # ticks 0 to 24


class PlainSurface(pygame.Surface):
    """A surface as plain pygame has it: without a display it converts no surface, which pygame-ce does."""

    def convert(self, *arguments):
        if not pygame.display.get_init():
            raise pygame.error("cannot convert without pygame.display initialized")
        return super().convert(*arguments)

    convert_alpha = convert


def plain_make_surface(array, make=pygame.surfarray.make_surface):
    made = make(array)
    plain = PlainSurface(made.get_size(), 0, made)
    plain.blit(made, (0, 0))
    return plain


def test_headless_needs_nothing_that_plain_pygame_refuses_without_a_display(run_folder, keys, tmp_path, monkeypatch):
    with pytest.raises(pygame.error, match="cannot convert without"):
        PlainSurface((2, 2)).convert(pygame.Surface((2, 2)))
    with_ce, with_plain = tmp_path / "ce.mp4", tmp_path / "plain.mp4"
    play_runs([run_folder], headless(keys, with_ce, steps=3))
    monkeypatch.setattr(pygame, "Surface", PlainSurface)
    monkeypatch.setattr(pygame.surfarray, "make_surface", plain_make_surface)
    play_runs([run_folder], headless(keys, with_plain, steps=3))
    assert with_plain.read_bytes() == with_ce.read_bytes()


def test_headless_never_opens_a_display(run_folder, keys, tmp_path, monkeypatch):
    monkeypatch.setattr(pygame.display, "init", lambda: pytest.fail("the display was opened"))
    monkeypatch.setattr(pygame.display, "set_mode", lambda *_: pytest.fail("a window was opened"))
    play_runs([run_folder], headless(keys, tmp_path / "a.gif", steps=3))
    assert (tmp_path / "a.gif").is_file()


def test_a_script_can_quit(tmp_path, capsys):
    script = tmp_path / "keys.txt"
    script.write_text("4 tap escape\n30 tap x\n")
    play_game("maze", headless(script, tmp_path / "a.mp4"))
    assert len(read_video(tmp_path / "a.mp4")) == 5
    assert "No episode was played to its end." in capsys.readouterr().out


def test_a_game_alone_is_shown_as_people_see_it(keys, tmp_path):
    play_game("maze", headless(keys, tmp_path / "a.mp4", steps=1), {"distribution_mode": "hard"})
    height, width = read_video(tmp_path / "a.mp4").shape[1:3]
    assert height > 512
    assert width > 512 + 300


def test_the_agents_view_fills_the_same_place(tmp_path):
    script = tmp_path / "keys.txt"
    script.write_text("1 tap v\n2 tap shift+f1\n4 tap f1\n")
    for view in ("people", "agent"):
        play_game("maze", headless(script, tmp_path / f"{view}.gif", view=view, steps=1))
    people, agent = (read_video(tmp_path / f"{view}.gif") for view in ("people", "agent"))
    assert people.shape == agent.shape
    with pytest.raises(UserError, match="Did you mean 'agent'"):
        PlayOptions(view="agnet")


def test_a_run_without_a_checkpoint_is_played_as_the_game_alone(tmp_path, keys, capsys):
    RunDir.create(tmp_path / "young", RunConfig(), {})
    play_runs([tmp_path / "young"], headless(keys, tmp_path / "a.mp4", steps=1))
    assert "no checkpoint yet" in capsys.readouterr().out
    assert (tmp_path / "a.mp4").is_file()


def test_what_is_unknown_is_named(tmp_path):
    with pytest.raises(UserError, match="Did you mean 'maze'"):
        play_game("mase")
    with pytest.raises(UserError, match="num_levels"):
        play_game("maze", settings={"num_level": 3})
    with pytest.raises(RunError, match="absent"):
        play_runs([tmp_path / "absent"])


def test_what_was_played_is_recorded_verified_and_played_again(run_folder, keys, tmp_path, capsys):
    record = tmp_path / "play.jsonl"
    play_runs([run_folder], headless(keys, tmp_path / "a.mp4", record=record, seed=3))
    played = read_recording(record)
    assert (played.game, played.source, played.checkpoint) == ("coinrun", str(run_folder), 0)
    assert [len(episode.actions) for episode in played.episodes] == [20, 4]
    assert ["put back"] in [event[1:] for event in played.episodes[0].events]
    assert main(["replay", str(record)]) == 0
    assert "2 episodes, 24 steps of coinrun: all agree." in capsys.readouterr().out
    again = tmp_path / "again.jsonl"
    script = tmp_path / "keys.txt"
    script.write_text("20 tap r\n24 tap c\n")
    play_runs([run_folder], headless(script, tmp_path / "b.mp4", record=again, script=record))
    repeated = read_recording(again)
    assert repeated.seed == played.seed
    assert [episode.actions for episode in repeated.episodes] == [episode.actions for episode in played.episodes]
    assert [episode.seen for episode in repeated.episodes] == [episode.seen for episode in played.episodes]


@pytest.fixture
def recording(tmp_path):
    """Of three steps on one level of a run's game, not the first one of the run's own levels."""
    path = tmp_path / "one_level.jsonl"
    options = {"num_levels": 1, "start_level": 123, "distribution_mode": "easy"}
    write_recording(path, ActionRecording("coinrun", options, 0, [RecordedEpisode([7, 8, 7])]))
    return path


def test_a_script_brings_its_own_level_along(run_folder, recording, tmp_path):
    again = tmp_path / "again.jsonl"
    play_runs([run_folder], headless(None, tmp_path / "a.mp4", record=again, script=recording, steps=3))
    repeated = read_recording(again)
    assert (repeated.options, repeated.seed) == (read_recording(recording).options, 0)
    env = make("coinrun", num_levels=1, start_level=123)
    frames = [env.reset(seed=0)[0], *(env.step(action)[0] for action in (7, 8, 7))]
    hashed = ""
    for frame in frames:
        hashed = frame_hash(frame, hashed)
    (episode,) = repeated.episodes
    assert list(episode.actions) == [7, 8, 7] and episode.seen[3] == hashed


def test_a_script_of_another_game_or_of_other_settings_is_refused(run_folder, recording, tmp_path):
    def options():
        return headless(None, tmp_path / "a.mp4", script=recording, steps=3)

    with pytest.raises(UserError, match="is of the game 'coinrun'. Received the game 'maze'"):
        play_game("maze", options())
    with pytest.raises(UserError, match="is played with its own options, distribution_mode 'easy'. Received 'hard'"):
        play_game("coinrun", options(), {"distribution_mode": "hard"})
    play_game("coinrun", options(), {"distribution_mode": "easy"})
    write_recording(recording, ActionRecording("coinrun", {}, 0, [RecordedEpisode([7, 99])]))
    with pytest.raises(UserError, match=r"line 2: actions must be between 0 and 14. Received \(7, 99\)"):
        play_game("coinrun", options())


def test_what_was_done_is_recorded_when_the_session_breaks_off(run_folder, keys, tmp_path, monkeypatch):
    monkeypatch.setattr("worldmodels.player.app.play_headless", _breaks_off)
    with pytest.raises(KeyboardInterrupt):
        play_runs([run_folder], headless(keys, tmp_path / "a.mp4", record=tmp_path / "play.jsonl"))
    assert read_recording(tmp_path / "play.jsonl").steps == 5


def _breaks_off(painter, session, keys, zoom, ticks, folder):
    for _ in range(5):
        session.tick()
    raise KeyboardInterrupt


def test_two_runs_are_played_beside_one_reality(run_folder, keys, tmp_path):
    play_runs([run_folder, run_folder], headless(keys, tmp_path / "a.mp4", steps=4))
    height, width = read_video(tmp_path / "a.mp4").shape[1:3]
    assert width == 2 * 20 + 4 * 16 + 5 * 64 or width == 640


def test_a_recording_with_an_episode_that_was_cut_short_is_played_whole(tmp_path):
    """It is recorded again while it plays, and both recordings are the same."""
    (tmp_path / "keys.txt").write_text("0 press right\n4 tap r\n6 press up\n9 tap r\n")
    first, again = tmp_path / "a.jsonl", tmp_path / "b.jsonl"
    play_game("coinrun", headless(tmp_path / "keys.txt", tmp_path / "a.mp4", record=first, steps=14))
    play_game("coinrun", headless(None, tmp_path / "b.mp4", record=again, script=first, steps=16))
    assert len(read_recording(first).episodes) == 3
    assert read_recording(again).episodes == read_recording(first).episodes


@pytest.mark.parametrize("ending", [signal.SIGTERM, signal.SIGHUP])
@pytest.mark.parametrize("shown", ["headless", "window"])
def test_a_signal_ends_play_and_the_recording_is_written(tmp_path, ending, shown):
    """A process of its own, as it is ended by a machine that shuts down, or by a terminal that is closed."""
    (tmp_path / "keys.txt").write_text("3 tap f2\n")
    words = f"play --game maze --steps 1000000 --key-script {tmp_path}/keys.txt --pictures {tmp_path}/pictures"
    words += f" --record {tmp_path}/play.jsonl --video {tmp_path}/play.mp4"
    words += " --headless" if shown == "headless" else " --rate 60"
    command = [sys.executable, "-m", "worldmodels", *words.split()]
    env = {**os.environ, "SDL_VIDEODRIVER": "dummy"}
    player = subprocess.Popen(command, env=env, stderr=subprocess.PIPE, preexec_fn=heed_signals)
    try:
        wait_for(lambda: list(tmp_path.glob("pictures/*.png")) or player.poll() is not None)
        player.send_signal(ending)
        player.send_signal(ending)  # a shell and the system both tell a process that its terminal is closed
        assert player.wait(30) == 130, player.stderr.read()
    finally:
        player.kill()
    assert read_recording(tmp_path / "play.jsonl").steps >= 3
    assert main(["replay", str(tmp_path / "play.jsonl")]) == 0


def heed_signals():
    """Let a process heed signals that the tests themselves may ignore, under nohup for example."""
    for ending in app.ENDINGS:
        signal.signal(ending, signal.SIG_DFL)


def test_a_signal_that_is_ignored_stays_ignored(monkeypatch, tmp_path):
    """As under nohup, which lets a session outlive its terminal."""
    before = signal.signal(signal.SIGHUP, signal.SIG_IGN)
    try:
        pictures = play_headless_with(lambda: os.kill(os.getpid(), signal.SIGHUP), tmp_path, monkeypatch)
        assert len(pictures) == 5 and signal.getsignal(signal.SIGHUP) is signal.SIG_IGN
    finally:
        signal.signal(signal.SIGHUP, before)


def play_headless_with(act, tmp_path, monkeypatch):
    """Play five ticks without a window, call `act` at each of them, and return the pictures of the video."""
    make_film = app.Film

    class Film(make_film):
        def frame(self, session):
            act()
            return super().frame(session)

    monkeypatch.setattr(app, "Film", Film)
    play_game("maze", PlayOptions(headless=True, steps=5, video=tmp_path / "a.mp4", zoom=1))
    return read_video(tmp_path / "a.mp4")


def wait_for(condition, seconds=60):
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.02)
