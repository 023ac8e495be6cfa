"""The painter draws a snapshot: header, frames, time line, policy and settings, or a game alone beside its rules.

Pictures are plain surfaces, so drawing needs no display; the window and the video show the same picture.
"""

from __future__ import annotations

from dataclasses import dataclass

import pygame

from worldmodels.player.session.snapshot import PolicyPanel, Snapshot
from worldmodels.player.view import theme
from worldmodels.player.view.box_panel import draw_box_panel, number_at, value_at
from worldmodels.player.view.branch_grid import draw_branches
from worldmodels.player.view.columns import (
    CAPTION,
    TITLE_ROW,
    columns_of,
    draw_column,
    real_rows,
    show_numbers,
    show_picture,
)
from worldmodels.player.view.header import HEADER, HINTS, SETTINGS, draw_header, draw_hints, draw_settings
from worldmodels.player.view.help_screen import Guide, draw_guide, draw_help
from worldmodels.player.view.theme import GAP, LARGE, MARGIN, QUIET, SMALL, write
from worldmodels.player.view.timeline import draw_timeline

TIMELINE, POLICY_PANEL, RULES = 132, 330, 340
"""Height of the time line; widths of the policy panel beside it, and of the rules beside a game alone."""
SIGNS = 18
"""Height in pixels of the names of actions below the policy's bars."""
NARROWEST_PANEL = 200
SMALLEST = (640, 360)
NUMBER_ROW, MOST_NUMBERS = 17, 8
"""Height in pixels of a number's bar below a frame, and how many have room there."""


