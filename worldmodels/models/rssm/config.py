"""Configuration of the recurrent state-space model. Imports no TensorFlow."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Annotated, Literal

from worldmodels.core.configuration.ranges import NamePattern, NonNegative, Section, Share, Size, at_least, limits
from worldmodels.core.errors import ConfigError
from worldmodels.core.specs import ActionSpec, ObservationSpec
from worldmodels.models.api import ModelSpec, image_shape
from worldmodels.models.config import ConvConfig, HeadConfig, LaPropConfig, LayerStyle, OptimizerConfig, PatchConfig


@dataclass(frozen=True)
class PictureConfig(Section):
    """A decoder that may copy from the frame before, along motions of the picture, beside the plain one."""

    motions: Size = 2
    """Motions of a frame, besides standing still."""
    units: Size = 128
    """Units of the layer in which the state and the frame before meet."""
    depth: Size = 64
    """Units of a square of 4 x 4 pixels, in which the choice for each pixel is made."""
    pairs: Size = 3
    """Pairs of successive frames of which it learns at an update; of a smaller batch, one for each step."""
    every: Size = 1
    """Updates of the model for each one from which it learns, too."""


@dataclass(frozen=True)
class RSSMConfig(Section):
    """The recurrent state-space model, its sizes and losses; the defaults are DreamerV2's figures for Atari."""

    kind: str = "rssm"
    learns_on_devices = True  # a fact about the kind, not a setting: so without a type
    recurrent: Size = 600
    """Size of the GRU's state (`deter` in DreamerV2)."""
    blocks: Size = 1
    """Blocks of the GRU, of which each sees no other in full; 1: DreamerV2's, which is dense (`blocks` in
    DreamerV3)."""
    hidden: Size = 600
    """Units of each dense layer inside the dynamics."""
    latents: Size = 32
    """Number of categorical variables, or of Gaussian ones (`stoch` in DreamerV2)."""
    classes: Annotated[int, at_least(0), limits(0, 65_536)] = 32
    """Classes of each categorical variable; 0 makes the latents Gaussian (`discrete` in DreamerV2)."""
    uniform_mix: Share = 0.0
    """Share of the uniform distribution in each categorical latent; keeps the KL finite and classes alive (`unimix` in
    DreamerV3)."""
    style: LayerStyle = field(default_factory=LayerStyle)
    """Norm and nonlinearity of all hidden layers of the model."""
    encoder: ConvConfig | PatchConfig = field(default_factory=ConvConfig)
    """Layers that read an image."""
    decoder: ConvConfig | PatchConfig = field(default_factory=ConvConfig)
    """Layers that paint an image."""
    picture: PictureConfig | None = None
    """Layers that sharpen an image by copying from the frame before; null: none. Nothing else learns from them."""
    vectors: HeadConfig = field(default_factory=HeadConfig)
    """Dense layers that read the vectors of an observation, and those that predict them (`encoder.mlp_layers` and
    `decoder.mlp_layers` in DreamerV2)."""
    encoder_keys: NamePattern = ".*"
    """Regular expression that fits the names of the parts of an observation that are read, each as a whole
    (`encoder.cnn_keys` and `encoder.mlp_keys` in DreamerV2)."""
    decoder_keys: NamePattern = ".*"
    """Regular expression that fits the names of the parts that are predicted (`decoder.cnn_keys` and
    `decoder.mlp_keys` in DreamerV2)."""
    gradient_heads: tuple[Literal["decoder", "reward", "continuation"], ...] = ("decoder", "reward", "continuation")
    """Predictions from which the state learns; the others read it and teach it nothing (`grad_heads` in DreamerV2)."""
    predict_continuation: bool = True
    """Whether ends are predicted; false: every episode is taken to go on (`pred_discount` in DreamerV2)."""
    heads: HeadConfig = field(default_factory=HeadConfig)
    """Dense layers of the reward head and of the continuation head."""
    reward_transform: Literal["none", "tanh", "symlog"] = "tanh"
    """Quantity that the reward head regresses: the reward as it is, or squashed; `reward()` always undoes it."""
    reward_distribution: Literal["normal", "two_hot"] = "normal"
    """Distribution of that quantity: a normal one, learned by regression, or classes of 255 values (symexp two-hot,
    DreamerV3)."""
    reward_scale: NonNegative = 1.0
    """Weight of the reward's loss (`loss_scales.reward` in DreamerV2)."""
    continuation_scale: NonNegative = 5.0
    """Weight of the continuation's loss (`loss_scales.discount` in DreamerV2)."""
    kl_scale: NonNegative = 0.1
    """Weight of the KL between posterior and prior (`loss_scales.kl` in DreamerV2)."""
    kl_balance: Share = 0.8
    """Share of the KL gradient that trains the prior; the rest trains the posterior (`kl.balance` in DreamerV2)."""
    free_nats: NonNegative = 0.0
    """KL per step, in nats, below which it is not pushed further down (`kl.free` in DreamerV2)."""
    free_average: bool = False
    """Whether that holds for the mean over a batch in place of each step (`kl.free_avg` in DreamerV2)."""
    optimizer: OptimizerConfig | LaPropConfig = field(default_factory=OptimizerConfig)
    """Optimizer of the whole model (`model_opt` in DreamerV2)."""

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.recurrent % self.blocks:
            raise ConfigError(
                f"model.blocks must divide model.recurrent, {self.recurrent}, into equal parts. Received {self.blocks}."
            )

    def spec(self, observation: ObservationSpec, action: ActionSpec) -> ModelSpec:
        """Return what others need to know of the model; raises ConfigError where it cannot have these spaces."""
        read, predicted = (self._matching(observation, key) for key in ("encoder_keys", "decoder_keys"))
        image_of(read), image_of(predicted)
        copies = self.picture is not None
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
            raise ConfigError(f"model.picture does not fit this environment. {error}") from error


def image_of(observation: ObservationSpec) -> tuple[int, int, int] | None:
    """Return the shape of all images of an observation as one picture with the channels of all; None without images.

    Raises:
        ConfigError: they are of different sizes.
    """
    shapes = [dict(observation.parts)[name].shape for name in observation.images]
    if len({shape[:2] for shape in shapes}) > 1:
        raise ConfigError(
            "The images of an observation must have one size, since they are read as channels of one picture; "
            f"model.encoder_keys and model.decoder_keys choose among them. Received {observation}."
        )
    return (shapes[0][0], shapes[0][1], sum(shape[2] for shape in shapes)) if shapes else None
