"""One grid at a time works in a storage."""

from __future__ import annotations

import json
import threading
import time
from pathlib import Path

import pytest

pytest.importorskip("fsspec")
from worldmodels.cluster.storage import lease as module  # noqa: E402
from worldmodels.cluster.storage.lease import Lease  # noqa: E402
from worldmodels.cluster.storage.remote import Remote  # noqa: E402
from worldmodels.core.errors import StorageError  # noqa: E402

OTHER = {"owner": "other", "host": "far", "process": 7, "beat": 1}


@pytest.fixture
def remote(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Remote:
    monkeypatch.setattr(module, "BEAT_SECONDS", 0.1)
    monkeypatch.setattr(module, "WATCH_SECONDS", 0.6)
    monkeypatch.setattr(module, "SETTLE_SECONDS", 0.1)
    return Remote(f"file://{tmp_path}", patience=0)


def test_a_second_grid_is_refused_until_the_first_has_ended(remote: Remote) -> None:
    with Lease(remote, pytest.fail), pytest.raises(StorageError, match="Another grid works in .*: process \\d+ on "):
        Lease(remote, pytest.fail).__enter__()
    assert remote.names("") == []
    with Lease(remote, pytest.fail):
        pass


@pytest.mark.parametrize("data", [json.dumps(OTHER).encode(), b'{"owner'], ids=["whole", "half written"])
def test_a_lease_of_somebody_who_is_gone_is_taken_over(remote: Remote, data: bytes) -> None:
    remote.write("lease.json", data)
    begun = time.monotonic()
    with Lease(remote, pytest.fail):
        assert time.monotonic() - begun > 0.6
        assert json.loads(remote.read("lease.json") or b"")["owner"] != "other"


def test_of_two_that_begin_at_once_the_last_to_write_stays(remote: Remote, monkeypatch: pytest.MonkeyPatch) -> None:
    real = Remote.write

    def write(ours: Remote, name: str, data: bytes) -> None:
        real(ours, name, data)
        real(ours, name, json.dumps(OTHER).encode())

    monkeypatch.setattr(Remote, "write", write)
    with pytest.raises(StorageError, match="Another grid works in .*: process 7 on far. Wait for its end, stop it, or"):
        Lease(remote, pytest.fail).__enter__()


def test_who_loses_it_is_told(remote: Remote) -> None:
    told, heard = [], threading.Event()

    def lost(text: str) -> None:
        told.append(text)
        heard.set()

    with Lease(remote, lost):
        remote.write("lease.json", json.dumps(OTHER).encode())
        # A beat that was under way may win once; whoever took the lease writes again, too.
        while not heard.wait(0.15):
            remote.write("lease.json", json.dumps(OTHER).encode())
    assert "process 7 on far" in told[0]
    assert json.loads(remote.read("lease.json") or b"") == OTHER


def test_it_outlives_a_storage_that_is_away_for_a_while(remote: Remote, tmp_path: Path) -> None:
    away = tmp_path.with_name("away")
    with Lease(remote, pytest.fail):
        tmp_path.rename(away)
        time.sleep(0.3)
        away.rename(tmp_path)
        before = remote.read("lease.json")
        for _ in range(100):
            if (now := remote.read("lease.json")) != before:
                break
            time.sleep(0.05)
        assert now != before
    assert remote.names("") == []
