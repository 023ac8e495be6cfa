"""Runs a command of worldmodels on a stored run, in a folder of this machine.

    python -m worldmodels.cluster.storage.stored_command URL PLACE train --config {config} --logdir {run}
    python -m worldmodels.cluster.storage.stored_command --results PLACE URL PLACE eval {run} ...

The stored run is fetched first. While it is trained, each new checkpoint is stored, and the records every minute. The
whole run is stored at the end, also after a signal to stop. If the storage cannot be written, training goes on. The run
then stays on this machine, and the next attempt here continues it.
"""

from __future__ import annotations

import argparse
import hashlib
import os
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path, PurePosixPath
from types import FrameType

from worldmodels.cluster.attended import end_as
from worldmodels.cluster.storage.remote import Remote, ShorterError
from worldmodels.cluster.storage.snapshot import snapshot
from worldmodels.cluster.storage.stored_folder import CONFIG, FolderWriter, StoredFolder, SupersededError
from worldmodels.core.errors import StorageError, UserError
from worldmodels.core.files.checkpoint import Checkpoints
from worldmodels.core.files.run_dir import RunDir
from worldmodels.core.files.writing import (
    LockedError,
    lock_holder,
    locked,
    make_folder,
    make_private_folder,
    remove_one,
    write_atomic,
)
from worldmodels.core.output import print_text
from worldmodels.core.processor import usable_cores
from worldmodels.experiments.engine import pinned

HALF_FETCHED = "half fetched"
"""The origin of a run that is not fetched whole."""
POLL_SECONDS = 0.5
RECORDS_SECONDS = 60.0
"""Seconds between two uploads of the records between checkpoints."""
AGAIN_SECONDS = 30.0
"""Seconds after which an upload that failed is tried again, while training goes on."""


class Scratch:
    """The folder of this machine in which one stored run is trained or evaluated.

    Attributes:
        run: the folder of the run.
        config: the file of its configuration.
    """

    def __init__(self, url: str, place: str, name: str) -> None:
        base = Path(tempfile.gettempdir()) / f"worldmodels-storage-{os.getuid()}"
        make_private_folder(base)
        self.path = base / hashlib.sha256(f"{url}/{place}".encode()).hexdigest()[:16]
        self.run, self.config, self._origin = self.path / name, self.path / CONFIG, self.path / "origin.txt"
        self._kept = False

    @contextmanager
    def lock(self) -> Iterator[None]:
        """Hold the folder; wait for another process in it, such as a lost attempt that still saves."""
        with ExitStack() as stack:
            while not self._is_kept(stack) or lock_holder(self.run) is not None:
                time.sleep(POLL_SECONDS)
            yield

    def _is_kept(self, stack: ExitStack) -> bool:
        """Take the folder's lock until the stack is closed, if it is free; return whether it is ours."""
        if self._kept:
            return True
        try:
            stack.enter_context(locked(self.path, "working in"))
        except LockedError:
            return False
        self._kept = True
        return True

    @property
    def origin(self) -> str:
        """The version of the stored run from which this copy descends; empty if nothing was stored before."""
        return self._origin.read_text() if self._origin.exists() else ""

    @origin.setter
    def origin(self, version: str) -> None:
        write_atomic(self._origin, version)

    def clear(self) -> None:
        """Remove all but the lock."""
        for path in (self._origin, self.config, self.run):
            remove_one(path)


class StoredTraining:
    """Stores a run while it is trained in a scratch folder."""

    def __init__(self, folder: StoredFolder, scratch: Scratch) -> None:
        self._scratch, self._writer = scratch, FolderWriter(folder)
        self._step, self._again, self._records = -1, 0.0, time.monotonic()
        before = self._writer.before
        if scratch.origin == (before.key.version if before else "") and scratch.run.is_dir():
            return  # what is here is as new as what is stored, or newer
        scratch.clear()
        make_folder(scratch.run)
        if before is not None:
            scratch.origin = HALF_FETCHED
            fetched = folder.fetch(scratch.run)
            scratch.origin = fetched.key.version if fetched else ""
            self._step = self._newest_step()

    def store_new(self) -> None:
        """Store the run if it has a new checkpoint, and its records if they are due; print failures.

        Raises:
            SupersededError: another attempt trains the run.
        """
        now = time.monotonic()
        if now < self._again:
            return
        try:
            if self._newest_step() > self._step:
                self.store()
            elif now > self._records + RECORDS_SECONDS and self._step >= 0:
                self._store_records()
        except SupersededError:
            raise
        except ShorterError:  # the run goes on from a checkpoint, and cuts what came after it
            self._again = now + POLL_SECONDS
        except (UserError, OSError) as error:
            print_text(f"worldmodels: {error} Training goes on, and it is tried again.")
            self._again = time.monotonic() + AGAIN_SECONDS

    def store(self) -> None:
        """Store the run as it is, if there is one.

        Raises:
            StorageError: the run could not be stored; the stored run has not changed.
        """
        with snapshot(self._scratch.run) as found:
            if found is not None:
                self._writer.upload(found.files)
                self._stored(found.step)

    def _store_records(self) -> None:
        """Store the newest records beside the last checkpoint; a resumed run cuts them off again."""
        with snapshot(self._scratch.run) as found:
            name = RunDir(self._scratch.run).metrics.name
            if found is not None and found.step == self._step and name in found.files:
                self._writer.upload({name: found.files[name]}, self._writer.manifest.files.keys() - {name})
                self._stored(found.step)

    def _stored(self, step: int) -> None:
        self._step, self._records = step, time.monotonic()
        self._scratch.origin = self._writer.manifest.key.version

    def _newest_step(self) -> int:
        return max(Checkpoints(RunDir(self._scratch.run).checkpoints).steps(), default=-1)


