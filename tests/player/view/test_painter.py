"""The pictures of a session."""

from __future__ import annotations

import numpy as np
import pygame

from worldmodels.player.view.capture import pixels
from worldmodels.player.view.painter import Painter
from worldmodels.player.view.panels.help_screen import make_guide


def test_pictures_of_any_size_can_be_drawn(make_session):
    session = make_session()
    session.tick()
    guide = make_guide("Field", "Walk to the right.", session.controls, with_model=True, players=2)
    painter = Painter(guide, (64, 64), columns=4)
    for size in ((1, 1), (200, 150), painter.size(1), painter.size(3), (1999, 1111)):
        surface = pygame.Surface(size)
        painter.draw(surface, session.snapshot())
        assert pixels(surface).shape == (size[1], size[0], 3)


def test_the_real_pane_shows_the_frame_enlarged(make_session):
    session = make_session()
    session.tick()
    guide = make_guide("Field", "Walk.", session.controls, with_model=True, players=2)
    surface = pygame.Surface(Painter(guide, (64, 64), columns=4).size(4))
    Painter(guide, (64, 64), columns=4).draw(surface, session.snapshot())
    picture, frame = pixels(surface), session.snapshot().real.frame.repeat(4, axis=0).repeat(4, axis=1)
    found = np.lib.stride_tricks.sliding_window_view(picture, frame.shape)[:, :, 0]
    corners = (found[:, :, 0, 0] == frame[0, 0]).all(-1) & (found[:, :, -1, -1] == frame[-1, -1]).all(-1)
    rows, columns = np.nonzero(corners)
    assert any((picture[r : r + 256, c : c + 256] == frame).all() for r, c in zip(rows, columns, strict=True))
