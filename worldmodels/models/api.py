"""A representation observes, and a world model also predicts: this module has their contracts.

One letter per axis: B batch, T time, H height, W width, C channels, F features. A `State` is a nest of tensors with
leading dimension B; only the model that made it reads its parts. A nest of states in time has leading (B, T).

Every random draw is a pure function of the call's `seed`, int32 (2,). The same weights, inputs and seed give the same
bits on one CPU. Each method runs as one `tf.function`; another shape of input is traced once more. All of them may also
be called inside a `tf.function`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, NamedTuple, Protocol, TypeAlias

from worldmodels.core.errors import ConfigError
from worldmodels.core.specs import ActionSpec, ObservationSpec
from worldmodels.core.types import Batch, State

if TYPE_CHECKING:
    import tensorflow as tf

Drawing: TypeAlias = "tuple[tf.Tensor, tf.Tensor, tf.Tensor]"
"""Frames that K calls predict, uint8 (B, K, H, W, C). Shares of F pictures in the pixels of the last one, float32 (B,
H, W, F). The motion of each picture in pixels down and right, float32 (B, F, 2); NaN for a painted one."""
FeatureKind: TypeAlias = Literal["vector", "images", "mixed"]
"""Vectors, stacked images, or a dictionary of both."""


class ModelSpec(NamedTuple):
    """The properties of a model that its users depend on.

    The configuration of each kind gives it (`config.spec(observation, action)`), without TensorFlow.
    """

    observation: ObservationSpec
    """The spec of an observation."""
    action: ActionSpec
    """The spec of an action, which leads from one observation to the next."""
    features: ObservationSpec
    """The spec of `features`: vectors, float32 (B, F), stacked images, uint8 (B, H, W, F), the newest last, or a
    dictionary of both."""
    imagines: bool = True
    """Whether it is a world model, which predicts; false: only a representation of observations."""
    reconstructs: bool = False
    """Whether `frame` paints an image for an observed state; false: it returns the observed frame."""
    min_sequence_length: int = 1
    """Steps that a training sequence must hold at least."""
    copies: bool = False
    """Whether `frame` may copy from the frame before; otherwise it ignores that."""
    latent: int = 0
    """Number of the first `features` that hold the latent of a step; 0: features have no such part."""
    predicted: ObservationSpec | None = None
    """The parts of an observation that a world model predicts, if they are not all of them."""
    latent_groups: tuple[int, int] | None = None
    """The number of groups, and of the classes of each, that a `LatentModel` draws at each step; None for others."""
    imagines_images: bool = False
    """Whether each imagined step makes an image, and so needs the memory of one."""
    calls: int = 0
    """Calls of its network in which a `SampledModel` draws each frame; 0 for others."""

    @property
    def observation_shape(self) -> tuple[int, int, int]:
        """Return (H, W, C) of the uint8 images that are all of an observation; for models of nothing else."""
        return image_shape(self.observation)

    @property
    def image(self) -> str | None:
        """Return the name of the part that `frame` predicts, the first image; None where no image is predicted."""
        images = (self.predicted or self.observation).images
        return images[0] if images else None

    @property
    def vectors(self) -> tuple[str, ...]:
        """Return the names of the parts that `vectors` predicts."""
        return (self.predicted or self.observation).vectors

    def image_of(self, observation: Any) -> Any:
        """Return the part of an observation that `frame` predicts."""
        return observation[self.image] if self.image else observation

    @property
    def num_actions(self) -> int:
        """Return the number of discrete actions; for models of nothing else."""
        return choices(self.action)

    @property
    def feature_kind(self) -> FeatureKind:
        """Return whether `features` gives vectors, stacked images, or a dictionary of both."""
        if self.features.only is None:
            return "mixed"
        return "images" if self.features.only.is_image else "vector"

    @property
    def feature_shape(self) -> tuple[int, ...]:
        """Return the shape of one row of `features` where they are one array."""
        if self.features.only is None:
            raise ConfigError(f"Features of one array are needed; received {self.features}.")
        return self.features.only.shape

    @property
    def frames_before(self) -> int:
        """Return how many observations before the newest one `features` show where it stacks images."""
        shown = dict(self.features.parts)
        images = ((name, part) for name, part in self.observation.parts if part.is_image and shown[name].is_image)
        return max((shown[name].shape[-1] // part.shape[-1] for name, part in images), default=1) - 1


def image_shape(observation: ObservationSpec) -> tuple[int, int, int]:
    """Return the shape (H, W, C) of observations that are images; raises ConfigError for others."""
    if observation.only is None or not observation.only.is_image:
        raise ConfigError(f"Observations must be uint8 images (height, width, channels). Received {observation}.")
    height, width, channels = observation.only.shape
    return height, width, channels


def choices(action: ActionSpec) -> int:
    """Return the number of discrete actions; raises ConfigError for others."""
    if not action.is_discrete:
        raise ConfigError(f"Actions must be discrete. Received {action}.")
    return action.count


def images_and_choices(
    kind: str, observation: ObservationSpec, action: ActionSpec
) -> tuple[ObservationSpec, ActionSpec]:
    """Return both specs unchanged, for a kind of model that supports only images and discrete actions.

    Raises:
        ConfigError: the spaces are others; the text names the kind.
    """
    try:
        image_shape(observation)
        choices(action)
    except ConfigError as error:
        raise ConfigError(f"model.kind is '{kind}', which does not fit this environment. {error}") from error
    return observation, action


class Representation(Protocol):
    """A running summary of observations, which gives an agent its features."""

    spec: ModelSpec

    def initial(self, batch: int) -> State:
        """Return the state of `batch` rows before anything was observed."""

    def observe(
        self, state: State, observation: tf.Tensor, previous_action: tf.Tensor, is_first: tf.Tensor, seed: tf.Tensor
    ) -> State:
        """Update the state with one observation.

        Where `is_first` holds, `state` and `previous_action` have no influence. Elsewhere they have one in a world
        model; another representation may show each observation alone.

        Args:
            state: after the observation before.
            observation: of `spec.observation`, leading B: for example images, uint8 (B, H, W, C).
            previous_action: of `spec.action`, leading B: the action that led to `observation`.
            is_first: bool (B,).
        """

    def features(self, state: State) -> tf.Tensor:
        """Return an agent's features of a state, of `spec.features`, leading B."""

    def save(self) -> dict[str, Any]:
        """Return everything that the model learned and needs to continue learning, as a tree with NumPy leaves."""

    def load(self, tree: dict[str, Any]) -> None:
        """Restore a tree that `save` returned.

        Raises:
            CheckpointError: names or shapes differ; the text names both sides.
        """


