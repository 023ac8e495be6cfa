"""The player as the command line calls it: without a window, and in one that SDL keeps in memory."""

from __future__ import annotations

import os
import sys
import threading
from types import ModuleType, SimpleNamespace

import numpy as np
import pygame
import pytest

from worldmodels.cli import main
from worldmodels.core.checkpoint import Checkpoints
from worldmodels.core.errors import RunError, UserError
from worldmodels.core.run_dir import RunDir
from worldmodels.envs import EnvConfig, make
from worldmodels.player.app import play_game, play_runs
from worldmodels.player.options import PlayOptions
from worldmodels.runtime.action_recording import (
    ActionRecording,
    RecordedEpisode,
    frame_hash,
    read_recording,
    write_recording,
)
from worldmodels.runtime.config import RunConfig
from worldmodels.telemetry.video import read_video

KEYS = "0 press right\n5 press up\n9 release up\n12 tap x\n15 tap p\n18 tap space\n20 tap r\n24 tap c\n"


@pytest.fixture
def keys(tmp_path):
    path = tmp_path / "keys.txt"
    path.write_text(KEYS)
    return path


@pytest.fixture
def run_folder(tmp_path, monkeypatch, make_session):
    """A run whose parts are the tiny model and policy; loading them needs no TensorFlow."""
    folder = tmp_path / "run"
    run = RunDir.create(folder, RunConfig(), {})
    Checkpoints(run.checkpoints).write(0, {"model": {}, "agent": {}})
    session = make_session()
    model = session._play.models[0].model.model
    parts = SimpleNamespace(model=model, world_model=model, agent=session._play.policy._agent)
    loading = ModuleType("worldmodels.runtime.load")
    loading.load_run = lambda path: SimpleNamespace(parts=parts)
    monkeypatch.setitem(sys.modules, "worldmodels.runtime.load", loading)
    looking = ModuleType("worldmodels.imagination.model_view")
    looking.ModelView = type(session._play.models[0].model)
    monkeypatch.setitem(sys.modules, "worldmodels.imagination.model_view", looking)
    return folder


@pytest.fixture
def window(monkeypatch):
    monkeypatch.setenv("SDL_VIDEODRIVER", "dummy")


def headless(keys, video, **more):
    return PlayOptions(headless=True, keys=keys, video=video, zoom=1, **more)


def test_the_same_script_writes_the_same_video(run_folder, keys, tmp_path):
    videos = [tmp_path / "a.mp4", tmp_path / "b.mp4", tmp_path / "c.mp4"]
    for video, seed in zip(videos, (0, 0, 1), strict=True):
        play_runs([run_folder], headless(keys, video, seed=seed))
    first, again, other = (video.read_bytes() for video in videos)
    assert first == again
    assert first != other
    assert len(read_video(videos[0])) == 25  # ticks 0 to 24


def test_headless_never_opens_a_display(run_folder, keys, tmp_path, monkeypatch):
    monkeypatch.setattr(pygame.display, "init", lambda: pytest.fail("the display was opened"))
    monkeypatch.setattr(pygame.display, "set_mode", lambda *_: pytest.fail("a window was opened"))
    play_runs([run_folder], headless(keys, tmp_path / "a.gif", ticks=3))
    assert (tmp_path / "a.gif").is_file()


def test_a_script_can_quit(tmp_path, capsys):
    script = tmp_path / "keys.txt"
    script.write_text("4 tap escape\n30 tap x\n")
    play_game("maze", headless(script, tmp_path / "a.mp4"))
    assert len(read_video(tmp_path / "a.mp4")) == 5
    assert "No episode was played to its end." in capsys.readouterr().out


def test_a_game_alone_is_shown_as_people_see_it(keys, tmp_path):
    play_game("maze", headless(keys, tmp_path / "a.mp4", ticks=1), {"distribution_mode": "hard"})
    height, width = read_video(tmp_path / "a.mp4").shape[1:3]
    assert height > 512
    assert width > 512 + 300


def test_the_agents_view_fills_the_same_place(tmp_path):
    script = tmp_path / "keys.txt"
    script.write_text("1 tap v\n2 tap shift+f1\n4 tap f1\n")
    for view in ("people", "agent"):
        play_game("maze", headless(script, tmp_path / f"{view}.gif", view=view, ticks=1))
    people, agent = (read_video(tmp_path / f"{view}.gif") for view in ("people", "agent"))
    assert people.shape == agent.shape
    with pytest.raises(UserError, match="Did you mean 'agent'"):
        PlayOptions(view="agnet")


