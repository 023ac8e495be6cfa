"""The window, which SDL keeps in memory here: keys, closing, loading."""

from __future__ import annotations

import os
import sys
import threading
from types import SimpleNamespace

import pygame
import pytest
from headless import headless

from worldmodels.core.errors import RunError, UserError
from worldmodels.player.app import play_game, play_runs
from worldmodels.player.session import loop
from worldmodels.player.session.options import PlayOptions
from worldmodels.player.session.worlds.model_world import ModelWorld
from worldmodels.player.view import capture, resizable_window
from worldmodels.player.view import window as window_module
from worldmodels.player.view.painter import Painter
from worldmodels.player.view.window import key_event


def test_shift_and_f1_are_one_key(window, monkeypatch):
    def key(mod):
        return key_event(pygame.event.Event(pygame.KEYDOWN, key=pygame.K_F1, unicode="", mod=mod)).key

    pygame.display.init()
    try:
        assert (key(0), key(pygame.KMOD_LSHIFT), key(pygame.KMOD_RSHIFT)) == ("f1", "shift+f1", "shift+f1")
    finally:
        pygame.display.quit()


def test_function_keys_with_shift_and_return_with_alt_are_keys_of_their_own(window):
    pygame.display.init()
    try:
        assert key_event(key(pygame.K_F5, mod=pygame.KMOD_LSHIFT)).key == "shift+f5"
        assert key_event(key(pygame.K_RETURN, mod=pygame.KMOD_RALT)).key == "alt+return"
        assert key_event(key(pygame.K_RETURN)).key == "return"
    finally:
        pygame.display.quit()


def test_no_display_says_how_to_do_without(monkeypatch):
    monkeypatch.setenv("SDL_VIDEODRIVER", "offscreen")  # what SDL takes where it finds no display
    with pytest.raises(UserError, match="--web, or without a person: --headless"):
        play_game("maze")


def test_a_window_plays_the_script_and_records_a_video(window, run_folder, keys, tmp_path):
    play_runs([run_folder], PlayOptions(key_script=keys, video=tmp_path / "a.mp4", zoom=1, rate=240, steps=25))
    play_runs([run_folder], headless(keys, tmp_path / "b.mp4", rate=240, steps=25))
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


def key(code, **more):
    return pygame.event.Event(pygame.KEYDOWN, key=code, **{"unicode": "", **more})


def test_return_pressed_while_the_model_loads_begins_to_play(window, run_folder, monkeypatch, capsys):
    load = sys.modules["worldmodels.loading.load"].load_run
    pressed = threading.Event()

    def load_slowly(path, step=None):
        pressed.wait(60)
        return load(path)

    monkeypatch.setattr(sys.modules["worldmodels.loading.load"], "load_run", load_slowly)
    waves = [[], [key(pygame.K_RETURN)]]

    def get():
        if waves:
            return waves.pop(0)
        pressed.set()
        return []

    monkeypatch.setattr(pygame.event, "get", get)
    play_runs([run_folder], PlayOptions(rate=240, steps=5))  # a length: nothing is played before the model is there
    assert "No episode" in capsys.readouterr().out


def test_the_real_game_answers_keys_while_the_model_loads_and_the_model_joins_it(window, run_folder, monkeypatch):
    load, go_on, seen = sys.modules["worldmodels.loading.load"].load_run, threading.Event(), []

    def load_slowly(path, step=None):
        go_on.wait(60)
        return load(path)

    monkeypatch.setattr(sys.modules["worldmodels.loading.load"], "load_run", load_slowly)
    pressed = [key(pygame.K_RIGHT)]

    def get():
        if seen and seen[-1][0] >= 3:
            go_on.set()
        if seen and seen[-1][1]:
            return [pygame.event.Event(pygame.QUIT)]
        return [pressed.pop()] if pressed and seen else []

    draw = Painter.draw

    def watched(painter, surface, snapshot, *texts):
        seen.append((snapshot.step, len(snapshot.models), texts[-1]))
        draw(painter, surface, snapshot, *texts)

    monkeypatch.setattr(Painter, "draw", watched)
    monkeypatch.setattr(pygame.event, "get", get)
    play_runs([run_folder], PlayOptions(rate=240))
    assert seen[0] == (0, 0, "press a key to begin · H shows the rules and all keys")
    assert seen[-1][0] >= 3 and seen[-1][1] == 1


