"""Files behind an address, in a folder and in a storage that fails."""

from __future__ import annotations

import errno
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("fsspec")
from failing_storage import FailingStorage, failing  # noqa: E402

from worldmodels.cluster.storage.remote import Remote, ShorterError  # noqa: E402
from worldmodels.core.errors import StorageError  # noqa: E402

__all__ = ["failing"]


def test_files_are_written_listed_and_removed(tmp_path: Path) -> None:
    remote, source, target = Remote(f"file://{tmp_path}/new/"), tmp_path / "source", tmp_path / "target"
    remote.check()
    source.write_bytes(b"0123456789")
    remote.write("a/b/small", b"text")
    digest = remote.put(source, 4, "a/c")
    assert (tmp_path / "new" / "a" / "c").read_bytes() == b"0123"  # what it has grown by since does not count
    assert remote.get("a/c", target) == digest and target.read_bytes() == b"0123"
    assert (remote.read("a/b/small"), remote.read("a/none"), remote.get("none", target)) == (b"text", None, None)
    assert (remote.names("a"), remote.names("none")) == (["b/small", "c"], [])
    remote.remove(["a/c", "a/none"])
    assert remote.names("") == ["a/b/small"]
    with pytest.raises(ShorterError):
        remote.put(source, 11, "a/d")


@pytest.mark.parametrize(
    ("url", "text"),
    [
        ("nonsense", "A storage is an address such as s3://bucket/folder; received 'nonsense'."),
        ("file://", "A storage is an address such as s3://bucket/folder; received 'file://'."),
        ("what://x/y", "The storage 'what://x/y' cannot be used: Protocol not known: what."),
        ("memory://x", "Other processes must see a storage, and memory:// exists in one process alone."),
    ],
)
def test_an_address_that_cannot_be_used_is_refused(url: str, text: str) -> None:
    with pytest.raises(StorageError) as caught:
        Remote(url)
    assert str(caught.value) == text


def test_a_storage_that_is_not_there_is_told_and_not_made(tmp_path: Path) -> None:
    with pytest.raises(StorageError, match=f"cannot be used: there is no '{tmp_path}/none'"):
        Remote(f"file://{tmp_path}/none/x", patience=0).check()
    remote = Remote(f"file://{tmp_path}/x", patience=0)
    remote.check()
    (tmp_path / "x").rmdir()
    for act in (lambda: remote.write("a", b""), lambda: remote.read("a"), lambda: remote.names("a")):
        with pytest.raises(StorageError, match=f"there is no '{tmp_path}/x'"):
            act()
    assert list(tmp_path.iterdir()) == []


def test_what_fails_is_tried_again_and_then_told(failing: FailingStorage, monkeypatch: pytest.MonkeyPatch) -> None:
    pauses: list[float] = []
    monkeypatch.setattr(time, "sleep", pauses.append)
    remote = Remote("failing://bucket/x", patience=100)
    failing.errors += [TimeoutError("no answer"), ValueError("503 slow down")]
    remote.write("a", b"text")
    assert (pauses, failing.files) == ([1.0, 2.0], {"bucket/x/a": b"text"})
    pauses.clear()
    failing.errors += [OSError("unreachable")] * 100
    monkeypatch.setattr(remote, "patience", 0.5)
    with pytest.raises(StorageError) as caught:
        remote.read("a")
    assert str(caught.value) == "The storage 'failing://bucket/x' cannot be read: unreachable."


def test_a_broken_connection_is_made_anew(failing: FailingStorage, monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[FailingStorage] = []

    def read(self: FailingStorage, path: str, **options: Any) -> bytes:
        made.append(self)
        if len(set(map(id, made))) == 1:
            raise OSError("Socket is closed")  # for ever, as a connection over SSH that was cut off
        return b"text"

    monkeypatch.setattr(time, "sleep", lambda seconds: None)
    monkeypatch.setattr(FailingStorage, "cat_file", read)
    assert Remote("failing://bucket/x", patience=100).read("a") == b"text"
    assert len(made) == 2


@pytest.mark.parametrize(("answers_threads", "most"), [(False, 1), (True, 4)])
def test_threads_wait_for_each_other_where_a_connection_answers_one(
    failing: FailingStorage, monkeypatch: pytest.MonkeyPatch, answers_threads: bool, most: int
) -> None:
    inside: list[str] = []
    together: list[int] = []
    all_inside = threading.Barrier(4)

    def read(self: FailingStorage, path: str, **options: Any) -> bytes:
        inside.append(path)
        together.append(len(inside))
        if answers_threads:
            all_inside.wait(30)
            together.append(len(inside))
            all_inside.wait(30)
        else:
            time.sleep(0.05)  # time enough for another thread, if it could
            together.append(len(inside))
        inside.remove(path)
        return path.encode()

    monkeypatch.setattr(FailingStorage, "async_impl", answers_threads)
    monkeypatch.setattr(FailingStorage, "cat_file", read)
    remote = Remote("failing://bucket/x")
    with ThreadPoolExecutor(4) as pool:
        assert list(pool.map(remote.read, "abcd")) == [f"bucket/x/{name}".encode() for name in "abcd"]
    assert max(together) == most


@pytest.mark.parametrize(
    "error", [PermissionError("no rights"), OSError(errno.ENOSPC, "No space left"), NotImplementedError("read only")]
)
def test_what_will_last_is_told_at_once(
    failing: FailingStorage, monkeypatch: pytest.MonkeyPatch, error: Exception
) -> None:
    monkeypatch.setattr(time, "sleep", lambda seconds: pytest.fail("it waits"))
    failing.errors.append(error)
    with pytest.raises(StorageError, match="The storage 'failing://bucket/x' cannot be written: .*(rights|space|only)"):
        Remote("failing://bucket/x").write("a", b"text")


def test_a_bucket_that_is_not_there_is_told(failing: FailingStorage) -> None:
    with pytest.raises(StorageError, match="there is no 'other'"):
        Remote("failing://other/x", patience=0).check()
    Remote("failing://bucket/x", patience=0).check()
