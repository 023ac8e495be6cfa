"""Small data sets of every kind of observation and action, which several tests share."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from worldmodels.core.specs import ActionSpec, ArraySpec, ObservationSpec
from worldmodels.core.types import Batch
from worldmodels.datasets import DatasetSpec, Source

SPACES = {
    "images and choices": (ObservationSpec.of(8, 6, 3), ActionSpec(4)),
    "vectors and a box": (ObservationSpec.of(5), ActionSpec(0, (-2.0, 0.0), (2.0, 3.0))),
    "a dictionary": (ObservationSpec((("a b", ArraySpec((2,))), ("z", ArraySpec((4, 4, 1))))), ActionSpec(3)),
}


class MemorySource:
    """A source of steps that are in memory."""

    notes: tuple[str, ...] = ()

    def __init__(self, spec: DatasetSpec, batch: Batch) -> None:
        self.spec, self.batch = spec, batch

    def pieces(self) -> Iterator[Batch]:
        for steps in self.spec.pieces:
            yield self.batch.at(np.s_[:, steps.start : steps.stop])

    def close(self) -> None:
        pass


def made_source(
    observation: ObservationSpec, action: ActionSpec, num_streams: int = 3, length: int = 150, begun: bool = True
) -> MemorySource:
    """Return random steps: episodes of stream n have 10 + n steps, every third is truncated, and the last is no whole
    one. Unless `begun`, the streams begin in the midst of an episode."""
    generator, shape = np.random.default_rng(7), (num_streams, length)
    seen = {
        name: generator.integers(0, 256, (*shape, *part.shape)).astype(np.uint8)
        if part.is_image
        else generator.normal(size=(*shape, *part.shape)).astype(np.float32)
        for name, part in observation.parts
    }
    first, last = np.zeros(shape, bool), np.zeros(shape, bool)
    for n in range(num_streams):
        first[n, 0 if begun else 4 :: 10 + n] = True
        last[n, 9 + n if begun else 3 :: 10 + n] = True
    reward = np.where(first, 0, generator.normal(size=shape)).astype(np.float32)
    terminal = last & (np.cumsum(last, 1) % 3 > 0)
    actions = np.stack([action.random(length, generator) for _ in range(num_streams)])
    batch = Batch(observation.pack(seen), reward, first, last, terminal, actions)
    return MemorySource(DatasetSpec(num_streams, length, observation, action), batch)


def gathered(source: Source) -> Batch:
    """Return all steps of a source as one batch (N, T)."""
    pieces = [piece.map(lambda values: np.swapaxes(values, 0, 1)) for piece in source.pieces()]
    return Batch.joined(pieces).map(lambda values: np.swapaxes(values, 0, 1))


def assert_same(left: Source, right: Source) -> None:
    """Compare all steps of two sources: specs, types and bytes."""
    assert left.spec == right.spec
    ours, theirs = gathered(left), gathered(right)
    parts = left.spec.observation
    seen = zip(parts.arrays(ours.observation).values(), parts.arrays(theirs.observation).values(), strict=True)
    for a, b in [*seen, *zip(ours[1:], theirs[1:], strict=True)]:
        assert a.dtype == b.dtype and a.shape == b.shape and a.tobytes() == b.tobytes()
