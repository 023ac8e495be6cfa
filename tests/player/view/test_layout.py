"""The layout as arithmetic: at every size, nothing overlaps and everything is inside."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from pygame import Rect, Surface

from worldmodels.player.view.canvas import Canvas
from worldmodels.player.view.layout import Content, lay_out, natural_size, scale_for
from worldmodels.player.view.resizable_window import room_on

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
    for content in CONTENTS:
        layout = lay_out(size, content)
        width, height = (int(side / layout.scale) for side in size)
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
    layout = lay_out((3840, 2160), Content(3, (64, 64), panel=330), scale=3.0)
    assert layout.frames[0].frame.width * 3 // 64 == 18
    upright = lay_out((900, 1600), Content(4, (64, 64)))
    assert [place.frame.top for place in upright.frames[:2]] == [upright.frames[0].frame.top] * 2
    assert upright.frames[2].frame.top > upright.frames[0].frame.bottom


def drawn_sizes(size, content):
    """Return width and height in pixels of each frame as the canvas draws it."""
    layout = lay_out(size, content)
    canvas = Canvas(Surface((1, 1)), layout.scale)
    return [canvas.enlarged(content.frame_size, place.frame)[1].size for place in layout.frames]


ASIDE = [Content(3, (160, 210)), Content(4, (64, 64), numbers=5), Content(4, (64, 64), inside=True)]
COLUMNS = [Content(0, (512, 512)), *(Content(columns, (64, 64)) for columns in range(1, 6)), *ASIDE]


@pytest.mark.parametrize("content", COLUMNS, ids=lambda content: f"{content.columns} columns")
def test_all_frames_have_one_size(content):
    generator = np.random.default_rng(0)
    sizes = zip(generator.integers(640, 3841, 60), generator.integers(360, 2401, 60), strict=True)
    for size in [*SIZES, (1920, 1200), *((int(width), int(height)) for width, height in sizes)]:
        assert len(set(drawn_sizes(size, content))) == 1, size


@pytest.mark.parametrize("content", COLUMNS, ids=lambda content: f"{content.columns} columns")
def test_a_larger_window_never_has_smaller_frames(content):
    widths, heights = (640, 799, 959, 960, 1279, 1440, 1599, 1600, 1912, 1920, 2560, 3840), (360, 539, 540, 719, 800)
    heights += (899, 900, 992, 1080, 1200, 1440, 2072, 2160)
    drawn = {(width, height): drawn_sizes((width, height), content)[0] for width in widths for height in heights}
    for (width, height), size in drawn.items():
        for other, larger in drawn.items():
            if other[0] >= width and other[1] >= height:
                assert larger[0] >= size[0] and larger[1] >= size[1], ((width, height), other)


def test_each_pixel_more_leaves_frames_as_large_or_makes_them_larger():
    content = Content(4, (64, 64))
    for sizes in ([(width, 1080) for width in range(1580, 1940)], [(1920, height) for height in range(660, 1300)]):
        widths = [drawn_sizes(size, content)[0][0] for size in sizes]
        assert widths == sorted(widths)


def test_four_columns_are_no_smaller_on_the_full_screen_than_in_its_window():
    for screen in ((1920, 1080), (1920, 1200), (3840, 2160)):
        window = room_on(screen)
        assert drawn_sizes(screen, Content(4, (64, 64))) >= drawn_sizes(window, Content(4, (64, 64)))
    assert drawn_sizes((1920, 1080), Content(4, (64, 64))) == [(448, 448)] * 4


@pytest.mark.parametrize("columns", [1, 3, 4, 5])
def test_a_picture_of_its_natural_size_has_its_zoom(columns):
    content = Content(columns, (64, 64))
    for zoom in (4, 6):
        frame = lay_out(natural_size(zoom, content), content, scale=1.0).frames[0].frame
        assert frame.size == (64 * zoom, 64 * zoom)
