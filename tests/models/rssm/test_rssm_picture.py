"""The picture decoder of the RSSM: what it paints, of which pairs it learns, and what it leaves alone."""

from __future__ import annotations

import numpy as np
import pytest
import tensorflow as tf

from worldmodels.core.errors import CheckpointError
from worldmodels.core.types import Batch
from worldmodels.models.rssm import picture
from worldmodels.models.rssm.picture import REACH, PictureDecoder, choose_pairs

SHAPE = (16, 12, 3)
RANDOM = np.random.default_rng(0)
BEFORE = RANDOM.integers(0, 256, (2, *SHAPE), np.uint8)
ALONE = RANDOM.integers(0, 256, (2, *SHAPE), np.uint8)
FEATURES = np.zeros((2, 5), np.float32)


@pytest.fixture
def decoder(monkeypatch: pytest.MonkeyPatch) -> PictureDecoder:
    """Return a decoder of one motion, all of whose weights are 0: its biases alone decide."""
    monkeypatch.setattr(picture, "MOTIONS", 1)
    decoder = PictureDecoder(5, SHAPE, np.random.default_rng(0))
    for weight in decoder.trainable_weights:
        weight.assign(np.zeros(weight.shape, np.float32))
    return decoder


def choose(decoder: PictureDecoder, source: int) -> None:
    """Make every pixel take one source: 0 the frame before, 1 its copy, 2 the state alone."""
    decoder.distance.bias.assign(100.0 * np.eye(3, dtype=np.float32)[source])


def move(decoder: PictureDecoder, down: int, right: int) -> None:
    """Make every picture move."""
    bias = np.zeros((2, 2 * REACH + 1), np.float32)
    bias[0, REACH + down] = bias[1, REACH + right] = 10.0
    decoder.motions.bias.assign(bias.reshape(-1))


def paint(decoder: PictureDecoder) -> np.ndarray:
    return decoder.images(decoder.paint(FEATURES, ALONE, BEFORE)).numpy()


def test_what_stands_still_is_the_frame_before(decoder):
    choose(decoder, 0)
    np.testing.assert_array_equal(paint(decoder), BEFORE)


def test_a_known_motion_is_painted_exactly(decoder):
    choose(decoder, 1)
    move(decoder, 2, -3)
    painted = paint(decoder)
    np.testing.assert_array_equal(painted[:, 2:, :-3], BEFORE[:, :-2, 3:])
    np.testing.assert_array_equal(painted[:, :2, :-3], np.repeat(BEFORE[:, :1, 3:], 2, 1))  # the border repeats


def test_what_nothing_explains_is_what_the_state_says(decoder):
    choose(decoder, 2)
    np.testing.assert_array_equal(paint(decoder), ALONE)


def test_where_it_is_not_certain_it_paints_the_mean(decoder):
    move(decoder, 0, 0)
    mean = (2.0 * BEFORE + ALONE) / 3
    assert np.abs(paint(decoder) - mean).max() <= 1


def test_the_loss_is_zero_for_the_true_picture_and_motion(decoder):
    choose(decoder, 1)
    move(decoder, 1, 0)
    before = np.repeat(RANDOM.integers(0, 256, (2, 1, *SHAPE[1:]), np.uint8), SHAPE[0], 1)
    before[:, 8:] = RANDOM.integers(0, 256, (2, 1, 1, 3), np.uint8)
    target = np.concatenate([before[:, :1], before[:, :-1]], 1)
    image, nats = decoder.loss(decoder.paint(FEATURES, ALONE, before), before, target)
    np.testing.assert_allclose(image, [0, 0], atol=1e-4)
    np.testing.assert_allclose(nats, [0, 0], atol=1e-2)
    image, nats = decoder.loss(decoder.paint(FEATURES, ALONE, before), before, before)
    assert np.all(image.numpy() > 0.1) and np.all(nats.numpy() > 5)


def windows() -> Batch:
    """2 windows of 4 steps, whose frames tell window and step; an episode begins inside the second."""
    number = np.arange(8, dtype=np.uint8).reshape(2, 4)
    frames = np.broadcast_to(number[..., None, None, None], (2, 4, *SHAPE)).copy()
    is_first = np.array([[1, 0, 0, 0], [0, 0, 1, 0]], bool)
    none = np.zeros((2, 4), np.float32)
    return Batch(frames, none, is_first, none > 0, none > 0, none.astype(np.int32))


def pairs_of(count: int, seed: int = 0):
    batch = windows()
    features = tf.cast(batch.observation[:, :, 0, 0, :1], tf.float32)
    return choose_pairs(
        batch, features, lambda x: tf.cast(x[:, None, None], tf.uint8), count, np.array([seed, 4], np.int32)
    )


