"""The mouse as input for a box of actions: bars are dragged."""

from __future__ import annotations

import pygame

from worldmodels.player.session.events import AxisEvent, InputEvent
from worldmodels.player.session.session import Session
from worldmodels.player.view.painter import Painter


class BoxInput:
    """The input knows which bar the mouse drags."""

    def __init__(self, painter: Painter, session: Session) -> None:
        self._painter, self._session = painter, session
        self._dragged: int | None = None

    def events(self, surface: pygame.Surface, event: pygame.Event) -> list[InputEvent]:
        """Return what one event of the window means for the box, mostly nothing."""
        if event.type == pygame.MOUSEBUTTONDOWN and event.button == pygame.BUTTON_LEFT:
            self._dragged = self._painter.number_at(surface, self._session.snapshot(), event.pos)
            return self._drag(surface, event.pos)
        if event.type == pygame.MOUSEMOTION and event.buttons[0]:
            return self._drag(surface, event.pos)
        if event.type == pygame.MOUSEBUTTONUP and self._dragged is not None:
            number, self._dragged = self._dragged, None
            return [AxisEvent(number, None)]
        return []

    def _drag(self, surface: pygame.Surface, point: tuple[int, int]) -> list[InputEvent]:
        if self._dragged is None:
            return []
        value = self._painter.value_at(surface, self._session.snapshot(), self._dragged, point)
        return [AxisEvent(self._dragged, value)]
