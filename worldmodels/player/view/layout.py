"""The layout of the window: the place of each part, for any size from 640 x 400 to 4K and for upright screens.

This is only arithmetic. All numbers are units; a unit is `scale` pixels (`view/canvas.py`).
"""

from __future__ import annotations

import functools
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product

from pygame import Rect

from worldmodels.player.view.canvas import drawn_zoom

SMALLEST = (640, 360)
"""Units that everything has room in; a smaller window makes units smaller."""
COMFORTABLE = (1280, 720)
"""The long and the short side of a window that has units of one pixel; larger ones grow them by quarters."""
SCALES = tuple(1.0 + quarters / 4 for quarters in range(9))
"""The pixels of a unit in windows from the smallest to the largest."""
TITLE_ROW, CAPTION = 30, 34
"""Heights above and below a frame."""
NUMBER_ROW, MOST_NUMBERS = 17, 8
"""Height of a number's bar below a frame, and how many have room there."""
BELOW, HIGHEST_BELOW = 90, 190
"""Least and greatest height of the time line, and of a panel."""
INSIDE, HIGHEST_INSIDE = 172, 330
"""Least and greatest height of the pane of latents, which replaces the time line. The pane takes at most three eighths
of the height between header and settings."""
RULES = 170
"""Least height of the rules of a game below its frame."""
BESIDE, WIDEST_BESIDE = 280, 420
"""Least and greatest width of the parts beside the frames."""
SMALL_HEIGHT, SMALL_WIDTH = 540, 960
"""Heights and widths below which lines stand closer together."""


@dataclass(frozen=True)
class Content:
    """The content of a picture: the parts to lay out.

    Args:
        columns: frames side by side; 0 for a game alone beside its rules.
        frame_size: width and height of a frame in its own pixels.
        numbers: numbers that stand as bars below each frame.
        panel: the width that a panel of the policy or of a box of actions would like; 0: there is none.
        inside: the pane of a model's inside is open.
    """

    columns: int
    frame_size: tuple[int, int]
    numbers: int = 0
    panel: int = 0
    inside: bool = False


@dataclass(frozen=True)
class FramePlace:
    """The place of one frame with its title, numbers and caption, which a game alone has not."""

    title: Rect
    frame: Rect
    numbers: Rect
    caption: Rect


@dataclass(frozen=True)
class WindowLayout:
    """The rectangles of a picture, none of which overlap, except that `worlds` holds all `frames`."""

    scale: float
    """Pixels of a unit."""
    header: Rect
    worlds: Rect
    frames: tuple[FramePlace, ...]
    rest: Rect
    """The time line, or the rules of a game alone."""
    panel: Rect | None
    settings: Rect
    keys: Rect


@dataclass(frozen=True)
class _Candidate:
    """One way to divide the middle of the window: so many rows of frames, the rest below them or beside them."""

    zoom: float
    rows: int
    worlds: Rect
    rest: Rect


@dataclass(frozen=True)
class _Style:
    """The sizes of everything but frames: pixels of a unit, and whether lines stand wide apart across and down."""

    scale: float
    wide: bool
    high: bool

    @property
    def margin_and_gap(self) -> tuple[int, int]:
        return (20, 16) if self.wide and self.high else (8, 8)


def scale_for(size: tuple[int, int]) -> float:
    """Return the pixels of a unit that suit a window of so many pixels: 1 to 3 by quarters, less for a tiny surface."""
    smallest = min(size[0] / SMALLEST[0], size[1] / SMALLEST[1])
    if smallest < 1.0:
        return max(smallest, 1 / 64)
    comfortable = min(max(size) / COMFORTABLE[0], min(size) / COMFORTABLE[1])
    return min(max(int(4 * comfortable) / 4, SCALES[0]), SCALES[-1], smallest)


def natural_size(zoom: int, content: Content) -> tuple[int, int]:
    """Return width and height, both even, of a picture with units of one pixel and frames of this zoom."""
    frame_width, frame_height = (zoom * side for side in content.frame_size)
    width, height = 40 + frame_width, 74 + frame_height + 26 + 34
    if content.columns > 1:
        width += (content.columns - 1) * (frame_width + 16)
        height += TITLE_ROW + _numbers(content, 10**6) + CAPTION + 132
    else:
        width += 16 + 340
        height += (TITLE_ROW + _numbers(content, 10**6) + CAPTION + 26) if content.columns else 8
    return max(SMALLEST[0], width + width % 2), max(SMALLEST[1], height + height % 2)


