"""The painter draws a snapshot: header, frames, time line, policy and settings, or a game alone beside its rules.

Pictures are plain surfaces, so drawing needs no display; the window and the video show the same picture.
"""

from __future__ import annotations

from dataclasses import dataclass

import pygame

from worldmodels.player.session.snapshot import PolicyPanel, Snapshot, plain
from worldmodels.player.view import theme
from worldmodels.player.view.canvas import Canvas
from worldmodels.player.view.layout import Content, WindowLayout, lay_out, natural_size, scale_for
from worldmodels.player.view.panels import box_panel
from worldmodels.player.view.panels.branch_grid import draw_branches
from worldmodels.player.view.panels.columns import columns_of, draw_column, real_rows, show_frame, show_numbers
from worldmodels.player.view.panels.episodes_panel import draw_episodes, line_at
from worldmodels.player.view.panels.header import draw_header, draw_hint, draw_hints, draw_settings
from worldmodels.player.view.panels.help_screen import Guide, draw_guide, draw_help
from worldmodels.player.view.panels.info_panel import draw_info
from worldmodels.player.view.panels.latents_panel import draw_latents
from worldmodels.player.view.panels.timeline import draw_timeline, entries_back
from worldmodels.player.view.theme import LARGE, QUIET, SMALL

HEAD, SIGN = 18, 14
"""Height of the first line of the policy's panel, and of a character of the actions' names."""
NARROWEST_SIGN = 8
"""The width of a bar below which it has no name."""


