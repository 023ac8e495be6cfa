"""Each update learns the same as one program of XLA as it learns without."""

from __future__ import annotations

import pytest
import tensorflow as tf
from updates_on_devices import CASES, SINGLE, compare_compilers

from worldmodels.models.graph import compile_updates, graph, update_graph

QUICK = "SAC"


class Learner:
    @graph
    def act(self, x):
        return x + 1.0

    @update_graph
    def learn(self, x):
        return self.act(x) + 1.0

    @update_graph
    def learn_more(self, x):
        return self.learn(x) + 1.0


def compiled(learner: Learner, name: str) -> bool:
    """Whether XLA compiles the graph of a method that was called."""
    return bool(vars(learner)[f"_graph_of_{name}"]._jit_compile)


def test_xla_compiles_the_updates_that_are_built_under_it():
    compile_updates(by_xla=True)
    try:
        learner = Learner()
        assert [float(call(tf.constant(1.0))) for call in (learner.act, learner.learn)] == [2.0, 3.0]
    finally:
        compile_updates(by_xla=False)
    assert float(learner.learn_more(tf.constant(1.0))) == 4.0
    assert [compiled(learner, name) for name in ("act", "learn", "learn_more")] == [False, True, False]


def same(name: str) -> None:
    """Three updates differ by rounding, which the next update makes larger: most in TRPO's conjugate gradients."""
    found = compare_compilers(name)
    assert found["changed"] > 1e-3 and found["difference"] < 0.01 * found["changed"], found


def test_an_update_learns_the_same():
    same(QUICK)


@pytest.mark.slow
@pytest.mark.parametrize("name", sorted(({*CASES, *SINGLE}) - {QUICK}))
def test_every_update_learns_the_same(name):
    same(name)
