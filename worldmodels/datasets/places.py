"""The places of data sets, as people name them: a folder, FILE.npz, FILE.hdf5, or minari:NAME.

A replay store as a data set, in a run's folder or in one of its own.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from worldmodels.core.errors import FileError, RunError
from worldmodels.core.files.run_dir import RunDir
from worldmodels.core.types import Batch
from worldmodels.datasets.source import DatasetSpec, Source, check_new, steps_of, writing_folder
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


MINARI = "minari:"
HDF5 = (".hdf5", ".h5")
PLACES = "the folder of a run or of a replay store, FILE.npz, FILE.hdf5, or minari:NAME"


def is_file(place: str) -> bool:
    """Return whether a place is in the format of another tool, and no folder with a replay store."""
    return place.startswith(MINARI) or Path(place).suffix in (".npz", *HDF5)


def open_source(place: str) -> Source:
    """Open recorded experience: the folder of a run or of a replay store, FILE.npz, FILE.hdf5 or minari:NAME.

    Raises:
        FileError, RunError: there is none, or it is damaged.
        UserError: a package is missing; the text says how to install it.
    """
    if place.startswith(MINARI):
        from worldmodels.datasets.minari_source import MinariSource

        return MinariSource(place.removeprefix(MINARI))
    if Path(place).suffix == ".npz":
        from worldmodels.datasets.npz import open_npz

        return open_npz(place)
    if Path(place).suffix in HDF5:
        from worldmodels.datasets.hdf5 import open_hdf5

        return open_hdf5(place)
    if Path(place, "store.json").exists():
        return StoreSource(place)
    if RunDir(place).exists():
        replay = RunDir.open(place).replay
        if not replay.exists():
            raise RunError(
                f"The run '{place}' keeps no experience: there is no replay store in it. Agents that learn from their "
                f"newest steps alone write none. 'worldmodels record --policy {place} --steps N --out OUT' records "
                "steps of its policy."
            )
        return StoreSource(replay)
    raise FileError(f"There is no recorded experience in '{place}', which must be {PLACES}.")


def write(place: str, source: Source) -> None:
    """Write experience to a place where nothing is yet: a replay store, or what its name says.

    Raises:
        FileError, DiskFullError: something is there, or it cannot be written.
        UserError: a package is missing; the text says how to install it.
    """
    check_free(place)
    if place.startswith(MINARI):
        from worldmodels.datasets.minari_writing import write_minari

        write_minari(place.removeprefix(MINARI), source)
    elif Path(place).suffix == ".npz":
        from worldmodels.datasets.npz import write_npz

        write_npz(place, source)
    elif Path(place).suffix in HDF5:
        from worldmodels.datasets.hdf5 import write_hdf5

        write_hdf5(place, source)
    else:
        write_store(place, source)


def check_free(place: str) -> None:
    """Check that a data set can be written to a place; raises as `write`."""
    if place.startswith(MINARI):
        from worldmodels.datasets.minari_source import dataset_path

        check_new(dataset_path(place.removeprefix(MINARI)))
    else:
        check_new(place)
