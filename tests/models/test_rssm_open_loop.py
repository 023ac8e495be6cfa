"""Steps that a model is not shown are predicted as it predicts when it imagines, and teach it to."""

from __future__ import annotations

import numpy as np
import pytest
import tensorflow as tf

from worldmodels.models.config import OptimizerConfig
from worldmodels.models.rssm.open_loop import choose_unseen


def seed_of(number: int) -> tf.Tensor:
    return tf.constant([number, 3])


def test_a_window_is_seen_up_to_some_step_and_no_further() -> None:
    is_first = np.zeros((64, 6), bool)
    is_first[:, 4] = np.arange(64) % 2 == 0
    unseen = choose_unseen(tf.constant(is_first), 1.0, seed_of(0)).numpy()
    assert not unseen[:, 0].any() and not unseen[is_first].any()
    assert unseen[1::2, 5].all(), "every window is chosen, and its last step is never seen"
    begins = unseen[1::2].argmax(1)
    for row, begin in zip(unseen[1::2], begins, strict=True):
        np.testing.assert_array_equal(row, np.arange(6) >= begin)
    assert set(begins) == {1, 2, 3, 4, 5}
    assert unseen[::2, 5].all(), "behind the first frame of an episode it goes on"


def test_so_many_windows_are_chosen() -> None:
    is_first = tf.zeros((4000, 3), tf.bool)
    assert not choose_unseen(is_first, 0.0, seed_of(0)).numpy().any()
    share = choose_unseen(is_first, 0.25, seed_of(0)).numpy().any(1).mean()
    assert share == pytest.approx(0.25, abs=0.03)
    assert not choose_unseen(is_first[:, :1], 1.0, seed_of(0)).numpy().any(), "a window of one step is seen"


@pytest.mark.parametrize("blocks", [1, 2])
def test_unseen_steps_move_as_in_imagination(build, batch, seed, blocks) -> None:
    model = build(blocks=blocks)
    dynamics, unseen = model.dynamics, np.zeros((4, 6), bool)
    unseen[:, 3:] = ~batch.is_first[:, 3:]
    unseen[3] = False
    noise = dynamics.latents.noise((6, 4), seed)
    followed = []
    for number in (1, 2):
        embeddings = tf.random.stateless_normal((4, 6, model.encoder.size), seed_of(0))
        # Others where nothing is seen: no state may depend on them.
        other = tf.random.stateless_normal((4, 6, model.encoder.size), seed_of(number))
        embeddings = tf.where(unseen[..., None], other, embeddings)
        inputs = (embeddings, batch.action, batch.is_first, noise)
        followed.append(dynamics.follow(model.initial(4), *inputs, unseen=tf.constant(unseen)))
    (states, statistics), (again, other_statistics) = followed
    for one, two in zip(states, again, strict=True):
        np.testing.assert_array_equal(one, two)
    assert np.abs(statistics - other_statistics)[unseen].max() > 0.01, "what the posterior would have said"

    for t in (4, 5):
        before = tf.nest.map_structure(lambda x, t=t: x[:, t - 1], states)
        imagined = dynamics.imagine(before, batch.action[:, t], noise[t], 1.0)
        rows = unseen[:, t]
        np.testing.assert_allclose(imagined.recurrent[rows], states.recurrent[:, t][rows], atol=1e-6)
        np.testing.assert_array_equal(imagined.latent[rows], states.latent[:, t][rows])


@pytest.mark.parametrize(("share", "learns"), [(0.0, False), (1.0, True)])
def test_the_error_of_images_teaches_the_prior(build, batch, seed, share, learns) -> None:
    optimizer = OptimizerConfig(learning_rate=1e-2, weight_decay=0)
    model = build(open_loop=share, kl_scale=0.0, optimizer=optimizer)
    before = {name: weight.numpy() for name, weight in model.variables.items() if "prior" in name}
    model.fit(batch, seed)
    changed = [not np.array_equal(old, model.variables[name].numpy()) for name, old in before.items()]
    assert changed and all(changed) == learns and any(changed) == learns


def test_imagination_starts_from_what_was_to_be_seen(build, batch, seed) -> None:
    model, unseen = build(open_loop=1.0), np.arange(6) >= np.array([[1], [3], [6], [5]])
    states = model.observe_sequence(batch.observation, batch.action, batch.is_first, seed)
    classes = np.random.default_rng(0).integers(0, 4, (4, 6, 3))
    surely = tf.reshape(100.0 * tf.one_hot(classes, 4), (4, 6, 12))
    known = model._corrected(states, surely, tf.constant(unseen), seed)
    np.testing.assert_array_equal(known.recurrent, states.recurrent)
    np.testing.assert_array_equal(known.latent[~unseen], states.latent[~unseen])
    np.testing.assert_array_equal(known.latent[unseen], tf.reshape(tf.one_hot(classes, 4), (4, 6, 12))[unseen])
