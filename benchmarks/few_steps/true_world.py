"""Trains a run with a world model parts of which are the game itself: what the policy would learn if they had no error.

    python benchmarks/few_steps/true_world.py PARTS train --config PRESET KEY=VALUE --logdir RUN

PARTS are `dynamics`, `rewards` or `dynamics+rewards`; everything behind is a command of `worldmodels`. The run collects
as many real steps as without this script, and fits its world model to them. But the rollouts from which its policy
learns are played in the game, from the states of the game in which recorded steps were taken:

dynamics  the features of each step are those of the world model at the true next frame, not at an imagined one
rewards   each step has the reward and the end that the game gives, not those that the world model predicts. Without
          `dynamics` the game takes the actions that the policy chose at imagined features

The run is an ordinary one, so `worldmodels` opens it. It is evaluated afterwards, not while it trains. Steps of the
game within rollouts are not counted.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import replace
from hashlib import blake2b
from typing import TYPE_CHECKING, Any, NamedTuple
from unittest import mock

import numpy as np

from worldmodels.acting.build import Parts
from worldmodels.acting.step_source import LocalSource
from worldmodels.cli import main
from worldmodels.config.environment import build_env
from worldmodels.config.run_config import RunConfig
from worldmodels.core.errors import RunError, UserError, unknown
from worldmodels.envs import VectorEnv
from worldmodels.loading.quiet import load_tensorflow
from worldmodels.models.api import State, WorldModel

if TYPE_CHECKING:
    import tensorflow as tf

PARTS = {"dynamics": (True, False), "rewards": (False, True), "dynamics+rewards": (True, True)}
"""Whether dynamics, and rewards with ends, are the game's."""
CAPACITY = 8_192
"""Bytes of a game's state at most; that of a busy FruitBot has 3,000."""
DIGEST = 16


class Moments:
    """Keeps the state of the game of each frame that was recorded, newest first where frames are equal."""

    def __init__(self) -> None:
        self._states: dict[bytes, bytes] = {}

    def add(self, frames: np.ndarray, states: Sequence[bytes]) -> None:
        """Keep the states of N frames, uint8 (N, H, W, C)."""
        self._states.update(zip(map(_digest, frames), states, strict=True))

    def of(self, frames: np.ndarray) -> np.ndarray:
        """Return the states of frames (..., H, W, C), uint8 (..., CAPACITY)."""
        rows = frames.reshape(-1, *frames.shape[-3:])
        found = [self._states.get(_digest(frame)) for frame in rows]
        if None in found:
            raise RunError(
                "The state of the game of a recorded frame is not known. It is kept with each checkpoint of this "
                "script, so the run was continued without the script; begin it anew."
            )
        return np.stack([_packed(state) for state in found if state]).reshape(*frames.shape[:-3], CAPACITY)

    def save(self) -> dict[str, np.ndarray]:
        states = list(self._states.values())
        return {
            "digests": _bytes(b"".join(self._states)),
            "lengths": np.array([len(state) for state in states], np.int64),
            "states": _bytes(b"".join(states)),
        }

    def load(self, tree: dict[str, np.ndarray]) -> None:
        digests, states = tree["digests"].reshape(-1, DIGEST), np.split(tree["states"], np.cumsum(tree["lengths"])[:-1])
        self._states = {
            digest.tobytes(): state.tobytes() for digest, state in zip(digests, states[: len(digests)], strict=True)
        }


def _digest(frame: np.ndarray) -> bytes:
    return blake2b(frame.tobytes(), digest_size=DIGEST).digest()


def _bytes(data: bytes) -> np.ndarray:
    return np.frombuffer(data, np.uint8)


def _packed(state: bytes) -> np.ndarray:
    """Return a state as uint8 (CAPACITY,): its length in four bytes, itself, and zeros."""
    if len(state) > CAPACITY - 4:
        raise UserError(f"A state of the game may have {CAPACITY - 4:,} bytes; received one of {len(state):,}.")
    packed: np.ndarray = np.zeros(CAPACITY, np.uint8)
    data = len(state).to_bytes(4, "little") + state
    packed[: len(data)] = _bytes(data)
    return packed


def _unpacked(packed: np.ndarray) -> bytes:
    data = packed.tobytes()
    return data[4 : 4 + int.from_bytes(data[:4], "little")]


class Remembering:
    """A vector environment that keeps the state of the game of each frame."""

    def __init__(self, env: Any, moments: Moments):
        self._env, self._moments = env, moments

    def __getattr__(self, name: str) -> Any:
        return getattr(self._env, name)

    def reset(self, **how: Any) -> Any:
        return self._kept(self._env.reset(**how))

    def step(self, actions: np.ndarray) -> Any:
        return self._kept(self._env.step(actions))

    def _kept(self, outcome: Any) -> Any:
        self._moments.add(outcome[0], self._env.get_state())
        return outcome


