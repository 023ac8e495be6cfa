"""Plays a key script without a window and without a display."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pygame

from worldmodels.player.draw import Painter, pixels
from worldmodels.player.pictures import save_pictures
from worldmodels.player.script import KeyScript
from worldmodels.player.session import Session
from worldmodels.player.worlds import Frame


def play_headless(
    painter: Painter, session: Session, script: KeyScript, zoom: int, ticks: int, folder: Path
) -> Iterator[Frame]:
    """The picture after each tick, uint8 (H, W, 3), until `ticks` are done or the script presses Esc.

    Args:
        folder: where single pictures go that the script asks for.
    """
    surface, pictures = pygame.Surface(painter.size(zoom)), 0
    for tick in range(ticks):
        session.do_pending()
        session.tick(script.get(tick, ()))
        painter.draw(surface, session.snapshot())
        yield pixels(surface)
        if session.pictures > pictures:
            pictures = session.pictures
            save_pictures(folder, surface, session.snapshot())
        if session.quit:
            return
