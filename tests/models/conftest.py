"""A model small enough that its graphs are traced in a second, shared by the tests of this folder."""

from __future__ import annotations

import numpy as np
import pytest

from worldmodels.core.types import Batch
from worldmodels.models import build_model
from worldmodels.models.config import HeadConfig, OptimizerConfig, PatchConfig
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
        "reward_transform": "identity",
        "optimizer": OptimizerConfig(learning_rate=1e-2),
    }
    return RSSMConfig(**{**settings, **changes})


@pytest.fixture(scope="session")
def build():
    """Builds a tiny model; the same seed gives the same weights."""

    def make(seed: int = 0, **changes):
        return build_model(tiny_config(**changes), (16, 16, 3), 5, np.array([seed, 7], np.int32))

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
