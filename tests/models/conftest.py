"""Models small enough that their graphs are traced in seconds, shared by the tests of this folder and below."""

from __future__ import annotations

import numpy as np
import pytest

from worldmodels.core.specs import ActionSpec, ObservationSpec
from worldmodels.core.types import Batch
from worldmodels.models import build_model
from worldmodels.models.config import HeadConfig, OptimizerConfig, PatchConfig
from worldmodels.models.next_frame.config import (
    ConvNetworkConfig,
    DeterministicConfig,
    LatentConfig,
    SamplingConfig,
    StochasticDiscreteConfig,
)
from worldmodels.models.rssm.config import RSSMConfig

IMAGE = PatchConfig(patch=4, depth=8)


def tiny_config(**changes) -> RSSMConfig:
    settings = {
        "recurrent": 16,
        "hidden": 12,
        "latents": 3,
        "classes": 4,
        "encoder": IMAGE,
        "decoder": IMAGE,
        "heads": HeadConfig(1, 8),
        "reward_transform": "none",
        "optimizer": OptimizerConfig(learning_rate=1e-2),
    }
    return RSSMConfig(**{**settings, **changes})


@pytest.fixture(scope="session")
def build():
    """Builds a tiny model; the same seed gives the same weights."""

    def make(seed: int = 0, **changes):
        return build_model(
            tiny_config(**changes), ObservationSpec.of(16, 16, 3), ActionSpec(5), np.array([seed, 7], np.int32)
        )

    return make


@pytest.fixture(scope="session")
def batch() -> Batch:
    """4 windows of 6 steps of plain colours, with borders of episodes inside."""
    random = np.random.default_rng(0)
    colours = random.integers(0, 256, (4, 6, 1, 1, 3), np.uint8)
    is_first = np.zeros((4, 6), bool)
    is_first[1, 3] = is_first[2, 0] = True
    is_last = np.roll(is_first, -1, 1) & (np.arange(6) < 5)
    return Batch(
        np.ascontiguousarray(np.broadcast_to(colours, (4, 6, 16, 16, 3))),
        random.normal(size=(4, 6)).astype(np.float32),
        is_first,
        is_last,
        is_last,
        random.integers(0, 5, (4, 6)).astype(np.int32),
    )


@pytest.fixture
def seed() -> np.ndarray:
    return np.array([3, 4], np.int32)


SHAPE, ACTIONS = (13, 10, 3), 3


def tiny_next_frame_config(kind: str, **changes):
    settings = {
        "network": ConvNetworkConfig(hidden=16, levels=1, doublings=1, dropout=0.0, middle_dropout=0.0),
        "frames": 2,
        "pixel_noise": 0.0,
        "sampling": SamplingConfig(final=0.5, exponential_updates=0, linear_updates=0),
        "reward": "symlog",
        "optimizer": OptimizerConfig(learning_rate=5e-3, weight_decay=0),
    }
    if kind == "deterministic":
        return DeterministicConfig(**{**settings, **changes})
    latent = LatentConfig(bits=4, group=2, units=8, ramp_updates=20, use_ramp_updates=10)
    return StochasticDiscreteConfig(**{**settings, "memory": 4, "latent": latent, **changes})


@pytest.fixture(scope="session")
def build_next_frame():
    """Builds a tiny model of a kind; the same seed gives the same weights."""

    def make(kind: str, seed: int = 0, size: tuple[int, int] = SHAPE[:2], **changes):
        return build_model(
            tiny_next_frame_config(kind, **changes),
            ObservationSpec.of(*size, SHAPE[2]),
            ActionSpec(ACTIONS),
            np.array([seed, 7], np.int32),
        )

    return make


@pytest.fixture(scope="session")
def window() -> Batch:
    """4 windows of 5 steps, with a border of episodes in the second and in the third.

    The action moves a bright column to its own place and paints the rest; action 2 pays 3, and ends the episode where
    the window has a border.
    """
    random = np.random.default_rng(0)
    action = random.integers(0, ACTIONS, (4, 5)).astype(np.int32)
    action[1, 2] = action[2, 0] = 2
    before = np.roll(action, 1, 1)
    observation = np.full((4, 5, *SHAPE), 30, np.uint8) + 60 * before[..., None, None, None].astype(np.uint8)
    for row, time in np.ndindex(4, 5):
        observation[row, time, :, 3 * before[row, time]] = 250
    is_first = np.zeros((4, 5), bool)
    is_first[1, 4] = is_first[2, 2] = True
    is_last = np.roll(is_first, -1, 1)
    is_last[:, -1] = False
    reward = np.where(is_first, 0.0, 3.0 * (before == 2)).astype(np.float32)
    return Batch(observation, reward, is_first, is_last, is_last, action)