def test_pairs_are_successive_steps_of_one_episode():
    pairs = pairs_of(99)
    now = pairs.target[:, 0, 0, 0].numpy()
    assert sorted(now) == [1, 2, 3, 5, 6, 7]
    np.testing.assert_array_equal(pairs.now.before[:, 0, 0, 0], now - 1)
    assert dict(zip(now.tolist(), pairs.possible.numpy().tolist(), strict=True)) == dict.fromkeys(
        [1, 2, 3, 5, 7], 1.0
    ) | {6: 0.0}
    for moments, frames in ((pairs.now, now), (pairs.earlier, now[:3] - 1)):
        np.testing.assert_array_equal(moments.features[:, 0], frames)
        np.testing.assert_array_equal(moments.alone[:, 0, 0, 0], frames)


def test_a_picture_of_its_own_has_a_frame_before_in_the_same_episode():
    seen = {}
    for number in range(20):
        pairs = pairs_of(99, number)
        frames, own = pairs.target[:3, 0, 0, 0].numpy(), pairs.own.numpy()
        np.testing.assert_array_equal(pairs.earlier.before[:, 0, 0, 0].numpy()[own], frames[own] - 2)
        seen |= dict(zip(frames.tolist(), own.tolist(), strict=True))
    # Frames 1 and 5 come second in their windows, 7 second in its episode; the pair of 6 comes last.
    assert seen == {1: False, 2: True, 3: True, 5: False, 7: False}


def test_impossible_pairs_are_taken_last():
    assert 6 not in pairs_of(5).target[:, 0, 0, 0].numpy()


@pytest.fixture(scope="module")
def copying(build):
    return build(picture_every=1)


def test_without_a_frame_before_it_is_the_plain_decoder(build, copying, batch, seed):
    plain = build()
    states = plain.observe_sequence(batch.observation, batch.action, batch.is_first, seed)
    state = tf.nest.map_structure(lambda x: x[:, -1], states)
    assert copying.spec.copies and not plain.spec.copies
    np.testing.assert_array_equal(copying.frame(state), plain.frame(state))
    with_it = copying.frame(state, batch.observation[:, -2])
    assert with_it.dtype == tf.uint8 and with_it.shape == plain.frame(state).shape
    assert not np.array_equal(with_it, plain.frame(state))


def test_nothing_else_learns_from_it(build, batch, seed):
    """But for the last bit: in another graph, TensorFlow fuses other operations."""
    plain, copying = build(), build(picture_every=1)
    for model in (plain, copying):
        model.fit(batch, seed)
    for name, value in plain.save()["weights"].items():
        np.testing.assert_allclose(copying.save()["weights"][name], value, rtol=1e-3, atol=1e-6)


def test_it_learns_to_copy(build, seed):
    random = np.random.default_rng(1)
    world = random.integers(0, 256, (4, 16, 40, 3), np.uint8)
    frames = np.stack([world[:, :, 2 * t : 2 * t + 16] for t in range(6)], 1)  # all moves left by 2
    none = np.zeros((4, 6), np.float32)
    scrolled = Batch(frames, none, none > 0, none > 0, none > 0, none.astype(np.int32))
    model = build(picture_every=1)
    losses = [float(model.fit(scrolled, np.array([i, 0], np.int32))[0]["model/picture_loss"]) for i in range(60)]
    assert np.mean(losses[-5:]) < 0.5 * np.mean(losses[:5])


def test_it_learns_at_every_third_update_where_that_is_asked_for(build, batch, seed):
    model, learns = build(picture_every=3), []
    for _ in range(4):
        before = [variable.numpy() for variable in model.picture.variables.values()]
        says = "model/picture_loss" in model.fit(batch, seed)[0]
        after = [variable.numpy() for variable in model.picture.variables.values()]
        assert says == any(map(np.any, map(np.not_equal, before, after)))
        learns.append(says)
    assert learns == [True, False, False, True]
    assert int(model.picture.optimizer.updates) == int(model.optimizer.updates) == 4  # its schedule is the model's


def test_windows_of_one_step_have_no_pairs(build, batch, seed):
    model = build(picture_every=1)
    metrics, _ = model.fit(Batch(*(x[:, :1] for x in batch)), seed)
    assert "model/picture_loss" not in metrics and float(metrics["model/finite"]) == 1


def test_a_checkpoint_without_it_is_refused(build, copying):
    with pytest.raises(CheckpointError, match="picture decoder"):
        copying.load(build().save())
