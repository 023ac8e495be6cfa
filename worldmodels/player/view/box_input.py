"""Mouse and gamepad as input for a box of actions: bars are dragged, and sticks push the first numbers."""

from __future__ import annotations

import pygame
from pygame._sdl2 import controller

from worldmodels.player.session.box_controls import AxisEvent, StickEvent
from worldmodels.player.session.session import InputEvent, Session
from worldmodels.player.view.painter import Painter

STICKS = {
    pygame.CONTROLLER_AXIS_LEFTX: (0, 1),
    pygame.CONTROLLER_AXIS_LEFTY: (1, -1),
    pygame.CONTROLLER_AXIS_RIGHTX: (2, 1),
    pygame.CONTROLLER_AXIS_RIGHTY: (3, -1),
}
"""The number that each axis of the two sticks pushes, and its sign: SDL counts downwards."""
FULL = 32767
"""The value of an axis at its end."""


class BoxInput:
    """The input knows which bar the mouse drags, and opens gamepads as they are plugged in."""

    def __init__(self, painter: Painter, session: Session) -> None:
        self._painter, self._session = painter, session
        self._dragged: int | None = None
        self._gamepads: list[controller.Controller] = []  # kept, because one that nobody holds is closed
        controller.init()

    def events(self, surface: pygame.Surface, event: pygame.Event) -> list[InputEvent]:
        """Return what one event of the window means for the box, mostly nothing."""
        if event.type == pygame.CONTROLLERDEVICEADDED:
            self._gamepads.append(controller.Controller(event.device_index))
        if event.type == pygame.CONTROLLERAXISMOTION and event.axis in STICKS:
            number, sign = STICKS[event.axis]
            return [StickEvent(number, max(-1.0, sign * event.value / FULL))]
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
