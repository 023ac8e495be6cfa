"""A run is opened as it was made, but for a precision that this processor would have to emulate."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from untrained import write_untrained_run

from worldmodels.core.files.checkpoint import Checkpoints
from worldmodels.core.files.tree import flatten
from worldmodels.core.processor import Processor
from worldmodels.loading import load
from worldmodels.loading.load import load_run
from worldmodels.models.networks.layers import Layer


@pytest.mark.parametrize(
    ("saved", "instructions", "opened"),
    [
        ("bfloat16", "AVX-512", "float32"),
        ("bfloat16", "AVX-512 bfloat16", "bfloat16"),
        ("float32", "AVX-512 bfloat16", "float32"),
        ("auto", "AVX-512 bfloat16", "float32"),  # a run that is older than precisions
    ],
)
def test_a_run_is_opened_in_its_precision_where_the_processor_has_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, saved: str, instructions: str, opened: str
) -> None:
    path = write_untrained_run(tmp_path / "run", ["debug"], ["env.game=maze", f"precision={saved}"])
    kinds, init = set(), Layer.__init__

    def recorded(self: Layer, name: str) -> None:
        init(self, name)
        kinds.add(self.precision)

    monkeypatch.setattr(Layer, "__init__", recorded)
    monkeypatch.setattr(load, "computing_processor", lambda: Processor("Some CPU", instructions))
    run = load_run(path)
    assert ("bfloat16" in kinds) == (opened == "bfloat16")
    parts = {"model": run.parts.model.save(), "agent": run.parts.agent.save()}
    for one, other in zip(*(flatten(tree)[1].values() for tree in (parts, read(path))), strict=True):
        np.testing.assert_array_equal(one, other)


def read(path: Path) -> dict[str, object]:
    return Checkpoints(path / "checkpoints").read()[1]