@functools.lru_cache(maxsize=64)
def lay_out(size: tuple[int, int], content: Content, scale: float | None = None) -> WindowLayout:
    """Return the layout of a picture of so many pixels, which is not to be changed.

    A larger picture never has smaller frames: units are as large as suits its size, unless a smaller picture would have
    larger frames.

    Args:
        scale: pixels of a unit, whatever suits the size.
    """
    if scale is not None:
        return _lay_out(size, content, _style(size, scale), None)
    suits = _style(size, scale_for(size))
    if suits.scale < SCALES[0]:
        return _lay_out(size, content, suits, None)
    most = max(_largest_zoom(smaller, content, _style(smaller, scale_for(smaller))) for smaller in _corners(size))
    styles = [_Style(unit, *lines) for unit in reversed(SCALES) for lines in product((True, False), repeat=2)]
    suiting = styles[styles.index(suits) :]
    return _lay_out(size, content, next(one for one in suiting if _largest_zoom(size, content, one) >= most), most)


def _style(size: tuple[int, int], scale: float) -> _Style:
    return _Style(scale, int(size[0] / scale) >= SMALL_WIDTH, int(size[1] / scale) >= SMALL_HEIGHT)


def _corners(size: tuple[int, int]) -> Iterator[tuple[int, int]]:
    """Yield the largest sizes up to `size`, `size` among them, that have each style.

    A style belongs to sizes between two breaks across and two down. With one style, a larger picture has no smaller
    frames, so the largest of those sizes stand for all of them.
    """
    sides = [side * scale for scale in SCALES for side in COMFORTABLE]
    breaks = [{*sides, *(least * scale for scale in SCALES)} for least in (SMALL_WIDTH, SMALL_HEIGHT)]
    across, down = (
        [whole, *(int(side) - 1 for side in found if least < side <= whole)]
        for whole, found, least in zip(size, breaks, SMALLEST, strict=True)
    )
    yield from product(across, down)


