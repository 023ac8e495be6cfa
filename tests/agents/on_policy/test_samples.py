from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
import tensorflow as tf

from worldmodels.agents.api import Rollouts
from worldmodels.agents.distributions.policy_distributions import CATEGORICAL, DIAGONAL_GAUSSIAN
from worldmodels.agents.on_policy.config import PPOConfig
from worldmodels.agents.on_policy.samples import (
    collect_samples,
    draw_minibatches,
    explained_variance,
    minibatches_in_order,
    normalize,
    take,
)
from worldmodels.core.errors import ConfigError

CONFIG = PPOConfig(discount=0.5, gae_lambda=0.5, minibatch=4)
SEED = tf.constant([1, 2])
STEPS, ROWS = 4, 3


def experience(**fields) -> Rollouts:
    shape = (STEPS + 1, ROWS)
    number = tf.reshape(tf.range(float(np.prod(shape))), shape)
    values = {
        "features": number[..., None],
        "actions": tf.zeros(shape, tf.int32),
        "rewards": tf.zeros(shape),
        "continuations": tf.ones(shape),
        "is_first": tf.zeros(shape, tf.bool),
        "is_last": tf.zeros(shape, tf.bool),
        "extras": {"logits": tf.zeros((*shape, 2)), "value": number},
        "memory": (),
    }
    return Rollouts(**(values | fields))


def collect(config: PPOConfig = CONFIG, **fields):
    one = experience(**fields)
    distribution = CATEGORICAL if "logits" in one.extras else DIAGONAL_GAUSSIAN
    return collect_samples(one, 1.0 - tf.cast(one.is_last[:-1], tf.float32), distribution, config, config.lstm > 0)


def test_every_step_is_a_sample_and_the_last_moment_is_none():
    samples = collect()
    assert samples.features[:, 0].numpy().tolist() == list(range(STEPS * ROWS))
    np.testing.assert_allclose(samples.log_probability, np.log([0.5] * 12), rtol=1e-6)
    # Half of the last moments' values, 12, 13 and 14, stand for the future of the last steps.
    np.testing.assert_allclose(samples.returns[-ROWS:], [6, 6.5, 7])
    np.testing.assert_allclose(samples.advantages, samples.returns - samples.values, rtol=1e-6)
    assert samples.policy_scale.numpy().tolist() == [1.0] * 12


def test_the_step_between_episodes_has_no_weight_anywhere():
    """Row 0 ends at moment 1; whatever its value and what follows are said to be, all other samples stay the same."""
    mark = np.zeros((STEPS + 1, ROWS), bool)
    mark[1, 0] = True
    fields = {"is_last": tf.constant(mark), "continuations": 1.0 - tf.cast(mark, tf.float32)}
    plain = collect(**fields)
    value = experience().extras["value"]
    extras = {"logits": tf.zeros((STEPS + 1, ROWS, 2)), "value": tf.where(mark, 1e6, value)}
    strange = collect(**fields, extras=extras)
    assert plain.weights.numpy().tolist() == [1, 1, 1, 0, *[1] * 8]
    counts = plain.weights > 0
    for name in ("advantages", "returns"):
        np.testing.assert_array_equal(getattr(plain, name)[counts], getattr(strange, name)[counts])


def test_rewards_are_clipped_when_asked():
    rewards = tf.fill((STEPS + 1, ROWS), 5.0)
    zero = {"logits": tf.zeros((STEPS + 1, ROWS, 2)), "value": tf.zeros((STEPS + 1, ROWS))}
    clipped, plain = (
        collect(replace(CONFIG, reward_transform=transform), rewards=rewards, extras=zero).returns
        for transform in ("clip", "none")
    )
    np.testing.assert_allclose(clipped[-ROWS:], [1, 1, 1])
    np.testing.assert_allclose(plain[-ROWS:], [5, 5, 5])


def test_a_pass_deals_every_sample_once_and_the_next_in_another_order():
    config = replace(CONFIG, epochs=2, minibatch=3)
    first, second = np.split(draw_minibatches(collect(config), config, config.epochs, SEED).numpy().ravel(), 2)
    assert sorted(first) == sorted(second) == list(range(12))
    assert first.tolist() != second.tolist()
    assert first.tolist() != sorted(first)


def test_what_does_not_fill_a_minibatch_is_dropped():
    config = replace(CONFIG, epochs=1, minibatch=5)
    dealt = draw_minibatches(collect(config), config, config.epochs, SEED)
    assert dealt.shape == (2, 5)
    assert len(np.unique(dealt)) == 10


