"""A shift of what is imagined is the error that is read; errors and shares of right answers are worked by hand."""

from __future__ import annotations

from collections.abc import Mapping
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from worldmodels.core.seeding import Streams
from worldmodels.core.specs import ActionSpec, ObservationSpec
from worldmodels.evaluation.measure import Occasion
from worldmodels.evaluation.measures import readings
from worldmodels.evaluation.measures.readings import READINGS, Compared, Readings, compare, read_frames
from worldmodels.evaluation.predictions import frame_reader
from worldmodels.evaluation.predictions.frame_reader import Names, Truth

NAMES = Names(("square.x", "square.y"), ("square",))


def test_a_shift_is_the_error() -> None:
    random = np.random.default_rng(0)
    places = random.uniform(0, 12, (40, 2, 2))
    there = np.ones((40, 2, 1), bool)
    there[:20] = False
    places[:20] = np.nan
    true, all_of = Truth(places, there), np.ones((40, 2), bool)
    shown = np.nan_to_num(places)
    imagined = Truth(shown + [3.0, -2.0], np.ones((40, 2, 1), bool))  # it always sees a square
    last = Truth(shown[:, :1], there[:, :1])
    found = compare(NAMES, (1, 5), [imagined, Truth(shown, there), last], true, all_of)
    assert found.places.names == ("square.x", "square.y") and found.things.names == ("square",)
    np.testing.assert_allclose(found.places.imagined, [[3, 3], [2, 2]])
    np.testing.assert_allclose(found.places.real, 0)
    np.testing.assert_allclose(found.places.copied[:, 0], 0)
    expected = np.abs(places[20:, 1] - places[20:, 0]).mean(0)
    np.testing.assert_allclose(found.places.copied[:, 1], expected)
    # Right of all that are there, and of none that are not.
    np.testing.assert_allclose(found.things.imagined, [[0.5, 0.5]])
    np.testing.assert_allclose(found.things.real, [[1, 1]])


def test_steps_of_another_episode_do_not_count_and_few_windows_give_no_figure() -> None:
    places = np.arange(20.0)[:, None, None] + np.zeros((20, 2, 2))
    there = np.ones((20, 2, 1), bool)
    counts = np.ones((20, 2), bool)
    counts[10:, 0] = False
    counts[7:, 1] = False
    wrong = np.where(counts[..., None], places + 1, 999.0)
    truth = Truth(places, there)
    found = compare(NAMES, (1, 5), [Truth(wrong, there), truth, truth], truth, counts)
    np.testing.assert_allclose(found.places.imagined, [[1, np.nan], [1, np.nan]])
    assert not found.things.names  # the square is always there


def test_a_variable_that_the_reader_does_not_read_is_left_out() -> None:
    random = np.random.default_rng(0)
    places = random.normal(size=(50, 1, 2))
    blind = places * [1.0, 0.0]  # always the mean of the second
    truth = Truth(places, np.ones((50, 1, 1), bool))
    read = Truth(blind, truth.there)
    assert compare(NAMES, (1,), [read] * 3, truth, np.ones((50, 1), bool)).places.names == ("square.x",)


class SquareEnv:
    """A vector environment in which a white square moves one pixel to the right in each step, and begins anew."""

    num_envs, observation_spec, action_spec = 8, ObservationSpec.of(16, 16, 3), ActionSpec(2)
    variable_units = {"square.x": "cells"}
    variable_names = ("square.x",)

    def reset(self, seed: int | None = None) -> tuple[np.ndarray, dict[str, Any]]:
        self.x = np.random.default_rng(seed).integers(0, 13, self.num_envs)
        return self.frames(self.x), {}

    def step(self, action: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray, dict[str, Any]]:
        self.x = (self.x + 1) % 13
        never = np.zeros(self.num_envs, bool)
        return self.frames(self.x), np.zeros(self.num_envs, np.float32), never, never, {}

    def variables(self) -> np.ndarray:
        return self.x[:, None].astype(np.float32)

    @staticmethod
    def frames(x: np.ndarray) -> np.ndarray:
        columns = np.arange(16) - x[..., None]
        white = ((columns >= 0) & (columns < 4)) * np.uint8(200)
        return np.broadcast_to(white[..., None, :, None], (*x.shape, 16, 16, 3)).astype(np.uint8)


def evaluator_of(predict: Any, units: Mapping[str, str] | None = None) -> Any:
    env = SquareEnv()
    if units is not None:
        env.variable_units = dict(units)
    return SimpleNamespace(
        env=env,
        spec=SimpleNamespace(image="", image_of=lambda observation: observation),
        settings=SimpleNamespace(context=2, horizon=6, windows=40),
        streams=Streams(0),
        report=lambda text: None,
        predictor=SimpleNamespace(predict=predict),
    )


def test_frames_that_lag_behind_are_read_as_such(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(frame_reader, "UPDATES", 120)
    monkeypatch.setattr(frame_reader, "SIDE", 16)
    monkeypatch.setattr(readings, "MOMENTS", 400)
    monkeypatch.setattr(readings, "PLAYED", 100)

    def true_first_then_still(windows: Any, key: np.ndarray) -> Any:
        """The right frame one step ahead, then the same one."""
        return SimpleNamespace(frame=np.repeat(windows.observation[:, 2:3], 6, 1))

    found = read_frames(evaluator_of(true_first_then_still), Occasion("model"))
    assert found is not None and found.steps == (1, 5) and found.places.names == ("square.x",)
    assert found.places.imagined[0, 0] == pytest.approx(found.places.real[0, 0])
    assert found.places.real.max() < 0.5
    # Of 13 places, 9 go on by 4 pixels from step 1 to step 5, and 4 fall back by 9; by 1 for 12 of 13, and by 12.
    assert found.places.imagined[0, 1] == pytest.approx((9 * 4 + 4 * 9) / 13, abs=1)
    assert found.places.copied[0, 0] == pytest.approx((12 * 1 + 12) / 13, abs=1)


def test_a_game_without_places_has_no_readings() -> None:
    assert read_frames(evaluator_of(None, {"square.vx": "cells per step"}), Occasion("model")) is None


def test_metrics_tree_and_table(capsys: pytest.CaptureFixture[str]) -> None:
    pairs = [(1, 3), (0.5, 0.5), (2, 4)]
    places = Compared(("saw.dx", "coin.dx"), *(np.array([[a, np.nan], [b, 4.0]]) for a, b in pairs))
    things = Compared(("saw",), *(np.array([[a, 0.5]]) for a in (0.75, 1.0, 0.5)))
    found = Readings((1, 15), places, things)
    assert READINGS.metrics(found) == {
        "eval/reading_error_at_1": 2.0,
        "eval/reading_error_at_15": 4.0,
        "eval/real_reading_error_at_1": 0.5,
        "eval/real_reading_error_at_15": 4.0,
        "eval/copied_reading_error_at_1": 3.0,
        "eval/copied_reading_error_at_15": 4.0,
        "eval/things_seen_at_1": 0.75,
        "eval/things_seen_at_15": 0.5,
        "eval/real_things_seen_at_1": 1.0,
        "eval/real_things_seen_at_15": 0.5,
        "eval/copied_things_seen_at_1": 0.5,
        "eval/copied_things_seen_at_15": 0.5,
    }
    tree = READINGS.as_json(found)
    assert tree["steps"] == [1, 15]
    assert tree["places"]["saw.dx"] == {"imagined": [1.0, None], "real": [0.5, None], "copied": [2.0, None]}
    READINGS.print(found, "test levels")
    printed = capsys.readouterr().out
    assert "Errors of places, in cells, test levels" in printed and "... of the real frames" in printed