@dataclass(frozen=True)
class Painter:
    """A painter draws the snapshots of one session.

    Args:
        guide: the game's rules and keys.
        frame_size: width and height of a frame in its own pixels.
        columns: frames side by side; 0 for a game alone beside its rules.
        source: the run of the model, for people.
        numbers: numbers that stand as bars below each frame.
        scale: the pixels of a unit; by default as it suits the size of each surface.
    """

    guide: Guide
    frame_size: tuple[int, int]
    columns: int = 0
    source: str = ""
    numbers: int = 0
    scale: float | None = None

    def size(self, zoom: int) -> tuple[int, int]:
        """Return width and height of the picture when a 64-pixel frame is `zoom` times as large; both are even."""
        return natural_size(max(1, zoom * 64 // self.frame_size[0]), self._content(None))

    def draw(self, surface: pygame.Surface, snapshot: Snapshot, latency: str = "", hint: str = "") -> None:
        """Draw onto a surface of any size; `hint` stands in the place of the keys for a while."""
        surface.fill(theme.BACKGROUND)
        layout = self._layout(surface, snapshot)
        canvas = Canvas(surface, layout.scale)
        draw_header(canvas, layout.header, snapshot, self.source, latency)
        if self.columns:
            self._draw_worlds(canvas, layout, snapshot)
        else:
            self._draw_alone(canvas, layout, snapshot)
        if layout.panel:
            with canvas.only(layout.panel):
                self._draw_panel(canvas, layout.panel, snapshot)
        draw_settings(canvas, layout.settings, snapshot)
        if hint:
            draw_hint(canvas, layout.keys, hint)
        else:
            draw_hints(canvas, layout.keys, self.guide)
        if snapshot.info:
            draw_info(canvas, layout.rest, layout.header, snapshot.info)
        if snapshot.episodes:
            draw_episodes(canvas, snapshot.episodes, self.guide.keys)
        if snapshot.help_shown:
            draw_help(canvas, self.guide)

    def draw_rules(self, surface: pygame.Surface, status: str) -> None:
        """Draw only the rules and keys, and the player's status."""
        surface.fill(theme.BACKGROUND)
        draw_help(Canvas(surface, self.scale or scale_for(surface.get_size())), self.guide, status)

    def number_at(self, surface: pygame.Surface, snapshot: Snapshot, point: tuple[int, int]) -> int | None:
        """Return the number of a box of actions whose bar is at a point of the surface, if there is one."""
        place = self.panel_place(surface, snapshot)
        if snapshot.box_panel is None or place is None:
            return None
        return box_panel.number_at(place, snapshot.box_panel, self._in_units(surface, snapshot, point))

    def value_at(self, surface: pygame.Surface, snapshot: Snapshot, number: int, point: tuple[int, int]) -> float:
        """Return the value, -1 to 1, to which a mouse at a point of the surface pushes a number."""
        place = self.panel_place(surface, snapshot)
        if snapshot.box_panel is None or place is None:
            return 0.0
        return box_panel.value_at(place, snapshot.box_panel, number, self._in_units(surface, snapshot, point)[0])

    def entry_at(self, surface: pygame.Surface, snapshot: Snapshot, point: tuple[int, int], drags: bool) -> int | None:
        """Return how far before the end of the time line a point is, in entries; None if it is elsewhere.

        Args:
            drags: a drag that began on the time line may be anywhere.
        """
        place, (x, y) = self._layout(surface, snapshot).rest, self._in_units(surface, snapshot, point)
        covered = snapshot.help_shown or snapshot.episodes is not None
        has_line = bool(self.columns) and snapshot.latents is None and not covered
        if not has_line or not (drags or place.collidepoint(x, y)):
            return None
        return entries_back(place, x, len(snapshot.history), snapshot.line_length)

    def episode_at(self, surface: pygame.Surface, snapshot: Snapshot, point: tuple[int, int]) -> int | None:
        """Return the line of the list of episodes at a point of the surface, if there is one."""
        if snapshot.episodes is None:
            return None
        canvas = Canvas(surface, self._layout(surface, snapshot).scale)
        return line_at(canvas, snapshot.episodes, self._in_units(surface, snapshot, point))

    def drawn_at(
        self, surface: pygame.Surface, snapshot: Snapshot, point: tuple[int, int], drags: bool
    ) -> tuple[float, float] | None:
        """Return where in the real frame a point is while a person draws, as shares from the left and from the top.

        Args:
            drags: a stroke that began there may leave the frame, and goes on at its edge.
        """
        if snapshot.drawing is None or snapshot.real.frame is None or snapshot.branches or snapshot.help_shown:
            return None
        layout = self._layout(surface, snapshot)
        names = [column.name for column in columns_of(snapshot)]
        height, width = snapshot.real.frame.shape[:2]
        place = layout.frames[names.index("Real")].frame
        _, shown = Canvas(surface, layout.scale).enlarged((width, height), place)
        if not (drags or shown.collidepoint(point)):
            return None
        x, y = (point[0] - shown.left) / shown.width, (point[1] - shown.top) / shown.height
        return min(max(x, 0.0), 1.0), min(max(y, 0.0), 1.0)

    def panel_place(self, surface: pygame.Surface, snapshot: Snapshot) -> pygame.Rect | None:
        """Return the place of the panel of the policy or of a box, in units, if there is one."""
        return self._layout(surface, snapshot).panel

    def _in_units(self, surface: pygame.Surface, snapshot: Snapshot, point: tuple[int, int]) -> tuple[int, int]:
        scale = self._layout(surface, snapshot).scale
        return int(point[0] / scale), int(point[1] / scale)

    def _layout(self, surface: pygame.Surface, snapshot: Snapshot) -> WindowLayout:
        return lay_out(surface.get_size(), self._content(snapshot), self.scale)

    def _content(self, snapshot: Snapshot | None) -> Content:
        panel, inside = (_wished_width(snapshot), snapshot.latents is not None) if snapshot else (0, False)
        return Content(self.columns, self.frame_size, self.numbers, panel, inside)

    def _draw_worlds(self, canvas: Canvas, layout: WindowLayout, snapshot: Snapshot) -> None:
        if snapshot.branches:
            with canvas.only(layout.worlds):
                short = dict(zip(self.guide.action_names, self.guide.signs, strict=False))
                draw_branches(canvas, layout.worlds, snapshot.branches, snapshot.ranges, short)
        else:
            for place, column in zip(layout.frames, columns_of(snapshot), strict=False):
                draw_column(canvas, place, column)
        of_images = not snapshot.models or snapshot.models[0].frame is not None
        with canvas.only(layout.rest):
            if snapshot.latents:
                draw_latents(canvas, layout.rest, snapshot.latents, self.guide.keys)
            else:
                line = snapshot.history, of_images, snapshot.alone, snapshot.present, snapshot.line_length
                draw_timeline(canvas, layout.rest, *line)

    def _draw_alone(self, canvas: Canvas, layout: WindowLayout, snapshot: Snapshot) -> None:
        real, over, place = snapshot.real, snapshot.clock == "episode over", layout.frames[0].frame
        if real.frame is None:
            show_numbers(canvas, real_rows(snapshot), place, over)
        else:
            show_frame(canvas, real.frame, place, over)
        with canvas.only(layout.rest):
            canvas.card(layout.rest)
            inner = layout.rest.inflate(-24, -20)
            canvas.pair("return", plain(real.episode_return), inner.topleft, LARGE, theme.REAL)
            reward = theme.signed(real.reward)
            canvas.pair("reward", reward, (inner.centerx, inner.top), LARGE, theme.TEXT)
            below = pygame.Rect(inner.left, inner.top + 50, inner.width, inner.height - 50)
            draw_guide(canvas, below, self.guide)

    def _draw_panel(self, canvas: Canvas, place: pygame.Rect, snapshot: Snapshot) -> None:
        """Draw the numbers of a box of actions, or the policy's probabilities of choices."""
        if snapshot.box_panel:
            box_panel.draw_box_panel(canvas, place, snapshot.box_panel)
        elif snapshot.policy_panel:
            draw_policy_panel(canvas, place, snapshot.policy_panel, self.guide.signs)


def _wished_width(snapshot: Snapshot) -> int:
    """Return the width that the panel of the policy or of a box would like; 0: there is none."""
    if snapshot.box_panel:
        return box_panel.wished_width(snapshot.box_panel)
    if snapshot.latents:
        return 0  # the pane of latents needs the place
    return max(330, 24 + 20 * len(snapshot.policy_panel.probabilities)) if snapshot.policy_panel else 0


def draw_policy_panel(canvas: Canvas, area: pygame.Rect, panel: PolicyPanel, signs: tuple[str, ...]) -> None:
    """Draw the policy's probability of each action as a bar, and the return that it expects.

    Args:
        signs: a few characters for each action, drawn in a column if they do not fit side by side.
    """
    canvas.card(area)
    inner = area.inflate(-24, -12)
    canvas.write("policy", inner.topleft, size=SMALL, colour=QUIET)
    if panel.value is not None:
        width = canvas.inline_width("value", plain(panel.value, 2))
        canvas.inline("value", plain(panel.value, 2), (inner.right - width, inner.top + 7))
    if not panel.probabilities:
        return
    step = inner.width / len(panel.probabilities)
    in_column = any(canvas.width(sign, SMALL) > step for sign in signs)
    below = SIGN * (max(map(len, signs), default=1) if in_column else 1)
    plot = pygame.Rect(inner.left, inner.top + HEAD, inner.width, inner.height - HEAD - below)
    highest = max(panel.probabilities)
    for i, (probability, sign) in enumerate(zip(panel.probabilities, signs, strict=True)):
        left, width = plot.left + round(i * step), max(1, round(step) - 2)
        height = round(plot.height * probability)
        best = probability == highest
        canvas.across(theme.LINE, left, left + width, plot.bottom)
        if height:
            bar = pygame.Rect(left, plot.bottom - height, width, height)
            canvas.fill(theme.REAL if best else QUIET, bar)
        if step >= NARROWEST_SIGN:
            for line, text in enumerate(sign if in_column else [sign]):
                middle = (left + width // 2, plot.bottom + SIGN * line + SIGN // 2 + 1)
                canvas.write(text, middle, size=SMALL, colour=theme.TEXT if best else QUIET, anchor="center")
