"""Random actions in place of chosen ones."""

from __future__ import annotations

import numpy as np

from worldmodels.acting.step_source import RandomActions
from worldmodels.core.specs import ActionSpec

FOUR = ActionSpec(4)


def test_the_share_of_actions_that_are_replaced() -> None:
    chosen = np.full(20_000, 7, np.int32)
    taken = RandomActions(0.25, FOUR, np.random.default_rng(0))(chosen)
    assert taken.dtype == np.int32 and (chosen == 7).all()
    assert abs((taken != 7).mean() - 0.25) < 0.01  # 0.003 is a standard error
    counts = np.bincount(taken[taken != 7], minlength=4)
    assert len(counts) == 4 and (abs(counts / 5_000 - 0.25) < 0.03).all()


def test_none_and_all() -> None:
    chosen = np.arange(4, dtype=np.int32)
    assert RandomActions(0.0, FOUR, np.random.default_rng(0))(chosen).tolist() == [0, 1, 2, 3]
    box = ActionSpec(low=(-1.0, -1.0), high=(1.0, 1.0))
    taken = RandomActions(1.0, box, np.random.default_rng(0))(np.full((3, 2), 5, np.float32))
    assert taken.dtype == np.float32 and (abs(taken) <= 1).all()


def test_it_goes_on_where_it_was_saved() -> None:
    noise, chosen = RandomActions(0.5, FOUR, np.random.default_rng(3)), np.zeros(50, np.int32)
    noise(chosen)
    saved = noise.save()
    expected = [noise(chosen).tolist() for _ in range(3)]
    other = RandomActions(0.5, FOUR, np.random.default_rng(4))
    other.load(saved)
    assert [other(chosen).tolist() for _ in range(3)] == expected
