"""Configuration of the frame stack. Imports no TensorFlow."""

from __future__ import annotations

from dataclasses import dataclass

from worldmodels.core.configuration.ranges import Section, Size
from worldmodels.core.specs import ActionSpec, ArraySpec, ObservationSpec
from worldmodels.models.api import ModelSpec


@dataclass(frozen=True)
class FrameStackConfig(Section):
    """No world model: the agent sees the newest observations and learns in the real world alone."""

    kind: str = "frames"
    frames: Size = 4
    """Images in the stack; at the start of an episode all of them are its first one (`n_stack` in Stable-Baselines3).
    Vectors are seen as they are, the newest alone."""

    def spec(self, observation: ObservationSpec, action: ActionSpec) -> ModelSpec:
        """Return what others need to know of the model."""
        features = ObservationSpec(tuple((name, self._stacked(part)) for name, part in observation.parts))
        return ModelSpec(observation, action, features, imagines=False)

    def _stacked(self, part: ArraySpec) -> ArraySpec:
        if not part.is_image:
            return part
        height, width, channels = part.shape
        return ArraySpec((height, width, self.frames * channels))
