"""The drawing tool for people."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class ToolSnapshot:
    """The tool with which a person draws on the real frame."""

    tool: str
    size: int
    """Pixels of each side of its square."""
    colour: tuple[int, ...]
    """The brush's red, green and blue, or its grey, 0 to 255."""
