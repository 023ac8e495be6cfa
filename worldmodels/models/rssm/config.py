"""The configuration of the recurrent state-space model imports no TensorFlow."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Annotated, Literal

from worldmodels.core.configuration.ranges import (
    Count,
    NamePattern,
    NonNegative,
    Section,
    Share,
    Size,
    at_least,
    limits,
)
from worldmodels.core.errors import ConfigError
from worldmodels.core.specs import ActionSpec, ObservationSpec
from worldmodels.models.api import ModelSpec, image_shape
from worldmodels.models.config import ConvConfig, HeadConfig, LaPropConfig, LayerStyle, OptimizerConfig, PatchConfig


@dataclass(frozen=True)
class RSSMConfig(Section):
    """The recurrent state-space model: sizes and losses; the defaults are DreamerV2's figures for Atari."""

    kind: str = "rssm"
    learns_on_devices = True  # a fact about the kind, not a setting: so without a type
    recurrent: Size = 600
    """Size of the GRU's state (`deter` in DreamerV2)."""
    blocks: Size = 1
    """Number of blocks of the GRU, which must divide `recurrent`; 1: a dense GRU, as in DreamerV2 (`blocks` in
    DreamerV3)."""
    hidden: Size = 600
    """Units of each dense layer inside the dynamics."""
    latents: Size = 32
    """Number of categorical variables, or of Gaussian ones (`stoch` in DreamerV2)."""
    classes: Annotated[int, at_least(0), limits(0, 65_536)] = 32
    """Classes of each categorical variable; 0: Gaussian latents (`discrete` in DreamerV2)."""
    uniform_mix: Share = 0.0
    """Share of the uniform distribution in each categorical latent, which keeps the KL finite (`unimix` in DreamerV3).
    0 disables it."""
    style: LayerStyle = field(default_factory=LayerStyle)
    """Norm and activation of all hidden layers of the model."""
    encoder: ConvConfig | PatchConfig = field(default_factory=ConvConfig)
    """Layers that read an image."""
    decoder: ConvConfig | PatchConfig = field(default_factory=ConvConfig)
    """Layers that paint an image."""
    picture_every: Count = 0
    """Updates of the model for each update of a second decoder, which sharpens images by copying from the frame before;
    0 disables it. The state does not learn from it."""
    vectors: HeadConfig = field(default_factory=HeadConfig)
    """Dense layers that read the vectors of an observation, and dense layers that predict them (`encoder.mlp_layers`
    and `decoder.mlp_layers` in DreamerV2)."""
    encoder_keys: NamePattern = ".*"
    """Regular expression for the whole names of the parts of an observation that the model reads (`encoder.cnn_keys`
    and `encoder.mlp_keys` in DreamerV2)."""
    decoder_keys: NamePattern = ".*"
    """Regular expression for the whole names of the parts that the model predicts (`decoder.cnn_keys` and
    `decoder.mlp_keys` in DreamerV2)."""
    gradient_heads: tuple[Literal["decoder", "reward", "continuation"], ...] = ("decoder", "reward", "continuation")
    """Predictions whose gradients train the state (`grad_heads` in DreamerV2)."""
    predict_continuation: bool = True
    """Predict the end of episodes; false: imagined episodes never end (`pred_discount` in DreamerV2)."""
    heads: HeadConfig = field(default_factory=HeadConfig)
    """Dense layers of the reward head and of the continuation head."""
    reward_transform: Literal["none", "tanh", "symlog"] = "tanh"
    """Transform of a reward before the reward head learns it. Predicted rewards are transformed back."""
    reward_distribution: Literal["normal", "two_hot"] = "normal"
    """Distribution of the transformed reward. `normal`: a regression. `two_hot`: classes of 255 values, as in
    DreamerV3."""
    reward_scale: NonNegative = 1.0
    """Weight of the reward's loss (`loss_scales.reward` in DreamerV2)."""
    continuation_scale: NonNegative = 5.0
    """Weight of the continuation's loss (`loss_scales.discount` in DreamerV2)."""
    kl_scale: NonNegative = 0.1
    """Weight of the KL between posterior and prior (`loss_scales.kl` in DreamerV2)."""
    kl_balance: Share = 0.8
    """Share of the KL's gradient that trains the prior; the rest trains the posterior (`kl.balance` in DreamerV2)."""
    free_nats: NonNegative = 0.0
    """KL of a step, in nats, below which its gradient is 0 (`kl.free` in DreamerV2). 0 disables it."""
    free_average: bool = False
    """Apply `free_nats` to the mean over a batch; false: to each step (`kl.free_avg` in DreamerV2)."""
    optimizer: OptimizerConfig | LaPropConfig = field(default_factory=OptimizerConfig)
    """Optimizer of the whole model (`model_opt` in DreamerV2)."""

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.recurrent % self.blocks:
            raise ConfigError(
                f"model.blocks must divide model.recurrent, {self.recurrent}, into equal parts. Received {self.blocks}."
            )

    def spec(self, observation: ObservationSpec, action: ActionSpec) -> ModelSpec:
        """Return the model's spec; raise ConfigError if the model does not support these spaces."""
        read, predicted = (self._matching(observation, key) for key in ("encoder_keys", "decoder_keys"))
        image_of(read), image_of(predicted)
        copies = self.picture_every > 0
        if copies:
            self._check_one_image(observation)
        latent = self.latents * (self.classes or 1)
        features = ObservationSpec.of(latent + self.recurrent)
        part = None if predicted == observation else predicted
        return ModelSpec(
            observation,
            action,
            features,
            reconstructs=True,
            copies=copies,
            latent=latent,
            predicted=part,
            latent_groups=(self.latents, self.classes) if self.classes else None,
        )

    def _matching(self, observation: ObservationSpec, key: str) -> ObservationSpec:
        try:
            return observation.matching(getattr(self, key))
        except ConfigError as error:
            raise ConfigError(f"model.{key} does not fit this environment. {error}") from error

    def _check_one_image(self, observation: ObservationSpec) -> None:
        try:
            image_shape(observation)
        except ConfigError as error:
            raise ConfigError(f"model.picture_every must be 0 in this environment. {error}") from error


def image_of(observation: ObservationSpec) -> tuple[int, int, int] | None:
    """Return the shape (H, W, C) of all images of an observation, joined along their channels; None without images.

    Raises:
        ConfigError: the images have different sizes.
    """
    shapes = [dict(observation.parts)[name].shape for name in observation.images]
    if len({shape[:2] for shape in shapes}) > 1:
        raise ConfigError(
            "The images of an observation must have one size, because the model joins their channels. "
            f"Choose some of them with model.encoder_keys and model.decoder_keys. Received {observation}."
        )
    return (shapes[0][0], shapes[0][1], sum(shape[2] for shape in shapes)) if shapes else None
