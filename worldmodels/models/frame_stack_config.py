"""Configuration of the frame stack. Imports no TensorFlow."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class FrameStackConfig:
    """No world model: the agent sees the newest frames and learns in the real world alone."""

    kind: str = "frames"
    frames: int = 4
    """Frames in the stack; at the start of an episode all of them are its first frame."""
