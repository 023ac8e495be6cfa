"""Imagined rollouts that begin as the policy would not: with a random action, held for some steps.

A policy that is certain imagines nothing else, and so never learns that another action was better: its gradient is in
proportion to the probability of what was chosen. With exploring starts (Sutton & Barto 2018, section 5.3) every action
is tried from everywhere; and held, as one step of another action hardly changes where a jump ends (Dabney et al. 2021).

What follows an action is then not what the policy would do, so returns are cut there: a step in front of an action that
was given is worth what the critic says, and the critic learns nothing of the state in which it was given.
"""

from __future__ import annotations

from typing import NamedTuple

import tensorflow as tf

from worldmodels.core.specs import ActionSpec
from worldmodels.core.types import State
from worldmodels.imagination.rollout import Policy, Trajectory
from worldmodels.models.devices import draw_rows

EXTRA = "given"
"""The name of a rollout's extra: 1 where the action was given, 0 where the policy chose it."""


class Given(NamedTuple):
    """The actions that B rollouts begin with."""

    action: tf.Tensor
    """int32 (B,)."""
    steps: tf.Tensor
    """int32 (B,): for how many more steps; 0 or less: the policy chooses."""


def draw_given(share: float, most_steps: int, action: ActionSpec, batch: int, seed: tf.Tensor) -> Given:
    """Return what B rollouts begin with: a `share` of them with a random action, for 1 to `most_steps` steps."""
    seeds = tf.random.split(seed, 3)
    actions = draw_rows(lambda shape: tf.random.stateless_uniform(shape, seeds[0], 0, action.count, tf.int32), (batch,))
    steps = draw_rows(lambda shape: tf.random.stateless_uniform(shape, seeds[1], 1, most_steps + 1, tf.int32), (batch,))
    begins = draw_rows(lambda shape: tf.random.stateless_uniform(shape, seeds[2]), (batch,)) < share
    return Given(actions, tf.where(begins, steps, 0))


def beginning_with_given(policy: Policy) -> Policy:
    """Return a policy that takes the actions given, and acts as `policy`, which has no memory, after them.

    Its memory is what is `Given`; its extra says where.
    """

    def begin(features: tf.Tensor, given: State, seed: tf.Tensor) -> tuple[tf.Tensor, State, dict[str, tf.Tensor]]:
        chosen, _, extras = policy(features, (), seed)
        holds = given.steps > 0
        action = tf.where(holds, given.action, chosen)
        return action, Given(given.action, given.steps - 1), {**extras, EXTRA: tf.cast(holds, tf.float32)}

    return begin


def chosen_by_policy(trajectory: Trajectory) -> tf.Tensor | None:
    """Return where the policy chose the action itself, float32 (H + 1, B), 0 or 1; None: everywhere."""
    given = trajectory.extras.get(EXTRA)
    return None if given is None else 1.0 - given