class TrueState(NamedTuple):
    """The state of a `TrueWorld`."""

    learned: State
    """The world model's."""
    game: tf.Tensor
    """uint8 (B, CAPACITY); () in the readable part."""
    reward: tf.Tensor
    """float32 (B,): what arrived with the state in the game."""
    continuation: tf.Tensor
    """float32 (B,): 0 where the game ended with the state, else 1."""


class TrueWorld:
    """A `WorldModel` (see `models/api.py` for the methods) that imagines by playing the game."""

    def __init__(self, model: WorldModel, config: RunConfig, moments: Moments, dynamics: bool, rewards: bool):
        self._model, self._config, self._moments = model, config, moments
        self._dynamics, self._rewards = dynamics, rewards
        self._env: VectorEnv | None = None

    def __getattr__(self, name: str) -> Any:
        return getattr(self._model, name)

    def initial(self, batch: int) -> TrueState:
        return self._at(self._model.initial(batch), np.zeros((batch, CAPACITY), np.uint8))

    def fit(self, batch: Any, seed: tf.Tensor, weights: tf.Tensor | None = None) -> Any:
        metrics, states = self._model.fit(batch, seed, *(() if weights is None else (weights,)))
        return metrics, self._at(states, self._moments.of(np.asarray(batch.observation)))

    def imagine(self, state: TrueState, action: tf.Tensor, temperature: Any, seed: tf.Tensor) -> TrueState:
        import tensorflow as tf

        kinds = (tf.uint8, tf.uint8, tf.float32, tf.float32)
        frame, game, reward, continuation = tf.numpy_function(self._play, (state.game, action), kinds)
        rows = action.shape[0]
        frame.set_shape((rows, *self._model.spec.observation_shape))
        game.set_shape((rows, CAPACITY))
        reward.set_shape((rows,))
        continuation.set_shape((rows,))
        if self._dynamics:
            learned = self._model.observe(state.learned, frame, action, tf.zeros((rows,), tf.bool), seed)
        else:
            learned = self._model.imagine(state.learned, action, temperature, seed)
        return TrueState(learned, game, reward, continuation)

    def readable(self, state: TrueState) -> Any:
        return state._replace(learned=self._model.readable(state.learned), game=())

    def features(self, state: TrueState) -> tf.Tensor:
        return self._model.features(state.learned)

    def reward(self, state: TrueState) -> tf.Tensor:
        return state.reward if self._rewards else self._model.reward(state.learned)

    def continuation(self, state: TrueState) -> tf.Tensor:
        return state.continuation if self._rewards else self._model.continuation(state.learned)

    def save(self) -> dict[str, Any]:
        return {**self._model.save(), "moments": self._moments.save()}

    def load(self, tree: dict[str, Any]) -> None:
        self._model.load(tree)
        self._moments.load(tree["moments"])

    def _at(self, learned: State, games: np.ndarray) -> TrueState:
        """Return the states of moments that were observed, where nothing is known of rewards."""
        import tensorflow as tf

        leading = games.shape[:-1]
        return TrueState(learned, tf.constant(games), tf.zeros(leading), tf.ones(leading))

    def _play(self, games: np.ndarray, actions: np.ndarray) -> tuple[np.ndarray, ...]:
        """Take one step in each game; a game that is over begins a level, and what follows the end counts nothing."""
        env = self._games(len(games))
        env.set_state([_unpacked(game) for game in games])
        frames, rewards, terminated, _, _ = env.step(actions)
        after = np.stack([_packed(state) for state in env.get_state()])
        return frames, after, np.asarray(rewards, np.float32), 1 - terminated.astype(np.float32)

    def _games(self, count: int) -> Any:
        if self._env is None or self._env.num_envs != count:
            self._env = build_env(replace(self._config, env=replace(self._config.env, num_envs=count, workers=0)))
            self._env.reset(seed=0)
        return self._env


def train(parts: str, command: Sequence[str]) -> int:
    """Carry out a `train` command with parts of its world model replaced by the game, and return its exit status."""
    if parts not in PARTS:
        raise UserError(unknown("part of a world model", parts, PARTS))
    load_tensorflow()
    from worldmodels.training import run as training

    moments, session = Moments(), training.TrainingSession

    def remembering_source(learning: Parts, env: VectorEnv) -> LocalSource:
        return LocalSource(learning, Remembering(env, moments))  # type: ignore[arg-type]

    def true_session(checked: Any, source: Any, learning: Parts, *others: Any) -> Any:
        world: Any = TrueWorld(learning.world_model, learning.config, moments, *PARTS[parts])
        return session(checked, source, replace(learning, model=world), *others)

    with (
        mock.patch.object(training, "LocalSource", remembering_source),
        mock.patch.object(training, "TrainingSession", true_session),
    ):
        return main(list(command))


if __name__ == "__main__":
    sys.exit(train(sys.argv[1], sys.argv[2:]))