def train(url: str, place: str, words: Sequence[str]) -> int:
    """Train a stored run, and return the exit status.

    Raises:
        StorageError: the run cannot be fetched or stored; in the second case it stays on this machine.
    """
    scratch, remote = Scratch(url, place, PurePosixPath(place).name), Remote(url)
    with scratch.lock():
        config = remote.read(f"{place}/{CONFIG}")
        if config is None:
            raise StorageError(f"The storage '{url}' has no configuration '{place}/{CONFIG}' any more.")
        training = StoredTraining(StoredFolder(remote, place), scratch)
        scratch.config.write_bytes(config)
        try:
            status = _with_child(_filled(words, scratch), training)
            training.store()
        except SupersededError:
            scratch.clear()
            raise
        except UserError as error:
            raise StorageError(
                f"{error} The run stays in '{scratch.run}' on {socket.gethostname()}. A new attempt there continues "
                "it; one on another machine continues the stored run."
            ) from error
        scratch.clear()
    return status


def evaluate(url: str, place: str, results: str, words: Sequence[str]) -> int:
    """Evaluate a stored run, store its results under a place of their own, and return the exit status.

    Raises:
        StorageError: the run cannot be fetched, or its results cannot be stored.
    """
    scratch, remote = Scratch(url, results, PurePosixPath(place).name), Remote(url)
    with scratch.lock():
        scratch.clear()
        make_folder(scratch.run)
        if StoredFolder(remote, place).fetch(scratch.run, wanted=lambda name: not name.startswith("replay/")) is None:
            raise StorageError(f"The storage '{url}' has no run '{place}'.")
        with snapshot(scratch.run) as found:
            before = {name: file.identity for name, file in found.files.items()} if found else {}
        status = _with_child(_filled(words, scratch), None)
        with snapshot(scratch.run) as found:
            if found is not None:
                new = {name: file for name, file in found.files.items() if before.get(name) != file.identity}
                FolderWriter(StoredFolder(remote, results)).upload(new)
        scratch.clear()
    return status


def _with_child(words: Sequence[str], training: StoredTraining | None) -> int:
    """Run a command of worldmodels, and store its run meanwhile; return its exit status, -N for signal N."""
    child = subprocess.Popen(pinned(worldmodels_command(words), usable_cores()), start_new_session=True)

    def hand_on(number: int, frame: FrameType | None) -> None:
        if child.poll() is None:
            child.send_signal(number)

    signal.signal(signal.SIGTERM, hand_on)
    try:
        while (status := child.poll()) is None:
            time.sleep(POLL_SECONDS)
            if training is not None:
                training.store_new()
        return status
    finally:
        if child.poll() is None:
            child.terminate()
            child.wait()


def worldmodels_command(words: Sequence[str]) -> list[str]:
    """Return the command that runs a command of worldmodels."""
    return [sys.executable, "-m", "worldmodels", *words]


def _filled(words: Sequence[str], scratch: Scratch) -> list[str]:
    places = {"{run}": str(scratch.run), "{config}": str(scratch.config)}
    return [places.get(word, word) for word in words]


def main(arguments: Sequence[str]) -> int:
    """Run the command line of this module, and return the exit status; 2 for an error, which is printed."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--results")
    parser.add_argument("url")
    parser.add_argument("place")
    parser.add_argument("words", nargs=argparse.REMAINDER)
    options = parser.parse_args(arguments)
    try:
        if options.results is None:
            return train(options.url, options.place, options.words)
        return evaluate(options.url, options.place, options.results, options.words)
    except UserError as error:
        print_text(f"worldmodels: {error}")
        return 2


if __name__ == "__main__":
    end_as(main(sys.argv[1:]))
