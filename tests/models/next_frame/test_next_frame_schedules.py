from __future__ import annotations

import pytest
import tensorflow as tf

from worldmodels.models.next_frame.config import SamplingConfig
from worldmodels.models.next_frame.learning import ramp, sampling_probability


def probability(updates: float, **changes) -> float:
    return float(sampling_probability(SamplingConfig(**changes), tf.constant(updates)))


def test_the_published_probability_by_hand():
    """0.01 ** (missing part of 10,000) times a line from 0.01 to 1 at 40,000."""
    expected = {0.0: 1e-4, 5_000.0: 0.1 * 0.13375, 10_000.0: 0.2575, 20_000.0: 0.505, 40_000.0: 1.0, 90_000.0: 1.0}
    assert {t: probability(t) for t in expected} == pytest.approx(expected, rel=1e-5)


def test_other_schedules():
    assert probability(0.0, exponential_updates=0, linear_updates=0) == 1.0  # always its own
    assert probability(0.0, final=0.0) == 0.0  # never
    assert probability(5_000.0, linear_updates=0) == pytest.approx(0.1)  # exponential alone
    assert probability(10_000.0, exponential_updates=0) == pytest.approx(0.2575)  # linear alone


def test_a_ramp_is_a_line_that_ends():
    assert [float(ramp(tf.constant(t), 100)) for t in (0.0, 50.0, 100.0, 200.0)] == pytest.approx([0.01, 0.505, 1, 1])
    assert float(ramp(tf.constant(0.0), 0)) == 1.0
