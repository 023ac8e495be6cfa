"""Probes on disk: they come back exactly, stay with their checkpoints, and are read strictly."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from mutations import mutated_bytes

from worldmodels.core.errors import FileError
from worldmodels.core.files.checkpoint import Checkpoints
from worldmodels.core.files.run_dir import RunDir
from worldmodels.evaluation.probes import Probes, probes_path, read_probes, write_probes

PROBES = Probes(
    {"x": "cells", "key": "0 or 1"},
    np.array([[1.0, 2.0, 0.0], [np.nan] * 3]),
    np.array([0.5, np.nan]),
    np.array([0.9, np.nan]),
    np.array([[0.8, 0.4], [np.nan, np.nan]]),
    np.array([1, 15]),
)


def test_they_come_back_exactly(tmp_path: Path) -> None:
    run = RunDir(tmp_path)
    write_probes(run, 100, PROBES)
    found = read_probes(run, 100)
    assert found is not None and found.units == PROBES.units
    for one, other in zip(found[1:], PROBES[1:], strict=True):
        np.testing.assert_array_equal(one, other)
    assert read_probes(run, 200) is None
    # 1 * 3 + 2 * 1 + 0.5
    np.testing.assert_array_equal(found.read(np.array([[3.0, 1.0, 9.0]], np.float32)), [[5.5, np.nan]])


def test_those_of_checkpoints_that_are_gone_are_removed(tmp_path: Path) -> None:
    run = RunDir(tmp_path)
    Checkpoints(run.checkpoints).write(200, {})
    for step in (100, 200, 300):
        write_probes(run, step, PROBES)
    assert [probes_path(run, step).exists() for step in (100, 200, 300)] == [False, True, True]


@pytest.mark.parametrize(
    ("change", "text"),
    [
        ({"seen": np.zeros(3)}, r"seen must be float64 \(2,\), and is float64 \(3,\)"),
        ({"weights": np.full((2, 3), np.inf)}, "weights must be finite"),
        ({"horizons": np.zeros(2, np.float32)}, "horizons must be int64"),
    ],
)
def test_what_does_not_fit_is_told(tmp_path: Path, change: dict[str, np.ndarray], text: str) -> None:
    run = RunDir(tmp_path)
    write_probes(run, 100, PROBES._replace(**change))
    with pytest.raises(FileError, match=text):
        read_probes(run, 100)


def test_damaged_files_are_refused_in_a_sentence(tmp_path: Path) -> None:
    run = RunDir(tmp_path)
    path = write_probes(run, 100, PROBES)
    whole = path.read_bytes()
    for data in mutated_bytes(whole, 100, 5):
        path.write_bytes(data)
        try:
            read_probes(run, 100)
        except FileError as error:
            assert "holds no probes" in str(error)
