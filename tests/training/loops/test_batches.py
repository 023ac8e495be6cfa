from __future__ import annotations

import threading

import numpy as np
import pytest

from worldmodels.core.errors import UserError
from worldmodels.training.loops.transitions import Batches


def draw(generator: np.random.Generator) -> int:
    return int(generator.integers(1000))


def batches(seed: int = 0, how=draw) -> Batches:
    return Batches(how, np.random.default_rng(seed))


def in_order(count: int) -> list[int]:
    generator = np.random.default_rng(0)
    return [draw(generator) for _ in range(count)]


def test_drawing_ahead_gives_the_same_batches():
    ahead, plain = batches(), batches()
    assert [ahead.take(another=True) for _ in range(5)] == in_order(5)
    assert [plain.take(another=False) for _ in range(5)] == in_order(5)


def test_a_batch_that_waits_is_drawn_again_after_loading():
    ahead, other = batches(), batches(seed=9)
    assert [ahead.take(another=True) for _ in range(2)] == in_order(2)
    other.load(ahead.save())
    assert [other.take(another=False) for _ in range(3)] == in_order(5)[2:]
    assert ahead.take(another=False) == in_order(3)[2]  # saving took nothing away


def test_the_next_batch_is_drawn_meanwhile():
    drawn = threading.Event()

    def and_tell(generator: np.random.Generator) -> int:
        if threading.current_thread() is not threading.main_thread():
            drawn.set()
        return draw(generator)

    ahead = batches(how=and_tell)
    ahead.take(another=True)
    assert drawn.wait(10)


def test_what_drawing_raises_is_raised_where_the_batch_is_taken():
    calls = []

    def once(generator: np.random.Generator) -> int:
        calls.append(1)
        if len(calls) > 1:
            raise UserError("no such sequence")
        return draw(generator)

    ahead = batches(how=once)
    assert ahead.take(another=True) == in_order(1)[0]
    ahead.save()
    with pytest.raises(UserError, match="no such sequence"):
        ahead.take(another=False)
