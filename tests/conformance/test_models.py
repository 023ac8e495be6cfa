"""Every kind of representation keeps the contract of `models/api.py`, at an image size that nothing is made for."""

from __future__ import annotations

import members
import numpy as np
import pytest
import tensorflow as tf
from members import ACTIONS, ROWS, SHAPE, STEPS, key, make_batch, make_model, renewed_learner, shared_model
from trees import assert_same, assert_same_tree, differ, leaves, poisoned

from worldmodels.core.checkpoint import Checkpoints
from worldmodels.core.errors import CheckpointError
from worldmodels.models import MODELS
from worldmodels.replay import previous_actions

ALL, WORLDS = list(members.MODELS), members.world_models()
BATCH = make_batch()
ACTION = np.array([1, 0, 4], np.int32)


def observed(model):
    """After one observation each."""
    return model.observe(model.initial(ROWS), BATCH.observation[:, 0], ACTION, np.ones(ROWS, bool), key(1))


def followed(model, batch=BATCH, seed=1):
    return model.observe_sequence(batch.observation, previous_actions(batch), batch.is_first, key(seed))


def last(states):
    return tf.nest.map_structure(lambda x: x[:, -1], states)


def at_rows(state, rows):
    return tf.nest.map_structure(lambda x: np.asarray(x)[rows], state)


def signature(state):
    return [(tuple(x.shape), x.dtype) for x in tf.nest.flatten(state)]


def seen(model, state):
    """Everything that can be read of a state."""
    return [f(state) for f in (model.features, model.frame, model.reward, model.continuation)]


def test_the_table_is_complete():
    assert {config.kind for config in members.MODELS.values()} == set(MODELS)


@pytest.mark.parametrize("name", ALL)
def test_spec_and_features(name):
    model = shared_model(name)
    assert model.spec.observation_shape == SHAPE
    assert model.spec.num_actions == ACTIONS
    state = observed(model)
    dtype = {"vector": tf.float32, "images": tf.uint8}[model.spec.feature_kind]
    assert signature(model.features(state)) == [((ROWS, *model.spec.feature_shape), dtype)]
    assert signature(state) == signature(model.initial(ROWS))
    assert len(model.spec.feature_shape) == {"vector": 1, "images": 3}[model.spec.feature_kind]
    if model.spec.feature_kind == "images":
        assert model.spec.feature_shape[:2] == SHAPE[:2]
        newest = model.features(state)[..., -SHAPE[2] :]
        np.testing.assert_array_equal(newest, BATCH.observation[:, 0])


@pytest.mark.parametrize("name", ALL)
def test_observing_depends_on_its_seed_alone(name):
    model = shared_model(name)
    assert_same(observed(model), observed(model))


@pytest.mark.parametrize("name", ALL)
def test_a_first_observation_forgets_what_was_before(name):
    model, is_first = shared_model(name), np.array([True, False, True])
    old = [model.observe(observed(model), BATCH.observation[:, i], ACTION, ~is_first, key(i)) for i in (1, 2)]
    actions = [ACTION, ACTION[::-1].copy()]
    new = [
        model.observe(*inputs, is_first, key(5))
        for inputs in zip(old, [BATCH.observation[:, 3]] * 2, actions, strict=True)
    ]
    assert_same(*(at_rows(state, is_first) for state in new))
    assert differ(*(at_rows(state, ~is_first) for state in new))


@pytest.mark.parametrize("name", WORLDS)
def test_shapes_types_and_ranges(name):
    model, state = shared_model(name), observed(shared_model(name))
    imagined = model.imagine(state, ACTION, 1.0, key(2))
    assert signature(imagined) == signature(state)
    for moment in (state, imagined):
        _, frame, reward, continuation = seen(model, moment)
        assert signature(frame) == [((ROWS, *SHAPE), tf.uint8)]
        assert signature([reward, continuation]) == [((ROWS,), tf.float32)] * 2
        assert np.isfinite(reward).all()
        assert np.all((continuation.numpy() >= 0) & (continuation.numpy() <= 1))


@pytest.mark.parametrize("name", WORLDS)
def test_a_sequence_gives_the_states_of_its_steps(name):
    """One step exactly; several, where no randomness of the model's own is in them: image features have none."""
    model, states = shared_model(name), followed(shared_model(name))
    assert signature(last(states)) == signature(model.initial(ROWS))
    assert {x.shape[:2] for x in tf.nest.flatten(states)} == {(ROWS, STEPS)}
    first = model.observe_sequence(BATCH.observation[:, :1], ACTION[:, None], np.ones((ROWS, 1), bool), key(1))
    assert_same(last(first), observed(model))
    if model.spec.feature_kind == "images":
        state, before = model.initial(ROWS), previous_actions(BATCH)
        for t in range(STEPS):
            is_first = BATCH.is_first[:, t] | (t == 0)
            state = model.observe(state, BATCH.observation[:, t], before[:, t], is_first, key(1))
            now = tf.nest.map_structure(lambda x, t=t: x[:, t], states)
            assert_same(model.features(now), model.features(state))
            for one, other in zip(tf.nest.flatten(now), tf.nest.flatten(state), strict=True):
                np.testing.assert_allclose(one, other, atol=1e-5)


