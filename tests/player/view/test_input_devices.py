"""Gamepads press keys in a game of choices and push numbers in a box, whose bars the mouse drags."""

from __future__ import annotations

from types import SimpleNamespace

import pygame
import pytest
from cart_world import BOX
from keys import run
from recorded import with_episodes
from serving import make_painter

from worldmodels.player.app import play_game
from worldmodels.player.session.controls.box_controls import BoxControls
from worldmodels.player.session.controls.key_table import DEFAULT_KEYS
from worldmodels.player.session.events import AxisEvent, DrawEvent, KeyEvent, SeekEvent, StickEvent
from worldmodels.player.session.options import PlayOptions
from worldmodels.player.view import input_devices
from worldmodels.player.view.canvas import Canvas
from worldmodels.player.view.input_devices import BoxInput, DrawInput, EpisodesInput, Gamepads
from worldmodels.player.view.painter import Painter
from worldmodels.player.view.panels.box_panel import draw_box_panel, number_at, value_at
from worldmodels.player.view.panels.help_screen import Guide
from worldmodels.recordings.action_recording import read_recording

X, Y = pygame.CONTROLLER_AXIS_LEFTX, pygame.CONTROLLER_AXIS_LEFTY


@pytest.fixture
def pads(monkeypatch):
    monkeypatch.setattr(input_devices.controller, "init", lambda: None)
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
    monkeypatch.setattr(input_devices.controller, "Controller", opened.append)
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


AREA = pygame.Rect(100, 200, 330, 132)
PANEL = BoxControls(BOX, ("push", "brake")).panel(None, None)


def found(panel):
    """The numbers whose bars are somewhere in the panel."""
    points = [(x, y) for x in range(100, 430, 3) for y in range(200, 332, 3)]
    return {number_at(AREA, panel, point) for point in points} - {None}


@pytest.mark.parametrize("numbers", [1, 2, 8, 9, 21])
def test_every_bar_can_be_reached_and_is_drawn(numbers):
    spec = type(BOX)(low=(-1.0,) * numbers, high=(1.0,) * numbers)
    panel = BoxControls(spec, ["n"] * numbers).panel(None, (0.5,) * numbers)
    assert found(panel) == set(range(numbers))
    draw_box_panel(Canvas(pygame.Surface((600, 400))), AREA, panel)


def test_the_ends_of_a_bar_are_the_ends_of_its_number():
    assert value_at(AREA, PANEL, 0, 0) == -1.0 and value_at(AREA, PANEL, 0, 600) == 1.0
    assert -0.1 < value_at(AREA, PANEL, 0, 260) < 0.1


@pytest.fixture
def dragging():
    painter = Painter(Guide("Cart", "", (), (), (), ""), (64, 64), columns=4)
    surface = pygame.Surface(painter.size(5))
    snapshot = SimpleNamespace(box_panel=PANEL, policy_panel=None, latents=None)
    place = painter.panel_place(surface, snapshot)
    return BoxInput(painter, SimpleNamespace(snapshot=lambda: snapshot)), surface, place


def mouse(kind, place, **more):
    return pygame.event.Event(kind, pos=place, button=1, buttons=(1, 0, 0), **more)


def test_a_bar_is_dragged_until_the_button_is_let_go(dragging):
    player, surface, place = dragging
    middle = (place.centerx, place.top + 40)
    (event,) = player.events(surface, mouse(pygame.MOUSEBUTTONDOWN, middle))
    assert event.number == 0 and abs(event.value) < 0.2
    assert player.events(surface, mouse(pygame.MOUSEMOTION, (surface.get_width(), 0))) == [AxisEvent(0, 1.0)]
    assert player.events(surface, mouse(pygame.MOUSEBUTTONUP, (0, 0))) == [AxisEvent(0, None)]
    assert player.events(surface, mouse(pygame.MOUSEMOTION, middle)) == []
    assert player.events(surface, mouse(pygame.MOUSEBUTTONDOWN, (3, 3))) == []


