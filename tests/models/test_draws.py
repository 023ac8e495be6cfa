"""The random numbers of a program of XLA are those of TensorFlow's kernels."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest
import tensorflow as tf

from worldmodels.models import draws

ROOT = Path(__file__).parents[2]
SEED = tf.constant([1, 2])
DRAWS = {
    "uniform": lambda: draws.uniform((5, 3), SEED),
    "uniform in a range": lambda: draws.uniform((5, 3), SEED, -2.0, 3.0),
    "choices": lambda: draws.uniform((40,), SEED, 0, 7, tf.int32),
    "normal": lambda: draws.normal((1000,), SEED),
    "normal of an odd shape": lambda: draws.normal((5, 3), SEED, 0.5),
    "normal of a shape that a graph decides": lambda: draws.normal(tf.shape(tf.zeros((7, 2))), SEED),
    "truncated normal": lambda: draws.truncated_normal((1000,), SEED, 0.3),
}


@pytest.mark.parametrize("name", DRAWS)
def test_the_floats_are_those_of_the_kernels(name):
    expected = DRAWS[name]().numpy()
    with draws.inside_xla():
        found = DRAWS[name]()
    np.testing.assert_allclose(found, expected, rtol=1e-5, atol=2e-6)
    assert len(np.unique(expected)) > 5


def test_xla_draws_them_too():
    def normal(seed):
        with draws.inside_xla():
            return draws.normal((16,), seed)

    program = tf.function(normal, autograph=False, jit_compile=True)
    np.testing.assert_allclose(program(SEED), draws.normal((16,), SEED), atol=2e-6)


def test_floats_are_made_of_bits(monkeypatch):
    # 0.25 is 1.25 - 1, whose lowest 23 bits are 0b01 and 21 zeros; the bits above them do not count.
    quarter, half = 0b01 << 21, 0b10 << 21
    bits = np.array([[quarter | 1 << 31, quarter], [half, half]], np.uint32)
    monkeypatch.setattr(draws, "_bits", lambda shape, seed: tf.constant(bits))
    with draws.inside_xla():
        np.testing.assert_array_equal(draws.uniform((2, 2), SEED, 0.0, 4.0), [[1.0, 1.0], [2.0, 2.0]])
        found = draws.normal((3,), SEED)
    # Radii sqrt(-2 log 0.25) and sqrt(-2 log 0.5), angles of a quarter and of half a turn; the last of four is dropped.
    np.testing.assert_allclose(found, [math.sqrt(4 * math.log(2)), 0.0, 0.0], atol=1e-6)


def test_a_truncated_normal_number_is_within_two_deviations():
    numbers = draws.truncated_normal((200_000,), SEED, 0.5).numpy()
    assert 0.99 < np.abs(numbers).max() <= 1.0
    # The variance is 1 - 2 * 2 * phi(2) / (2 * Phi(2) - 1) = 1 - 4 * 0.0539910 / 0.9544997.
    assert numbers.std() == pytest.approx(0.5 * math.sqrt(1 - 4 * 0.0539910 / 0.9544997), rel=0.01)
    assert numbers.mean() == pytest.approx(0.0, abs=0.005)


def test_no_other_module_draws_in_a_graph():
    files = (ROOT / "worldmodels").rglob("*.py")
    assert [file.name for file in files if "tf.random." in file.read_text()] == ["draws.py"]