def test_shift_and_f1_are_one_key(window, monkeypatch):
    from worldmodels.player.window import _key_event

    def key(mod):
        return _key_event(pygame.event.Event(pygame.KEYDOWN, key=pygame.K_F1, unicode="", mod=mod)).key

    pygame.display.init()
    try:
        assert (key(0), key(pygame.KMOD_LSHIFT), key(pygame.KMOD_RSHIFT)) == ("f1", "shift+f1", "shift+f1")
    finally:
        pygame.display.quit()


def test_a_run_without_a_checkpoint_is_played_as_the_game_alone(tmp_path, keys, capsys):
    RunDir.create(tmp_path / "young", RunConfig(), {})
    play_runs([tmp_path / "young"], headless(keys, tmp_path / "a.mp4", ticks=1))
    assert "no checkpoint yet" in capsys.readouterr().out
    assert (tmp_path / "a.mp4").is_file()


def test_what_is_unknown_is_named(tmp_path):
    with pytest.raises(UserError, match="Did you mean 'maze'"):
        play_game("mase")
    with pytest.raises(UserError, match="num_levels"):
        play_game("maze", settings={"num_level": 3})
    with pytest.raises(RunError, match="absent"):
        play_runs([tmp_path / "absent"])


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"headless": True}, "--video"),
        ({"headless": True, "video": "x.mp4"}, "--keys"),
        ({"zoom": 0}, "'zoom' must be from 1 to 32. Received 0"),
        ({"rate": 1000}, "'rate' must be from 1 to 240"),
        ({"temperature": -1.0}, "'temperature' must be from 0"),
        ({"video": "x.avi"}, "'x.avi'"),
    ],
)
def test_options_are_checked(given, words):
    with pytest.raises(UserError) as error:
        PlayOptions(**given)
    assert words in str(error.value)


def test_no_display_says_how_to_do_without(monkeypatch):
    monkeypatch.setenv("SDL_VIDEODRIVER", "offscreen")  # what SDL takes where it finds no display
    with pytest.raises(UserError, match="--headless"):
        play_game("maze")


def test_a_window_plays_the_script_and_films_it(window, run_folder, keys, tmp_path):
    play_runs([run_folder], PlayOptions(keys=keys, video=tmp_path / "a.mp4", zoom=1, rate=240, ticks=25))
    play_runs([run_folder], headless(keys, tmp_path / "b.mp4", rate=240, ticks=25))
    assert (tmp_path / "a.mp4").read_bytes() == (tmp_path / "b.mp4").read_bytes()


def test_a_person_presses_keys_resizes_and_leaves(window, run_folder, monkeypatch, capsys):
    waves = [
        [],
        [pygame.event.Event(pygame.KEYDOWN, key=pygame.K_RIGHT, unicode="")],
        [pygame.event.Event(pygame.VIDEORESIZE, size=(300, 200), w=300, h=200)],
        [pygame.event.Event(pygame.KEYDOWN, key=pygame.K_SLASH, unicode="?")],
        [pygame.event.Event(pygame.KEYUP, key=pygame.K_RIGHT)],
        [pygame.event.Event(pygame.WINDOWFOCUSLOST)],
        [pygame.event.Event(pygame.QUIT)],
    ]
    monkeypatch.setattr(pygame.event, "get", lambda: waves.pop(0) if waves else [])
    play_runs([run_folder], PlayOptions(rate=240))
    assert not waves
    assert "No episode" in capsys.readouterr().out


def test_escape_leaves_while_the_model_loads(window, run_folder, monkeypatch, capsys):
    left = threading.Event()
    monkeypatch.setattr(sys.modules["worldmodels.runtime.load"], "load_run", lambda path: left.wait(10))
    waves = [[], [pygame.event.Event(pygame.KEYDOWN, key=pygame.K_ESCAPE, unicode="")]]
    monkeypatch.setattr(pygame.event, "get", lambda: waves.pop(0))
    monkeypatch.setattr(pygame.display, "quit", left.set)  # the window goes before the loading thread ends
    play_runs([run_folder])
    assert not waves
    assert capsys.readouterr().out == ""


def test_an_error_while_loading_reaches_the_caller(window, run_folder, monkeypatch):
    def damaged(path):
        raise RunError("the checkpoint is damaged")

    monkeypatch.setattr(sys.modules["worldmodels.runtime.load"], "load_run", damaged)
    with pytest.raises(RunError, match="damaged"):
        play_runs([run_folder])


def test_pictures_of_any_size_can_be_drawn(make_session):
    from worldmodels.player.draw import Painter, pixels
    from worldmodels.player.help_screen import make_guide

    session = make_session()
    session.tick()
    guide = make_guide("Field", "Walk to the right.", session.controls, with_model=True, players=2)
    painter = Painter(guide, (64, 64), columns=4)
    for size in ((1, 1), (200, 150), painter.size(1), painter.size(3), (1999, 1111)):
        surface = pygame.Surface(size)
        painter.draw(surface, session.snapshot())
        assert pixels(surface).shape == (size[1], size[0], 3)