@pytest.mark.parametrize("name", WORLDS)
def test_nothing_crosses_the_border_of_episodes(name):
    """Row 1 begins an episode at step 5: what it saw and did before leaves no trace in what comes after."""
    observation, action = BATCH.observation.copy(), BATCH.action.copy()
    observation[1, :5], action[1, :5] = 255 - observation[1, :5], (action[1, :5] + 1) % ACTIONS
    model = shared_model(name)
    one, other = (followed(model, batch) for batch in (BATCH, BATCH._replace(observation=observation, action=action)))
    assert_same(*(tf.nest.map_structure(lambda x: x[1, 5:], states) for states in (one, other)))
    assert differ(*(tf.nest.map_structure(lambda x: x[1, :5], states) for states in (one, other)))


@pytest.mark.parametrize("name", WORLDS)
def test_a_sequence_can_go_on_from_a_state(name):
    model, none = shared_model(name), np.zeros((ROWS, 2), bool)
    frames, before = BATCH.observation[:, :2], BATCH.action[:, :2]
    anew = model.observe_sequence(frames, before, none, key(3))
    after = [model.observe_sequence(frames, before, none, key(3), state) for state in (observed(model), last(anew))]
    assert differ(*after)
    assert signature(after[0]) == signature(anew)


@pytest.mark.parametrize("name", WORLDS)
def test_imagining_depends_on_action_and_seed_alone(name):
    model, state = shared_model(name), last(followed(shared_model(name)))
    once = model.imagine(state, ACTION, 1.0, key(2))
    assert_same(once, model.imagine(state, ACTION, 1.0, key(2)))
    assert differ(once, model.imagine(state, ACTION[::-1].copy(), 1.0, key(2)))


@pytest.mark.parametrize("name", WORLDS)
def test_at_temperature_0_the_future_is_one(name):
    model, state = shared_model(name), last(followed(shared_model(name)))
    futures = [model.imagine(state, ACTION, 0.0, key(number)) for number in (2, 3)]
    assert_same(*(seen(model, model.readable(future)) for future in futures))


@pytest.mark.parametrize("name", WORLDS)
def test_what_is_readable_suffices_to_read(name):
    model = shared_model(name)
    state = model.imagine(observed(model), ACTION, 1.0, key(2))
    assert_same(seen(model, state), seen(model, model.readable(state)))


@pytest.mark.parametrize("name", WORLDS)
def test_fitting_repeats_bit_for_bit_and_survives_a_checkpoint(name, tmp_path):
    """2 updates, a checkpoint on disk, another model that loads it, 2 more updates: the same as 4."""
    straight, resumed = renewed_learner(name, 1), make_model(name, 2)
    before = leaves(straight.save())
    for number in range(2):
        metrics, states = straight.fit(BATCH, key(number))
    assert all(label.startswith("model/") and np.isfinite(value) for label, value in metrics.items())
    assert metrics["model/finite"] == 1
    assert {x.shape[:2] for x in tf.nest.flatten(states)} == {(ROWS, STEPS)}
    assert signature(last(states)) == signature(straight.initial(ROWS))
    assert differ(before, leaves(straight.save()))
    checkpoints = Checkpoints(tmp_path)
    checkpoints.write(7, straight.save())
    resumed.load(checkpoints.read()[1])
    assert_same_tree(straight.save(), resumed.save())
    for number in (2, 3):
        assert_same(straight.fit(BATCH, key(number)), resumed.fit(BATCH, key(number)))
    assert_same_tree(straight.save(), resumed.save())


@pytest.mark.parametrize("name", WORLDS)
def test_an_update_that_is_not_finite_changes_nothing(name):
    model = renewed_learner(name)
    model.load(poisoned(model.save()))
    before = model.save()
    metrics, _ = model.fit(BATCH, key(0))
    assert metrics["model/finite"] == 0
    assert_same_tree(model.save(), before)


@pytest.mark.parametrize("name", WORLDS)
def test_a_checkpoint_of_other_actions_is_refused(name):
    with pytest.raises(CheckpointError, match="shape"):
        make_model(name).load(make_model(name, actions=ACTIONS + 2).save())


@pytest.mark.parametrize("name", ALL)
def test_looking_changes_nothing(name):
    model = shared_model(name)
    before = leaves(model.save())
    state = observed(model)
    if name in WORLDS:
        seen(model, model.imagine(state, ACTION, 1.0, key(2)))
    assert_same(before, leaves(model.save()))


@pytest.mark.parametrize("name", ALL)
def test_grey_images_of_another_size(name):
    model = make_model(name, shape=(12, 8, 1))
    batch = make_batch((12, 8, 1))
    state = model.observe(model.initial(ROWS), batch.observation[:, 0], ACTION, batch.is_first[:, 0], key(1))
    assert model.features(state).shape == (ROWS, *model.spec.feature_shape)
    if name in WORLDS:
        assert model.frame(model.imagine(state, ACTION, 1.0, key(1))).shape == (ROWS, 12, 8, 1)