class WorldModel(Representation, Protocol):
    """A representation that also predicts the outcome of actions."""

    def observe_sequence(
        self,
        observations: tf.Tensor,
        previous_actions: tf.Tensor,
        is_first: tf.Tensor,
        seed: tf.Tensor,
        state: State | None = None,
    ) -> State:
        """Update the state with T observations, and return the states after each, with leading (B, T).

        Args:
            observations: of `spec.observation`, leading (B, T).
            previous_actions: of `spec.action`, leading (B, T).
            is_first: bool (B, T).
            state: before the first observation; without it an episode begins in every row.
        """

    def imagine(self, state: State, action: tf.Tensor, temperature: float | tf.Tensor, seed: tf.Tensor) -> State:
        """Predict one step without an observation.

        Args:
            action: of `spec.action`, leading B, taken in `state`. A model may also accept choices as one-hot vectors,
                float32 (B, count), and have gradients for them.
            temperature: of the model's own randomness: 1 as learned, 0 the most probable future.
        """

    def readable(self, state: State) -> State:
        """Return the part of a state that `features`, `frame`, `reward` and `continuation` need.

        Long rollouts keep this part of every step. It leaves out memory that only `imagine` needs.
        """

    def frame(self, state: State, before: tf.Tensor | None = None) -> tf.Tensor:
        """Return the image that belongs to a state, the part `spec.image` of an observation: uint8 (B, H, W, C).

        Args:
            before: uint8 (B, H, W, C), the frame one step before the state's, of the same episode. A model that copies
                (`spec.copies`) paints from it; without it, from the state alone. Other models ignore it.
        """

    def vectors(self, state: State) -> dict[str, tf.Tensor]:
        """Return the vectors that belong to a state, float32 (B, D), by the names of their parts, `spec.vectors`."""

    def reward(self, state: State) -> tf.Tensor:
        """Return the expected reward that arrived with an imagined state, in the environment's units: float32 (B,).

        A model that predicts the reward together with the frame gives 0 for an observed state.
        """

    def continuation(self, state: State) -> tf.Tensor:
        """Return the probability that the episode continues after a state: float32 (B,), without any discount.

        A model that predicts the continuation together with the frame gives 1 for an observed state.
        """

    def fit(
        self, batch: Batch, seed: tf.Tensor, weights: tf.Tensor | None = None
    ) -> tuple[dict[str, tf.Tensor], State]:
        """Do one optimiser step on B windows of T steps; a window may cross the border of episodes.

        When the loss or a gradient is not finite, nothing is changed and the metric `model/finite` is 0.

        Args:
            weights: importance weights float32 (B,) of the windows in the losses of rewards and continuations; None: 1
                each. They correct for batches with more events than usual, which `training.event_share` above 0 makes.

        Returns:
            Scalar metrics named `model/...`, and the posterior states, leading (B, T), for imagination to start at.
        """


