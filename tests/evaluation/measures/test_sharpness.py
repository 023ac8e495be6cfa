"""Blurred frames are told apart from real ones, other real ones by chance; energies are worked by hand."""

from __future__ import annotations

from collections.abc import Mapping
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from worldmodels.core.seeding import Streams
from worldmodels.core.types import Batch
from worldmodels.evaluation.measure import Occasion
from worldmodels.evaluation.measures import sharpness
from worldmodels.evaluation.measures.sharpness import (
    Sharpness,
    coarse,
    energy,
    future_errors,
    measure_sharpness,
    told_apart,
)


@pytest.fixture(autouse=True)
def few_updates(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sharpness, "UPDATES", 60)


def boards(seed: int, count: int, side: int = 16) -> np.ndarray:
    """Chess boards of single pixels in random colours."""
    random = np.random.default_rng(seed)
    board = np.indices((side, side)).sum(0)[None, :, :, None] % 2
    return (board * random.integers(60, 256, (count, 1, 1, 3))).astype(np.uint8)


def blurred(frames: np.ndarray) -> np.ndarray:
    return np.broadcast_to(frames.mean((1, 2), keepdims=True), frames.shape).astype(np.uint8)


def test_blurred_frames_are_told_apart_and_real_ones_by_chance() -> None:
    real = boards(0, 120)
    assert told_apart(real, blurred(boards(1, 120)), 5) == 1.0
    assert 0.3 < told_apart(real, boards(1, 120), 5) < 0.7
    assert told_apart(real, boards(1, 120), 5) == told_apart(real, boards(1, 120), 5)


def test_a_coarse_picture_has_the_means_of_squares() -> None:
    frame = np.zeros((1, 9, 8, 1), np.uint8)
    frame[0, :4, :2] = 100  # half of the first square
    frame[0, 4:8, 4:8] = 7
    np.testing.assert_array_equal(coarse(frame)[0, :, :, 0], [[50, 0], [0, 7]])


def test_the_energy_of_neighbours() -> None:
    frame = np.array([[[0], [3]], [[0], [7]]], np.uint8)[None]
    # Down: 0 and 16, mean 8. Across: 9 and 49, mean 29.
    assert energy(frame) == pytest.approx(18.5)


def evaluator_of(real: np.ndarray, imagined: np.ndarray, is_last: np.ndarray) -> Any:
    """An evaluator whose model observes 2 frames of windows, and imagines what it is given."""
    none = np.zeros(real.shape[:2], bool)
    windows = Batch(real, none.astype(np.float32), none, is_last, none, none.astype(np.int32))
    return SimpleNamespace(
        spec=SimpleNamespace(image="", image_of=lambda observation: observation),
        settings=SimpleNamespace(context=2),
        streams=Streams(0),
        recorded=lambda: windows,
        report=lambda text: None,
        predictor=SimpleNamespace(predict=lambda windows, key: SimpleNamespace(frame=imagined)),
    )


def test_frames_are_compared_at_the_same_step_while_episodes_last() -> None:
    count, horizon = 40, 6
    real = np.stack([boards(step, count) for step in range(2 + horizon)], 1)
    imagined = real[:, 2:].copy()
    imagined[:, 4] = blurred(imagined[:, 4])
    is_last = np.zeros((count, 2 + horizon), bool)
    is_last[0, 3] = True
    imagined[0, 4] = 255 - real[0, 6]  # behind the end of an episode: not compared
    found = measure_sharpness(evaluator_of(real, imagined, is_last), Occasion("model"))
    assert found is not None
    assert list(found.told_apart) == list(found.small_structures) == [1, 5]
    assert found.told_apart[5] == 1.0
    assert found.small_structures == {1: 1.0, 5: 0.0}
    # The model samples the same future each time, wrong at the fifth step alone.
    assert found.sample_error == pytest.approx(found.best_sample_error)
    assert found.sample_error == pytest.approx(found.sample_mean_error)
    assert found.sample_error[1] == 0 < found.sample_error[5]
    # The means of 4 x 4 pixels of a board are the same.
    assert found.told_apart_coarse[5] == pytest.approx(0.5, abs=0.3)


def test_too_few_windows_give_no_figures() -> None:
    real = np.stack([boards(step, 8) for step in range(4)], 1)
    assert measure_sharpness(evaluator_of(real, real[:, 2:], np.zeros((8, 4), bool)), Occasion("model")) is None


def test_the_best_of_some_futures_and_their_mean() -> None:
    """Two windows of one pixel, two steps; the truth is 10 and 20, and the last frame was 0."""

    def pixels(*values: list[int]) -> np.ndarray:
        return np.array(values, np.uint8).reshape(2, -1, 1, 1, 1)

    real, last = pixels([10, 20], [10, 20]), pixels([0], [0])
    futures = [pixels([10, 10], [0, 20]), pixels([0, 20], [10, 20])]
    counts = np.array([[True, True], [True, False]])
    one, best, mean = future_errors(real, iter(futures), last, counts)
    # Copying: 100 + 100 at the first step; 400 at the second, where one window counts.
    np.testing.assert_allclose(one, [(50 + 50) / 200, 50 / 400])
    np.testing.assert_allclose(best, [0, 0])
    np.testing.assert_allclose(mean, [(25 + 25) / 200, 25 / 400])  # the means are 5 and 15


def test_errors_over_those_of_a_still_picture_are_not_known() -> None:
    still = np.zeros((3, 1, 2, 2, 1), np.uint8)
    for values in future_errors(still, [still], still, np.ones((3, 1), bool)):
        assert np.isnan(values).all()


def test_metrics_and_table(capsys: pytest.CaptureFixture[str]) -> None:
    found = Sharpness(
        {1: 0.5, 15: 0.75},
        {1: 0.5, 15: 0.625},
        {1: 1.0, 15: 0.25},
        {1: 0.5, 15: 1.5},
        {1: 0.25, 15: float("nan")},
        {1: 0.375, 15: 0.75},
    )
    metrics: Mapping[str, float] = sharpness.SHARPNESS.metrics(found)
    assert metrics["eval/told_apart_at_15"] == 0.75
    assert metrics["eval/told_apart_coarse_at_15"] == 0.625
    assert metrics["eval/small_structures_at_1"] == 1.0
    assert metrics["eval/sample_error_at_15"] == 1.5
    assert metrics["eval/best_sample_error_at_1"] == 0.25
    assert metrics["eval/sample_mean_error_at_15"] == 0.75
    assert "eval/best_sample_error_at_15" not in metrics
    sharpness.SHARPNESS.print(found, "test levels")
    printed = capsys.readouterr().out
    assert "Sharpness, test levels" in printed and "0.75" in printed
