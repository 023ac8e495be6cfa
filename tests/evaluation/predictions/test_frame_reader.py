"""The reader learns the place of a white square, and whether it is there; what a game calls unseen is not there."""

from __future__ import annotations

import numpy as np
import pytest

from worldmodels.evaluation.predictions import frame_reader
from worldmodels.evaluation.predictions.frame_reader import Names, Reader, Truth, names_of, truth_of

UNITS = {"agent.x": "cells", "agent.vx": "cells per step", "coin.dx": "cells", "coin.seen": "0 or 1", "saw.dx": "cells"}


def squares(seed: int, count: int, side: int = 16) -> tuple[np.ndarray, np.ndarray]:
    """White squares of 4 pixels on grey, in three frames of four: frames (N, side, side, 3) and middles (N, 2)."""
    random = np.random.default_rng(seed)
    corners, there = random.integers(0, side - 3, (count, 2)), random.random(count) < 0.75
    frames = np.full((count, side, side, 3), 60, np.uint8)
    for frame, (left, top), shown in zip(frames, corners, there, strict=True):
        frame[top : top + 4, left : left + 4] = 255 if shown else 60
    return frames, np.where(there[:, None], corners + 2.0, np.nan).astype(np.float32)


def test_the_place_of_a_square_is_read_within_a_pixel(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(frame_reader, "UPDATES", 150)
    monkeypatch.setattr(frame_reader, "SIDE", 16)
    frames, places = squares(0, 1500)
    there = np.isfinite(places[:, :1])
    reader = Reader(frames, Truth(places, there), 3)
    other, true = squares(1, 200)
    read = reader.read(other[:, None])
    error = np.abs(read.places[:, 0] - true)
    assert read.places.shape == (200, 1, 2) and read.there.shape == (200, 1, 1)
    assert np.nanmean(error) < 0.5 and np.nanpercentile(error, 95) < 1
    assert (read.there[:, 0] == np.isfinite(true[:, :1])).mean() > 0.98


def test_places_and_things_of_a_game() -> None:
    assert names_of(UNITS) == Names(("agent.x", "coin.dx", "saw.dx"), ("agent", "coin", "saw"))
    variables = np.array([[1, 9, 5, 1, np.nan], [2, 9, 6, 0, 3]], np.float32)
    truth = truth_of(variables, UNITS)
    # The coin of the second moment is 6 cells away, and not in the picture.
    np.testing.assert_array_equal(truth.places, [[1, 5, np.nan], [2, np.nan, 3]])
    np.testing.assert_array_equal(truth.there, [[True, True, False], [True, False, True]])
    assert np.isfinite(variables[1, 2])  # the game's own figures stay
