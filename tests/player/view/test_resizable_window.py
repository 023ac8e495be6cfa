"""The size of the window: full screen, the key that enlarges, the memory, and the arithmetic of sizes."""

from __future__ import annotations

import json

import pygame
import pytest
from tiny_worlds import BUTTONS, MEANINGS

from worldmodels.player.session.controls.keys import Controls
from worldmodels.player.view import theme
from worldmodels.player.view.painter import Painter
from worldmodels.player.view.panels.help_screen import make_guide
from worldmodels.player.view.resizable_window import (
    ResizableWindow,
    WindowMemory,
    next_size,
    opening_size,
    recall,
    remember,
    room_on,
    turned,
    within,
)


@pytest.fixture
def open_window(window, monkeypatch):
    monkeypatch.setattr(pygame.display, "get_desktop_sizes", lambda: [(1366, 768)])
    guide = make_guide("Field", "Walk.", Controls(BUTTONS, MEANINGS), with_model=True, players=2)
    yield lambda zoom=2, as_it_was=True: ResizableWindow(Painter(guide, (64, 64), columns=3), zoom, as_it_was)
    pygame.display.quit()


def test_it_fills_the_screen_and_comes_back(open_window):
    window = open_window()
    before = window.surface.get_size()
    window.toggle_full_screen()
    assert window.surface.get_size() == (1366, 768)
    window.enlarge()
    assert window.surface.get_size() == (1366, 768)
    window.toggle_full_screen()
    assert window.surface.get_size() == before


def test_its_size_is_remembered_and_cut_to_the_screen(open_window, remembered):
    window = open_window()
    first = window.surface.get_size()
    window.close()
    assert not remembered.exists()  # nothing was changed
    window = open_window()
    window.enlarge()
    larger = window.surface.get_size()
    assert larger == (int(1.25 * first[0]), int(1.25 * first[1]))
    window.close()
    assert json.loads(remembered.read_text()) == {"width": larger[0], "height": larger[1], "hint_shown": False}
    window = open_window()
    assert window.surface.get_size() == larger
    window.close()
    window = open_window(as_it_was=False)  # --zoom was given
    assert window.surface.get_size() == first
    window.close()
    remember(WindowMemory(4000, 3000))
    assert open_window().surface.get_size() == (1350, 680)


def test_the_smallest_size_of_the_key_is_not_remembered(open_window, remembered):
    window = open_window()
    first, sizes = window.surface.get_size(), set()
    while window.surface.get_size() not in sizes:
        sizes.add(window.surface.get_size())
        window.enlarge()
        smallest = min(sizes | {window.surface.get_size()})
        if window.surface.get_size() < first:
            break
    assert window.surface.get_size() == smallest == (first[0] // 2, first[1] // 2)
    window.close()
    assert not remembered.exists()
    remember(WindowMemory(*smallest))  # of an earlier version
    assert open_window().surface.get_size() == first


def test_a_wide_picture_opens_upright_on_an_upright_screen(open_window, monkeypatch):
    monkeypatch.setattr(pygame.display, "get_desktop_sizes", lambda: [(1080, 1920)])
    window = open_window()
    width, height = window.surface.get_size()
    assert height > width and width <= 1064 and height <= 1832
    window.enlarge()
    assert window.surface.get_size()[1] > window.surface.get_size()[0]
    window.close()
    assert turned((1312, 640), (1080, 1920)) == (640, 1312) and turned((1312, 640), (1920, 1080)) == (1312, 640)
    assert turned((908, 970), (1080, 1920)) == (908, 970)


def test_the_window_has_an_icon_of_its_own(open_window, monkeypatch):
    shown = []
    monkeypatch.setattr(pygame.display, "set_icon", shown.append)
    open_window().close()
    (picture,) = shown
    colours = {tuple(picture.get_at((x, y)))[:3] for x in range(0, 64, 4) for y in range(0, 64, 4)}
    assert picture.get_size() == (64, 64) and {theme.REAL, theme.MODEL} <= colours
    assert picture.get_at((63, 0)).a == 0


@pytest.mark.parametrize(
    "text", ["", "{", "[]", '{"width": -1}', '{"width": 1e9}', '{"other": 1}', "\xff", '{"hint_shown": 3}']
)
def test_what_cannot_be_used_is_forgotten(remembered, text):
    remembered.parent.mkdir(parents=True)
    remembered.write_bytes(text.encode("latin-1"))
    assert recall() == WindowMemory()
    remembered.unlink()
    remembered.mkdir()
    assert recall() == WindowMemory()
    remember(WindowMemory(800, 600))  # it cannot be written, and nobody minds


def test_the_hint_is_for_the_first_time(open_window):
    window = open_window()
    assert [window.take_hint(), window.take_hint()] == [True, False]
    window.close()
    assert open_window().take_hint() is False


def test_a_relative_folder_of_states_is_passed_over(monkeypatch, tmp_path):
    monkeypatch.setenv("XDG_STATE_HOME", "somewhere")
    monkeypatch.setenv("HOME", str(tmp_path))
    remember(WindowMemory(800, 600, True))
    assert (tmp_path / ".local" / "state" / "worldmodels" / "window.json").is_file()
    assert recall() == WindowMemory(800, 600, True)


NATURAL = (1312, 640)


@pytest.mark.parametrize(
    ("natural", "screen", "opened"),
    [
        (NATURAL, (1366, 768), (1312, 640)),  # it fits
        (NATURAL, (1280, 720), (1264, 632)),  # both sides are cut
        ((908, 970), (1366, 768), (908, 680)),  # a model alone is higher than the screen
        (NATURAL, (3840, 2160), (3824, 1865)),  # 2.91 times as large, of the 3 that suit the screen
        (NATURAL, (2560, 1440), (2544, 1240)),
        (NATURAL, (640, 400), (624, 312)),
    ],
)
def test_a_window_opens_as_large_as_suits_the_screen(natural, screen, opened):
    assert opening_size(natural, screen) == opened
    assert within(opened, room_on(screen)) == opened


def test_a_key_takes_the_next_multiple_and_begins_again_after_the_last():
    sizes, size = [], (800, 400)
    for _ in range(5):
        size = next_size(size, (800, 400), (1616, 900))
        sizes.append(size)
    assert sizes == [(1000, 500), (1200, 600), (1400, 700), (1600, 800), (400, 200)]
    assert next_size((100, 100), (5000, 5000), (640, 400)) == (100, 100)  # nothing fits: it stays
