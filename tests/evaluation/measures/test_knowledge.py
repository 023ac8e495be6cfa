from __future__ import annotations

import numpy as np
import pytest

from worldmodels.evaluation.measures.knowledge import Knowledge, ProbeData, explained, knowledge_metrics, probe
from worldmodels.evaluation.probes import Probes

UNITS = {"place": "cells", "key": "0 or 1", "enemy": "cells"}
HORIZONS = (1, 4)
CONTEXT, AHEAD = 3, 4


def known(drift: float = 0.0, noise: float = 0.0) -> Knowledge:
    """What is read of a walk whose features are a mixture of its variables; the enemy is nowhere in the features.

    Args:
        drift: what imagined features have too much, for each step.
        noise: of the features that fit and test.
    """
    random = np.random.default_rng(3)
    mixture = random.normal(size=(2, 6))

    def features(truth: np.ndarray) -> np.ndarray:
        mixed = truth[..., :2] @ mixture
        return (mixed + noise * random.normal(size=mixed.shape)).astype(np.float32)

    fitted = random.normal(size=(600, 3)).astype(np.float32)
    walk = np.cumsum(random.normal(size=(300, CONTEXT + AHEAD, 3)), 1).astype(np.float32)
    imagined = features(walk[:, CONTEXT:]) + (drift * np.arange(1, AHEAD + 1))[:, None] * mixture[0]
    counts = np.ones((300, AHEAD), bool)
    data = ProbeData(features(fitted), fitted, features(walk), imagined.astype(np.float32), walk, counts)
    return probe(data, UNITS, HORIZONS)


def test_what_the_features_hold_is_read_and_what_they_do_not_hold_is_not() -> None:
    found = known()
    np.testing.assert_allclose(found.seen[:2], 1, atol=1e-2)
    np.testing.assert_allclose(found.ahead[:2], 1, atol=1e-2)
    assert found.seen[2] < 0.1
    # A walk by steps of variance 1 that starts 3 steps before: kept for one step it has lost 1 of 4, for four 4 of 7.
    np.testing.assert_allclose(found.kept.mean(0), [1 - 1 / 4, 1 - 4 / 7], atol=0.05)


def test_what_the_model_loses_on_its_own_the_probe_loses() -> None:
    found = known(drift=2.0)
    np.testing.assert_allclose(found.seen[:2], 1, atol=1e-2)
    # The place is off by 2 h after h steps: squared over the walk's variance 3 + h.
    np.testing.assert_allclose(found.ahead[0], [1 - 4 / 4, 1 - 64 / 7], rtol=0.15, atol=0.2)
    np.testing.assert_allclose(found.ahead[1], 1, atol=0.02)


def test_the_probes_read_features_as_they_are() -> None:
    """Features are 2 x + 3 and a constant, so x is half of the first, less 1.5, but for what the ridge takes."""
    x = np.random.default_rng(2).normal(size=(500, 1)).astype(np.float32)
    features = np.concatenate([2 * x + 3, np.full_like(x, 7.0)], 1)
    windows, truth = features[:400].reshape(200, 2, 2), x[:400].reshape(200, 2, 1)
    probes = probe(ProbeData(features, x, windows, windows[:, 1:], truth, np.ones((200, 1), bool)), {"x": "cells"}, [1])
    np.testing.assert_allclose(probes.probes.read(features), x, atol=0.05)
    np.testing.assert_allclose(probes.probes.weights, [[0.5, 0.0]], atol=0.01)
    assert (probes.probes.units, probes.probes.horizons.tolist()) == ({"x": "cells"}, [1])


def test_noise_costs_what_it_hides() -> None:
    assert 0.5 < known(noise=1.0).seen[0] < 0.99


def test_a_variable_that_is_seldom_there_or_always_the_same_is_not_measured() -> None:
    random = np.random.default_rng(1)
    features = random.normal(size=(400, 4)).astype(np.float32)
    variables = np.stack([features[:, 0], np.full(400, np.nan), np.ones(400)], 1).astype(np.float32)
    variables[:50, 0] = np.nan
    windows = features[:, None].repeat(3, 1)
    data = ProbeData(
        features, variables, windows, windows[:, 2:], variables[:, None].repeat(3, 1), np.ones((400, 1), bool)
    )
    found = probe(data, UNITS, (1,))
    assert found.seen[0] > 0.99 and found.ahead[0, 0] > 0.99
    assert np.isnan(found.seen[1:]).all() and np.isnan(found.ahead[1:]).all() and np.isnan(found.kept[1:]).all()


def test_explained_by_hand() -> None:
    truth = np.array([0.0, 2.0, 4.0])  # variance 8 / 3
    assert explained(truth, truth) == 1
    assert explained(np.full(3, 2.0), truth) == 0
    assert explained(np.array([0.0, 2.0, 6.0]), truth) == pytest.approx(1 - (4 / 3) / (8 / 3))
    assert np.isnan(explained(truth, np.ones(3)))


def test_metrics_are_means_in_which_worse_than_the_mean_counts_as_nothing() -> None:
    nan = float("nan")
    none = Probes({}, *(np.zeros((0, 0)),) * 5)
    found = Knowledge(
        UNITS,
        (1, 4),
        np.array([1.0, 0.5, nan]),
        np.array([[0.8, -3], [0.4, 0.2], [nan, nan]]),
        np.full((3, 2), nan),
        none,
    )
    assert knowledge_metrics(found) == {
        "eval/known": 0.75,
        "eval/known_at_1": pytest.approx(0.6),
        "eval/known_at_4": pytest.approx(0.1),
    }
