"""Returns are computed from rewards and the values at the end of a rollout. Pure functions.

Time runs along the first axis. Index t of `rewards` and `discounts` belongs to state t: the reward that arrived with
the state, and the discount on all later rewards (0 where the episode ended).
"""

from __future__ import annotations

from collections.abc import Callable

import tensorflow as tf

from worldmodels.agents.api import Rollouts
from worldmodels.agents.config import RewardTransform
from worldmodels.models.devices import mean_over_devices, whole_batch


def transform_rewards(rewards: tf.Tensor, transform: RewardTransform) -> tf.Tensor:
    """Return rewards of any shape as the agent learns from them."""
    if transform == "clip":
        return tf.clip_by_value(rewards, -1.0, 1.0)
    return tf.tanh(rewards) if transform == "tanh" else rewards


def lambda_returns(rewards: tf.Tensor, values: tf.Tensor, discounts: tf.Tensor, lambda_: float) -> tf.Tensor:
    """Return the lambda-return of each state but the last (Sutton & Barto 2018, chapter 12).

        R[t] = r[t+1] + d[t+1] ((1 - l) v[t+1] + l R[t+1]),    R[H] = v[H]

    Args:
        rewards, values, discounts: float32 (H + 1, B).
        lambda_: l, 0 to 1.

    Returns:
        float32 (H, B).
    """
    discounts = tf.unstack(discounts)
    return _backwards(rewards, values, lambda_, lambda t, worth: discounts[t] * worth)


def continuing_returns(
    rewards: tf.Tensor, values: tf.Tensor, continuations: tf.Tensor, discount: float, lambda_: float
) -> tf.Tensor:
    """Return lambda-returns where another episode follows each end (non-episodic returns; Burda et al. 2019).

    The next episode has the mean value of the rollouts that still go on at that time. They have the same age, so a
    critic that lags behind makes ends neither better nor worse.

        R[t] = r[t+1] + discount (c[t+1] x[t+1] + (1 - c[t+1]) m[t+1]),    x[t] = (1 - l) v[t] + l R[t]

    Here m[t] is the mean of x[t] over the batch, each weighted by the probability that it goes on until then.

    Args:
        rewards, values: float32 (H + 1, B).
        continuations: c, float32 (H + 1, B), the probability that the episode goes on after each state.
        lambda_: l, 0 to 1.

    Returns:
        float32 (H, B).
    """
    reached = tf.unstack(tf.stop_gradient(reach_weights(continuations, 1.0)))
    continuations = tf.unstack(continuations)

    def follows(t: int, worth: tf.Tensor) -> tf.Tensor:
        sums = tf.stack([tf.reduce_mean(reached[t] * tf.stop_gradient(worth)), tf.reduce_mean(reached[t])])
        another = tf.math.divide_no_nan(*tf.unstack(mean_over_devices(sums)))
        return discount * (continuations[t] * worth + (1.0 - continuations[t]) * another)

    return _backwards(rewards, values, lambda_, follows)


def _backwards(
    rewards: tf.Tensor,
    values: tf.Tensor,
    lambda_: float,
    follows: Callable[[int, tf.Tensor], tf.Tensor],
) -> tf.Tensor:
    """Return r[t+1] + follows(t+1, (1 - l) v[t+1] + l R[t+1]) for each state but the last."""
    # Apart at once: a gradient by a slice at a time would be a sum of as many whole arrays.
    rewards, values = map(tf.unstack, (rewards, values))
    returns = [values[-1]]
    for t in reversed(range(1, len(values))):
        worth = (1.0 - lambda_) * values[t] + lambda_ * returns[-1]
        returns.append(rewards[t] + follows(t, worth))
    return tf.stack(returns[:0:-1])


