"""The display that the window needs."""

from __future__ import annotations

import os

import pygame

from worldmodels.core.errors import UserError


def open_display() -> None:
    """Start pygame's display.

    Raises:
        UserError: there is no display.
    """
    try:
        pygame.display.init()
        driver = pygame.display.get_driver()
    except pygame.error as error:
        raise _no_display(str(error)) from error
    if driver in ("offscreen", "evdev"):  # SDL's last resorts; "dummy" must be asked for by name
        pygame.display.quit()
        raise _no_display(f"only the driver '{driver}' is there")
    forbid_opengl(driver)


def forbid_opengl(driver: str) -> None:
    """Prevent SDL from drawing the window through OpenGL, if the driver is X11, which can do without.

    Mesa's OpenGL drivers and TensorFlow each bring an LLVM of their own, and crash in one process.
    """
    if driver == "x11":
        os.environ.setdefault("SDL_FRAMEBUFFER_ACCELERATION", "0")


def _no_display(why: str) -> UserError:
    return UserError(
        f"There is no display to open a window on ({why}). "
        "Play without one: worldmodels play ... --headless --key-script FILE --video OUT.mp4"
    )
