"""What counts as a target, and what the model is given while training."""

from __future__ import annotations

import numpy as np
import pytest
import tensorflow as tf

from worldmodels.models.next_frame import learning
from worldmodels.models.next_frame.config import SamplingConfig


@pytest.fixture(scope="module")
def model(build_next_frame):
    return build_next_frame("deterministic")


def losses(model, batch, seed, weights=None):
    window = learning.window_of(batch, model.config.frames)
    _, means = learning.loss(model, window, window.frames[:-1], seed, weights)
    return {name: float(value) for name, value in means.items()}


def test_nothing_is_predicted_across_the_border_of_episodes(model, window, seed):
    """What the first moments of episodes show and pay is of no influence, as a target."""
    everywhere = window._replace(is_first=np.ones_like(window.is_first))
    assert set(losses(model, everywhere, seed).values()) == {0.0}
    changed = window._replace(reward=window.reward + np.float32(100.0) * window.is_first)
    assert losses(model, changed, seed) == losses(model, window, seed)


def test_targets_are_the_moments_after_the_first_frames(model, window, seed):
    """With 2 frames to see, the reward of moments 0 and 1 is none that the model learns."""
    reward = window.reward.copy()
    reward[:, :2] += 100.0
    assert losses(model, window._replace(reward=reward), seed) == losses(model, window, seed)
    reward[:, 2] += 100.0
    assert losses(model, window._replace(reward=reward), seed)["reward_loss"] > 1.0


def test_weights_count_the_rewards_and_ends_of_windows(model, window, seed):
    """A window that alone has a weight counts with its own loss; what is seen counts as always."""
    parts = [losses(model, window, seed, 4 * tf.one_hot(row, 4)) for row in range(4)]
    whole = losses(model, window, seed)
    for name in ("reward_loss", "continuation_loss"):
        assert np.mean([part[name] for part in parts]) == pytest.approx(whole[name], rel=1e-5)
    assert {part["frame_loss"] for part in parts} == {whole["frame_loss"]}
    paid = window._replace(reward=window.reward + 9 * np.eye(4, dtype=np.float32)[:, 3:])
    changed = [losses(model, paid, seed, 4 * tf.one_hot(row, 4))["reward_loss"] for row in range(4)]
    differs = [a != b["reward_loss"] for a, b in zip(changed, parts, strict=True)]
    assert differs == [False, False, False, True]


def test_events_are_learned_from_the_frames_that_the_model_makes(build_next_frame, window, seed, monkeypatch):
    """In imagination there are no others: the first are those that it imagines after what it was shown."""
    model, seen = build_next_frame("deterministic", size=(16, 12), event_depth=4), []
    events = model.events.call
    monkeypatch.setattr(model.events, "call", lambda *args: seen.append(args) or events(*args))
    wider = np.pad(window.observation, [(0, 0), (0, 0), (0, 3), (0, 2), (0, 0)])
    batch = window._replace(observation=wider, is_first=np.zeros_like(window.is_first))
    losses(model, batch, seed)
    state = model.observe_sequence(batch.observation[:, :2], batch.action[:, :2], batch.is_first[:, :2], seed)
    imagined = model.imagine(tf.nest.map_structure(lambda x: x[:, -1], state), batch.action[:, 1], 1.0, seed)
    before, action, after, _ = seen[0]
    np.testing.assert_array_equal(before[:4], batch.observation[:, 1])
    np.testing.assert_array_equal(tf.argmax(action[:4], -1), batch.action[:, 1])
    np.testing.assert_array_equal(after[:4], model.frame(imagined))
    assert not np.array_equal(after[:4], batch.observation[:, 2])


def test_internal_loss_adds_frames_alone(build_next_frame, model, window, seed):
    internal = build_next_frame("deterministic", internal_loss=True)
    one, other = losses(model, window, seed), losses(internal, window, seed)
    assert one["reward_loss"] == pytest.approx(other["reward_loss"], rel=1e-5)
    assert one["frame_loss"] != other["frame_loss"]
    still = window.observation.copy()
    still[:, 1] = 255
    assert losses(internal, window._replace(observation=still), seed)["frame_loss"] != other["frame_loss"]


def test_own_frames_are_what_the_model_imagines(build_next_frame, window, seed):
    model = build_next_frame("deterministic", sampling=SamplingConfig(exponential_updates=0, linear_updates=0))
    batch = window._replace(is_first=np.zeros_like(window.is_first))
    recorded = learning.window_of(batch, 2)
    inputs = learning.inputs(model, recorded, seed)
    state = model.observe_sequence(batch.observation[:, :2], batch.action[:, :2], batch.is_first[:, :2], seed)
    state = tf.nest.map_structure(lambda x: x[:, -1], state)
    np.testing.assert_array_equal(inputs[:2], recorded.frames[:2])
    for t in (2, 3):
        state = model.imagine(state, batch.action[:, t - 1], 1.0, seed)
        np.testing.assert_array_equal(inputs[t], model.frame(state))


def test_the_first_frame_of_an_episode_is_never_replaced(build_next_frame, window, seed):
    model = build_next_frame("deterministic", sampling=SamplingConfig(exponential_updates=0, linear_updates=0))
    inputs = learning.inputs(model, learning.window_of(window, 2), seed)
    np.testing.assert_array_equal(inputs[2, 2], window.observation[2, 2])
    assert not np.array_equal(inputs[2, 0], window.observation[0, 2])


def test_without_sampling_recorded_frames_are_the_inputs(build_next_frame, window, seed):
    model = build_next_frame("deterministic", sampling=SamplingConfig(final=0.0))
    recorded = learning.window_of(window, 2)
    np.testing.assert_array_equal(learning.inputs(model, recorded, seed), recorded.frames[:-1])


def test_pixel_noise_gives_a_share_of_the_pixels_the_median_colour(seed):
    frames = np.zeros((2, 3, 40, 50, 3), np.uint8)
    frames[:, :, :30] = (10, 20, 30)  # three quarters of every image
    noisy = learning.pixel_noise(tf.constant(frames), 0.2, seed).numpy()
    changed = np.any(noisy != frames, -1)
    assert np.all(noisy[changed] == (10, 20, 30))
    assert not changed[:, :, :30].any()
    assert 0.17 < changed[:, :, 30:].mean() < 0.23
