"""Which steps count as episodes, and which of them the agent learns from."""

import numpy as np

from worldmodels.acting.actor import PolicyOutput
from worldmodels.acting.collected_steps import CollectedSteps
from worldmodels.core.types import Step

NONE = np.zeros(1, bool)


class Source:
    """One environment whose next step has the reward 9."""

    num_envs = 1

    def peek(self):
        return a_step(9), seen(9)


def a_step(reward, is_first=False, is_last=False):
    return Step(None, np.full(1, reward, np.float32), NONE | is_first, NONE | is_last, NONE, np.zeros(1, np.int32))


def seen(value):
    return PolicyOutput(np.zeros(1, np.int32), np.full((1, 2), value, np.float32))


def test_random_steps_count_as_episodes_and_are_not_gathered():
    collected = CollectedSteps(Source(), 2)
    collected._add(a_step(0, is_first=True), PolicyOutput(np.zeros(1, np.int32)))
    collected._add(a_step(3, is_last=True), PolicyOutput(np.zeros(1, np.int32)))
    assert collected.metrics.take() == {"episode/return": 3.0, "episode/length": 1.0}
    assert collected.steps_until_full == 2 and not collected.holds_partial_rollout


def test_the_agents_steps_are_gathered_with_the_next_one_behind():
    collected = CollectedSteps(Source(), 2)
    collected._add(a_step(0, is_first=True), seen(1))
    assert collected.take_rollouts() is None and collected.holds_partial_rollout
    collected._add(a_step(5), seen(2))
    rollouts = collected.take_rollouts()
    assert rollouts.rewards.numpy().tolist() == [[0], [5], [9]]
    assert rollouts.features.numpy()[:, 0, 0].tolist() == [1, 2, 9]
    assert collected.steps_until_full == 2


def test_no_rollouts_are_gathered_where_none_are_wanted():
    collected = CollectedSteps(Source(), 0)
    collected._add(a_step(0, is_first=True), seen(1))
    assert collected.take_rollouts() is None and not collected.holds_partial_rollout
