from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest

from worldmodels.evaluation.measures.world_model import error_metrics
from worldmodels.evaluation.predictions.frame_errors import FrameErrors
from worldmodels.evaluation.predictions.model_errors import model_errors
from worldmodels.evaluation.predictions.open_loop import OpenLoopPredictor
from worldmodels.imagination import row_groups

KEY = np.array([1, 2], np.int32)


def test_many_windows_are_predicted_in_groups(parts: SimpleNamespace, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(row_groups, "ROWS", 2)
    rows = parts.windows([[3, 4, 5], [5, 6, 7], [7, 8, 9]], [[1, 2, 3], [2, 3, 4], [3, 4, 0]])
    model = parts.CountingModel(drift=1.0)
    model.spec = model.spec._replace(reconstructs=True)
    predictor = OpenLoopPredictor(model, context=2)
    predicted, reconstruction = predictor.predict(rows, KEY), predictor.reconstruct(rows, KEY)
    assert predicted.frame[:, :, 0, 0, 0].tolist() == [[6], [8], [10]]
    assert reconstruction is not None
    assert reconstruction[:, :, 0, 0, 0].tolist() == [[3, 4, 5], [5, 6, 7], [7, 8, 9]]
    assert predicted.reward.tolist() == [[2], [3], [4]]


def test_measuring_keeps_the_errors_of_all_windows_and_the_frames_of_some(
    parts: SimpleNamespace, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(row_groups, "ROWS", 2)
    rows = parts.windows([[3, 4, 5], [5, 6, 7], [7, 8, 9]], [[1, 2, 3], [2, 3, 4], [3, 4, 0]])
    model = parts.CountingModel(drift=1.0)
    model.spec = model.spec._replace(reconstructs=True)
    predictor = OpenLoopPredictor(model, context=2)
    measured, film = predictor.measure(rows, KEY, filmed=[2, 0])
    assert film is not None and isinstance(measured.frame_errors, FrameErrors)
    # The drift makes every pixel of the predicted frame one too bright.
    assert measured.frame_errors.everywhere == pytest.approx(np.full((3, 1), 1 / 255**2), rel=1e-5)
    assert measured.reward.tolist() == [[2], [3], [4]]
    assert film[:, :, 0, 0, 0].tolist() == [[10], [6]]
    errors, images = predictor.measure_reconstruction(rows, KEY, filmed=[1])
    assert errors is not None and images is not None
    assert errors.frame_errors.everywhere.tolist() == [[0, 0, 0]] * 3
    assert measured.state_errors == errors.state_errors == ()
    assert images[:, :, 0, 0, 0].tolist() == [[5, 6, 7]]


def test_a_model_that_copies_is_measured_with_and_without(parts: SimpleNamespace) -> None:
    rows = parts.windows([[3, 4, 5, 6], [5, 6, 7, 8]], [[1, 2, 3, 3], [2, 3, 4, 4]])

    model = parts.CountingModel(drift=1.0)
    model.spec = model.spec._replace(reconstructs=True, copies=True)
    alone = model.frame
    model.frame = lambda state, before=None: alone(state) if before is None else before + 1  # right, whatever the state
    predictor = OpenLoopPredictor(model, context=2)
    measured, film = predictor.measure(rows, KEY, filmed=[0])
    assert film is not None and isinstance(measured.frame_errors, FrameErrors)
    assert film[:, :, 0, 0, 0].tolist() == [[5, 6]]
    assert measured.frame_errors.everywhere.tolist() == [[0, 0]] * 2
    drifted = np.array([[1, 4]] * 2) / 255**2
    assert isinstance(measured.state_errors, FrameErrors)
    assert measured.state_errors.everywhere == pytest.approx(drifted, rel=1e-5)
    errors, images = predictor.measure_reconstruction(rows, KEY, filmed=[1])
    assert errors is not None and images is not None
    assert images[:, :, 0, 0, 0].tolist() == [[5, 6, 7, 8]]
    found = model_errors(measured, rows, 2, predictor.spec, errors)
    assert found.image_error is not None and found.image_error.mean.tolist() == [0, 0]
    assert found.state_image_error is not None and found.state_reconstruction_error is not None
    assert found.state_image_error.mean == pytest.approx(drifted[0], rel=1e-5)
    assert found.state_reconstruction_error.mean.tolist() == [0, 0]
    assert "eval/state_image_error_at_2" in error_metrics({1.0: found})
