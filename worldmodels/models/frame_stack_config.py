"""Configuration of the frame stack. Imports no TensorFlow."""

from __future__ import annotations

from dataclasses import dataclass

from worldmodels.core.ranges import Section, Size
from worldmodels.models.api import ModelSpec


@dataclass(frozen=True)
class FrameStackConfig(Section):
    """No world model: the agent sees the newest frames and learns in the real world alone."""

    kind: str = "frames"
    frames: Size = 4
    """Frames in the stack; at the start of an episode all of them are its first frame (`n_stack` in
    Stable-Baselines3)."""

    def spec(self, observation_shape: tuple[int, int, int], num_actions: int) -> ModelSpec:
        """Return what others need to know of the model; `observation_shape` is (H, W, C)."""
        height, width, channels = observation_shape
        features = (height, width, self.frames * channels)
        return ModelSpec(observation_shape, num_actions, "images", features, imagines=False)
