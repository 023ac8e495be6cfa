"""A replay store as a data set, in a run's folder or in one of its own."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from worldmodels.core.errors import RunError
from worldmodels.core.types import Batch
from worldmodels.datasets.source import DatasetSpec, Source, steps_of, writing_folder
from worldmodels.replay import Replay, ReplayConfig, ReplayReader
from worldmodels.replay.layout import Layout


class StoreSource:
    """The steps that a replay store holds when this is made; see `Source`.

    Raises:
        RunError: there is no store in the folder, a damaged one or one without steps.
    """

    notes: tuple[str, ...] = ()

    def __init__(self, folder: Path | str) -> None:
        self._reader = ReplayReader(folder)
        if not self._reader.span:
            self.close()
            raise RunError(f"The replay store '{folder}' holds no steps.")
        reader = self._reader
        self.spec = DatasetSpec(reader.num_streams, len(reader.span), reader.observation, reader.action)

    def pieces(self) -> Iterator[Batch]:
        first = self._reader.span.start
        for steps in self.spec.pieces:
            streams = range(self.spec.num_streams)
            yield Batch.joined([self._reader.window(n, first + steps.start, len(steps)) for n in streams])

    def close(self) -> None:
        self._reader.close()


def write_store(folder: Path | str, source: Source) -> None:
    """Write a replay store, in which no episode is held out, into a folder that must not be there yet."""
    spec = source.spec
    row_bytes = Layout(spec.num_streams, spec.observation, spec.action, 1).row_bytes
    # Frames are not kept in memory: nobody samples while the store is written.
    config = ReplayConfig(capacity_steps=spec.steps, memory_megabytes=spec.length * row_bytes // 10**6 + 1)
    with writing_folder(folder) as beside:
        replay = Replay(beside, spec.num_streams, spec.observation, spec.action, config)
        for step in steps_of(source):
            replay.append(step)
        replay.save()
        replay.close()
