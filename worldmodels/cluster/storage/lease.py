"""A lease on a storage: a file that names the process that works there, which rewrites it every few seconds.

A storage has no locks. A process that finds a lease watches whether it changes, by its own clock. Two processes that
begin at the same moment both write, wait, and look whose lease stayed. If the storage answers too slowly, both may
work: that costs time and no run (see `manifest.Key`).
"""

from __future__ import annotations

import json
import os
import secrets
import socket
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import asdict, dataclass, replace
from types import TracebackType

from worldmodels.cluster.storage.remote import Remote
from worldmodels.core.configuration.ranges import Count, Section
from worldmodels.core.errors import FileError, StorageError
from worldmodels.core.files.json_files import parse_json
from worldmodels.core.output import print_text

NAME = "lease.json"
BEAT_SECONDS = 10.0
"""Seconds between two writes of the lease."""
WATCH_SECONDS = 45.0
"""A lease that has not changed for this long is abandoned."""
SETTLE_SECONDS = 3.0
"""A process that began at the same moment has written within this time."""


@dataclass(frozen=True)
class _Holder(Section):
    """The lease as it is written."""

    owner: str
    host: str
    process: Count
    beat: Count = 0
    """The number of writes; a change shows that the owner is alive."""

    def __str__(self) -> str:
        return f"process {self.process} on {self.host}"


class Lease:
    """Keeps a storage from other grids inside of a `with` block.

    Args:
        lost: is called in another thread with a sentence, if another process has taken the lease.

    Raises:
        StorageError: on entering, another process has the lease.
    """

    def __init__(self, remote: Remote, lost: Callable[[str], None]) -> None:
        self._remote, self._lost = remote, lost
        self._holder = _Holder(secrets.token_hex(8), socket.gethostname(), os.getpid())
        self._done = threading.Event()
        self._thread = threading.Thread(target=self._keep, name="lease", daemon=True)

    def __enter__(self) -> Lease:
        self._check_free()
        self._write()
        time.sleep(SETTLE_SECONDS)
        if (found := self._read()) != self._holder:
            raise self._taken(found)
        self._thread.start()
        return self

    def __exit__(self, kind: type | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self._done.set()
        self._thread.join()
        with suppress(StorageError):  # the storage is away, and the lease in it will not change any more
            if self._is_ours(self._read()):
                self._remote.remove([NAME])

    def _check_free(self) -> None:
        """Raise StorageError if another process keeps changing the lease."""
        if (found := self._read()) is None:
            return
        print_text(f"The storage '{self._remote.url}' has a lease of {found}; checking whether it is alive.")
        end = time.monotonic() + WATCH_SECONDS
        while time.monotonic() < end:
            time.sleep(min(BEAT_SECONDS, WATCH_SECONDS) / 4)
            if (now := self._read()) is None:
                return
            if now != found:
                raise self._taken(now)

    def _keep(self) -> None:
        while not self._done.wait(BEAT_SECONDS):
            try:
                found = self._read()
                if found is not None and not self._is_ours(found):
                    self._lost(str(self._taken(found)))
                    return
                self._write()
            except StorageError:
                continue  # the storage is away: its users report that, and the lease is written again later

    def _write(self) -> None:
        self._holder = replace(self._holder, beat=self._holder.beat + 1)
        self._remote.write(NAME, json.dumps(asdict(self._holder), allow_nan=False).encode())

    def _read(self) -> _Holder | None:
        """Return the lease; a damaged one is being written by an unknown process."""
        data = self._remote.read(NAME)
        if data is None:
            return None
        try:
            return parse_json(data, _Holder, f"'{self._remote.url}/{NAME}'")
        except FileError:
            return _Holder(f"unknown, {len(data)} bytes", "an unknown machine", 0)

    def _is_ours(self, found: _Holder | None) -> bool:
        return found is not None and found.owner == self._holder.owner

    def _taken(self, found: _Holder | None) -> StorageError:
        return StorageError(
            f"Another grid works in the storage '{self._remote.url}': {found or 'unknown'}. Wait for its end, stop it, "
            "or choose another folder there."
        )
