"""The frames side by side, which follow from a model's spec alone."""

from __future__ import annotations

import pytest
from tiny_worlds import ReconstructingModel, WalkModel

from worldmodels.player.view.panels.columns import columns_of, count_columns


@pytest.mark.parametrize(
    ("model", "models", "alone", "names"),
    [
        (WalkModel, 1, False, ["Model 0", "Real", "Difference"]),
        (ReconstructingModel, 1, False, ["Seen", "Model 0", "Real", "Difference"]),
        (ReconstructingModel, 2, False, ["Model 0", "Difference", "Real", "Difference", "Model 1"]),
        (ReconstructingModel, 1, True, ["Model 0"]),
    ],
)
def test_the_spec_decides_the_columns(make_session, model, models, alone, names):
    session = make_session(model=model, models=models, alone=alone)
    session.tick()
    assert [column.name for column in columns_of(session.snapshot())] == names
    assert count_columns(models, model.spec.reconstructs, alone) == len(names)
