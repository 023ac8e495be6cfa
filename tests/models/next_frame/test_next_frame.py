"""Both next-frame models as a whole, at a tiny size; images of 13 x 10 make odd sides at every level."""

from __future__ import annotations

import math

import numpy as np
import pytest
import tensorflow as tf
from image_spaces import image_spec

from worldmodels.core.errors import CheckpointError, ConfigError
from worldmodels.core.specs import ObservationSpec
from worldmodels.models.next_frame import learning

KINDS = ["deterministic", "stochastic_discrete"]
CHOICES = np.array([1, 0, 2, 2], np.int32)


@pytest.fixture(scope="module")
def models(build_next_frame):
    """One of each kind, whose weights no test changes."""
    return {kind: build_next_frame(kind) for kind in KINDS}


@pytest.fixture(scope="module")
def learned(build_next_frame, window):
    """One of each kind after 120 updates on one batch, with its first and its last metrics."""
    made = {}

    def learn(kind):
        if kind not in made:
            model = build_next_frame(kind)
            metrics = [model.fit(window, np.array([5, i], np.int32))[0] for i in range(120)]
            made[kind] = model, metrics[0], metrics[-1]
        return made[kind]

    return learn


@pytest.fixture(params=KINDS)
def model(request, models):
    return models[request.param]


def states_of(model, window):
    return model.observe_sequence(window.observation, window.action, window.is_first, np.array([1, 2], np.int32))


def last_of(states):
    return tf.nest.map_structure(lambda x: x[:, -1], states)


def assert_equal(first, second) -> None:
    for one, other in zip(tf.nest.flatten(first), tf.nest.flatten(second), strict=True):
        np.testing.assert_array_equal(one, other)


def test_shapes_and_ranges(model, window, seed):
    state = model.imagine(last_of(states_of(model, window)), CHOICES, 1.0, seed)
    groups = {"deterministic": None, "stochastic_discrete": (2, 4)}[model.config.kind]
    assert model.spec == image_spec(
        (13, 10, 3), 3, (13, 10, 6), min_sequence_length=3, latent_groups=groups, imagines_images=True
    )
    assert model.features(state).shape == (4, 13, 10, 6)
    assert model.frame(state).dtype == tf.uint8
    assert model.frame(state).shape == (4, 13, 10, 3)
    assert model.reward(state).shape == (4,)
    assert np.all((model.continuation(state) > 0) & (model.continuation(state) < 1))
    assert model.readable(state).memory == ()
    assert_equal(model.frame(model.readable(state)), model.frame(state))


@pytest.mark.parametrize("kind", KINDS)
def test_an_agent_may_see_what_the_network_makes_of_the_frames(build_next_frame, models, window, seed, kind):
    """All of the lowest resolution, before the action: what the actions' table holds has no influence."""
    model, plain = build_next_frame(kind, features="network"), models[kind]
    size = math.prod(model.network.bottleneck_shape)
    assert model.spec.features == ObservationSpec.of(size) and plain.spec.features != model.spec.features
    states = states_of(model, window)
    assert_equal(states, states_of(plain, window))  # what is kept and learned from is the same
    features = model.features(states)
    assert features.shape == (4, 5, size) and features.dtype == tf.float32
    state = last_of(states)
    np.testing.assert_allclose(model.features(state), features[:, -1], rtol=1e-4, atol=1e-5)
    model.network.embed.table.assign(model.network.embed.table + 1.0)
    np.testing.assert_array_equal(model.features(state), model.features(model.readable(state)))
    np.testing.assert_allclose(model.features(state), features[:, -1], rtol=1e-4, atol=1e-5)
    dark = state._replace(frames=tf.zeros_like(state.frames))
    assert np.abs(model.features(dark) - model.features(state)).max(1).min() > 0.01


def test_an_observed_state_is_its_frames_and_predicts_nothing(model, window):
    state = last_of(states_of(model, window))
    np.testing.assert_array_equal(
        state.frames[0], np.concatenate([window.observation[0, 3], window.observation[0, 4]], -1)
    )
    # An episode starts with its first frame twice.
    np.testing.assert_array_equal(state.frames[1], np.concatenate([window.observation[1, 4]] * 2, -1))
    np.testing.assert_array_equal(model.reward(state), np.zeros(4))
    np.testing.assert_array_equal(model.continuation(state), np.ones(4))


def test_a_sequence_is_the_same_as_its_steps(model, window, seed):
    whole = states_of(model, window)
    state = model.initial(4)
    for t in range(5):
        first = window.is_first[:, t] | (t == 0)
        state = model.observe(state, window.observation[:, t], window.action[:, t], first, seed)
        for one, other in zip(state, whole, strict=True):
            np.testing.assert_allclose(one, other[:, t], atol=1e-6)


