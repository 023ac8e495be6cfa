"""A published world predicts under ONNX Runtime for browsers what the package predicts."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import tensorflow as tf

from worldmodels.core.files.packs import GALLERY, gallery
from worldmodels.envs import GameEnv
from worldmodels.loading.load import load_run
from worldmodels.models.flow.model import Flow

HERE = Path(__file__).parent
LARGEST = 2
"""Of 255: the largest difference of a pixel, for the same noise."""
STEPS, PUT_BACK_EVERY = 12, 4


def calls_of(game: str, options: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Yield calls along an episode, with 1 to 3 calls of the network, half of them at temperature 0."""
    env = GameEnv(game, **options)
    frame, _ = env.reset(seed=3)
    before, random = 0, np.random.default_rng(0)
    for index in range(STEPS):
        action = {"before": before, "next": int(random.integers(15))}
        alone = index % PUT_BACK_EVERY > 0
        frames = {"frame": frame.ravel().tolist(), "isFirst": index == 0}
        yield {**frames, "action": action, "calls": 1 + index % 3, "temperature": float(index % 2), "alone": alone}
        frame, *_ = env.step(action["next"])
        before = action["next"]


def test_the_frame_is_the_packages_for_the_same_noise(node: str, page: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (world,) = json.loads((page / "page.json").read_text())["worlds"]
    run = load_run(GALLERY + min(gallery()), precision="float32")
    if not isinstance(run.parts.world_model, Flow):
        pytest.skip("the noise of other models is drawn in other places")
    model = run.parts.world_model
    options = json.loads((page / world["path"]).read_text())["options"]
    calls = list(calls_of(run.config.env.game, options))
    lines = "".join(json.dumps(call) + "\n" for call in calls)
    command = [node, str(HERE / "predict.mjs"), str(page), world["name"]]
    done = subprocess.run(command, input=lines, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    tf.config.run_functions_eagerly(True)  # so that each step has its own noise
    noise: list[np.ndarray] = []
    monkeypatch.setattr(tf.random, "stateless_normal", lambda shape, seed: tf.reshape(tf.constant(noise[-1]), shape))
    tracked = predicted = model.initial(1)
    seed = tf.zeros(2, tf.int32)
    for call, line in zip(calls, done.stdout.splitlines(), strict=True):
        found = json.loads(line)
        noise.append(np.array(found["noise"][0], np.float32))
        frame = np.array(call["frame"], np.uint8).reshape(1, 64, 64, 3)
        before, action = (tf.constant([call["action"][name]]) for name in ("before", "next"))
        tracked = model.observe(tracked, frame, before, tf.constant([call["isFirst"]]), seed)
        model.set_calls(call["calls"])
        predicted = model.imagine(predicted if call["alone"] else tracked, action, call["temperature"], seed)
        difference = np.abs(model.frame(predicted).numpy().ravel().astype(int) - found["frame"])
        assert difference.max() <= LARGEST
        np.testing.assert_allclose(model.reward(predicted)[0], found["reward"], atol=1e-4)
        np.testing.assert_allclose(model.continuation(predicted)[0], found["continuation"], atol=1e-4)


@pytest.fixture(autouse=True)
def graphs_again() -> Iterator[None]:
    yield
    tf.config.run_functions_eagerly(False)
