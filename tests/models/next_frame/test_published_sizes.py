from __future__ import annotations

from typing import Any

import numpy as np

from worldmodels.core.specs import ActionSpec, ObservationSpec
from worldmodels.models import build_model
from worldmodels.models.next_frame.config import DeterministicConfig, StochasticDiscreteConfig


def sizes(config) -> dict[str, int]:
    """Parameters of each part, for half-size Atari frames and 18 actions."""
    model: Any = build_model(config, ObservationSpec.of(105, 80, 3), ActionSpec(18), np.array([1, 2], np.int32))
    assert model.network.bottleneck_shape[:2] == (2, 2)
    found: dict[str, int] = {}
    for name, variable in model.variables.items():
        part = name.split("/")[0]
        found[part] = found.get(part, 0) + int(np.prod(variable.shape))
    return found


def test_the_deterministic_model_has_11_million_parameters():
    """Published: about 11.2 million."""
    found = sizes(DeterministicConfig(continuation=False))
    assert found == {
        "network": 11_106_176,  # down 4.85 M, middle 1.18 M, up 5.04 M, of which injected actions 0.18 M
        "output": 64 * 768 + 768,
        "reward": (256 + 64) * 128 + 128 + 128 * 3,
    }
    assert sum(found.values()) == 11_197_568


def test_the_stochastic_model_has_90_million_parameters():
    """Published: about 90.4 million, of which 8 million infer bits while training."""
    found = sizes(StochasticDiscreteConfig(continuation=False))
    assert found == {
        "network": 80_591_456,  # down 34.5 M, middle 10.6 M, up 35.2 M, memory 0.08 M
        "output": 96 * 768 + 768,
        "reward": (768 + 96) * 128 + 128 + 128 * 3,
        "inference": 7_955_496,
        "predictor": 1_377_536,  # 1.18 M of them read the bottleneck
        "inject_bits": 2 * (128 * 768 + 768),
    }
    assert sum(found.values()) == 90_308_232
