"""Exploration in place of a policy: how often, how long, and what the policy gets to know of it."""

from __future__ import annotations

import numpy as np
import pytest

from worldmodels.acting.actor import PolicyOutput
from worldmodels.acting.exploring_actor import ExploringActor
from worldmodels.config.training_config import ExplorationConfig
from worldmodels.core.specs import ActionSpec

ENVS, POLICY_ACTION, ACTIONS = 40, 7, 4
"""The policy always takes an action that exploration never draws: it draws 0 to 3."""


class Policy:
    def __init__(self) -> None:
        self.taken: list[np.ndarray] = []

    def act(self, observation, is_first) -> PolicyOutput:
        self.taken.append(np.full(ENVS, POLICY_ACTION, np.int32))
        return PolicyOutput(self.taken[-1], extras={"value": "kept"})

    def correct(self, action) -> None:
        self.taken[-1] = action

    def save(self) -> dict:
        return {"count": len(self.taken)}

    def load(self, tree) -> None:
        self.taken = [np.empty(0)] * tree["count"]


def explorer(epsilon: float, mean_length: float = 5.0, seed: int = 0) -> tuple[ExploringActor, Policy]:
    policy = Policy()
    config = ExplorationConfig(epsilon, mean_length)
    return ExploringActor(policy, config, ENVS, ActionSpec(ACTIONS), np.random.default_rng(seed)), policy


def play(actor: ExploringActor, steps: int, first: int = -1) -> np.ndarray:
    """Return actions (steps, ENVS), where all episodes begin at one of the steps."""
    return np.stack([actor.act(np.empty(0), np.full(ENVS, t == first)).action for t in range(steps)])


def test_the_share_of_steps_follows_from_epsilon_and_length():
    actor, _ = explorer(0.05)
    actions = play(actor, 3000)
    explores = actions != POLICY_ACTION
    # A stretch takes 5 steps on average, and between two of them lie 1 / 0.05 - 1 = 19.
    assert explores.mean() == pytest.approx(5 / 24, abs=0.01)
    assert set(np.unique(actions[explores])) == set(range(ACTIONS)) and actions.dtype == np.int32
    # Within a stretch the action stays: it changes where one stretch follows another, 0.05 of them, to another action
    # three times of four.
    both = explores[1:] & explores[:-1]
    assert (actions[1:] != actions[:-1])[both].mean() < 0.02


def test_an_episode_begins_with_the_policy_unless_a_new_stretch_begins():
    actor, _ = explorer(0.5, 1e6)
    actions = play(actor, 60, first=50)
    assert (actions[49] != POLICY_ACTION).all()
    assert (actions[50] == POLICY_ACTION).mean() == pytest.approx(0.5, abs=0.25)


def test_the_policy_is_told_what_was_done_and_its_output_is_kept():
    actor, policy = explorer(1.0)
    output = actor.act(np.empty(0), np.zeros(ENVS, bool))
    np.testing.assert_array_equal(policy.taken[-1], output.action)
    assert (output.action < ACTIONS).all() and output.extras == {"value": "kept"}


def test_without_exploration_the_output_is_the_policys():
    actor, _ = explorer(0.0)
    assert (play(actor, 20) == POLICY_ACTION).all()


def test_it_goes_on_exactly():
    actor, _ = explorer(0.2)
    play(actor, 17)
    saved = actor.save()
    other, policy = explorer(0.2, seed=1)
    other.load(saved)
    assert len(policy.taken) == 17
    np.testing.assert_array_equal(play(actor, 30), play(other, 30))


def test_numbers_are_held_like_choices_and_have_noise():
    """Where nothing is held, the action is the policy's, 0.5, and noise; what lies outside of the box is clipped."""
    policy, box = Policy(), ActionSpec(low=(0.0, -2.0), high=(1.0, 2.0))
    config = ExplorationConfig(epsilon=0.05, noise=0.2)
    policy.act = lambda observation, is_first: (
        policy.taken.append(0) or PolicyOutput(np.full((ENVS, 2), 0.5, np.float32))
    )
    actor = ExploringActor(policy, config, ENVS, box, np.random.default_rng(0))
    actions = play(actor, 2000)
    assert actions.dtype == np.float32 and actions.shape == (2000, ENVS, 2) and np.abs(actions).max() <= 1
    held = (actions[1:] == actions[:-1]).all(-1)
    assert 0.1 < held.mean() < 0.3
    free = actions[1:][~held & (np.abs(actions[1:] - 0.5) < 0.45).all(-1)]
    assert free.mean() == pytest.approx(0.5, abs=0.02) and free.std() == pytest.approx(0.2, abs=0.03)
    np.testing.assert_array_equal(policy.taken[-1], actions[-1])
