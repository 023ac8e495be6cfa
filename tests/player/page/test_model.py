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
from worldmodels.imagination.model_view import ModelView
from worldmodels.loading.load import load_run
from worldmodels.models.flow.model import Flow

HERE = Path(__file__).parent
WITH_POLICY = "gallery:coinrun_dreamer"
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


def predicted_in_node(node: str, page: Path, world: str, calls: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return what the page's model answers to calls."""
    lines = "".join(json.dumps(call) + "\n" for call in calls)
    command = [node, str(HERE / "predict.mjs"), str(page), world]
    done = subprocess.run(command, input=lines, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return [json.loads(line) for line in done.stdout.splitlines()]


def test_the_frame_is_the_packages_for_the_same_noise(node: str, page: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (world,) = json.loads((page / "page.json").read_text())["worlds"]
    run = load_run(GALLERY + min(gallery()), precision="float32")
    if not isinstance(run.parts.world_model, Flow):
        pytest.skip("the noise of other models is drawn in other places")
    model = run.parts.world_model
    options = json.loads((page / world["path"]).read_text())["options"]
    calls = list(calls_of(run.config.env.game, options))
    answers = predicted_in_node(node, page, world["name"], calls)
    tf.config.run_functions_eagerly(True)  # so that each step has its own noise
    noise: list[np.ndarray] = []
    monkeypatch.setattr(tf.random, "stateless_normal", lambda shape, seed: tf.reshape(tf.constant(noise[-1]), shape))
    tracked = predicted = model.initial(1)
    seed = tf.zeros(2, tf.int32)
    for call, found in zip(calls, answers, strict=True):
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


def test_the_policy_finds_the_same_actions_probable(
    node: str, policy_page: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = load_run(WITH_POLICY, precision="float32")
    model, agent, view = run.parts.world_model, run.parts.agent, ModelView(run.parts.world_model)
    (world,) = json.loads((policy_page / "page.json").read_text())["worlds"]
    options = json.loads((policy_page / world["path"]).read_text())["options"]
    calls = list(calls_of(run.config.env.game, options))
    answers = predicted_in_node(node, policy_page, world["name"], calls)
    tf.config.run_functions_eagerly(True)  # so that each step has its own noise
    noise: list[float] = []

    def drawn(shape: Any, seed: Any, minval: float = 0.0) -> tf.Tensor:
        return minval + (1.0 - minval) * tf.reshape(tf.constant(noise, tf.float32), shape)

    monkeypatch.setattr(tf.random, "stateless_uniform", drawn)
    tracked = predicted = model.initial(1)
    seed, picture = tf.zeros(2, tf.int32), None
    for call, found in zip(calls, answers, strict=True):
        frame = np.array(call["frame"], np.uint8).reshape(1, 64, 64, 3)
        before, action = (tf.constant([call["action"][name]]) for name in ("before", "next"))
        (noise,) = found["observed"]["noise"]
        tracked = model.observe(tracked, frame, before, tf.constant([call["isFirst"]]), seed)
        (noise,) = found["observed"]["choiceNoise"]
        chosen, _, extras = agent.act(model.features(tracked), agent.initial(1), 1.0, seed)
        choice = found["observed"]["choice"]
        assert choice["action"] == chosen[0]
        np.testing.assert_allclose(choice["probabilities"], tf.nn.softmax(extras["logits"])[0], atol=1e-4)
        np.testing.assert_allclose(choice["value"], extras["value"][0], atol=1e-3)
        if not call["alone"]:
            predicted, picture = tracked, frame
        (noise,) = found["noise"]
        predicted, prediction = view.step(predicted, action, call["temperature"], seed, picture)
        picture = prediction.frame
        assert np.abs(np.asarray(picture).ravel().astype(int) - found["frame"]).max() <= LARGEST
        np.testing.assert_allclose(prediction.reward[0], found["reward"], atol=1e-3)


@pytest.fixture(autouse=True)
def graphs_again() -> Iterator[None]:
    yield
    tf.config.run_functions_eagerly(False)