def test_a_minibatch_larger_than_the_data_is_all_of_it():
    config = replace(CONFIG, epochs=2, minibatch=100)
    rows = draw_minibatches(collect(config), config, config.epochs, SEED).numpy()
    assert [sorted(row) for row in rows.tolist()] == [list(range(12))] * 2
    assert rows[0].tolist() != rows[1].tolist()


@pytest.mark.parametrize(
    ("share", "lstm", "shape"), [(0.25, 0, (4, 3)), (0.4, 0, (3, 4)), (0.67, 2, (1, 2)), (0.01, 2, (3, 1))]
)
def test_a_minibatch_may_be_a_share_of_the_samples(share, lstm, shape):
    """Of 12 samples, or with an LSTM of 3 rollouts; a minibatch has at least one."""
    config = replace(CONFIG, epochs=1, minibatch=share, lstm=lstm)
    memory = tf.zeros((ROWS, 1)) if lstm else ()
    assert draw_minibatches(collect(config, memory=memory), config, config.epochs, SEED).shape == shape


def test_a_minibatch_is_a_number_of_samples_or_a_share():
    assert PPOConfig(minibatch=2).minibatch == 2
    for wrong in (1.0, 0, -0.5):  # 1.0 is no share: all samples are written as their number
        with pytest.raises(ConfigError, match="minibatch must be"):
            PPOConfig(minibatch=wrong)


def test_nothing_is_left_out_when_dealt_once():
    config = replace(CONFIG, minibatch=5)
    assert minibatches_in_order(collect(config), config).numpy().tolist() == [
        [0, 1, 2, 3, 4],
        [5, 6, 7, 8, 9],
        [10, 11, 0, 1, 2],
    ]


def test_a_policy_with_memory_learns_from_whole_rollouts():
    config = replace(CONFIG, lstm=2, minibatch=2 * STEPS, epochs=1)
    memory = tf.constant([[10.0], [20.0], [30.0]])
    samples = collect(config, memory=memory)
    dealt = draw_minibatches(samples, config, config.epochs, SEED)
    assert dealt.shape == (1, 2)
    batch = take(samples, tf.constant([2, 0]))
    assert batch.features[:, :, 0].numpy().tolist() == [[2, 5, 8, 11], [0, 3, 6, 9]]
    assert batch.memory.numpy().tolist() == [[30], [10]]


def test_a_minibatch_of_broken_rollouts_is_refused():
    config = replace(CONFIG, lstm=2, minibatch=6)
    with pytest.raises(
        ConfigError,
        match="must be a multiple of their 4 steps, or all of the 12 .* below 1. Received 6",
    ):
        draw_minibatches(collect(config), config, config.epochs, SEED)


def test_normalize_heeds_weights():
    advantages, weights = tf.constant([1.0, 3.0, 1000.0]), tf.constant([1.0, 1.0, 0.0])
    np.testing.assert_allclose(normalize(advantages, weights)[:2], [-1, 1], rtol=1e-6)


@pytest.mark.parametrize(("lstm", "leading"), [(0, (12,)), (2, (3, 4))])
def test_points_of_a_box_and_dictionaries_of_features(lstm, leading):
    number = experience().features
    fields = {
        "features": {"one": number, "two": tf.concat([number, number], -1)},
        "actions": tf.fill((STEPS + 1, ROWS, 2), 1.0),
        "extras": {"gaussian": tf.zeros((STEPS + 1, ROWS, 4)), "value": number[..., 0]},
        "memory": tf.zeros((ROWS, 1)) if lstm else (),
    }
    config = replace(CONFIG, lstm=lstm, minibatch=4)
    samples = collect(config, **fields)
    assert samples.actions.shape == (*leading, 2) and samples.features["two"].shape == (*leading, 2)
    # Two numbers at one standard deviation from the mean.
    np.testing.assert_allclose(samples.log_probability, np.full(leading, -1 - 2 * 0.918939), rtol=1e-6)
    assert draw_minibatches(samples, config, config.epochs, SEED).shape == (3 * config.epochs, 1 if lstm else 4)


def test_explained_variance_by_hand():
    samples = collect()._replace(returns=tf.constant([0.0, 4.0]), values=tf.constant([1.0, 3.0]), weights=tf.ones(2))
    # Returns vary by 4; what the values did not know, -1 and 1, by 1.
    assert float(explained_variance(samples)) == pytest.approx(0.75)
