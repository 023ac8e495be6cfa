"""The input devices of the window besides the keyboard: gamepads, and the mouse, which drags bars and the time line."""

from __future__ import annotations

import pygame
from pygame._sdl2 import controller

from worldmodels.player.session.controls.box_controls import OF_BOX, directions_of_stick, keys_of_buttons
from worldmodels.player.session.controls.key_table import KeyTable
from worldmodels.player.session.events import (
    AxisEvent,
    DrawEvent,
    EpisodeEvent,
    InputEvent,
    KeyEvent,
    SeekEvent,
    StickEvent,
)
from worldmodels.player.session.session import Session
from worldmodels.player.view.painter import Painter

STICKS = {
    pygame.CONTROLLER_AXIS_LEFTX: (0, 1),
    pygame.CONTROLLER_AXIS_LEFTY: (1, -1),
    pygame.CONTROLLER_AXIS_RIGHTX: (2, 1),
    pygame.CONTROLLER_AXIS_RIGHTY: (3, -1),
}
"""The number that each axis of the two sticks pushes, and its sign: SDL counts downwards."""
NAMES = {
    pygame.CONTROLLER_BUTTON_A: "south",
    pygame.CONTROLLER_BUTTON_B: "east",
    pygame.CONTROLLER_BUTTON_X: "west",
    pygame.CONTROLLER_BUTTON_Y: "north",
    pygame.CONTROLLER_BUTTON_BACK: "back",
    pygame.CONTROLLER_BUTTON_START: "start",
    pygame.CONTROLLER_BUTTON_LEFTSHOULDER: "left shoulder",
    pygame.CONTROLLER_BUTTON_RIGHTSHOULDER: "right shoulder",
    pygame.CONTROLLER_BUTTON_DPAD_UP: "up",
    pygame.CONTROLLER_BUTTON_DPAD_DOWN: "down",
    pygame.CONTROLLER_BUTTON_DPAD_LEFT: "left",
    pygame.CONTROLLER_BUTTON_DPAD_RIGHT: "right",
}
FULL = 32767
"""The value of an axis at its end."""


class Gamepads:
    """The gamepads that are plugged in, each opened when it comes.

    Args:
        table: the keys that they press.
        of_box: actions are numbers.
    """

    def __init__(self, table: KeyTable, of_box: bool) -> None:
        self._of_box = of_box
        self._keys = keys_of_buttons(table)
        self._directions = table.directions
        self._stick = {pygame.CONTROLLER_AXIS_LEFTX: 0.0, pygame.CONTROLLER_AXIS_LEFTY: 0.0}
        self._held: frozenset[str] = frozenset()  # directions that the stick presses
        self._gamepads: list[controller.Controller] = []  # kept, because one that nobody holds is closed
        controller.init()

    def events(self, event: pygame.Event) -> list[InputEvent]:
        """Return the session's events for one event of the window, mostly none."""
        if event.type == pygame.CONTROLLERDEVICEADDED:
            self._gamepads.append(controller.Controller(event.device_index))
        elif event.type == pygame.CONTROLLERAXISMOTION and event.axis in STICKS:
            return self._move(event.axis, event.value / FULL)
        elif event.type in (pygame.CONTROLLERBUTTONDOWN, pygame.CONTROLLERBUTTONUP):
            name = NAMES.get(event.button, "")
            if name in self._keys and (not self._of_box or name in OF_BOX):
                return [KeyEvent(self._keys[name], event.type == pygame.CONTROLLERBUTTONDOWN)]
        return []

    def release_all(self) -> None:
        """Release the stick, because the window lost it."""
        self._held = frozenset()

    def _move(self, axis: int, value: float) -> list[InputEvent]:
        if self._of_box:
            number, sign = STICKS[axis]
            return [StickEvent(number, max(-1.0, sign * value))]
        if axis not in self._stick:
            return []
        self._stick[axis] = value
        before = self._held
        x, y = self._stick.values()
        self._held = directions_of_stick(x, y, before)
        return [
            KeyEvent(self._directions[name][0], name in self._held)
            for name in self._directions
            if name in before ^ self._held
        ]


class TimelineInput:
    """The mouse as input: it drags the present along the time line."""

    def __init__(self, painter: Painter, session: Session) -> None:
        self._painter, self._session = painter, session
        self._drags = False

    def events(self, surface: pygame.Surface, event: pygame.Event) -> list[InputEvent]:
        """Return the session's events for one event of the window, mostly none."""
        if event.type == pygame.MOUSEBUTTONDOWN and event.button == pygame.BUTTON_LEFT:
            found = self._seek(surface, event.pos)
            self._drags = bool(found)
            return found
        if event.type == pygame.MOUSEBUTTONUP or (event.type == pygame.MOUSEMOTION and not event.buttons[0]):
            self._drags = False
        return self._seek(surface, event.pos) if self._drags and event.type == pygame.MOUSEMOTION else []

    def _seek(self, surface: pygame.Surface, point: tuple[int, int]) -> list[InputEvent]:
        back = self._painter.entry_at(surface, self._session.snapshot(), point, self._drags)
        return [] if back is None else [SeekEvent(back)]


class EpisodesInput:
    """The mouse as input: it chooses in the list of recorded episodes."""

    def __init__(self, painter: Painter, session: Session) -> None:
        self._painter, self._session = painter, session

    def events(self, surface: pygame.Surface, event: pygame.Event) -> list[InputEvent]:
        """Return the session's events for one event of the window, mostly none."""
        if event.type != pygame.MOUSEBUTTONDOWN or event.button != pygame.BUTTON_LEFT:
            return []
        line = self._painter.episode_at(surface, self._session.snapshot(), event.pos)
        return [] if line is None else [EpisodeEvent(line)]


class DrawInput:
    """The mouse as input: it draws on the real frame; the right button picks up the colour."""

    def __init__(self, painter: Painter, session: Session) -> None:
        self._painter, self._session = painter, session
        self._draws = False

    def events(self, surface: pygame.Surface, event: pygame.Event) -> list[InputEvent]:
        """Return the session's events for one event of the window, mostly none."""
        begins = event.type == pygame.MOUSEBUTTONDOWN and event.button in (pygame.BUTTON_LEFT, pygame.BUTTON_RIGHT)
        goes_on = self._draws and event.type == pygame.MOUSEMOTION and event.buttons[0]
        if not begins and not goes_on:
            self._draws = self._draws and event.type != pygame.MOUSEBUTTONUP
            return []
        place = self._painter.drawn_at(surface, self._session.snapshot(), event.pos, bool(goes_on))
        picks = begins and event.button == pygame.BUTTON_RIGHT
        self._draws = place is not None and not picks
        return [] if place is None else [DrawEvent(*place, begins, picks)]


class BoxInput:
    """The mouse as input: it drags the bars of a box."""

    def __init__(self, painter: Painter, session: Session) -> None:
        self._painter, self._session = painter, session
        self._dragged: int | None = None

    def events(self, surface: pygame.Surface, event: pygame.Event) -> list[InputEvent]:
        """Return the session's events for one event of the window, mostly none."""
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
