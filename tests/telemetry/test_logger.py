from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import numpy as np

from worldmodels.telemetry.logger import Logger, MeanMetrics


class Recorder:
    """A sink that remembers its calls."""

    def __init__(self) -> None:
        self.calls: list[tuple[Any, ...]] = []

    def scalars(self, step: int, values: Mapping[str, float]) -> None:
        self.calls.append(("scalars", step, dict(values)))

    def video(self, step: int, name: str, frames: np.ndarray) -> None:
        self.calls.append(("video", step, name, frames.shape))

    def save(self) -> dict[str, Any]:
        return {"calls": len(self.calls)}

    def load(self, tree: dict[str, Any]) -> None:
        del self.calls[tree["calls"] :]

    def close(self) -> None:
        self.calls.append(("close",))


def test_everything_reaches_every_sink() -> None:
    sinks = [Recorder(), Recorder()]
    logger = Logger(sinks)
    logger.scalars(1, {"a": 2.0})
    logger.video(2, "eval/video", np.zeros((5, 4, 4, 3), np.uint8))
    saved = logger.save()
    logger.scalars(2, {"a": 3.0})
    logger.load(saved)
    logger.close()
    expected = [("scalars", 1, {"a": 2.0}), ("video", 2, "eval/video", (5, 4, 4, 3)), ("close",)]
    assert [sink.calls for sink in sinks] == [expected, expected]


def test_means_are_taken_once() -> None:
    means = MeanMetrics()
    means.add({"a": 1, "b": 4})
    means.add({"a": 2})
    assert means.take() == {"a": 1.5, "b": 4.0}
    assert means.take() == {}


def test_saved_means_go_on() -> None:
    first, second = MeanMetrics(), MeanMetrics()
    first.add({"a": 1})
    second.load(json.loads(json.dumps(first.save())))
    second.add({"a": 2})
    first.add({"a": 10})  # what was saved is a copy
    assert second.take() == {"a": 1.5}
