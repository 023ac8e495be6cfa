"""Which of its newest steps a policy learns from, and what it is told of them."""

from __future__ import annotations

import numpy as np
import tensorflow as tf

from worldmodels.acting.actor import PolicyOutput
from worldmodels.agents.api import Recent
from worldmodels.core.seeding import Streams
from worldmodels.core.types import Step
from worldmodels.training.loops.newest_steps import NewestSteps


def newest(steps: int = 8, batch: int = 64, length: int = 4) -> NewestSteps:
    return NewestSteps(steps, Streams(3).generator("recent"), batch, length)


def draw(record: NewestSteps) -> Recent:
    drawn = record.draw()
    assert drawn is not None
    return drawn


def play(record: NewestSteps, times: range, first: tuple[int, ...] = (), last: tuple[int, ...] = ()) -> None:
    """Let a policy take steps in two environments, of which number 1 has 100 more in all its numbers."""
    for t in times:
        row = np.array([t, 100 + t])
        is_first, is_last = np.full(2, t in first), np.full(2, t in last)
        step = Step(np.zeros((2, 1)), row.astype(np.float32), is_first, is_last, is_last, row)
        seen = tf.tile(tf.constant(row, tf.float32)[:, None], (1, 3))
        record.add(step, PolicyOutput(row, seen, {"logits": seen[:, :2] / 2, "value": seen[:, 0]}))


def test_there_is_nothing_before_a_window_is_full() -> None:
    record = newest()
    play(record, range(3))
    assert record.draw() is None
    play(record, range(3, 4))
    assert record.draw() is not None


def test_windows_are_those_of_the_newest_steps_and_all_of_them() -> None:
    record = newest()
    play(record, range(20))
    drawn = draw(record)
    starts = {begin + row for begin in range(12, 17) for row in (0, 100)}
    assert set(drawn.actions.numpy()[:, 0].tolist()) == starts
    np.testing.assert_array_equal(np.diff(drawn.actions, axis=1), 1)
    # Everything is of the same step of the same environment.
    np.testing.assert_array_equal(drawn.rewards, drawn.actions)
    np.testing.assert_array_equal(drawn.features, np.tile(drawn.actions.numpy()[..., None], 3))
    np.testing.assert_array_equal(drawn.extras["logits"], np.tile(drawn.actions.numpy()[..., None] / 2, 2))
    np.testing.assert_array_equal(drawn.extras["value"], drawn.actions)


def test_an_episode_ends_at_its_last_step_or_where_another_begins() -> None:
    record = newest(steps=4, batch=1)
    play(record, range(4), first=(2,))
    np.testing.assert_array_equal(draw(record).is_last, [[False, True, False, False]])
    np.testing.assert_array_equal(draw(record).is_terminal, [[False] * 4])
    play(record, range(4), first=(2,), last=(1,))
    np.testing.assert_array_equal(draw(record).is_last, [[False, True, False, False]])
    np.testing.assert_array_equal(draw(record).is_terminal, [[False, True, False, False]])


def test_steps_of_nobodys_policy_begin_the_record_anew() -> None:
    record = newest()
    play(record, range(6))
    nothing = np.zeros(2)
    record.add(Step(np.zeros((2, 1)), nothing, nothing, nothing, nothing, nothing), PolicyOutput(nothing))
    assert record.draw() is None
    play(record, range(6, 10))
    assert set(draw(record).actions.numpy()[:, 0].tolist()) == {6, 106}


def test_goes_on_as_it_was() -> None:
    straight, resumed = newest(), newest()
    resumed.load(straight.save())
    assert resumed.draw() is None
    play(straight, range(12), first=(9,), last=(8,))
    straight.draw()
    resumed.load(straight.save())
    for record in (straight, resumed):
        play(record, range(12, 15))
    tf.nest.map_structure(np.testing.assert_array_equal, straight.draw(), resumed.draw())
    tf.nest.map_structure(np.testing.assert_array_equal, straight.save(), resumed.save())
