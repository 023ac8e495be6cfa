"""The configuration of the frame stack imports no TensorFlow."""

from __future__ import annotations

from dataclasses import dataclass

from worldmodels.core.configuration.ranges import Section, Size
from worldmodels.core.specs import ActionSpec, ArraySpec, ObservationSpec
from worldmodels.models.api import ModelSpec


@dataclass(frozen=True)
class FrameStackConfig(Section):
    """No world model: the agent reads the newest observations, and learns in the real environment alone."""

    kind: str = "frames"
    frames: Size = 4
    """Images in the stack (`n_stack` in Stable-Baselines3). An episode begins with copies of its first image. Of
    vectors an agent reads the newest alone."""

    def spec(self, observation: ObservationSpec, action: ActionSpec) -> ModelSpec:
        """Return the model's spec."""
        features = ObservationSpec(tuple((name, self._stacked(part)) for name, part in observation.parts))
        return ModelSpec(observation, action, features, imagines=False)

    def _stacked(self, part: ArraySpec) -> ArraySpec:
        if not part.is_image:
            return part
        height, width, channels = part.shape
        return ArraySpec((height, width, self.frames * channels))