class SampledModel(WorldModel, Protocol):
    """A world model that draws each frame in several calls of a network; `spec.calls` gives their number."""

    calls: tf.Variable  # int32 (), of the frames that are drawn next

    def set_calls(self, calls: int) -> None:
        """Draw later frames in so many calls, at least 1. Temperature 0 takes one call, whatever their number."""

    def draw(self, state: State, action: tf.Tensor, temperature: float | tf.Tensor, seed: tf.Tensor) -> Drawing:
        """Return how `imagine` draws its frame: in K calls of the network, each pixel a mean of F pictures."""


class Latents(NamedTuple):
    """The discrete latents of one step in B rows, in G groups of K classes each."""

    probabilities: tf.Tensor
    """float32 (B, G, K): the probability of each class before the draw, at temperature 1. A model that draws groups one
    after the other gives them under the classes of earlier groups."""
    classes: tf.Tensor
    """int32 (B, G): the class of each group; -1 where there is none."""


class LatentModel(WorldModel, Protocol):
    """A world model whose discrete latents can be read and chosen; `spec.latent_groups` gives their number.

    Latents belong to a step from a state under an action; to change them, draw the step that led to the state again.
    """

    def imagine_latents(
        self, state: State, action: tf.Tensor, temperature: float | tf.Tensor, seed: tf.Tensor, held: tf.Tensor
    ) -> tuple[State, Latents]:
        """Imagine one step with some groups held at given classes, and return its latents too.

        With no group held the state is that of `imagine`, bit for bit; so it is with all groups held at the classes of
        `imagine`. The state depends on held classes alone, not on draws that they replace.

        Args:
            action: as in `imagine`. The initial state and no action (-1, or numbers of 0) lead to the first state of an
                episode, if the model has latents for it.
            held: int32 (B, G), the class of each held group; -1 for a group that is drawn.
        """

    def observed_latents(self, before: State, action: tf.Tensor, state: State) -> Latents:
        """Return the latents of a step that was observed.

        Args:
            before: the state before it; the initial one where `state` is the first of an episode.
            action: of `spec.action`, leading B, taken in `before`; -1 or numbers of 0 before a first state.
            state: after the observation. A model without latents for the first state of an episode gives classes of -1
                there.
        """