@dataclass(frozen=True)
class Painter:
    """A painter draws the snapshots of one session.

    Args:
        guide: the game's rules and keys.
        frame_size: width and height of a frame in its own pixels.
        columns: frames side by side; 0 for a game alone beside its rules.
        source: the run of the model, for people.
        numbers: numbers that stand as bars below each frame.
    """

    guide: Guide
    frame_size: tuple[int, int]
    columns: int = 0
    source: str = ""
    numbers: int = 0

    def size(self, zoom: int) -> tuple[int, int]:
        """Return width and height of the picture when a 64-pixel frame is `zoom` times as large; both are even."""
        return self._size_at(max(1, zoom * 64 // self.frame_size[0]))

    def draw(self, surface: pygame.Surface, snapshot: Snapshot, latency: str = "") -> None:
        """Draw into the middle of a surface of any size, the frames as large as a whole zoom allows."""
        surface.fill(theme.BACKGROUND)
        scale = self._scale(surface)
        picture = pygame.Surface(self._size_at(scale))
        self._draw_block(picture, snapshot, scale, latency)
        theme.show_centred(surface, picture)
        if snapshot.help_shown:
            draw_help(surface, self.guide)

    def number_at(self, surface: pygame.Surface, snapshot: Snapshot, point: tuple[int, int]) -> int | None:
        """Return the number of a box of actions whose bar is at a point of the surface, if there is one."""
        place = self._panel_place(self._scale(surface), snapshot)
        if snapshot.box_panel is None or place is None:
            return None
        return number_at(place, snapshot.box_panel, self._in_picture(surface, point))

    def value_at(self, surface: pygame.Surface, snapshot: Snapshot, number: int, point: tuple[int, int]) -> float:
        """Return the value, -1 to 1, to which a mouse at a point of the surface pushes a number."""
        place = self._panel_place(self._scale(surface), snapshot)
        if snapshot.box_panel is None or place is None:
            return 0.0
        return value_at(place, snapshot.box_panel, number, self._in_picture(surface, point)[0])

    def _in_picture(self, surface: pygame.Surface, point: tuple[int, int]) -> tuple[int, int]:
        """Return the point of the picture that is shown at a point of the surface."""
        width, height = self._size_at(self._scale(surface))
        shown = theme.centred((width, height), surface.get_rect())
        across, down = point[0] - shown.left, point[1] - shown.top
        return across * width // shown.width, down * height // shown.height

    def _draw_block(self, picture: pygame.Surface, snapshot: Snapshot, scale: int, latency: str) -> None:
        picture.fill(theme.BACKGROUND)
        area = picture.get_rect().inflate(-2 * MARGIN, 0)
        draw_header(picture, area, snapshot, self.source, latency)
        if self.columns:
            self._draw_worlds(picture, area, snapshot, scale)
        else:
            self._draw_alone(picture, area, snapshot, scale)
        draw_settings(picture, pygame.Rect(area.left, area.bottom - SETTINGS - HINTS, area.width, SETTINGS), snapshot)
        draw_hints(picture, pygame.Rect(area.left, area.bottom - HINTS, area.width, HINTS), self.guide)

    def _draw_worlds(self, picture: pygame.Surface, area: pygame.Rect, snapshot: Snapshot, scale: int) -> None:
        width, height = self.frame_size[0] * scale, self.frame_size[1] * scale
        total = self.columns * width + (self.columns - 1) * GAP
        left, top = area.centerx - total // 2, HEADER + TITLE_ROW
        if snapshot.branches:
            whole = pygame.Rect(left, HEADER, total, TITLE_ROW + height + self._below_frames + CAPTION)
            draw_branches(picture, whole, snapshot.branches, snapshot.ranges)
        else:
            for i, column in enumerate(columns_of(snapshot)):
                place = pygame.Rect(left + i * (width + GAP), top, width, height)
                draw_column(picture, place, column, scale, self._below_frames)
        below = pygame.Rect(left, top + height + self._below_frames + CAPTION, total, TIMELINE)
        panel = self._panel_place(scale, snapshot)
        if panel:
            self._draw_panel(picture, panel, snapshot)
            below.width -= panel.width + GAP
        draw_timeline(picture, below, snapshot.history, snapshot.models[0].frame is not None)

    def _draw_alone(self, picture: pygame.Surface, area: pygame.Rect, snapshot: Snapshot, scale: int) -> None:
        width, height = self.frame_size[0] * scale, self.frame_size[1] * scale
        left = area.left + max(0, (area.width - width - GAP - RULES) // 2)
        self._draw_reality(picture, pygame.Rect(left, HEADER, width, height), snapshot)
        side = pygame.Rect(left + width + GAP, HEADER, RULES, height)
        theme.card(picture, side)
        inner = side.inflate(-2 * GAP, -2 * GAP)
        theme.pair(picture, "return", f"{snapshot.real.episode_return:g}", inner.topleft, LARGE, theme.REAL)
        reward = theme.signed(snapshot.real.reward, "g")
        theme.pair(picture, "reward", reward, (inner.centerx + GAP, inner.top), LARGE, theme.TEXT)
        inner.top += 52
        inner.height -= 52
        draw_guide(picture, inner, self.guide)
        panel = self._panel_place(scale, snapshot)
        if panel:
            self._draw_panel(picture, panel, snapshot)

    def _draw_reality(self, picture: pygame.Surface, place: pygame.Rect, snapshot: Snapshot) -> None:
        real, over = snapshot.real, snapshot.clock == "episode over"
        if real.frame is None:
            show_numbers(picture, real_rows(snapshot), place, over)
        else:
            # The agent's view has fewer pixels in the same place.
            show_picture(picture, real.frame, place, max(1, place.width // real.frame.shape[1]), over)

    def _draw_panel(self, picture: pygame.Surface, place: pygame.Rect, snapshot: Snapshot) -> None:
        """Draw the numbers of a box of actions, or the policy's probabilities of choices."""
        if snapshot.box_panel:
            draw_box_panel(picture, place, snapshot.box_panel)
        elif snapshot.policy_panel:
            draw_policy_panel(picture, place, snapshot.policy_panel, self.guide.signs)

    def _panel_place(self, scale: int, snapshot: Snapshot) -> pygame.Rect | None:
        """Return where the panel of the policy or of a box is in the picture; None without one, or room for it."""
        if not (snapshot.policy_panel or snapshot.box_panel):
            return None
        width, height = self.frame_size[0] * scale, self.frame_size[1] * scale
        across = self._size_at(scale)[0]
        if not self.columns:
            left = MARGIN + max(0, (across - 2 * MARGIN - width - GAP - RULES) // 2)
            return pygame.Rect(left + width + GAP, HEADER + height - TIMELINE, RULES, TIMELINE)
        total = self.columns * width + (self.columns - 1) * GAP
        right, top = across // 2 - total // 2 + total, HEADER + TITLE_ROW + height + self._below_frames + CAPTION
        # Nobody can do without the numbers of an action, and they fit where a policy's probabilities do not.
        wide = min(POLICY_PANEL, total // 2) if snapshot.box_panel else POLICY_PANEL
        enough = wide >= NARROWEST_PANEL if snapshot.box_panel else total >= 2 * POLICY_PANEL
        return pygame.Rect(right - wide, top, wide, TIMELINE) if enough else None

    @property
    def _below_frames(self) -> int:
        """The height in pixels of the bars below frames."""
        return min(self.numbers, MOST_NUMBERS) * NUMBER_ROW + 6 if self.numbers else 0

    def _fixed(self) -> tuple[int, int]:
        """Return width and height of everything but the frames."""
        lines = HEADER + SETTINGS + HINTS
        if self.columns:
            lines += TITLE_ROW + self._below_frames + CAPTION + TIMELINE
            return 2 * MARGIN + (self.columns - 1) * GAP, lines
        return 2 * MARGIN + GAP + RULES, lines

    def _size_at(self, scale: int) -> tuple[int, int]:
        width, height = self._fixed()
        columns = self.columns or 1
        width, height = width + columns * scale * self.frame_size[0], height + scale * self.frame_size[1]
        return max(SMALLEST[0], width + width % 2), max(SMALLEST[1], height + height % 2)

    def _scale(self, surface: pygame.Surface) -> int:
        width, height = self._fixed()
        fits_width = (surface.get_width() - width) // ((self.columns or 1) * self.frame_size[0])
        return max(1, min(fits_width, (surface.get_height() - height) // self.frame_size[1]))


def draw_policy_panel(surface: pygame.Surface, area: pygame.Rect, panel: PolicyPanel, signs: tuple[str, ...]) -> None:
    """Draw the policy's probability of each action as a bar, and the return that it expects.

    Args:
        signs: a character or two for each action.
    """
    theme.card(surface, area)
    inner = area.inflate(-24, -16)
    write(surface, "policy", inner.topleft, size=SMALL, colour=QUIET)
    if panel.value is not None:
        width = theme.inline_width("value", f"{panel.value:.2f}")
        theme.inline(surface, "value", f"{panel.value:.2f}", (inner.right - width, inner.top + 7))
    plot = pygame.Rect(inner.left, inner.top + 18, inner.width, inner.height - 18 - SIGNS)
    step = plot.width / len(panel.probabilities)
    for i, (probability, sign) in enumerate(zip(panel.probabilities, signs, strict=True)):
        left, width = plot.left + round(i * step), round(step) - 2
        height = round(plot.height * probability)
        best = probability == max(panel.probabilities)
        pygame.draw.rect(surface, theme.LINE, (left, plot.bottom, width, 1))
        pygame.draw.rect(surface, theme.REAL if best else QUIET, (left, plot.bottom - height, width, height))
        middle = (left + width // 2, plot.bottom + SIGNS // 2 + 1)
        write(surface, sign, middle, size=SMALL, colour=theme.TEXT if best else QUIET, anchor="center")