def test_a_window_hears_the_mouse(window, tmp_path, monkeypatch):
    quit_ = pygame.event.Event(pygame.QUIT)
    begins = pygame.event.Event(pygame.KEYDOWN, key=pygame.K_x, unicode="x")
    waves = [[], [begins], [], [mouse(pygame.MOUSEBUTTONDOWN, (850, 441))], [], [], [quit_]]
    monkeypatch.setattr(pygame.event, "get", lambda: waves.pop(0) if waves else [quit_])
    play_game("Pendulum-v1", PlayOptions(rate=240, record=tmp_path / "a.jsonl"))
    assert {(0.0,), (1.0,)} >= set(read_recording(tmp_path / "a.jsonl").episodes[0].actions) > {(0.0,)}


def test_the_mouse_drags_the_present_along_the_time_line(make_session):
    session = make_session()
    painter, surface = make_painter(session), pygame.Surface((1280, 720))
    run(session, 12)
    mouse = input_devices.TimelineInput(painter, session)
    layout = painter._layout(surface, session.snapshot())
    right, y = layout.rest.right - 10, layout.rest.centery  # the last entry ends there
    step = 3 if layout.rest.width - 102 >= 720 else 2

    def moved(x, kind, buttons=(1, 0, 0)):
        more = {"button": 1} if kind != pygame.MOUSEMOTION else {"buttons": buttons}
        return mouse.events(surface, pygame.event.Event(kind, pos=(x, y), **more))

    assert moved(right - 1, pygame.MOUSEMOTION) == [], "nothing is dragged yet"
    assert moved(right - 1, pygame.MOUSEBUTTONDOWN) == [SeekEvent(0)]
    assert moved(right - 1 - 4 * step, pygame.MOUSEMOTION) == [SeekEvent(4)]
    y = 0
    assert moved(right + 50, pygame.MOUSEMOTION) == [SeekEvent(0)], "a drag may leave the time line"
    assert moved(0, pygame.MOUSEMOTION) == [SeekEvent(12)]
    moved(0, pygame.MOUSEBUTTONUP)
    assert moved(0, pygame.MOUSEMOTION) == []
    assert moved(right - 1, pygame.MOUSEBUTTONDOWN) == [], "this is the header"


def moved(kind, pos, button=pygame.BUTTON_LEFT):
    held = (1, 0, 0) if kind == pygame.MOUSEMOTION else None
    return pygame.event.Event(kind, pos=pos, **({"buttons": held} if held else {"button": button}))


def test_the_mouse_draws_on_the_real_frame_while_a_tool_is_in_hand(make_session):
    session, surface = make_session(), pygame.Surface((1280, 800))
    run(session, 2, *down("c"))
    painter = make_painter(session)
    mice, place = DrawInput(painter, session), painter._layout(surface, session.snapshot()).frames[1].frame
    middle = moved(pygame.MOUSEBUTTONDOWN, place.center)
    assert mice.events(surface, middle) == [], "without a tool"
    session.tick([KeyEvent("shift+f2", True)])
    assert mice.events(surface, middle) == [DrawEvent(0.5, 0.5, True)]
    outside = moved(pygame.MOUSEMOTION, (place.right + 50, place.centery))
    assert mice.events(surface, outside) == [DrawEvent(1.0, 0.5, False)], "a stroke goes on at the edge"
    mice.events(surface, moved(pygame.MOUSEBUTTONUP, place.center))
    assert mice.events(surface, outside) == []
    picks = moved(pygame.MOUSEBUTTONDOWN, place.center, pygame.BUTTON_RIGHT)
    assert mice.events(surface, picks) == [DrawEvent(0.5, 0.5, True, True)]
    assert mice.events(surface, moved(pygame.MOUSEMOTION, place.center)) == [], "picking is no stroke"
    model = painter._layout(surface, session.snapshot()).frames[0].frame
    assert mice.events(surface, moved(pygame.MOUSEBUTTONDOWN, model.center)) == []


def test_the_mouse_chooses_in_the_list_of_episodes(make_session):
    session, surface = with_episodes(make_session()), pygame.Surface((1280, 800))
    painter = make_painter(session)
    mice = EpisodesInput(painter, session)
    assert mice.events(surface, moved(pygame.MOUSEBUTTONDOWN, (640, 400))) == []
    session.tick([KeyEvent("f9", True)])
    found = [mice.events(surface, moved(pygame.MOUSEBUTTONDOWN, (640, y))) for y in range(0, 800, 11)]
    lines = [event.line for events in found for event in events]
    assert sorted(set(lines)) == [0, 1, 2] and lines == sorted(lines)
