"""Plays a key script without a window, into a video."""

from __future__ import annotations

from pathlib import Path

import pygame

from worldmodels.player.draw import Painter, pixels
from worldmodels.player.recorder import Recorder
from worldmodels.player.script import KeyScript
from worldmodels.player.session import Session


def run_headless(
    painter: Painter, session: Session, script: KeyScript, video: Path, rate: float, zoom: int, ticks: int
) -> None:
    """One picture for each tick, until `ticks` are done or the script presses Esc; needs no display."""
    surface = pygame.Surface(painter.size(zoom))
    with Recorder(video, rate) as recorder:
        for tick in range(ticks):
            session.tick(script.get(tick, ()))
            painter.draw(surface, session.snapshot())
            recorder.add(pixels(surface))
            if session.quit:
                break
