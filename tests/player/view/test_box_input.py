"""The mouse: bars of the panel are dragged."""

from __future__ import annotations

from types import SimpleNamespace

import pygame
import pytest
from cart_world import BOX

from worldmodels.player.app import play_game
from worldmodels.player.session.controls.box_controls import BoxControls
from worldmodels.player.session.events import AxisEvent
from worldmodels.player.session.options import PlayOptions
from worldmodels.player.view.box_input import BoxInput
from worldmodels.player.view.canvas import Canvas
from worldmodels.player.view.painter import Painter
from worldmodels.player.view.panels.box_panel import draw_box_panel, number_at, value_at
from worldmodels.player.view.panels.help_screen import Guide
from worldmodels.recordings.action_recording import read_recording

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
