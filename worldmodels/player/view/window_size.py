"""Sizes of the window: as large as suits the screen, and never larger."""

from __future__ import annotations

from worldmodels.player.view.layout import scale_for

Size = tuple[int, int]
EDGES = (16, 88)
"""Pixels of the screen, across and down, that the frame of a window and the desktop's panels take."""
FACTORS = (0.5, 0.75, 1.0, 1.25, 1.5, 1.75, 2.0, 2.5, 3.0, 4.0)
"""The multiples of its natural size that a window can take by a key."""
LEAST = (320, 200)
"""The smallest size that is remembered."""


def room_on(screen: Size) -> Size:
    """Return the size of the largest window that a screen has room for."""
    return max(screen[0] - EDGES[0], LEAST[0]), max(screen[1] - EDGES[1], LEAST[1])


def opening_size(natural: Size, screen: Size) -> Size:
    """Return the size in which a window opens: its natural one, enlarged for a large screen, cut for a small one."""
    room = room_on(screen)
    scale = min(scale_for(screen), room[0] / natural[0], room[1] / natural[1])
    return within(natural if scale < 1.0 else (int(natural[0] * scale), int(natural[1] * scale)), room)


def within(size: Size, room: Size) -> Size:
    """Return a size, cut where it is larger than the room."""
    return min(size[0], room[0]), min(size[1], room[1])


def next_size(size: Size, natural: Size, screen: Size) -> Size:
    """Return the next larger of the natural size's multiples that the screen has room for, or else the smallest."""
    room = room_on(screen)
    multiples = [(int(natural[0] * factor), int(natural[1] * factor)) for factor in FACTORS]
    fitting = [multiple for multiple in multiples if within(multiple, room) == multiple]
    larger = [multiple for multiple in fitting if multiple[0] * multiple[1] > size[0] * size[1]]
    return next(iter(larger or fitting), size)
