from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest

from worldmodels.evaluation.measures.open_loop import OpenLoopPredictor
from worldmodels.imagination.row_groups import ROWS

KEY = np.array([1, 2], np.int32)


def test_many_windows_are_predicted_in_groups(parts: SimpleNamespace, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(ROWS, "vector", 2)
    rows = parts.windows([[3, 4, 5], [5, 6, 7], [7, 8, 9]], [[1, 2, 3], [2, 3, 4], [3, 4, 0]])
    model = parts.CountingModel(drift=1.0)
    model.spec = model.spec._replace(reconstructs=True)
    predictor = OpenLoopPredictor(model, context=2)
    predicted, reconstruction = predictor.predict(rows, KEY), predictor.reconstruct(rows, KEY)
    assert predicted.frame[:, :, 0, 0, 0].tolist() == [[6], [8], [10]]
    assert reconstruction is not None
    assert reconstruction[:, :, 0, 0, 0].tolist() == [[3, 4, 5], [5, 6, 7], [7, 8, 9]]
    assert predicted.reward.tolist() == [[2], [3], [4]]