def _rows(size: tuple[int, int], content: Content, style: _Style) -> tuple[Rect, Rect, Rect, Rect]:
    """Return header, middle, settings and keys, one below the other."""
    width, height, (margin, gap) = int(size[0] / style.scale), int(size[1] / style.scale), style.margin_and_gap
    header = Rect(margin, 0, width - 2 * margin, 74 if style.high else 50)
    keys = Rect(margin, height - (34 if style.high else 24), width - 2 * margin, 34 if style.high else 24)
    lines = (1 if style.wide else 2) if content.columns else 1
    settings = Rect(margin, 0, keys.width, lines * 18 + (8 if style.high else 2))
    settings.bottom = keys.top
    middle = Rect(margin, header.bottom, header.width, settings.top - header.bottom - gap // 2)
    return header, middle, settings, keys


@functools.lru_cache(maxsize=8192)
def _largest_zoom(size: tuple[int, int], content: Content, style: _Style) -> float:
    return _best(_rows(size, content, style)[1], content, style).zoom


def _lay_out(size: tuple[int, int], content: Content, style: _Style, most: float | None) -> WindowLayout:
    """Return the layout in a style, with frames as large as the others' least sizes allow, up to a zoom of `most`."""
    header, middle, settings, keys = _rows(size, content, style)
    best, (_, gap) = _best(middle, content, style, most), style.margin_and_gap
    frames = tuple(_frames(best, content, style.scale, gap))
    return WindowLayout(style.scale, header, best.worlds, frames, *_divide(best.rest, content, gap), settings, keys)


def _best(middle: Rect, content: Content, style: _Style, most: float | None = None) -> _Candidate:
    candidates = _candidates(middle, content, style.scale, style.margin_and_gap[1], most)
    return max(candidates, key=lambda one: one.zoom)


def _candidates(middle: Rect, content: Content, scale: float, gap: int, most: float | None) -> Iterator[_Candidate]:
    """Yield the ways to divide the middle, those that are preferred first; no zoom is greater than `most`."""
    least = min(INSIDE, middle.height * 3 // 8) if content.inside else BELOW if content.columns else RULES
    for rows in range(1, max(content.columns, 1) + 1):
        worlds = Rect(middle.left, middle.top, middle.width, middle.height - least - gap)
        zoom = _zoom(worlds, rows, content, scale, gap, most)
        # What frames leave in height, by their whole zoom, is for the rest.
        worlds.height = min(worlds.height, _height(zoom, rows, content, scale, gap))
        most = HIGHEST_INSIDE if content.inside else HIGHEST_BELOW if content.columns else middle.height
        rest = Rect(middle.left, 0, middle.width, min(middle.height - worlds.height - gap, most))
        worlds.height = middle.height - rest.height - gap
        rest.top = worlds.bottom + gap
        yield _Candidate(zoom, rows, worlds, rest)
    for rows in range(1, max(content.columns, 1) + 1):
        worlds = Rect(middle.left, middle.top, middle.width - BESIDE - gap, middle.height)
        zoom = _zoom(worlds, rows, content, scale, gap, most)
        wide = min(max(middle.width - gap - _width(zoom, rows, content, scale, gap), BESIDE), WIDEST_BESIDE)
        worlds.width = middle.width - gap - wide
        yield _Candidate(zoom, rows, worlds, Rect(worlds.right + gap, middle.top, wide, middle.height))


def _zoom(area: Rect, rows: int, content: Content, scale: float, gap: int, most: float | None) -> float:
    """Return the factor by which frames are enlarged: whole if it is large, very small if no frame fits.

    Places are whole units, so frames that fit into one of them fit into each.
    """
    across = -(-max(content.columns, 1) // rows)
    wide = (area.width - gap * (across - 1)) // across
    high = area.height // rows - _around(content, area.height // rows)
    zoom = max(drawn_zoom(min(wide * scale / content.frame_size[0], high * scale / content.frame_size[1])), 0.01)
    return zoom if most is None else min(zoom, most)


def _around(content: Content, height: int) -> int:
    """Return the height of title, numbers and caption of a frame, in a row of this height."""
    return TITLE_ROW + _numbers(content, height) + CAPTION if content.columns else 0


def _numbers(content: Content, height: int) -> int:
    """Return the height of the numbers below each frame, which take a third of a row at most."""
    return min(min(content.numbers, MOST_NUMBERS) * NUMBER_ROW + 6, height // 3) if content.numbers else 0


def _frame_size(zoom: float, content: Content, scale: float) -> tuple[int, int]:
    """Return width and height of an enlarged frame in units, rounded up."""
    width, height = (-int(-side * zoom // scale) for side in content.frame_size)
    return max(width, 1), max(height, 1)


def _width(zoom: float, rows: int, content: Content, scale: float, gap: int) -> int:
    across = -(-max(content.columns, 1) // rows)
    return across * (_frame_size(zoom, content, scale)[0] + gap) - gap


def _height(zoom: float, rows: int, content: Content, scale: float, gap: int) -> int:
    frame = _frame_size(zoom, content, scale)[1]
    most = _numbers(content, 10**6)
    return rows * (frame + (TITLE_ROW + most + CAPTION if content.columns else 0))


def _frames(how: _Candidate, content: Content, scale: float, gap: int) -> Iterator[FramePlace]:
    """Yield the place of each frame, in rows, in the middle of the area of the worlds."""
    area, count = how.worlds, max(content.columns, 1)
    across = -(-count // how.rows)
    titles = TITLE_ROW if content.columns else 0
    caption = CAPTION if content.columns else 0
    numbers = _numbers(content, area.height // how.rows)
    width, height = _frame_size(how.zoom, content, scale)
    width = min(width, (area.width - gap * (across - 1)) // across)
    height = min(height, area.height // how.rows - titles - numbers - caption)
    row = titles + height + numbers + caption
    top = area.top + (0 if not content.columns else max(0, (area.height - how.rows * row) // 2))
    for i in range(count):
        in_row = min(across, count - i // across * across)
        left = area.centerx - (in_row * (width + gap) - gap) // 2 + i % across * (width + gap)
        y = top + i // across * row
        yield FramePlace(
            Rect(left, y, width, titles),
            Rect(left, y + titles, width, height),
            Rect(left, y + titles + height, width, numbers),
            Rect(left, y + titles + height + numbers, width, caption),
        )


def _divide(area: Rect, content: Content, gap: int) -> tuple[Rect, Rect | None]:
    """Return the places of the time line or the rules, and of the panel, if there is one."""
    if not content.panel:
        return area, None
    rest, panel = area.copy(), area.copy()
    if area.width > area.height and area.width >= 2 * BESIDE:
        panel.width = min(content.panel, (area.width - gap) // 2)
        panel.right = area.right
        rest.width = area.width - panel.width - gap
    else:
        panel.height = min(HIGHEST_BELOW, (area.height - gap) // 2)
        panel.bottom = area.bottom
        rest.height = area.height - panel.height - gap
    return rest, panel
