"""A tiny real world of numbers and a tiny model of it, for the player without images: a cart that is pushed."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np

from worldmodels.core.specs import ActionSpec, ObservationSpec
from worldmodels.models.api import ModelSpec

BOX = ActionSpec(low=(-2.0, 0.0), high=(2.0, 4.0))
"""A push, and a brake that is at rest at its lowest value."""
NUMBERS = ObservationSpec.of(2)


class Cart:
    """Shows its place and its speed; each push of x adds x to its speed."""

    action_keys = ()
    action_meanings = ("push", "brake")
    title, rules = "Cart", "Push the cart."

    def reset(self, *, seed=None):
        self.place, self.speed = 0.0, 0.0
        return self._observation(), {}

    def step(self, action):
        self.speed += action[0]
        self.place += self.speed
        return self._observation(), action[0], self.place > 100, False, {}

    def get_state(self):
        return np.array([self.place, self.speed]).tobytes()

    def set_state(self, state):
        self.place, self.speed = np.frombuffer(state).tolist()

    def render(self):
        return None

    def _observation(self):
        return np.array([self.place, self.speed], np.float32)


class CartModel:
    """Predicts speeds exactly, and places half a unit too high; samples of a place differ by their temperature."""

    spec = ModelSpec(NUMBERS, BOX, NUMBERS, reconstructs=True)

    def initial(self, batch):
        return {"numbers": np.zeros((batch, 2), np.float32), "off": np.zeros((batch, 1), np.float32)}

    def observe(self, state, observation, previous_action, is_first, seed):
        assert previous_action.dtype == np.float32 and previous_action.shape == (len(observation), 2)
        return {"numbers": observation.copy(), "off": np.zeros((len(observation), 1), np.float32)}

    def imagine(self, state, action, temperature, seed):
        noise = temperature * np.linspace(-1, 1, len(action))[:, None] if len(action) > 1 else 0.0
        speed = state["numbers"][:, 1:] + action[:, :1]
        place = state["numbers"][:, :1] + speed
        return {"numbers": np.concatenate([place, speed], 1), "off": np.float32(0.5) + noise * np.ones_like(place)}

    def features(self, state):
        return state["numbers"]

    def vectors(self, state):
        shift = np.concatenate([state["off"], np.zeros_like(state["off"])], 1)
        return {"": (state["numbers"] + shift).astype(np.float32)}


class CartView:
    """The view of the model as `imagination.model_view` gives it, on NumPy arrays."""

    def __init__(self, model):
        self.model, self.spec = model, model.spec

    def set_calls(self, calls):
        """Do nothing: this model draws no frames."""

    def step(self, state, action, temperature, seed, before=None):
        assert before is None
        state = self.model.imagine(state, action, temperature, seed)
        return state, self.predict(state)

    def repeat(self, state, rows):
        return {name: part.repeat(rows, 0) for name, part in state.items()}

    def predict(self, state, before=None):
        rows = len(state["numbers"])
        vectors = self.model.vectors(state)
        return SimpleNamespace(frame=(), reward=np.zeros(rows), continuation=np.ones(rows), vectors=vectors)


class PushPolicy:
    """A policy that pushes with all it has, and a little more than the box allows."""

    def initial(self, batch):
        return ()

    def act(self, features, state, temperature, seed):
        return np.tile(np.float32([1.25, -1.0]), (len(features), 1)), state, {"value": features[:, 0]}
