"""Compares the errors of the small next-frame models with those of the published layouts.

Both layouts of a pair learn the same windows, in batches of the published shape, with the same optimizer and schedules,
those of the small preset: so nothing but layout and size differs, and a short measurement says something, as the
published schedules, made for 45,000 updates, could not. First the published layout learns for some time; the small one
is tested after as many updates, and again after as much time. Both predict held-out windows of other levels without
looking.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from speed.experience import STREAMS, record, windows
from speed.held_out import held_out_errors
from speed.next_frame import CONTEXT, Learner
from worldmodels.config.run_config import RunConfig
from worldmodels.core.configuration.presets import preset_names
from worldmodels.core.configuration.sections import load_config
from worldmodels.core.types import Batch
from worldmodels.evaluation.predictions.model_errors import counting, mean_curve

GAME = "fruitbot"  # its rewards are frequent
HORIZON, WINDOWS = 15, 64
STEPS_AHEAD = (1, 5, 15)
PAIRS = {"simple": "simple_small", "simple_deterministic": "simple_deterministic_small"}
"""The preset of the published layout, and that of the small one."""


def measure(seconds: float) -> dict[str, Any]:
    """One row per learner and moment; `seconds` of updates each."""
    recording = record(GAME, "training", 500)
    test = windows(record(GAME, "held out", 200), WINDOWS, CONTEXT + HORIZON, STREAMS.generator("test windows"))
    known, rows = set(preset_names()), []
    for published, small in PAIRS.items():
        if {published, small} <= known:
            rows += compare_pair(published, small, recording, test, seconds)
    return {"game": GAME, "seconds": seconds, "rows": rows}


def compare_pair(published: str, small: str, recording: Batch, test: Batch, seconds: float) -> list[dict[str, Any]]:
    config, layout = load_config(RunConfig, [small]), load_config(RunConfig, [published])
    shape = {"batch": layout.training.batch, "length": layout.training.length}
    config = replace(config, training=replace(config.training, **shape))
    large = replace(config, model=replace(config.model, network=layout.model.network, output=layout.model.output))
    rows, updates = [], 0
    for name, learner in ((f"layout of {published}", Learner(large)), (small, Learner(config))):
        generator = STREAMS.generator("windows")
        while learner.updates.total < seconds or learner.updates.count < updates:
            learner.update(recording, generator)
            if learner.updates.count == updates:
                rows.append(row(f"{name}, as many updates", learner, test))
        rows.append(row(f"{name}, as much time" if updates else name, learner, test))
        updates = updates or learner.updates.count
    return rows


def row(name: str, learner: Learner, test: Batch) -> dict[str, Any]:
    errors = held_out_errors(learner.model, test, CONTEXT, STREAMS.key("test"))
    curves = {"image": errors.image_error, "reward": errors.reward_error, "copy": errors.copy_image_error}
    return {
        "name": name,
        "updates": learner.updates.count,
        "seconds": learner.updates.total,
        **{f"{what}_error": [float(curve.mean[ahead - 1]) for ahead in STEPS_AHEAD] for what, curve in curves.items()},
        "constant_reward_error": _constant_reward_error(test),
    }


def _constant_reward_error(test: Batch) -> list[float]:
    """Of always predicting no reward."""
    curve = mean_curve(np.abs(test.reward[:, CONTEXT:]), counting(test.is_last, CONTEXT))
    return [float(curve.mean[ahead - 1]) for ahead in STEPS_AHEAD]