def test_the_real_pane_shows_the_frame_enlarged(make_session):
    from worldmodels.player.draw import Painter, pixels
    from worldmodels.player.help_screen import make_guide

    session = make_session()
    session.tick()
    guide = make_guide("Field", "Walk.", session.controls, with_model=True, players=2)
    surface = pygame.Surface(Painter(guide, (64, 64), columns=4).size(4))
    Painter(guide, (64, 64), columns=4).draw(surface, session.snapshot())
    picture, frame = pixels(surface), session.snapshot().real.frame.repeat(4, axis=0).repeat(4, axis=1)
    found = np.lib.stride_tricks.sliding_window_view(picture, frame.shape)[:, :, 0]
    corners = (found[:, :, 0, 0] == frame[0, 0]).all(-1) & (found[:, :, -1, -1] == frame[-1, -1]).all(-1)
    rows, columns = np.nonzero(corners)
    assert any((picture[r : r + 256, c : c + 256] == frame).all() for r, c in zip(rows, columns, strict=True))


@pytest.mark.parametrize(("driver", "setting"), [("x11", "0"), ("wayland", None)])
def test_a_window_on_x11_stays_clear_of_opengl(monkeypatch, driver, setting):
    from worldmodels.player import window

    monkeypatch.delenv("SDL_FRAMEBUFFER_ACCELERATION", raising=False)
    monkeypatch.setattr(os, "environ", dict(os.environ))
    window._forbid_opengl(driver)
    assert os.environ.get("SDL_FRAMEBUFFER_ACCELERATION") == setting


def test_a_film_is_kept_when_the_session_breaks_off(tmp_path):
    from worldmodels.player.recorder import Recorder

    with pytest.raises(KeyboardInterrupt), Recorder(tmp_path / "a.gif", rate=10) as recorder:
        for grey in (0, 200):
            recorder.add(np.full((4, 6, 3), grey, np.uint8))
        raise KeyboardInterrupt
    assert read_video(tmp_path / "a.gif")[:, 0, 0, 0].tolist() == [0, 200]


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
    play_runs([run_folder], headless(None, tmp_path / "a.mp4", record=again, script=recording, ticks=3))
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
        return headless(None, tmp_path / "a.mp4", script=recording, ticks=3)

    with pytest.raises(UserError, match="is of the game 'coinrun'. What is played is 'maze'"):
        play_game("maze", options())
    with pytest.raises(UserError, match="made with distribution_mode 'easy', and is played with that. Received 'hard'"):
        play_game("coinrun", options(), {"distribution_mode": "hard"})
    play_game("coinrun", options(), {"distribution_mode": "easy"})
    write_recording(recording, ActionRecording("coinrun", {}, 0, [RecordedEpisode([7, 99])]))
    with pytest.raises(UserError, match="step 2: an action must be from 0 to 14. Received 99"):
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


@pytest.mark.parametrize("how", [{}, {"headless": True, "video": "play.mp4"}], ids=["window", "headless"])
def test_pictures_are_saved_of_the_window_and_of_each_frame(how, window, run_folder, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    script = tmp_path / "keys.txt"
    script.write_text("2 tap f2\n4 tap f2\n")
    play_runs([run_folder], PlayOptions(keys=script, rate=240, ticks=6, pictures=tmp_path / "pictures", **how))
    names = sorted(path.name for path in (tmp_path / "pictures").iterdir())
    parts = ("", "-difference", "-model", "-real", "-seen")
    assert names == sorted(f"play-{number:03d}{part}.png" for number in (1, 2) for part in parts)
    assert pygame.image.load(str(tmp_path / "pictures" / "play-001-real.png")).get_size() == (64, 64)


def test_two_runs_must_know_the_same_game(run_folder, tmp_path):
    other = RunDir.create(tmp_path / "other", RunConfig(env=EnvConfig(game="maze")), {})
    with pytest.raises(UserError, match="'.*other' has no checkpoint yet"):
        play_runs([run_folder, other.path])
    Checkpoints(other.checkpoints).write(0, {"model": {}, "agent": {}})
    with pytest.raises(UserError, match="'.*run' knows 'coinrun', '.*other' knows 'maze'"):
        play_runs([run_folder, other.path])
    with pytest.raises(UserError, match="one run, or two beside each other. Received 3"):
        play_runs([run_folder] * 3)


def test_two_runs_are_played_beside_one_reality(run_folder, keys, tmp_path):
    play_runs([run_folder, run_folder], headless(keys, tmp_path / "a.mp4", ticks=4))
    height, width = read_video(tmp_path / "a.mp4").shape[1:3]
    assert width == 2 * 20 + 4 * 16 + 5 * 64 or width == 640
