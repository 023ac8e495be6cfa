"""The whole world model, at a tiny size."""

from __future__ import annotations

import numpy as np
import pytest
import tensorflow as tf
from image_spaces import image_spec

from worldmodels.core.errors import CheckpointError, ConfigError
from worldmodels.core.specs import ActionSpec, ObservationSpec
from worldmodels.core.types import Batch
from worldmodels.models.config import ConvConfig
from worldmodels.models.networks.scan import scan
from worldmodels.models.rssm.config import RSSMConfig

ACTIONS = np.array([1, 0, 4, 2], np.int32)


@pytest.fixture(scope="module")
def model(build):
    """Its weights stay as they are in every test that uses it."""
    return build()


@pytest.fixture(scope="module")
def state(model, batch):
    states = model.observe_sequence(batch.observation, batch.action, batch.is_first, np.array([1, 2], np.int32))
    return tf.nest.map_structure(lambda x: x[:, -1], states)


def assert_equal(first, second) -> None:
    for one, other in zip(tf.nest.flatten(first), tf.nest.flatten(second), strict=True):
        np.testing.assert_array_equal(one, other)


def test_shapes_and_ranges(model, state, seed):
    assert model.spec == image_spec((16, 16, 3), 5, (28,), reconstructs=True, latent=12, latent_groups=(3, 4))
    assert model.initial(4).recurrent.shape == (4, 16)
    assert state.latent.shape == (4, 12)
    assert model.features(state).shape == (4, 28)
    assert model.frame(state).dtype == tf.uint8
    assert model.frame(state).shape == (4, 16, 16, 3)
    assert model.reward(state).shape == (4,)
    assert np.all((model.continuation(state) > 0) & (model.continuation(state) < 1))


def test_a_held_class_changes_its_group_and_nothing_that_was_remembered(model, state, seed):
    held = np.full((4, 3), -1, np.int32)
    held[:, 1] = [0, 1, 2, 3]
    drawn, held_state = (
        model.imagine(state, ACTIONS, 1.0, seed),
        model.imagine_latents(state, ACTIONS, 1.0, seed, held)[0],
    )
    groups = tf.reshape(held_state.latent, (4, 3, 4)).numpy()
    np.testing.assert_array_equal(groups[:, 1], np.eye(4))
    np.testing.assert_array_equal(groups[:, [0, 2]], tf.reshape(drawn.latent, (4, 3, 4)).numpy()[:, [0, 2]])
    np.testing.assert_array_equal(held_state.recurrent, drawn.recurrent)


def test_no_action_leads_from_the_initial_state_to_the_first_one(model, batch, seed):
    """So the latents of an episode's first state can be chosen like those of any other."""
    first = model.observe(model.initial(4), batch.observation[:, 0], ACTIONS, np.ones(4, bool), seed)
    none = np.full(4, -1, np.int32)
    classes = model.observed_latents(model.initial(4), none, first).classes
    again, _ = model.imagine_latents(model.initial(4), none, 1.0, seed, classes)
    np.testing.assert_array_equal(again.latent, first.latent)
    np.testing.assert_allclose(again.recurrent, first.recurrent, atol=1e-6)


def test_latents_are_exactly_one_hot(model, state):
    groups = tf.reshape(state.latent, (4, 3, 4))
    np.testing.assert_array_equal(tf.reduce_sum(groups, -1), np.ones((4, 3)))
    assert set(np.unique(groups)) == {0.0, 1.0}


@pytest.mark.parametrize("blocks", [1, 2])
def test_a_sequence_is_the_same_as_its_steps(build, batch, seed, blocks):
    """With the same noise, one loop over 6 steps agrees with 6 calls."""
    model = build(blocks=blocks)
    dynamics, steps = model.dynamics, 6
    embeddings = tf.random.stateless_normal((4, steps, model.encoder.size), seed)
    noise = dynamics.latents.noise((steps, 4), seed)
    whole, statistics = dynamics.follow(model.initial(4), embeddings, batch.action, batch.is_first, noise)
    state = model.initial(4)
    for t in range(steps):
        now = slice(t, t + 1)
        inputs = (embeddings[:, now], batch.action[:, now], batch.is_first[:, now], noise[now])
        one, one_statistics = dynamics.follow(state, *inputs)
        state = tf.nest.map_structure(lambda x: x[:, 0], one)
        np.testing.assert_allclose(state.recurrent, whole.recurrent[:, t], atol=1e-6)
        np.testing.assert_array_equal(state.latent, whole.latent[:, t])
        np.testing.assert_allclose(one_statistics[:, 0], statistics[:, t], atol=1e-6)


