"""A tiny real world and a tiny learned one that keep the contracts, so that the player is tested without TensorFlow."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest

from worldmodels.core.seeding import Streams
from worldmodels.player.controls import Controls
from worldmodels.player.options import PlayOptions
from worldmodels.player.players import PolicyPlayer, RandomPlayer, ScriptPlayer
from worldmodels.player.session import Session
from worldmodels.player.settings import Settings
from worldmodels.player.worlds import ModelWorld, RealWorld, Watcher

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


class Dream:
    """Knows the walk, but what it predicts alone grows noisier with each step; foresees the end after 20 steps."""

    spec = SimpleNamespace(observation_shape=(64, 64, 3), num_actions=15, feature_kind="vector")

    def initial(self, batch):
        return {"frame": np.zeros((batch, 64, 64, 3), np.float32), "age": np.zeros(batch), "reward": np.zeros(batch)}

    def observe(self, state, observation, previous_action, is_first, seed):
        age = np.where(is_first, 0.0, state["age"])
        return {"frame": observation.astype(np.float32), "age": age, "reward": 1.0 * (previous_action == RIGHT)}

    def step(self, state, action, temperature, seed):
        moves = zip(state["frame"], action, strict=True)
        moved = np.stack([np.roll(frame, (-(a % 3 - 1), a // 3 - 1), (0, 1)) for frame, a in moves])
        noise = np.random.default_rng(np.asarray(seed).view(np.uint32)).normal(size=moved.shape)
        frame = np.clip(moved + 3 * temperature * noise, 0, 255)
        return {"frame": frame, "age": state["age"] + 1, "reward": 0.9 * (action == RIGHT)}

    def features(self, state):
        return state["age"][:, None]

    def frame(self, state):
        return state["frame"].round().astype(np.uint8)

    def reward(self, state):
        return state["reward"]

    def continuation(self, state):
        return np.clip(1 - state["age"] / 40, 0, 1)


class ModelView:
    """What a step of a model shows, as `imagination.model_view` gives it in one call."""

    def __init__(self, model):
        self.model, self.spec, self.frame = model, model.spec, model.frame

    def step(self, state, action, temperature, seed):
        state = self.model.imagine(state, action, temperature, seed)
        return state, self.predict(state)

    def predict(self, state):
        return SimpleNamespace(
            frame=self.model.frame(state), reward=self.model.reward(state), continuation=self.model.continuation(state)
        )


class Eastward:
    """A policy that walks to the right."""

    def initial(self, batch):
        return ()

    def act(self, features, state, temperature, seed):
        logits = np.zeros((len(features), 15), np.float32)
        logits[:, RIGHT] = np.log(16)
        return np.full(len(features), RIGHT, np.int32), state, {"logits": logits, "value": features[:, 0]}


@pytest.fixture
def make_session():
    """Build a session of the tiny worlds; `models` counts those of the learned ones."""

    def make(
        length=1000, models=1, with_policy=True, human_view=False, seed=0, playing="", script=(), alone=False, **options
    ):
        streams, settings = Streams(seed), Settings(PlayOptions(**options), models > 0, with_policy)
        real = RealWorld(Field(length), seed=1, human_view=human_view, frozen=alone)
        watchers = [Watcher(Dream(), streams) for _ in range(max(models, 1))]
        worlds = [
            ModelWorld(ModelView(w.representation), w, streams, settings, f"Model {i}")
            for i, w in enumerate(watchers[:models])
        ]
        players = (
            [PolicyPlayer(Eastward(), watchers[0], streams, settings, worlds[0] if alone else None)]
            if with_policy
            else []
        )
        players += [RandomPlayer(15, streams), *([ScriptPlayer(script)] if script else [])]
        return Session("Field", real, Controls(BUTTONS, MEANINGS), settings, worlds, players, playing)

    return make
