"""Random play whose actions are held: how long, which ones, and what is done again."""

from __future__ import annotations

import numpy as np
import pytest

from worldmodels.acting.exploring_actor import KEPT, HeldActor, Holding

ENVS, ACTIONS = 50, 4
LONG = 1e9
"""Steps after which nothing changes within a test."""


def actor(seed: int = 0, **holding: float) -> HeldActor:
    return HeldActor(ENVS, ACTIONS, np.random.default_rng(seed), Holding(**{"uniform": 0.0, **holding}))


def play(player: HeldActor, steps: int, begins: tuple[int, ...] = (0,), reward=None) -> np.ndarray:
    """Return the actions (steps, ENVS) where episodes of all environments begin at some steps."""
    actions = []
    for t in range(steps):
        actions.append(player.act(np.zeros((ENVS, 1, 1, 1), np.uint8), np.full(ENVS, t in begins)).action)
        if reward is not None:
            player.reinforce(reward(actions[-1]))
    return np.stack(actions)


def shares(actions: np.ndarray) -> np.ndarray:
    """Return how often each environment chose each action: (ENVS, ACTIONS)."""
    return np.stack([(actions == action).mean(0) for action in range(ACTIONS)], 1)


def test_actions_are_drawn_anew_after_the_mean_length() -> None:
    actions = play(actor(mean_length=5, concentration=1e6, preference_steps=LONG), 2000)
    # A fifth of the steps draw one of four actions anew, which is another one in three cases of four.
    assert (actions[1:] != actions[:-1]).mean() == pytest.approx(3 / 20, abs=0.005)
    assert actions.dtype == np.int32
    np.testing.assert_allclose(shares(actions).mean(0), 1 / 4, atol=0.01)


def test_a_length_of_one_holds_nothing() -> None:
    actions = play(actor(mean_length=1, concentration=1e6, preference_steps=LONG), 2000)
    assert (actions[1:] != actions[:-1]).mean() == pytest.approx(3 / 4, abs=0.01)


def test_small_concentrations_prefer_few_actions_and_large_ones_none() -> None:
    few = shares(play(actor(mean_length=1, concentration=0.01, preference_steps=LONG), 200)).max(1)
    none = shares(play(actor(mean_length=1, concentration=1e6, preference_steps=LONG), 200)).max(1)
    assert (few > 0.9).mean() > 0.8 and none.max() < 0.45


def test_preferences_are_those_of_an_episode_and_change_now_and_then() -> None:
    settings = {"mean_length": 1, "concentration": 1e-6}
    actions = play(actor(**settings, preference_steps=LONG), 60, begins=(0, 30))
    assert (actions[:30] == actions[0]).all() and (actions[30:] == actions[30]).all()
    assert (actions[0] != actions[30]).mean() == pytest.approx(3 / 4, abs=0.2)
    often = play(actor(**settings, preference_steps=10), 2000)
    assert (often[1:] != often[:-1]).mean() == pytest.approx(3 / 40, abs=0.005)


def test_a_share_of_the_preferences_is_none() -> None:
    settings = {"mean_length": LONG, "concentration": 1e-6, "preference_steps": LONG}
    actions = play(actor(**settings, uniform=0.4, seed=1), 400)
    moves = (actions[1:] != actions[:-1]).mean(0)
    assert set(np.round(moves * 4 / 3)) == {0, 1}  # of others, or nothing but the one action
    assert (moves > 0.5).mean() == pytest.approx(0.4, abs=0.2)


def test_preferences_that_paid_are_used_again() -> None:
    def pays(actions: np.ndarray) -> np.ndarray:
        return np.where(actions == 2, 1.0, -1.0)

    settings = {"mean_length": 1, "concentration": 1e-6, "preference_steps": 5}
    again = shares(play(actor(**settings, reuse=0.5), 2000, reward=pays)).mean(0)
    # Half of the preferences are for action 2, and of the others a quarter; a punishment is no reward.
    np.testing.assert_allclose(again, [1 / 8, 1 / 8, 5 / 8, 1 / 8], atol=0.03)
    never = shares(play(actor(**settings, reuse=0), 2000, reward=pays)).mean(0)
    np.testing.assert_allclose(never, 1 / 4, atol=0.03)


def test_a_saved_actor_goes_on_as_it_was() -> None:
    def pays(actions: np.ndarray) -> np.ndarray:
        return (actions == 1).astype(np.float32)

    straight, resumed = actor(), actor(seed=9)
    play(straight, 2 * KEPT, reward=pays)
    tree = straight.save()
    expected = play(straight, 100, (50,), reward=pays)
    resumed.load(tree)
    np.testing.assert_array_equal(play(resumed, 100, (50,), reward=pays), expected)