@pytest.mark.parametrize("blocks", [1, 4])
def test_the_memory_moves_alike_in_a_scan_and_in_imagination(build, batch, seed, blocks):
    model = build(blocks=blocks)
    states = model.observe_sequence(batch.observation, batch.action, batch.is_first, seed)
    before, after = (tf.nest.map_structure(lambda x, t=t: x[:, t], states) for t in (4, 5))
    imagined = model.imagine(before, batch.action[:, 5], 1.0, seed)
    np.testing.assert_allclose(imagined.recurrent, after.recurrent, atol=1e-6)


def test_a_blocks_weights_learn_as_without_a_scan(build, batch, seed):
    """The gradients of a loop's products are taken after it: here against steps one by one."""
    dynamics = build(blocks=2).dynamics
    latent, recurrent = (tf.random.stateless_normal((2, 4, size), seed) for size in (12, 16))
    actions = tf.one_hot(batch.action[:, :2], 5)
    weights = [weight.value for weight in dynamics.recurrence.trainable_weights]

    def scanned():
        loop = dynamics.recurrence.loop(actions)

        def step(nothing, *inputs):
            new, used = loop.step(*inputs)
            return nothing, new, *used

        _, new, *used = scan(step, (tf.zeros(()),), (latent, recurrent, *loop.inputs))
        for product, given in zip(loop.products, used, strict=True):
            product.collect(given)
        return new

    def stepped():
        return tf.stack([dynamics.recurrence(latent[t], actions[:, t], recurrent[t]) for t in range(2)])

    @tf.function
    def gradients(run):
        with tf.GradientTape() as tape:
            loss = tf.reduce_sum(run() ** 2)
        return tape.gradient(loss, weights)

    for one, other in zip(gradients(scanned), gradients(stepped), strict=True):
        np.testing.assert_allclose(one, other, atol=1e-5)


def test_blocks_divide_the_memory():
    with pytest.raises(ConfigError, match="model.blocks must divide model.recurrent, 600, .* Received 7"):
        RSSMConfig(blocks=7)


def test_a_first_observation_forgets_what_was_before(model, batch, state, seed):
    observation, is_first = batch.observation[:, 0], np.array([True, False, True, False])
    one = model.observe(state, observation, ACTIONS, is_first, seed)
    other = model.observe(model.initial(4), observation, ACTIONS[::-1].copy(), is_first, seed)
    np.testing.assert_array_equal(one.recurrent[::2], other.recurrent[::2])
    np.testing.assert_array_equal(one.latent[::2], other.latent[::2])
    assert not np.allclose(one.recurrent[1::2], other.recurrent[1::2])


def test_a_sequence_without_a_state_starts_anew(model, batch, seed):
    inside = np.zeros_like(batch.is_first)
    marked = inside.copy()
    marked[:, 0] = True
    unmarked = model.observe_sequence(batch.observation, batch.action, inside, seed)
    assert_equal(unmarked, model.observe_sequence(batch.observation, batch.action, marked, seed))


def test_imagination_depends_on_action_and_seed_alone(model, state, seed):
    once = model.imagine(state, ACTIONS, 1.0, seed)
    assert_equal(once, model.imagine(state, ACTIONS, 1.0, seed))
    assert not np.allclose(once.recurrent, model.imagine(state, ACTIONS[::-1].copy(), 1.0, seed).recurrent)
    other = model.imagine(state, ACTIONS, 1.0, np.array([9, 9], np.int32))
    np.testing.assert_array_equal(once.recurrent, other.recurrent)  # the noise enters with the latent
    assert not np.array_equal(once.latent, other.latent)


def test_temperature_0_imagines_the_mode_whatever_the_seed(model, state, seed):
    mode = model.imagine(state, ACTIONS, 0.0, seed)
    assert_equal(mode, model.imagine(state, ACTIONS, 0.0, np.array([9, 9], np.int32)))
    logits = tf.reshape(model.dynamics.prior(mode.recurrent), (4, 3, 4))
    np.testing.assert_array_equal(tf.argmax(tf.reshape(mode.latent, (4, 3, 4)), -1), tf.argmax(logits, -1))


