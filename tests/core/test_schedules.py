from __future__ import annotations

from worldmodels.training.session import Every


def test_every_keeps_its_phase() -> None:
    every = Every(10)
    steps = [0, 4, 13, 19, 20, 21, 45, 49, 50]
    assert [every(step) for step in steps] == [False, False, True, False, True, False, True, False, True]


def test_every_zero_is_never() -> None:
    every = Every(0)
    assert not any(every(step) for step in range(5))


def test_every_goes_on_where_it_was_saved() -> None:
    first, second = Every(10), Every(10)
    first(27)
    second.load(first.save())
    assert [second(29), second(30), second(31)] == [False, True, False]
