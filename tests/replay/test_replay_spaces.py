"""Replay stores of vectors and dictionaries, and of actions that are points of a box."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from worldmodels.core.errors import RunError, UserError
from worldmodels.core.specs import ActionSpec, ArraySpec, ObservationSpec
from worldmodels.core.types import Batch, Step
from worldmodels.replay import Replay, ReplayConfig, ReplayReader
from worldmodels.replay.layout import Layout

STREAMS = 2
VECTOR = ObservationSpec.of(3)
BOTH = ObservationSpec((("touch", ArraySpec((2,))), ("eye", ArraySpec((4, 5, 1)))))
BOX = ActionSpec(low=(-2.0, 0.0), high=(2.0, 0.5))
CASES = [(VECTOR, ActionSpec(4)), (VECTOR, BOX), (BOTH, ActionSpec(4)), (BOTH, BOX), (ObservationSpec.of(4, 5, 3), BOX)]
CONFIG = ReplayConfig(16 * 20 * STREAMS, 1)
"""Chunks of 20 steps."""


def a_step(t: int, observation: ObservationSpec, action: ActionSpec) -> Step:
    """A step of noise that its number decides."""
    random = np.random.default_rng(t)

    def noise(part: ArraySpec) -> np.ndarray:
        values = random.normal(100, 30, (STREAMS, *part.shape))
        return values.clip(0, 255).astype(np.uint8) if part.is_image else values.astype(np.float32)

    none = np.zeros(STREAMS, bool)
    seen = observation.pack({name: noise(part) for name, part in observation.parts})
    return Step(seen, np.full(STREAMS, t, np.float32), none, none, none, action.random(STREAMS, random))


def opened(folder: Path, spaces: tuple[ObservationSpec, ActionSpec], steps: int = 0) -> Replay:
    replay = Replay(folder, STREAMS, *spaces, CONFIG)
    for t in range(replay.span.stop, steps):
        replay.append(a_step(t, *spaces))
    return replay


def assert_holds(replay: ReplayReader, spaces: tuple[ObservationSpec, ActionSpec], start: int, stop: int) -> None:
    """Compare a window of each stream, part by part, with what was appended."""
    steps = [a_step(t, *spaces) for t in range(start, stop)]
    for stream in range(STREAMS):
        window: Batch = replay.window(stream, start, stop - start)
        spaces[0].check(window.observation, 1, stop - start)
        for name, part in spaces[0].arrays(window.observation).items():
            expected = [spaces[0].arrays(step.observation)[name][stream] for step in steps]
            np.testing.assert_array_equal(part[0], expected)
        assert window.action.dtype == spaces[1].dtype
        np.testing.assert_array_equal(window.action[0], [step.action[stream] for step in steps])
        assert window.reward[0].tolist() == list(range(start, stop))


@pytest.mark.parametrize("spaces", CASES)
def test_every_part_comes_back_from_memory_and_from_disk(tmp_path: Path, spaces: Any) -> None:
    replay = opened(tmp_path, spaces, 50)
    reader = ReplayReader(tmp_path)
    assert (reader.observation, reader.action) == spaces
    for one in (replay, reader):
        assert_holds(one, spaces, 0, 50)
        assert_holds(one, spaces, 17, 41)
    batch = reader.sample(3, 7, np.random.default_rng(0))
    spaces[0].check(batch.observation, 3, 7)
    assert batch.action.shape == (3, 7, *spaces[1].shape)


@pytest.mark.parametrize("spaces", CASES)
def test_a_store_goes_on_after_a_crash(tmp_path: Path, spaces: Any) -> None:
    replay = opened(tmp_path, spaces, 33)
    saved = replay.save()
    for t in range(33, 45):
        replay.append(a_step(t, *spaces))
    replay.close()
    # The last row was cut off in the middle: that step never was.
    rows = tmp_path / "00000002.steps"
    os.truncate(rows, rows.stat().st_size - 3)
    again = opened(tmp_path, spaces)
    assert_holds(again, spaces, 0, 44)
    again.load(saved)
    assert again.span == range(33)
    for t in range(33, 60):
        again.append(a_step(t, *spaces))
    assert_holds(again, spaces, 0, 60)
    assert_holds(ReplayReader(tmp_path), spaces, 0, 60)


def test_a_record_of_a_box_holds_its_numbers() -> None:
    assert Layout(1, VECTOR, ActionSpec(4), 1).record.itemsize == 21
    assert Layout(1, VECTOR, BOX, 1).record.itemsize == 21 - 4 + 2 * 4


def test_a_store_of_other_spaces_is_refused(tmp_path: Path) -> None:
    opened(tmp_path, (BOTH, BOX), 1).close()
    for spaces, text in (
        ((VECTOR, BOX), r"eye: image uint8 \(4, 5, 1\); actions.*this run has 2 environments \(observations: vector"),
        ((BOTH, ActionSpec(4)), "a box of 2 numbers from -2 to 2, 0 to 0.5.*one of 4 choices"),
        ((BOTH, ActionSpec(low=(-2.0, 0.0), high=(2.0, 1.0))), "0 to 0.5.*0 to 1"),
    ):
        with pytest.raises(RunError, match=text):
            opened(tmp_path, spaces)


def test_a_header_that_was_changed_is_refused(tmp_path: Path) -> None:
    opened(tmp_path, (BOTH, BOX), 1).close()
    header = tmp_path / "store.json"
    sound = header.read_text()
    for old, new in (('"touch"', '"taste"'), ("0.5", "0.25"), ('"eye"', '"touch"'), ('"choices": 0', '"choices": 2')):
        header.write_text(sound.replace(old, new))
        with pytest.raises(RunError, match=r"store\.json' was damaged"):
            ReplayReader(tmp_path)


def test_steps_that_do_not_fit_are_refused(tmp_path: Path) -> None:
    replay, step = opened(tmp_path, (BOTH, BOX)), a_step(0, BOTH, BOX)
    for changed, text in (
        (step._replace(observation={"touch": step.observation["touch"]}), r"of the parts \['touch', 'eye'\]"),
        (step._replace(action=step.action[:, :1]), r"actions of shape \(2, 2\) and type float32, .* shape \(2, 1\)"),
        (step._replace(action=np.zeros((2, 2), np.int32)), r"type float32, .* type int32"),
    ):
        with pytest.raises(UserError, match=text):
            replay.append(changed)
    assert len(replay.span) == 0