def test_overfits_one_batch(build, batch, seed):
    model = build(kl_scale=0.1)
    first, _ = model.fit(batch, seed)
    for _ in range(80):
        last, _ = model.fit(batch, seed)
    for name in ("image_loss", "reward_loss", "continuation_loss"):
        assert last[f"model/{name}"] < 0.5 * first[f"model/{name}"], name
    assert last["model/finite"] == 1


def test_weights_count_the_rewards_and_ends_of_windows(model, batch, seed):
    """A window that alone has a weight counts with its own loss; what is seen counts as always."""
    tensors = Batch(*map(tf.constant, batch))
    _, whole, _ = model._loss(tensors, seed, None)
    parts = [model._loss(tensors, seed, 4 * tf.one_hot(row, 4))[1] for row in range(4)]
    for name in ("reward_loss", "continuation_loss"):
        np.testing.assert_allclose(np.mean([part[name] for part in parts]), whole[name], rtol=1e-5)
    for name in ("image_loss", "kl_loss"):
        assert {float(part[name]) for part in parts} == {float(whole[name])}
    paid = tensors._replace(reward=tensors.reward + 9 * tf.one_hot(2, 4)[:, None])
    changed = [model._loss(paid, seed, 4 * tf.one_hot(row, 4))[1] for row in range(4)]
    differs = [float(a["reward_loss"] != b["reward_loss"]) for a, b in zip(changed, parts, strict=True)]
    assert differs == [0, 0, 1, 0]


def test_weights_of_one_are_none(build, batch, seed):
    one, other = build(1), build(1)
    one.fit(batch, seed)
    other.fit(batch, seed, np.ones(4, np.float32))
    np.testing.assert_equal(one.save(), other.save())


def test_a_loss_that_is_not_finite_changes_nothing(model, batch, seed):
    before = model.save()
    metrics, _ = model.fit(batch._replace(reward=np.full_like(batch.reward, np.nan)), seed)
    assert metrics["model/finite"] == 0
    np.testing.assert_equal(model.save(), before)


def test_a_restored_model_goes_on_bit_for_bit(build, batch, seed):
    """4 updates are 2 updates, save, load into another model, and 2 more: updates repeat exactly."""
    straight, resumed = build(1), build(2)

    def two_updates(model):
        for _ in range(2):
            metrics, states = model.fit(batch, seed)
        return {name: float(value) for name, value in metrics.items()}, states

    two_updates(straight)
    resumed.load(straight.save())
    assert_equal(two_updates(straight), two_updates(resumed))
    np.testing.assert_equal(resumed.save(), straight.save())


def test_a_checkpoint_of_another_size_is_refused(build, model):
    with pytest.raises(CheckpointError, match=r"'dynamics/recurrence_input/kernel' has shape \(17, 12\).*\(17, 10\)"):
        build(hidden=10).load(model.save())


def test_gaussian_latents_learn_too(build, batch, seed):
    model = build(classes=0)
    first, states = model.fit(batch, seed)
    for _ in range(30):
        last, _ = model.fit(batch, seed)
    assert states.latent.shape == (4, 6, 3)
    assert last["model/loss"] < first["model/loss"]


def test_parameters_of_the_published_sizes():
    """World models of DreamerV2 for Atari (gray, 18 actions) and for control from pixels (colour, 6 actions)."""
    from worldmodels.models import build_model
    from worldmodels.models.rssm.config import RSSMConfig

    def count(config, channels, actions):
        model = build_model(
            config, ObservationSpec.of(64, 64, channels), ActionSpec(actions), np.array([1, 2], np.int32)
        )
        sizes = {}
        for name, variable in model.variables.items():
            part = name.split("/")[0]
            sizes[part] = sizes.get(part, 0) + int(np.prod(variable.shape))
        return sizes

    heads = 1624 * 400 + 400 + 3 * (400 * 400 + 400) + 401
    assert count(RSSMConfig(), 1, 18) == {
        "encoder": 1_549_776,
        "dynamics": 5_664_848,
        "decoder": 10_497_553,
        "reward": heads,
        "continuation": heads,
    }
    sizes = count(RSSMConfig(recurrent=200, hidden=200, encoder=ConvConfig(), decoder=ConvConfig()), 3, 6)
    assert (sizes["encoder"], sizes["dynamics"]) == (1_551_312, 1_247_248)
    assert round(sizes["decoder"] / 1e6, 3) == 9.887