def generalized_advantages(
    rewards: tf.Tensor, values: tf.Tensor, discounts: tf.Tensor, is_last: tf.Tensor, lambda_: float
) -> tf.Tensor:
    """Return the generalised advantage estimates: how much better each action was than expected (Schulman et al. 2016).

        A[t] = r[t+1] + d[t+1] v[t+1] - v[t] + lambda_ d[t+1] A[t+1],    A[t] = 0 where t is last or H

    So the value stands in for the future wherever a rollout or an episode was cut, and for nothing where d is 0.

    Args:
        rewards, values, discounts: float32 (H + 1, B).
        is_last: bool (H + 1, B): no step leads from here to the next state, which begins another episode.
        lambda_: lambda, 0 to 1.

    Returns:
        float32 (H, B).
    """
    errors = rewards[1:] + discounts[1:] * values[1:] - values[:-1]
    goes_on = 1.0 - tf.cast(is_last[:-1], tf.float32)

    def step(after: tf.Tensor, now: tuple[tf.Tensor, tf.Tensor, tf.Tensor]) -> tf.Tensor:
        error, discount, goes_on = now
        return goes_on * (error + lambda_ * discount * after)

    return tf.scan(step, (errors, discounts[1:], goes_on), tf.zeros_like(values[0]), reverse=True)


def discounted_sums(rollouts: Rollouts, before: tf.Tensor, discount: float) -> tf.Tensor:
    """Return the discounted sum of the rewards of an episode up to each observation, without any value.

        S[t] = r[t] + discount c[t-1] S[t-1],    S[t] = r[t] where t is first

    Args:
        before: S[0] where the first observation of the rollouts begins no episode, float32 (B,).

    Returns:
        float32 (T + 1, B).
    """
    goes_on = 1.0 - tf.cast(rollouts.is_first, tf.float32)
    kept = discount * rollouts.continuations[:-1] * goes_on[1:]
    start = goes_on[0] * before
    sums = tf.scan(lambda s, now: now[0] + now[1] * s, (rollouts.rewards[1:], kept), start)
    return tf.concat([start[None], sums], 0)


def reach_weights(continuations: tf.Tensor, discount: float) -> tf.Tensor:
    """Return the weight of each state: the discounted probability that the episode still continues there.

        w[0] = c[0],    w[t] = w[t-1] discount c[t]

    Args:
        continuations: float32 (H + 1, B), the probability that the episode goes on after each state.

    Returns:
        float32 (H + 1, B).
    """
    return tf.math.cumprod(tf.concat([continuations[:1], discount * continuations[1:]], 0), 0)


class ReturnScale:
    """A running range of returns, 5th to 95th percentile, by which advantages are divided (DreamerV3).

    Ranges below 1 are left alone, so that where there is nothing to gain noise is not blown up.
    """

    RATE = 0.01

    def __init__(self) -> None:
        self.range = tf.Variable(0.0)

    def update(self, returns: tf.Tensor) -> tf.Tensor:
        """Take in returns (H, B), give the divisor, a scalar of 1 or more."""
        ordered = tf.sort(tf.reshape(whole_batch(returns, axis=1), (-1,)))
        last = ordered.shape[0] - 1
        spread = ordered[round(0.95 * last)] - ordered[round(0.05 * last)]
        self.range.assign_add(self.RATE * (spread - self.range))
        return tf.maximum(1.0, self.range)


class RewardScale:
    """A running mean of absolute rewards, by which rewards are divided (`reward_norm` in DreamerV2)."""

    MOMENTUM, EPSILON = 0.99, 1e-8

    def __init__(self) -> None:
        self.mean = tf.Variable(1.0)

    def update(self, rewards: tf.Tensor) -> None:
        """Take in a tensor of rewards."""
        size = mean_over_devices(tf.reduce_mean(tf.abs(rewards)))
        self.mean.assign(self.MOMENTUM * self.mean + (1.0 - self.MOMENTUM) * size)

    def __call__(self, rewards: tf.Tensor) -> tf.Tensor:
        """Return rewards of any shape, divided."""
        return rewards / (self.mean + self.EPSILON)
