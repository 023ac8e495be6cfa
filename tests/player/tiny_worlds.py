"""A tiny real world and a tiny learned one that keep the contracts, so that the player is tested without TensorFlow."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
from image_spaces import image_spec

BUTTONS = (
    *(("left", "down"), ("left",), ("left", "up"), ("down",), (), ("up",)),
    *(("right", "down"), ("right",), ("right", "up"), ("d",), ("a",), ("w",), ("s",), ("q",), ("e",)),
)
MEANINGS = (
    *("left and down", "left", "left and up", "down", "nothing", "up", "right and down", "right", "right and up"),
    *("fire", "nothing", "wave", "nothing", "nothing", "nothing"),
)
RIGHT, NOTHING = 7, 4


class Field:
    """A square walks on a field of 64x64; each step to the right pays 1; the walk ends after `length` steps."""

    action_keys, action_meanings = BUTTONS, MEANINGS
    title, rules = "Field", "Walk to the right."

    def __init__(self, length=1000):
        self.length = length
        self.level = 0

    def reset(self, *, seed=None, options=None):
        self.level = self.level + 1 if seed is None else seed
        self.place, self.age = np.array([30, 8 + self.level % 40]), 0
        return self._observation(), {"level_seed": self.level}

    def step(self, action):
        move = np.array([-(action % 3 - 1), action // 3 - 1])
        self.place = np.clip(self.place + move * (action < 9), 0, 56)
        self.age += 1
        return self._observation(), float(action == RIGHT), self.age >= self.length, False, {"level_seed": self.level}

    def get_state(self):
        return bytes([self.level, *self.place, self.age])

    def set_state(self, state):
        self.level, *self.place, self.age = state
        self.place = np.array(self.place)

    def render(self):
        return self._observation().repeat(8, axis=0).repeat(8, axis=1)

    def _observation(self):
        frame = np.full((64, 64, 3), (40, 90, 60), np.uint8)
        row, column = self.place
        frame[row : row + 8, column : column + 8] = (240, 220, 60)
        return frame


class WalkModel:
    """Knows the walk, but its predictions grow noisier with each step; it forecasts the end after 20 steps."""

    spec = image_spec((64, 64, 3), 15, (1,))

    def initial(self, batch):
        return {"frame": np.zeros((batch, 64, 64, 3), np.float32), "age": np.zeros(batch), "reward": np.zeros(batch)}

    def observe(self, state, observation, previous_action, is_first, seed):
        age = np.where(is_first, 0.0, state["age"])
        return {"frame": observation.astype(np.float32), "age": age, "reward": 1.0 * (previous_action == RIGHT)}

    def imagine(self, state, action, temperature, seed):
        moves = zip(state["frame"], action, strict=True)
        moved = np.stack([np.roll(frame, (-(a % 3 - 1), a // 3 - 1), (0, 1)) for frame, a in moves])
        noise = np.random.default_rng(np.asarray(seed).view(np.uint32)).normal(size=moved.shape)
        frame = np.clip(moved + 3 * temperature * noise, 0, 255)
        return {"frame": frame, "age": state["age"] + 1, "reward": 0.9 * (action == RIGHT)}

    def features(self, state):
        return state["age"][:, None]

    def frame(self, state, before=None):
        return state["frame"].round().astype(np.uint8)

    def reward(self, state):
        return state["reward"]

    def continuation(self, state):
        return np.clip(1 - state["age"] / 40, 0, 1)


class ReconstructingModel(WalkModel):
    """The same, with a picture of its own for what it has observed."""

    spec = WalkModel.spec._replace(reconstructs=True)


class SampledModel(WalkModel):
    """The same, drawn in a number of calls that can be changed."""

    spec = WalkModel.spec._replace(calls=3)
    calls = 3

    def draw(self, state, action, temperature, seed):
        frame = self.frame(self.imagine(state, action, temperature, seed))
        stages = np.stack([frame] * self.calls, 1)
        shares = np.broadcast_to(np.float32([0.25, 0.75]), (*frame.shape[:3], 2))
        return stages, shares, np.float32([[[0.0, 0.0], [np.nan, np.nan]]] * len(frame))


class CopyingModel(ReconstructingModel):
    """The same, with a mark: the first pixel counts how many pictures in a row were painted from the one before."""

    spec = ReconstructingModel.spec._replace(copies=True)

    def frame(self, state, before=None):
        frame = super().frame(state).copy()
        frame[:, 0, 0] = 0 if before is None else before[:, 0, 0] + 1
        return frame


class LatentModel(ReconstructingModel):
    """The same, with two groups of three classes at each step, which colour the first two pixels and are paid for."""

    spec = ReconstructingModel.spec._replace(latent_groups=(2, 3))
    expected = np.float32([[0.95, 0.05, 0.0], [0.2, 0.5, 0.3]])

    def observe(self, state, observation, previous_action, is_first, seed):
        state = super().observe(state, observation, previous_action, is_first, seed)
        return {**state, "classes": np.full((len(observation), 2), 2, np.int32)}

    def imagine(self, state, action, temperature, seed):
        return self.imagine_latents(state, action, temperature, seed, np.full((len(action), 2), -1, np.int32))[0]

    def imagine_latents(self, state, action, temperature, seed, held):
        drawn = np.random.default_rng(np.asarray(seed).view(np.uint32)).integers(3, size=held.shape)
        classes = np.where(held < 0, drawn, held).astype(np.int32)
        state = {**super().imagine(state, np.maximum(action, 0), 0.0, seed), "classes": classes}
        return {**state, "reward": state["reward"] + classes[:, 0]}, self._latents(classes)

    def observed_latents(self, before, action, state):
        return self._latents(state["classes"])

    def frame(self, state, before=None):
        frame = super().frame(state).copy()
        frame[:, 0, :2, 0] = 100 * state["classes"]
        return frame

    def _latents(self, classes):
        return np.stack([self.expected] * len(classes)), classes


class ModelView:
    """The view of a model as `imagination.model_view` gives it, on NumPy arrays."""

    def __init__(self, model):
        self.model, self.spec = model, model.spec

    def set_calls(self, calls):
        self.model.calls = calls

    def step(self, state, action, temperature, seed, before=None):
        state = self.model.imagine(state, action, temperature, seed)
        return state, self.predict(state, before)

    def step_latents(self, state, action, temperature, seed, held, before=None):
        state, latents = self.model.imagine_latents(state, action, temperature, seed, held)
        return state, self.predict(state, before), latents

    def observed_latents(self, before, action, state):
        return self.model.observed_latents(before, action, state)

    def draw(self, *arguments):
        return self.model.draw(*arguments)

    def repeat(self, state, rows):
        return {name: part.repeat(rows, 0) for name, part in state.items()}

    def frame(self, state, before=None):
        return self.model.frame(state, before)

    def predict(self, state, before=None):
        return SimpleNamespace(
            frame=self.frame(state, before),
            reward=self.model.reward(state),
            continuation=self.model.continuation(state),
        )


class RightPolicy:
    """A policy that walks to the right."""

    def initial(self, batch):
        return ()

    def act(self, features, state, temperature, seed):
        logits = np.zeros((len(features), 15), np.float32)
        logits[:, RIGHT] = np.log(16)
        return np.full(len(features), RIGHT, np.int32), state, {"logits": logits, "value": features[:, 0]}