def test_keys_of_the_window_change_its_size_and_reach_no_game(window, run_folder, monkeypatch, capsys):
    monkeypatch.setattr(pygame.display, "get_desktop_sizes", lambda: [(1500, 900)])
    sizes = []
    keys = [key(pygame.K_RIGHT), key(pygame.K_F11), key(pygame.K_RETURN, mod=pygame.KMOD_LALT), key(pygame.K_F10)]
    waves = [[one] for one in keys]

    def get():
        sizes.append(pygame.display.get_surface().get_size())
        return waves.pop(0) if waves else [pygame.event.Event(pygame.QUIT)]

    monkeypatch.setattr(pygame.event, "get", get)
    play_runs([run_folder], PlayOptions(rate=240, zoom=2))
    changes = [size for before, size in zip(sizes, sizes[1:], strict=False) if size != before]
    assert changes[0] == (1500, 900) and changes[1] == sizes[0] and changes[2] > sizes[0]


@pytest.mark.parametrize(("policy", "told"), [(True, ""), (False, "No episode was played to its end.\n")])
def test_escape_leaves_while_the_model_loads_and_waits_for_nothing(
    window, run_folder, monkeypatch, capsys, policy, told
):
    go_on = threading.Event()
    monkeypatch.setattr(sys.modules["worldmodels.loading.load"], "load_run", lambda path, step=None: go_on.wait(60))
    waves = [[], [key(pygame.K_ESCAPE)]]
    monkeypatch.setattr(pygame.event, "get", lambda: waves.pop(0) if waves else [])
    try:
        play_runs([run_folder], PlayOptions(policy=policy))  # before the policy is there, only rules are shown
        assert not waves
        assert not pygame.display.get_init()
        assert capsys.readouterr().out == told
    finally:
        go_on.set()


def test_the_window_closes_while_many_samples_are_compiled_and_waits_for_nothing(
    window, run_folder, tmp_path, monkeypatch
):
    started, go_on, quit_ = threading.Event(), threading.Event(), pygame.event.Event(pygame.QUIT)

    def compile_slowly(world):
        started.set()
        go_on.wait(60)

    monkeypatch.setattr(ModelWorld, "warm_up_samples", compile_slowly)
    monkeypatch.setattr(pygame.event, "get", lambda: [quit_] if started.is_set() else [])
    script = tmp_path / "keys.txt"
    script.write_text("1 tap b\n")
    try:
        play_runs([run_folder], PlayOptions(rate=240, key_script=script, steps=500))
        assert started.is_set()
    finally:
        go_on.set()


def test_escape_does_not_wait_for_a_slow_clock(window, run_folder, monkeypatch):
    now = 0.0

    def sleep(seconds):
        nonlocal now
        now += seconds

    for module in (loop, window_module):
        monkeypatch.setattr(module, "time", SimpleNamespace(perf_counter=lambda: now, sleep=sleep))
    monkeypatch.setattr(pygame.event, "get", lambda: [key(pygame.K_ESCAPE)] if now > 2.5 else [])
    play_runs([run_folder], PlayOptions(rate=1, policy=True))
    assert 2.5 < now < 2.52


def test_the_video_is_written_after_the_window_has_closed(window, run_folder, keys, tmp_path, monkeypatch):
    order, quit_, write = [], pygame.display.quit, capture.write_video
    monkeypatch.setattr(pygame.display, "quit", lambda: (order.append("closed"), quit_()))
    monkeypatch.setattr(capture, "write_video", lambda *what, **how: (order.append("written"), write(*what, **how)))
    play_runs([run_folder], PlayOptions(key_script=keys, video=tmp_path / "a.mp4", zoom=1, rate=240, steps=2))
    assert order == ["closed", "written"]


def test_an_error_while_loading_reaches_the_caller(window, run_folder, monkeypatch):
    def damaged(path, step=None):
        raise RunError("the checkpoint is damaged")

    monkeypatch.setattr(sys.modules["worldmodels.loading.load"], "load_run", damaged)
    with pytest.raises(RunError, match="damaged"):
        play_runs([run_folder])


@pytest.mark.parametrize(("driver", "setting"), [("x11", "0"), ("wayland", None)])
def test_a_window_on_x11_stays_clear_of_opengl(monkeypatch, driver, setting):
    monkeypatch.delenv("SDL_FRAMEBUFFER_ACCELERATION", raising=False)
    monkeypatch.setattr(os, "environ", dict(os.environ))
    resizable_window.forbid_opengl(driver)
    assert os.environ.get("SDL_FRAMEBUFFER_ACCELERATION") == setting
