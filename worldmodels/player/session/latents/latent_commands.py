"""The commands of the pane of latents, which it takes while it is shown."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum


class LatentCommand(Enum):
    """A command of the pane of latents; the value is its name for people."""

    PREVIOUS = "group before"
    NEXT = "group after"
    HOLD = "hold"
    SWAP = "swap"
    RESAMPLE = "resample"
    COPY = "copy all"
    PASTE = "paste all"


LATENT_KEYS = {
    LatentCommand.PREVIOUS: ("up", "left"),
    LatentCommand.NEXT: ("down", "right"),
    LatentCommand.HOLD: ("g",),
    LatentCommand.SWAP: ("f",),
    LatentCommand.RESAMPLE: ("z",),
    LatentCommand.COPY: ("f3",),
    LatentCommand.PASTE: ("f4",),
}


@dataclass(frozen=True)
class GroupEvent:
    """A group event chooses a group of latents by its number; the last one where there are fewer."""

    group: int
    pressed = False
    """It is no key, which would bring the next tick forward."""