def test_a_first_observation_forgets_what_was_before(model, window, seed):
    state, is_first = last_of(states_of(model, window)), np.array([True, False, True, False])
    one = model.observe(state, window.observation[:, 0], CHOICES, is_first, seed)
    other = model.observe(model.initial(4), window.observation[:, 0], CHOICES[::-1].copy(), is_first, seed)
    for part, other_part in zip(one, other, strict=True):
        np.testing.assert_array_equal(part[::2], other_part[::2])
    assert not np.array_equal(one.frames[1::2], other.frames[1::2])


def test_memory_takes_up_the_frame_before_the_newest(models, window):
    model = models["stochastic_discrete"]
    memory = states_of(model, window).memory
    absorbed = model.network.update_memory(memory[:, 0], tf.constant(window.observation[:, 0]))
    assert memory.shape == (4, 5, 13, 10, 4)
    np.testing.assert_array_equal(memory[:, 0], np.zeros((4, 13, 10, 4)))
    np.testing.assert_allclose(memory[:, 1], absorbed, atol=1e-6)
    np.testing.assert_array_equal(memory[2, 2], np.zeros((13, 10, 4)))  # an episode begins there


def test_imagination_depends_on_action_and_seed_alone(model, window, seed):
    state = last_of(states_of(model, window))
    once = model.imagine(state, CHOICES, 1.0, seed)
    assert_equal(once, model.imagine(state, CHOICES, 1.0, seed))
    other = model.imagine(state, CHOICES[::-1].copy(), 1.0, seed)
    assert not np.array_equal(once.continuation, other.continuation)


def test_the_seed_decides_the_stochastic_model_alone(models, window, seed):
    for kind, same in (("deterministic", True), ("stochastic_discrete", False)):
        state = last_of(states_of(models[kind], window))
        seeds = [np.array([9, i], np.int32) for i in range(4)]
        said = [models[kind].imagine(state, CHOICES, 1.0, seed).continuation for seed in seeds]
        assert all(np.array_equal(said[0], other) for other in said[1:]) == same


def test_temperature_0_imagines_the_mode_whatever_the_seed(models, window, seed):
    model = models["stochastic_discrete"]
    state = last_of(states_of(model, window))
    assert_equal(model.imagine(state, CHOICES, 0.0, seed), model.imagine(state, CHOICES, 0.0, seed + 9))


@pytest.mark.parametrize("kind", KINDS)
def test_overfits_one_batch(learned, window, seed, kind):
    model, first, last = learned(kind)
    for name in ("frame_loss", "reward_loss", "continuation_loss"):
        assert last[f"model/{name}"] < 0.2 * first[f"model/{name}"], name
    states = states_of(model, window)
    state = model.imagine(tf.nest.map_structure(lambda x: x[:, 1], states), window.action[:, 1], 0.0, seed)
    possible = ~window.is_first[:, 2]
    errors = np.abs(model.frame(state).numpy().astype(int) - window.observation[:, 2])[possible]
    assert np.mean(errors) < 2.0
    np.testing.assert_allclose(state.reward[possible], window.reward[:, 2][possible], atol=0.5)


@pytest.mark.parametrize("kind", KINDS)
def test_a_loss_that_is_not_finite_changes_nothing(learned, window, seed, kind):
    model, *_ = learned(kind)
    before = model.save()
    metrics, _ = model.fit(window._replace(reward=np.full_like(window.reward, np.nan)), seed)
    assert metrics["model/finite"] == 0
    np.testing.assert_equal(model.save(), before)


@pytest.mark.parametrize("kind", KINDS)
def test_a_restored_model_goes_on_bit_for_bit(learned, build_next_frame, window, seed, kind):
    """Updates repeat exactly, with the counter that drives the schedules and with frames fed back."""
    straight, resumed = learned(kind)[0], build_next_frame(kind, 2)

    def two_updates(model):
        for _ in range(2):
            metrics, states = model.fit(window, seed)
        return {name: float(value) for name, value in metrics.items()}, states

    resumed.load(straight.save())
    assert_equal(two_updates(straight), two_updates(resumed))
    np.testing.assert_equal(resumed.save(), straight.save())


def test_fit_gives_the_states_of_the_recorded_frames(learned, window, seed):
    model, *_ = learned("stochastic_discrete")
    _, states = model.fit(window, seed)
    assert states.memory.shape == (4, 5, 13, 10, 4)
    np.testing.assert_array_equal(states.frames, states_of(model, window).frames)


def test_a_checkpoint_of_another_size_is_refused(build_next_frame, models):
    from worldmodels.models.next_frame.config import ConvNetworkConfig

    other = build_next_frame("deterministic", network=ConvNetworkConfig(hidden=8, levels=1, doublings=1))
    with pytest.raises(CheckpointError, match=r"'network/enter/dense/kernel' has shape \(6, 16\).*\(6, 8\)"):
        other.load(models["deterministic"].save())
    with pytest.raises(CheckpointError, match="lacks 'inference/.*It was written with another configuration"):
        models["stochastic_discrete"].load(models["deterministic"].save())


def test_a_window_without_a_target_is_refused(window):
    with pytest.raises(ConfigError, match="Windows of 5 steps .* sees 5 frames .* training.length must be at least 6"):
        learning.window_of(window, 5)
