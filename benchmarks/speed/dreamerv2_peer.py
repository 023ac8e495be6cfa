"""Runs an update of DreamerV2's own code for each line that arrives, and prints a line of JSON for each.

    python benchmarks/speed/dreamerv2_peer.py BATCH LENGTH HORIZON ACTIONS

Runs in a virtual environment of its own, with Python 3.11 or older:

    pip install 'tensorflow-cpu==2.12.*' 'numpy<1.24' 'tensorflow-probability==0.20.*' 'ruamel.yaml<0.18' 'gym==0.26.*'
    pip install --no-deps dreamerv2

The layout is that of the learner `reference` (`speed/dreamer.py`); the batches are noise.
"""

from __future__ import annotations

import importlib
import importlib.util
import json
import sys
import time
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np

HEAD = {"layers": 2, "units": 256}
LAYOUT: dict[str, Any] = {
    "rssm": {"hidden": 256, "deter": 256, "stoch": 16, "discrete": 16},
    "encoder": {"cnn_depth": 16},
    "decoder": {"cnn_depth": 16},
    **{name: HEAD for name in ("reward_head", "discount_head", "actor", "critic")},
}


def build(actions: int, horizon: int) -> Any:
    """Return DreamerV2's agent with its settings for Atari, at the layout."""
    found: Any = importlib.util.find_spec("dreamerv2")
    (folder,) = found.submodule_search_locations
    precision: Any = importlib.import_module("tensorflow.keras.mixed_precision")
    precision.experimental = precision  # the older name, by which DreamerV2 imports it
    sys.path.insert(0, folder)  # its modules import each other as scripts do
    agent, common, yaml = (importlib.import_module(name) for name in ("agent", "common", "ruamel.yaml"))
    presets = yaml.safe_load((Path(folder) / "configs.yaml").read_text())
    config = common.Config(presets["defaults"]).update(presets["atari"])
    config = config.update({**LAYOUT, "imag_horizon": horizon, "precision": 32})
    image, number = SimpleNamespace(shape=(64, 64, 3)), SimpleNamespace(shape=())
    seen = {"image": image, "reward": number, "is_first": number, "is_last": number, "is_terminal": number}
    return agent.Agent(config, seen, {"action": SimpleNamespace(shape=(actions,), n=actions)}, common.Counter(0))


def noise(generator: np.random.Generator, batch: int, length: int, actions: int) -> dict[str, np.ndarray]:
    """Return a batch of random windows."""
    shape = (batch, length)
    never = np.zeros(shape, bool)
    return {
        "image": generator.integers(0, 256, (*shape, 64, 64, 3), np.uint8),
        "action": np.eye(actions, dtype=np.float32)[generator.integers(0, actions, shape)],
        "reward": generator.normal(0, 1, shape).astype(np.float32),
        **{name: never for name in ("is_first", "is_last", "is_terminal")},
    }


def main() -> None:
    batch, length, horizon, actions = map(int, sys.argv[1:])
    learner, generator = build(actions, horizon), np.random.default_rng(0)
    for _ in sys.stdin:
        data = noise(generator, batch, length, actions)
        wall, processor = time.perf_counter(), time.process_time()
        _, metrics = learner.train(data)
        float(metrics["kl_loss"])  # waits for the result
        row = {"wall": time.perf_counter() - wall, "processor": time.process_time() - processor}
        print(json.dumps(row), flush=True)


if __name__ == "__main__":
    main()
