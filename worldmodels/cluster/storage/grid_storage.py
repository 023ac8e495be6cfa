"""Stores the runs of a grid behind an address, and fetches copies into the grid's folder.

Evaluates stored runs on any machine, and fetches the results into the local copies.
"""

from __future__ import annotations

import json
import os
import signal
import sys
import tempfile
import threading
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from types import TracebackType

from worldmodels.cluster.storage.lease import Lease
from worldmodels.cluster.storage.manifest import Manifest
from worldmodels.cluster.storage.remote import Remote
from worldmodels.cluster.storage.stored_folder import CONFIG, StoredFolder
from worldmodels.core.configuration.ranges import Section
from worldmodels.core.errors import RunError, StorageError, UserError
from worldmodels.core.files.json_files import parse_json
from worldmodels.core.files.run_dir import RunDir, config_text
from worldmodels.core.files.writing import make_folder, write_atomic
from worldmodels.core.output import print_text
from worldmodels.experiments.grid import Grid, GridRun
from worldmodels.experiments.storage import NOTE, EvaluationStorage, GridStorage, StorageNote, stored_url

RUNS = "grid.json"
"""The file of a storage that names the grid's runs."""
PATIENCE_SECONDS = 20.0
"""A call that fails is tried again for this long, while others wait; runs are tried for longer."""
RECORDS_SECONDS = 30.0
"""Seconds between two fetches of the records of running runs."""
THREADS = 8
"""The number of runs that are fetched at once."""


@dataclass(frozen=True)
class _Runs(Section):
    runs: tuple[str, ...]


