"""Gamepads in the window: in a game of choices they press keys, and in a box sticks push numbers."""

from __future__ import annotations

import pygame
import pytest

from worldmodels.player.app import play_game
from worldmodels.player.session.controls.keys import DEFAULT_KEYS
from worldmodels.player.session.events import KeyEvent, StickEvent
from worldmodels.player.session.options import PlayOptions
from worldmodels.player.view import gamepads
from worldmodels.player.view.gamepads import Gamepads
from worldmodels.recordings.action_recording import read_recording

X, Y = pygame.CONTROLLER_AXIS_LEFTX, pygame.CONTROLLER_AXIS_LEFTY


@pytest.fixture
def pads(monkeypatch):
    monkeypatch.setattr(gamepads.controller, "init", lambda: None)
    return lambda of_box: Gamepads(DEFAULT_KEYS, of_box)


def axis(pads, which, value):
    return pads.events(pygame.event.Event(pygame.CONTROLLERAXISMOTION, axis=which, value=round(32767 * value)))


def button(pads, which, pressed=True):
    kind = pygame.CONTROLLERBUTTONDOWN if pressed else pygame.CONTROLLERBUTTONUP
    return pads.events(pygame.event.Event(kind, button=which))


def down(*keys):
    return [KeyEvent(key, True) for key in keys]


def up(*keys):
    return [KeyEvent(key, False) for key in keys]


def test_a_stick_presses_directions_and_lets_them_go_a_little_later(pads):
    pads = pads(of_box=False)
    moves = [(X, 0.4), (X, 0.6), (Y, -0.7), (X, 0.4), (X, 0.3), (Y, 0.8), (Y, 0.0)]
    assert [axis(pads, *move) for move in moves] == [
        *([], down("right"), down("up"), [], up("right"), [KeyEvent("up", False), KeyEvent("down", True)], up("down")),
    ]
    assert axis(pads, pygame.CONTROLLER_AXIS_RIGHTX, 1.0) == []


def test_what_a_stick_held_is_forgotten_with_the_window(pads):
    pads = pads(of_box=False)
    assert axis(pads, X, 1.0) == down("right")
    pads.release_all()
    assert axis(pads, X, 0.9) == down("right")


def test_buttons_press_special_actions_and_commands(pads):
    pads = pads(of_box=False)
    pressed = [
        button(pads, getattr(pygame, f"CONTROLLER_BUTTON_{name}")) for name in ("A", "B", "X", "Y", "START", "BACK")
    ]
    assert pressed == [down(key) for key in ("space", "k", "l", "u", "c", "h")]
    assert button(pads, pygame.CONTROLLER_BUTTON_DPAD_LEFT, False) == up("left")
    assert button(pads, pygame.CONTROLLER_BUTTON_GUIDE) == []


def test_in_a_box_sticks_push_the_first_numbers_and_up_is_up(pads):
    pads = pads(of_box=True)
    assert axis(pads, X, 1.0) == [StickEvent(0, 1.0)]
    assert axis(pads, Y, -1.01) == [StickEvent(1, pytest.approx(1.01, abs=1e-4))]
    assert axis(pads, pygame.CONTROLLER_AXIS_RIGHTY, 1.0) == [StickEvent(3, -1.0)]
    assert axis(pads, pygame.CONTROLLER_AXIS_TRIGGERLEFT, 1.0) == []
    assert button(pads, pygame.CONTROLLER_BUTTON_B) == [] and button(pads, pygame.CONTROLLER_BUTTON_START) == down("c")


def test_a_gamepad_that_is_plugged_in_is_opened(pads, monkeypatch):
    opened = []
    monkeypatch.setattr(gamepads.controller, "Controller", opened.append)
    assert pads(False).events(pygame.event.Event(pygame.CONTROLLERDEVICEADDED, device_index=2)) == []
    assert opened == [2]


def test_a_game_is_begun_and_played_with_a_gamepad(window, tmp_path, monkeypatch):
    start = pygame.event.Event(pygame.CONTROLLERBUTTONDOWN, button=pygame.CONTROLLER_BUTTON_START)
    right = pygame.event.Event(pygame.CONTROLLERAXISMOTION, axis=X, value=32767)
    fire = pygame.event.Event(pygame.CONTROLLERBUTTONDOWN, button=pygame.CONTROLLER_BUTTON_A)
    quit_ = pygame.event.Event(pygame.QUIT)
    waves = [[], [start], [right], [], [fire], [quit_]]
    monkeypatch.setattr(pygame.event, "get", lambda: waves.pop(0) if waves else [quit_])
    play_game("starpilot", PlayOptions(rate=240, record=tmp_path / "a.jsonl"))
    assert {7, 9} <= set(read_recording(tmp_path / "a.jsonl").episodes[0].actions)
