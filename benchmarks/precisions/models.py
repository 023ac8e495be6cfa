"""Measures losses and image errors of world models after the same updates in either precision.

The data never change: 16 environments of coinrun, 20 levels, random actions held for some steps, recorded once; so do
the held-out windows, which are of other levels. The seed decides weights, windows and noise, and is the same in both
precisions: so runs can be compared in pairs.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from speed.experience import ACTIONS, SHAPE, record, windows
from speed.held_out import held_out_errors

from worldmodels.config.run_config import RunConfig
from worldmodels.core.configuration.sections import load_config
from worldmodels.core.seeding import Streams, fold
from worldmodels.core.specs import ActionSpec, ObservationSpec
from worldmodels.models import build_model
from worldmodels.models.graph import make_deterministic
from worldmodels.models.precision import Precision, building_in

PRESETS = {"dreamer_model": ("dreamer_small", 16, 16), "simple_model": ("simple_small", 4, 10)}
"""Presets, and the windows and frames of a batch."""
LEVELS, STEPS, HOLD = 20, 1000, 4.0
HELD_OUT = {"start_level": 1_000, "num_levels": 200}
CONTEXT, HORIZON, WINDOWS = 5, 15, 256
AHEAD = (1, 5, 15)
LAST = 0.1
"""Share of the updates, the last ones, over which losses are averaged."""


def measure(what: str, updates: int, precision: Precision, seed: int) -> dict[str, float]:
    """The losses by name, and the image errors so many steps ahead."""
    make_deterministic()
    preset, batch, length = PRESETS[what]
    config, streams = load_config(RunConfig, [preset]), Streams(seed)
    recording = record("coinrun", "training", STEPS, HOLD, num_levels=LEVELS)
    with building_in(precision):
        model = build_model(config.model, ObservationSpec.of(*SHAPE), ActionSpec(ACTIONS), streams.key("model"))
    generator, key, kept = streams.generator("windows"), streams.key("fit"), []
    for number in range(updates):
        metrics, _ = model.fit(windows(recording, batch, length, generator), fold(key, number))
        if number >= (1 - LAST) * updates:
            kept.append({name: float(value) for name, value in metrics.items()})
    losses = {name: float(np.mean([row[name] for row in kept])) for name in kept[0] if name.endswith("loss")}
    return losses | image_errors(model)


def image_errors(model: Any) -> dict[str, float]:
    """Mean squared errors of pixels from 0 to 1 on held-out levels, predicted without looking."""
    recording = record("coinrun", "held out", 200, HOLD, **HELD_OUT)
    streams = Streams(0)
    test = windows(recording, WINDOWS, CONTEXT + HORIZON, streams.generator("test windows"))
    found = held_out_errors(model, test, CONTEXT, streams.key("test"))
    return {f"image error, {ahead} ahead": float(found.image_error.mean[ahead - 1]) for ahead in AHEAD}
