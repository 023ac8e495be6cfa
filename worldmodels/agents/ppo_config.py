"""Configuration of PPO. Imports no TensorFlow."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from worldmodels.agents.config import ImageNetworkKind, RewardTransform
from worldmodels.models.config import HeadConfig, OptimizerConfig


@dataclass(frozen=True)
class PPOConfig:
    """Proximal policy optimisation (Schulman et al. 2017), in imagination and in the real world.

    An iteration is one set of rollouts, imagined or real, and the epochs over it. The defaults are SimPLe's figures.
    """

    kind: str = "ppo"
    learns_from_experience = True  # a fact about the kind, not a setting: so without a type
    images: ImageNetworkKind = "small"
    """The network for features that are images."""
    vectors: HeadConfig = field(default_factory=lambda: HeadConfig(layers=2, units=256))
    """Hidden layers, shared by policy and value, for features that are vectors."""
    lstm: int = 0
    """Units of an LSTM behind the network; 0 for none. A minibatch then is made of whole rollouts."""
    horizon: int = 50
    """Steps of each imagined rollout; how long real ones are is for the loop to say."""
    discount: float = 0.99
    gae_lambda: float = 0.95
    """Lambda of generalised advantage estimation."""
    reward_transform: RewardTransform = "clip"
    """What is learned from in place of a reward."""
    epochs: int = 3
    """How often an iteration goes through its samples."""
    minibatch: int = 320
    """Samples for one optimiser step; all of them where there are fewer. What is left over at the end of a pass is
    dropped, and is another part in each pass."""
    normalize_advantages: Literal["iteration", "minibatch"] = "iteration"
    """Over which samples advantages get mean 0 and variance 1."""
    clip: float = 0.1
    """How far the probability of an action may move, relatively, before a sample stops pushing it further."""
    value_clip: float = 0.0
    """How far a value may move, in its own units, before a sample stops pushing it further; 0 for no limit."""
    value_scale: float = 1.0
    """Weight of the mean squared error of the value."""
    entropy: float = 0.01
    """Weight of the policy's entropy, in nats."""
    decay: int = 0
    """Iterations over which learning rate, `clip` and `value_clip` fall linearly to 0; 0: they stay."""
    l2: float = 0.0
    """Weight of half the squared norm of all weights that are no biases."""
    dropout: float = 0.0
    """Share of each convolution's outputs that is switched off while learning, the same ones for a whole iteration."""
    batch_norm: bool = False
    """Normalise each convolution's outputs: over the minibatch while learning, by moving averages while acting."""
    augmentation: bool = False
    """Paint up to five boxes of one colour each over every image that is learned from."""
    optimizer: OptimizerConfig = field(
        default_factory=lambda: OptimizerConfig(
            learning_rate=1e-4, beta1=0.85, beta2=0.997, epsilon=1e-6, clip=0.5, weight_decay=0.0
        )
    )
