"""N imagined worlds side by side begin at recorded windows, and take steps together."""

from __future__ import annotations

from typing import Any, Literal, NamedTuple

import numpy as np
import tensorflow as tf

from worldmodels.core.seeding import Streams, fold
from worldmodels.core.types import Batch, State
from worldmodels.imagination.model_view import ModelView
from worldmodels.imagination.replay_starts import StartWindows
from worldmodels.imagination.starts import states_after
from worldmodels.models import draws
from worldmodels.models.api import WorldModel
from worldmodels.models.graph import graph

Observe = Literal["frames", "vectors", "features"]


class ImaginedStep(NamedTuple):
    """The outcome of one imagined step of N episodes."""

    observation: np.ndarray
    """uint8 (N, H, W, C), float32 (N, D), or the model's features (N, ...)."""
    reward: np.ndarray
    """float32 (N,)."""
    continuation: np.ndarray
    """float32 (N,): the model's probability that the episode goes on."""
    ended: np.ndarray
    """bool (N,): whether it ended."""


class ImaginedWorlds:
    """A set of N worlds, whose randomness is a function of the seed and of the order of the calls.

    Args:
        starts: gives the recorded windows; episodes begin after their last steps.
        temperature: of the model and of the ends of episodes; see `step`.
    """

    def __init__(
        self, model: WorldModel, starts: StartWindows, count: int, temperature: float, observe: Observe
    ) -> None:
        self._model, self._starts, self._count = model, starts, count
        self._view, self._observe = ModelView(model), observe
        self._paints = observe == "frames"
        self._temperature = tf.constant(temperature, tf.float32)
        self._state: State = None
        """The model's state; and, if frames are observed, the frames to copy from and the frames shown, else ()."""

    def seed(self, seed: int) -> None:
        """Start all random streams again; earlier start states are dropped."""
        streams = Streams(seed)
        self._generator = streams.generator("imagination/starts")
        self._keys = {use: streams.key(f"imagination/{use}") for use in ("follow", "step")}
        self._calls = dict.fromkeys(self._keys, 0)
        self._used = self._count  # of the fresh states: none is left

    def begin(self, mask: np.ndarray) -> np.ndarray:
        """Begin new episodes where `mask`, bool (N,), holds; return their observations, and anything elsewhere."""
        wanted = int(mask.sum())
        if self._used + wanted > self._count:
            self._draw_starts()
        rows = np.zeros(self._count, np.int32)
        rows[mask] = self._used + np.arange(wanted)
        self._used += wanted
        old = self._fresh if self._state is None else self._state
        self._state = self._replace(old, self._fresh, rows, mask)
        observations: np.ndarray = self._fresh_observation[rows]
        return observations

    def step(self, action: np.ndarray) -> ImaginedStep:
        """Take one step of all worlds, actions leading N, and return its result.

        The end of an episode is drawn with the model's probability. The temperature divides the logit of that
        probability; at 0 an episode ends if the probability is above a half.
        """
        self._state, *shown = self._advance(self._state, action, self._temperature, self._key("step"))
        return ImaginedStep(*(value.numpy() for value in shown))

    def frames(self) -> np.ndarray:
        """Return the images of all worlds as they are, uint8 (N, H, W, C).

        Where frames are not observed, each image is painted from its state alone.
        """
        state, pictures = self._state
        return np.asarray(pictures[1] if pictures else self._model.frame(state))

    def _draw_starts(self) -> None:
        """Draw as many start states as there are episodes: another number would be another graph."""
        windows = self._starts(self._count, self._generator)
        state = states_after(self._model, windows, tf.constant(self._key("follow")))
        observation = self._first_frames(state, windows) if self._paints else self._show(state)
        self._fresh = (
            state,
            (tf.constant(self._model.spec.image_of(windows.observation)[:, -1]), observation) if self._paints else (),
        )
        self._fresh_observation = observation.numpy()
        self._used = 0

    def _show(self, state: State, before: tf.Tensor | None = None) -> tf.Tensor:
        if self._observe == "vectors":
            vectors = self._model.vectors(state)
            return tf.concat([vectors[name] for name in self._model.spec.vectors], -1)
        return self._model.features(state) if self._observe == "features" else self._view.frame(state, before)

    def _first_frames(self, state: State, windows: Batch) -> tf.Tensor:
        """Return the model's images of the last frames of windows, painted from the frames before."""
        seen = self._model.spec.image_of(windows.observation)
        before = seen[:, max(seen.shape[1] - 2, 0)]
        alone = windows.is_first[:, -1] | (seen.shape[1] == 1)
        return self._view.seen_frame(state, tf.constant(before), tf.constant(alone))

    def _key(self, use: str) -> np.ndarray:
        self._calls[use] += 1
        return fold(self._keys[use], self._calls[use])

    @graph
    def _advance(self, state: State, action: Any, temperature: Any, seed: Any) -> tuple[Any, ...]:
        imagine_seed, end_seed = tf.unstack(draws.split(seed, 2))
        state, pictures = state
        state = self._model.imagine(state, action, temperature, imagine_seed)
        continuation = self._model.continuation(state)
        uniform = draws.uniform(tf.shape(continuation), end_seed, np.finfo(np.float32).tiny)
        noise = tf.math.log(uniform) - tf.math.log1p(-uniform)
        ended = tf.math.log(continuation) - tf.math.log1p(-continuation) + temperature * noise < 0
        shown = self._show(state, pictures[0] if pictures else None)
        pictures = (shown, shown) if pictures else ()
        return (state, pictures), shown, self._model.reward(state), continuation, ended

    @graph
    def _replace(self, state: State, fresh: State, rows: Any, mask: Any) -> State:
        def chosen(old: tf.Tensor, new: tf.Tensor) -> tf.Tensor:
            return tf.where(tf.reshape(mask, (-1,) + (1,) * (old.shape.rank - 1)), tf.gather(new, rows), old)

        return tf.nest.map_structure(chosen, state, fresh)