class RemoteGridStorage(GridStorage):
    """Returns the commands that train stored runs, and fetches the results, inside of a `with` block.

    Args:
        url: the address of the storage, which holds this grid alone.
        with_replay: fetch the experience of the runs, too, so that they can be trained here.

    Raises:
        UserError: fsspec is not installed, or the grid's folder holds other runs.
        StorageError: the storage cannot be used, or another grid works or has worked there.
    """

    def __init__(self, url: str, grid: Grid, with_replay: bool = False) -> None:
        self._remote, self._grid, self._with_replay = Remote(url, PATIENCE_SECONDS), grid, with_replay
        self._known: dict[str, Manifest] = {}
        self._locks: defaultdict[str, threading.Lock] = defaultdict(threading.Lock)
        self._under_way: set[str] = set()
        self._unfetched: dict[str, str] = {}
        self._done, self._stack = threading.Event(), ExitStack()
        self._tell: Callable[[str], None] = print

    def __enter__(self) -> RemoteGridStorage:
        _check_note(self._grid, self._remote.url)
        with self._stack as stack:
            self._remote.check()
            # A connection of its own: the lease is written while others send and fetch.
            stack.enter_context(Lease(Remote(self._remote.url, PATIENCE_SECONDS), self._lost))
            self._note_runs()
            make_folder(self._grid.folder)
            note = asdict(StorageNote(self._remote.url))
            write_atomic(self._grid.folder / NOTE, json.dumps(note, allow_nan=False) + "\n")
            self._records = Path(stack.enter_context(tempfile.TemporaryDirectory()))
            self._side_by_side(self._prepare, self._grid.runs)
            thread = threading.Thread(target=self._fetch_records, name="records", daemon=True)
            thread.start()
            stack.callback(thread.join)
            stack.callback(self._done.set)
            self._stack = stack.pop_all()
        return self

    def __exit__(self, kind: type | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self._stack.close()

    def command(self, run: GridRun) -> Sequence[str]:
        self._under_way.add(run.name)
        stored = [sys.executable, "-m", "worldmodels.cluster.storage.stored_command", self._remote.url, run.name]
        return [*stored, "train", "--config", "{config}", "--logdir", "{run}"]

    def records(self, run: GridRun) -> Path:
        """Return the newest records of a run: the stored ones while it runs."""
        return self._records_folder(run) / "metrics.jsonl" if run.name in self._under_way else RunDir(run.path).metrics

    def ended(self, run: GridRun) -> None:
        self._under_way.discard(run.name)
        try:
            self._fetch(run)
            self._unfetched.pop(run.name, None)
        except UserError as error:
            self._unfetched[run.name] = str(error)

    def fetch_rest(self) -> None:
        for run in [run for run in self._grid.runs if run.name in self._unfetched]:
            self.ended(run)
        if self._unfetched:
            name, why = next(iter(self._unfetched.items()))
            raise StorageError(
                f"The results of {len(self._unfetched)} of {len(self._grid.runs)} runs could not be fetched: {name}: "
                f"{why} The same command fetches them."
            )

    def _prepare(self, run: GridRun) -> None:
        """Store the configuration of a run, and fetch its stored files."""
        text = config_text(run.config).encode()
        if self._remote.read(f"{run.name}/{CONFIG}") != text:
            self._remote.write(f"{run.name}/{CONFIG}", text)
        self._fetch(run)

    def _fetch(self, run: GridRun) -> None:
        with self._locks[run.name]:
            known = self._known.get(run.name)
            manifest = StoredFolder(self._remote, run.name).fetch(run.path, known, self._is_wanted)
            if manifest is not None:
                self._known[run.name] = manifest

    def _is_wanted(self, name: str) -> bool:
        return self._with_replay or not name.startswith("replay/")

    def _fetch_records(self) -> None:
        """Fetch the records of the running runs until the block ends."""
        known: dict[str, Manifest] = {}

        def fetch(run: GridRun) -> None:
            with suppress(UserError):  # the runs report that the storage is away
                folder, place = self._records_folder(run), StoredFolder(self._remote, run.name)
                found = place.fetch(folder, known.get(run.name), lambda name: name == "metrics.jsonl")
                if found is not None:
                    known[run.name] = found

        while not self._done.wait(RECORDS_SECONDS):
            self._side_by_side(fetch, [run for run in self._grid.runs if run.name in self._under_way])

    def _records_folder(self, run: GridRun) -> Path:
        return self._records / run.name

    def _side_by_side(self, do: Callable[[GridRun], None], runs: Iterable[GridRun]) -> None:
        with ThreadPoolExecutor(THREADS) as pool:
            list(pool.map(do, runs))

    def _note_runs(self) -> None:
        """Write the names of the runs into the storage.

        Raises:
            StorageError: the storage holds the runs of another grid.
        """
        names, data = {run.name for run in self._grid.runs}, self._remote.read(RUNS)
        found = set(parse_json(data, _Runs, f"'{self._remote.url}/{RUNS}'").runs) if data else set()
        if found and not found & names:
            raise StorageError(
                f"The storage '{self._remote.url}' belongs to another grid: it holds {min(found)}, and the grid "
                f"'{self._grid.name}' has {self._grid.runs[0].name}. Choose another folder there."
            )
        if not names <= found:
            runs = _Runs(tuple(sorted(names | found)))
            self._remote.write(RUNS, json.dumps(asdict(runs), allow_nan=False).encode())

    def _lost(self, text: str) -> None:
        """Stop the grid, as Ctrl-C does."""
        print_text(f"worldmodels: {text}", file=sys.stderr)
        os.kill(os.getpid(), signal.SIGTERM)


def _check_note(grid: Grid, url: str) -> None:
    """Raise RunError if the grid's folder holds runs that are not copies of this storage."""
    known = stored_url(grid.folder)
    if known is not None and known != url:
        raise RunError(
            f"'{grid.folder}' holds copies of the runs in the storage '{known}', and not of '{url}'. Choose another "
            "'logdir', or give --storage {known}."
        )
    if known is None and (here := [run.name for run in grid.runs if RunDir(run.path).exists()]):
        raise RunError(
            f"'{grid.folder}' holds runs that were trained without a storage ({here[0]}). Choose another 'logdir'."
        )


RESULTS = "evaluations"
"""The folder of a storage that holds the results of evaluations."""


class RemoteEvaluationStorage(EvaluationStorage):
    """Returns the commands that evaluate stored runs, and fetches their results.

    Args:
        runs: the copies of the runs, in the folder of their grid.

    Raises:
        RunError: a run is not a copy of one in this storage.
        StorageError: the storage cannot be used.
    """

    def __init__(self, url: str, runs: Sequence[Path]) -> None:
        self._remote = Remote(url, PATIENCE_SECONDS)
        for run in runs:
            if (kept := stored_url(_grid_folder(run))) != self._remote.url:
                where = f"of the storage '{kept}'" if kept else f"that was trained without one (there is no {NOTE})"
                raise RunError(f"The run '{run}' is one {where}, and not of '{self._remote.url}'.")
        self._remote.check()

    def command(self, run: Path, result: str, words: Sequence[str]) -> list[str]:
        stored = [sys.executable, "-m", "worldmodels.cluster.storage.stored_command"]
        return [*stored, "--results", _results(run, result), self._remote.url, _place(run), "eval", *words]

    def fetch(self, run: Path, result: str) -> None:
        StoredFolder(self._remote, _results(run, result)).fetch(run, wanted=_is_result)


def _is_result(name: str) -> bool:
    return not name.startswith(("checkpoints/", "replay/"))


def _grid_folder(run: Path) -> Path:
    return run.absolute().parents[1]


def _place(run: Path) -> str:
    return run.absolute().relative_to(_grid_folder(run)).as_posix()


def _results(run: Path, result: str) -> str:
    return f"{RESULTS}/{_place(run)}/{result}"
