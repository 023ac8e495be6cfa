"""Saves what is seen as PNG files: the whole picture, and each frame in its own pixels."""

from __future__ import annotations

from pathlib import Path

import pygame

from worldmodels.player.columns import columns_of
from worldmodels.player.snapshot import Snapshot


def save_pictures(folder: Path, surface: pygame.Surface, snapshot: Snapshot) -> Path:
    """Write them under the first number that is free in `folder`; gives the path of the whole picture.

    Files are named play-001.png, and play-001-model.png, play-001-real.png and so on for the frames.
    """
    folder.mkdir(parents=True, exist_ok=True)
    number = 1
    while (whole := folder / f"play-{number:03d}.png").exists():
        number += 1
    pygame.image.save(surface, str(whole))
    columns = columns_of(snapshot) if snapshot.models else []
    for i, column in enumerate(columns):
        name = column.name.lower().replace(" ", "-")
        if [other.name for other in columns].count(column.name) > 1:
            name = f"{name}-{[other.name for other in columns[: i + 1]].count(column.name)}"
        frame = pygame.surfarray.make_surface(column.frame.swapaxes(0, 1))
        pygame.image.save(frame, str(whole.with_name(f"{whole.stem}-{name}.png")))
    return whole
