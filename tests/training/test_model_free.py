"""Collect, learn, repeat; stopped anywhere it goes on to the same numbers."""

import numpy as np

from worldmodels.core.checkpoint import Checkpoints


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


def test_a_run_stopped_after_any_tick_goes_on_to_the_same_numbers(model_free, same_tree, tmp_path):
    whole, checkpoints, stops = model_free(steps=120, rollout=20), Checkpoints(tmp_path, keep=100), 0
    while not whole.finished:
        whole.iterate()
        checkpoints.write(stops, whole.save())
        stops += 1
    for stop in range(stops):
        resumed = model_free(steps=120, rollout=20)
        resumed.load(checkpoints.read(stop)[1])
        while not resumed.finished:
            resumed.iterate()
        same_tree(whole.save(), resumed.save(), f"stopped after tick {stop}")
