"""A plain window in which an environment is seen while a policy plays."""

from __future__ import annotations

import numpy as np
import pygame

from worldmodels.player.view.display import open_display

SMALLEST_SIDE = 400
"""Pixels that the shorter side of the window has at least; smaller pictures are enlarged by a whole number."""


class PolicyWindow:
    """A window that shows pictures at a rate, until it is closed.

    Args:
        title: what stands above it.
        rate: pictures a second.
    """

    def __init__(self, title: str, rate: float):
        self._title, self._rate = title, rate
        self._clock = pygame.time.Clock()
        self._surface: pygame.Surface | None = None
        open_display()

    def show(self, picture: np.ndarray, words: str) -> bool:
        """Show a picture, uint8 (H, W, 3), with words beside the title; return False once the window was closed."""
        scale = max(1, -(-SMALLEST_SIDE // min(picture.shape[:2])))
        size = (scale * picture.shape[1], scale * picture.shape[0])
        if self._surface is None or self._surface.get_size() != size:
            self._surface = pygame.display.set_mode(size)
        frame = pygame.surfarray.make_surface(picture.swapaxes(0, 1))
        pygame.transform.scale(frame, size, self._surface)
        pygame.display.set_caption(f"{self._title} - {words}")
        pygame.display.flip()
        self._clock.tick(self._rate)
        return not any(map(_leaves, pygame.event.get()))

    def close(self) -> None:
        """Close the window."""
        pygame.display.quit()


def _leaves(event: pygame.event.Event) -> bool:
    return event.type == pygame.QUIT or (event.type == pygame.KEYDOWN and event.key == pygame.K_ESCAPE)
