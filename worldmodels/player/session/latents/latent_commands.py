"""The commands and keys of the pane of latents, which are active while it is shown."""

from __future__ import annotations

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
    MORE = "more readings"


LATENT_KEYS = {
    LatentCommand.PREVIOUS: ("up", "left"),
    LatentCommand.NEXT: ("down", "right"),
    LatentCommand.HOLD: ("g",),
    LatentCommand.SWAP: ("f",),
    LatentCommand.RESAMPLE: ("z",),
    LatentCommand.COPY: ("f3",),
    LatentCommand.PASTE: ("f4",),
    LatentCommand.MORE: ("f8",),
}
OF_BUTTONS = tuple(command for command in LATENT_KEYS if command is not LatentCommand.MORE)
"""The commands that have buttons in a page, whose readings scroll."""
