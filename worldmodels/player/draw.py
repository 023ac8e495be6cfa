"""Draws a snapshot: header, panes, time line and key hints, or a game alone beside its rules.

Pictures are plain surfaces, so drawing needs no display; the window and the video show the same picture.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pygame

from worldmodels.player import theme
from worldmodels.player.help_screen import Guide, draw_guide, draw_help
from worldmodels.player.panes import COLOUR_MAP, difference_map, enlarge, image_error
from worldmodels.player.snapshot import ModelSide, Snapshot
from worldmodels.player.theme import GAP, LARGE, MARGIN, QUIET, SMALL, TITLE, write
from worldmodels.player.timeline import draw_timeline
from worldmodels.player.worlds import Frame

HEADER, PANE_TITLE, CAPTION, TIMELINE, FOOTER, SIDE = 74, 30, 34, 116, 42, 340
SMALLEST = (640, 360)


@dataclass(frozen=True)
class Painter:
    """Draws snapshots of one session.

    Args:
        guide: the game's rules and keys.
        frame_size: width and height of a frame in its own pixels.
        with_model: three panes and a time line; else the game alone.
    """

    guide: Guide
    frame_size: tuple[int, int]
    with_model: bool

    def size(self, zoom: int) -> tuple[int, int]:
        """Width and height of the picture when a 64-pixel frame is `zoom` times as large; both are even."""
        return self._size_at(max(1, zoom * 64 // self.frame_size[0]))

    def draw(self, surface: pygame.Surface, snapshot: Snapshot) -> None:
        """Draw into the middle of a surface of any size, the frames as large as a whole zoom allows."""
        surface.fill(theme.BACKGROUND)
        scale = self._scale(surface)
        picture = pygame.Surface(self._size_at(scale))
        self._draw_block(picture, snapshot, scale)
        theme.show_centred(surface, picture)
        if snapshot.help_shown:
            draw_help(surface, self.guide)

    def _draw_block(self, picture: pygame.Surface, snapshot: Snapshot, scale: int) -> None:
        picture.fill(theme.BACKGROUND)
        area = picture.get_rect().inflate(-2 * MARGIN, 0)
        _draw_header(picture, area, snapshot)
        if snapshot.model is None:
            self._draw_alone(picture, area, snapshot, scale)
        else:
            _draw_panes(picture, area, snapshot, snapshot.model, scale)
        _draw_hints(picture, area, self.guide)

    def _fixed(self) -> tuple[int, int]:
        """Width and height of everything but the frames."""
        if self.with_model:
            return 2 * MARGIN + 2 * GAP, HEADER + PANE_TITLE + CAPTION + TIMELINE + FOOTER
        return 2 * MARGIN + GAP + SIDE, HEADER + FOOTER

    def _size_at(self, scale: int) -> tuple[int, int]:
        width, height = self._fixed()
        columns = 3 if self.with_model else 1
        width, height = width + columns * scale * self.frame_size[0], height + scale * self.frame_size[1]
        return max(SMALLEST[0], width + width % 2), max(SMALLEST[1], height + height % 2)

    def _scale(self, surface: pygame.Surface) -> int:
        width, height = self._fixed()
        columns = 3 if self.with_model else 1
        fits_width = (surface.get_width() - width) // (columns * self.frame_size[0])
        return max(1, min(fits_width, (surface.get_height() - height) // self.frame_size[1]))

    def _draw_alone(self, surface: pygame.Surface, area: pygame.Rect, snapshot: Snapshot, scale: int) -> None:
        width, height = self.frame_size[0] * scale, self.frame_size[1] * scale
        left = area.left + max(0, (area.width - width - GAP - SIDE) // 2)
        zoom = width // snapshot.real.frame.shape[1]  # the agent's view has fewer pixels in the same place
        frame = _show(surface, snapshot.real.frame, (left, HEADER), zoom, snapshot.clock == "episode over")
        side = pygame.Rect(frame.right + GAP, HEADER, SIDE, height)
        theme.card(surface, side)
        inner = side.inflate(-2 * GAP, -2 * GAP)
        _pair(surface, "return", f"{snapshot.real.episode_return:g}", inner.topleft, LARGE, theme.REAL)
        _pair(
            surface, "reward", _signed(snapshot.real.reward, "g"), (inner.centerx + GAP, inner.top), LARGE, theme.TEXT
        )
        inner.top += 52
        inner.height -= 52
        draw_guide(surface, inner, self.guide)


def pixels(surface: pygame.Surface) -> Frame:
    """The picture as uint8 (H, W, 3)."""
    return np.ascontiguousarray(pygame.surfarray.pixels3d(surface).swapaxes(0, 1))


def _draw_header(surface: pygame.Surface, area: pygame.Rect, snapshot: Snapshot) -> None:
    title = write(surface, snapshot.title, (area.left, 27), size=TITLE, bold=True, anchor="midleft")
    clock_colour = {"running": theme.GOOD, "paused": theme.MODEL, "episode over": theme.ALERT}[snapshot.clock]
    pill = theme.pill(surface, snapshot.clock.upper(), (area.right, 27), clock_colour)
    player = "POLICY PLAYS" if snapshot.player == "policy" else "YOU PLAY"
    theme.pill(surface, player, (pill.left - 8, 27), theme.REAL if snapshot.player == "policy" else QUIET)
    if snapshot.notice:
        write(surface, snapshot.notice, (title.right + 18, 28), colour=theme.MODEL, anchor="midleft")
    x = area.left
    pairs = [("episode", f"{snapshot.episode}"), ("step", f"{snapshot.step}"), ("action", snapshot.action)]
    if snapshot.level_seed is not None:
        pairs.insert(1, ("level", f"{snapshot.level_seed}"))
    for name, value in pairs:
        x = _inline(surface, name, value, (x, 55)) + 20
    if snapshot.totals.episodes:
        write(surface, _totals(snapshot), (area.right, 55), size=SMALL, colour=QUIET, anchor="midright")


def _totals(snapshot: Snapshot) -> str:
    totals = snapshot.totals
    text = f"{totals.episodes} finished, mean return {totals.real_return / totals.episodes:.3g}"
    return text + (f" (model {totals.model_return / totals.episodes:.3g})" if snapshot.model else "")


def _draw_panes(surface: pygame.Surface, area: pygame.Rect, snapshot: Snapshot, model: ModelSide, scale: int) -> None:
    height, width = (scale * side for side in model.frame.shape[:2])
    left = area.centerx - (3 * width + 2 * GAP) // 2
    columns = [pygame.Rect(left + i * (width + GAP), HEADER + PANE_TITLE, width, height) for i in range(3)]
    real = snapshot.real
    real_ended = snapshot.clock == "episode over"
    _show(surface, model.frame, columns[0].topleft, scale, model.ended)
    _show(surface, real.frame, columns[1].topleft, scale, real_ended)
    _show(surface, difference_map(model.frame, real.frame), columns[2].topleft, scale)
    alone = f"{snapshot.since_put_back} steps alone"
    _title(surface, columns[0], "Model", theme.MODEL, alone, f"{model.episode_return:.1f}")
    _title(surface, columns[1], "Real", theme.REAL, "", f"{real.episode_return:.1f}")
    difference = model.episode_return - real.episode_return
    _title(surface, columns[2], "Difference", theme.DIFFERENCE, "", _signed(difference, ".1f"))
    _caption(
        surface, columns[0], _signed(model.reward, ".2f"), _model_end(model), theme.ALERT if model.ended else QUIET
    )
    _caption(surface, columns[1], _signed(real.reward, ".2f"), "episode over" if real_ended else "", theme.ALERT)
    _scale_bar(surface, columns[2], image_error(model.frame, real.frame))
    top = HEADER + PANE_TITLE + height + CAPTION
    draw_timeline(surface, pygame.Rect(columns[0].left, top, 3 * width + 2 * GAP, TIMELINE), snapshot.history)


def _model_end(model: ModelSide) -> str:
    return "model: ended" if model.ended else f"goes on: {model.continuation:.0%}"


def _show(
    surface: pygame.Surface, frame: Frame, place: tuple[int, int], scale: int, ended: bool = False
) -> pygame.Rect:
    """A frame, its pixels `scale` times as large; with a border that stands out if its world has ended."""
    image = pygame.surfarray.make_surface(enlarge(frame, scale).swapaxes(0, 1))
    rectangle = surface.blit(image, place)
    border = 3 if ended else 1
    colour = theme.ALERT if ended else theme.LINE
    pygame.draw.rect(surface, colour, rectangle.inflate(2 * border, 2 * border), width=border)
    return rectangle


def _title(
    surface: pygame.Surface, column: pygame.Rect, name: str, colour: theme.Colour, note: str, value: str
) -> None:
    y = column.top - PANE_TITLE // 2 - 1
    pygame.draw.rect(surface, colour, (column.left, y - 8, 4, 16), border_radius=2)
    text = write(surface, name, (column.left + 12, y), bold=True, anchor="midleft")
    number = write(surface, value, (column.right, y - 1), size=LARGE, bold=True, colour=colour, anchor="midright")
    label = write(surface, "return", (number.left - 7, y), size=SMALL, colour=QUIET, anchor="midright")
    _write_if_fits(surface, note, (text.right + 10, y), label.left)


def _caption(surface: pygame.Surface, column: pygame.Rect, reward: str, end: str, colour: theme.Colour) -> None:
    y = column.bottom + CAPTION // 2 - 1
    right = _inline(surface, "reward", reward, (column.left, y))
    if end and right + theme.font(SMALL).size(end)[0] < column.right:
        write(surface, end, (column.right, y), size=SMALL, colour=colour, anchor="midright")


def _scale_bar(surface: pygame.Surface, column: pygame.Rect, error: float) -> None:
    """What the colours of the difference map mean, and the mean error."""
    y = column.bottom + CAPTION // 2 - 1
    right = _inline(surface, "mean", f"{error:.1f}", (column.left, y))
    low, high = (theme.font(SMALL).size(text)[0] for text in ("0", "255"))
    width = min(128, column.right - right - low - high - 24)
    if width < 24:
        return
    bar = pygame.surfarray.make_surface(COLOUR_MAP[np.linspace(0, 255, width).astype(int), None].repeat(10, axis=1))
    end = write(surface, "255", (column.right, y), size=SMALL, colour=QUIET, anchor="midright")
    rectangle = surface.blit(bar, bar.get_rect(midright=(end.left - 5, y)))
    pygame.draw.rect(surface, theme.LINE, rectangle.inflate(2, 2), width=1)
    write(surface, "0", (rectangle.left - 5, y), size=SMALL, colour=QUIET, anchor="midright")


def _draw_hints(surface: pygame.Surface, area: pygame.Rect, guide: Guide) -> None:
    """The most useful keys in one line, as many as fit."""
    x, y = area.left, surface.get_height() - FOOTER // 2
    for keys, text in guide.hints:
        width = theme.font(SMALL, True).size(keys)[0] + theme.font(SMALL).size(text)[0] + 6
        if x + width > area.right:
            return
        right = write(surface, keys, (x, y), size=SMALL, bold=True, anchor="midleft").right
        x = write(surface, text, (right + 6, y), size=SMALL, colour=QUIET, anchor="midleft").right + 20


def _signed(value: float, form: str) -> str:
    """With its sign, unless it rounds to nothing."""
    text = format(value, f"+{form}")
    return text if float(text) else format(0.0, form)


def _inline(surface: pygame.Surface, name: str, value: str, midleft: tuple[int, int]) -> int:
    """A name and its value in one line; where it ends."""
    right = write(surface, name, midleft, size=SMALL, colour=QUIET, anchor="midleft").right
    return write(surface, value, (right + 6, midleft[1]), size=SMALL, anchor="midleft").right


def _pair(
    surface: pygame.Surface, name: str, value: str, place: tuple[int, int], size: int, colour: theme.Colour
) -> None:
    """A name above its value."""
    below = write(surface, name, place, size=SMALL, colour=QUIET).bottom
    write(surface, value, (place[0], below), size=size, bold=True, colour=colour)


def _write_if_fits(surface: pygame.Surface, text: str, midleft: tuple[int, int], right: int) -> None:
    if midleft[0] + theme.font(SMALL).size(text)[0] < right:
        write(surface, text, midleft, size=SMALL, colour=QUIET, anchor="midleft")
