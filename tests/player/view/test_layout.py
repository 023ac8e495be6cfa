"""The layout as arithmetic: at every size, nothing overlaps and everything is inside."""

from __future__ import annotations

from itertools import combinations

import pytest
from pygame import Rect

from worldmodels.player.view.layout import Content, lay_out, natural_size, scale_for

SIZES = (
    *((640, 400), (640, 480), (800, 600), (1024, 768), (1280, 720), (1366, 768), (1920, 1080)),
    *((900, 1600), (1080, 1920), (2560, 1440), (3440, 1440), (3840, 2160)),
)
CONTENTS = [
    Content(columns, size, numbers, panel, inside)
    for columns, size in [(0, (512, 512)), (0, (96, 96)), *((n, (64, 64)) for n in range(1, 6)), (3, (160, 210))]
    for numbers in (0, 3, 20)
    for panel in (0, 330, 900)
    for inside in (False, True)
]


@pytest.mark.parametrize("size", SIZES)
def test_nothing_overlaps_and_everything_is_inside(size):
    scale = scale_for(size)
    width, height = int(size[0] / scale), int(size[1] / scale)
    for content in CONTENTS:
        layout = lay_out(width, height, scale, content)
        frames = [place for frame in layout.frames for place in vars(frame).values() if place.size > (0, 0)]
        areas = [layout.header, layout.worlds, layout.rest, layout.settings, layout.keys]
        areas += [layout.panel] if layout.panel else []
        for area in (*areas, *frames):
            assert Rect(0, 0, width, height).contains(area) and min(area.size) >= 0
        for group in (areas, frames):
            assert not [(a, b) for a, b in combinations(group, 2) if a.colliderect(b)], content
        assert all(layout.worlds.contains(place) for place in frames if place.height)
        assert len(layout.frames) == max(content.columns, 1)


@pytest.mark.parametrize(
    ("size", "scale"),
    [((640, 400), 1.0), ((1366, 768), 1.0), ((900, 1600), 1.25), ((2560, 1440), 2.0), ((3840, 2160), 3.0)],
)
def test_units_grow_with_the_window_by_quarters(size, scale):
    assert scale_for(size) == scale
    assert scale_for((320, 180)) == 0.5


def test_frames_have_the_largest_whole_zoom_in_pixels():
    layout = lay_out(1280, 720, 3.0, Content(3, (64, 64), panel=330))
    assert layout.frames[0].frame.width * 3 // 64 == 18
    upright = lay_out(720, 1280, 1.25, Content(4, (64, 64)))
    assert [place.frame.top for place in upright.frames[:2]] == [upright.frames[0].frame.top] * 2
    assert upright.frames[2].frame.top > upright.frames[0].frame.bottom


@pytest.mark.parametrize("columns", [1, 3, 4, 5])
def test_a_picture_of_its_natural_size_has_its_zoom(columns):
    content = Content(columns, (64, 64))
    for zoom in (4, 6):
        frame = lay_out(*natural_size(zoom, content), 1.0, content).frames[0].frame
        assert frame.size == (64 * zoom, 64 * zoom)
