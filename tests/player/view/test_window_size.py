"""Sizes of windows, as arithmetic."""

from __future__ import annotations

import pytest

from worldmodels.player.view.window_size import next_size, opening_size, room_on, within

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
