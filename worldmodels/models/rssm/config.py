"""Configuration of the recurrent state-space model. Imports no TensorFlow."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from worldmodels.models.api import ModelSpec
from worldmodels.models.config import ConvConfig, HeadConfig, OptimizerConfig, PatchConfig


@dataclass(frozen=True)
class RSSMConfig:
    """Sizes and losses of the model; the defaults are DreamerV2's figures for Atari."""

    kind: str = "rssm"
    recurrent: int = 600
    """Size of the GRU's state."""
    hidden: int = 600
    """Units of each dense layer inside the dynamics."""
    latents: int = 32
    """Number of categorical variables, or of Gaussian ones."""
    classes: int = 32
    """Classes of each categorical variable; 0 makes the latents Gaussian."""
    uniform_mix: float = 0.0
    """Share of the uniform distribution in each categorical latent; keeps the KL finite and classes alive."""
    encoder: ConvConfig | PatchConfig = field(default_factory=ConvConfig)
    decoder: ConvConfig | PatchConfig = field(default_factory=ConvConfig)
    heads: HeadConfig = field(default_factory=HeadConfig)
    """Of the reward head and of the continuation head."""
    reward_transform: Literal["none", "tanh", "symlog"] = "tanh"
    """What the reward head regresses: the reward as it is, or squashed; `reward()` always undoes it."""
    reward_scale: float = 1.0
    continuation_scale: float = 5.0
    kl_scale: float = 0.1
    kl_balance: float = 0.8
    """Share of the KL gradient that trains the prior; the rest trains the posterior."""
    free_nats: float = 0.0
    """KL per step, in nats, below which it is not pushed further down."""
    optimizer: OptimizerConfig = field(default_factory=OptimizerConfig)

    def spec(self, observation_shape: tuple[int, int, int], num_actions: int) -> ModelSpec:
        """Return what others need to know of the model; `observation_shape` is (H, W, C)."""
        features = self.recurrent + self.latents * (self.classes or 1)
        return ModelSpec(observation_shape, num_actions, "vector", (features,), reconstructs=True)
