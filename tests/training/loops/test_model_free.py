"""Collect, learn, repeat; stopped anywhere it goes on to the same numbers."""

import numpy as np
import pytest

from worldmodels.core.files.checkpoint import Checkpoints


def test_it_learns_after_each_rollout_and_ends_with_one(model_free):
    loop = model_free(steps=90, rollout=20)
    rests = []
    while not loop.finished:
        tick = loop.iterate()
        rests.append((tick.amount, loop.step, loop.updates, loop.at_rest))
    # A rollout of 20 steps of each of two environments comes in pieces of at most 16.
    assert rests == [
        (16, 32, 0, False), (4, 40, 1, True),
        (16, 72, 1, False), (4, 80, 2, True),
        (16, 112, 2, False), (4, 120, 3, True),
    ]  # fmt: skip
    assert loop.counters() == {"policy/updates": 3}
    assert {"policy/loss", "episode/return"} >= loop.metrics.take().keys() > set()
    one, two, _ = loop.parts.agent.experiences
    assert one.actions.shape == (21, 2)
    np.testing.assert_array_equal(one.features[20], two.features[0])


@pytest.mark.parametrize("epsilon", [0.0, 0.5])
def test_a_run_stopped_after_any_tick_goes_on_to_the_same_numbers(model_free, same_tree, tmp_path, epsilon):
    settings = {"steps": 120, "rollout": 20, "epsilon": epsilon}
    whole, checkpoints, stops = model_free(**settings), Checkpoints(tmp_path, keep=100), 0
    while not whole.finished:
        whole.iterate()
        checkpoints.write(stops, whole.save())
        stops += 1
    for stop in range(stops):
        resumed = model_free(**settings)
        resumed.load(checkpoints.read(stop)[1])
        while not resumed.finished:
            resumed.iterate()
        same_tree(whole.save(), resumed.save(), f"stopped after tick {stop}")


def test_two_rollouts_at_most_are_asked_for_ahead_and_none_behind_the_end(model_free, monkeypatch):
    loop, asked = model_free(steps=160, rollout=20), []
    monkeypatch.setattr(loop._collected, "expect", lambda steps, ahead: asked.append((steps, ahead, loop.updates)))
    while not loop.finished:
        loop.iterate()
    # Before the update for the one after it, and then, with what was learned, for the one behind that.
    assert asked == [(20, 1, 0), (20, 2, 1), (20, 1, 1), (20, 2, 2), (20, 1, 2)]


def test_random_actions_are_taken_and_not_learned_from(model_free, monkeypatch):
    loop = model_free(steps=40, rollout=20, epsilon=1.0)
    source, taken, chosen = loop._collected._source, [], []
    env = source._collector.env
    step, act = env.step, source._actor.act
    monkeypatch.setattr(env, "step", lambda action: taken.append(action) or step(action))

    def choose(observation, is_first):
        output = act(observation, is_first)
        chosen.append(output.action)
        return output

    monkeypatch.setattr(source._actor, "act", choose)
    while not loop.finished:
        loop.iterate()
    (experience,) = loop.parts.agent.experiences
    np.testing.assert_array_equal(experience.actions[:20], chosen)
    assert (np.array(taken) != chosen).mean() > 0.5  # of 5 actions a random one is another in 4 cases
