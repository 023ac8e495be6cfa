"""A folder in a storage: what readers see, who may write, and what a kill or damage leaves."""

from __future__ import annotations

from pathlib import Path

import pytest

pytest.importorskip("fsspec")
from worldmodels.cluster.storage.manifest import Key, StoredFile, key_of, parse_manifest  # noqa: E402
from worldmodels.cluster.storage.remote import Remote  # noqa: E402
from worldmodels.cluster.storage.snapshot import LocalFile, snapshot  # noqa: E402
from worldmodels.cluster.storage.stored_folder import FolderWriter, StoredFolder, SupersededError  # noqa: E402
from worldmodels.core.errors import FileError, StorageError  # noqa: E402

PLACE = "lr/seed_0"


@pytest.fixture
def stored(tmp_path: Path) -> StoredFolder:
    remote = Remote(f"file://{tmp_path}/storage", patience=0)
    remote.check()
    return StoredFolder(remote, PLACE)


def local(folder: Path, **texts: str) -> dict[str, LocalFile]:
    """Write files of a run's folder, "a" as a.txt, and return them as a snapshot has them."""
    for name, text in {"config.yaml": "", **texts}.items():
        path = folder / (name if "." in name else f"{name}.txt")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    with snapshot(folder) as found:
        assert found is not None
        return {name: file._replace(path=folder / name) for name, file in found.files.items()}


def contents(folder: Path) -> dict[str, str]:
    return {p.relative_to(folder).as_posix(): p.read_text() for p in sorted(folder.rglob("*")) if p.is_file()}


def test_a_folder_comes_back_as_it_was_stored(stored: StoredFolder, tmp_path: Path) -> None:
    assert stored.newest() is None and stored.fetch(tmp_path / "none") is None
    writer = FolderWriter(stored)
    writer.upload(local(tmp_path / "a", x="one", y="two"))
    manifest = stored.fetch(tmp_path / "b")
    assert contents(tmp_path / "b") == {"config.yaml": "", "x.txt": "one", "y.txt": "two"}
    writer.upload(local(tmp_path / "a", x="three"))
    assert sorted(file.version[-1] for file in writer.manifest.files.values()) == [
        "1",
        "1",
        "2",
    ]  # y was not sent again
    assert stored.fetch(tmp_path / "b", manifest, lambda name: name == "y.txt") == writer.manifest
    assert contents(tmp_path / "b")["x.txt"] == "one"
    stored.fetch(tmp_path / "b")
    assert contents(tmp_path / "b") == contents(tmp_path / "a")


def test_what_nobody_can_want_is_removed(stored: StoredFolder, tmp_path: Path) -> None:
    writer = FolderWriter(stored)
    for text in ("one", "two", "three"):
        writer.upload(local(tmp_path / "a", x=text))
    version = writer.manifest.key.version[:-1]
    assert [name for name in stored.remote.names(f"{PLACE}/files") if name.startswith("x")] == [
        f"x.txt.{version}2",
        f"x.txt.{version}3",
    ]
    assert [key.upload for _, key in stored.names()] == [2, 3]


def test_an_upload_that_is_cut_off_changes_nothing(
    stored: StoredFolder, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    writer = FolderWriter(stored)
    writer.upload(local(tmp_path / "a", x="one", y="one"))
    real = stored.remote.put

    def put(path: Path, size: int, name: str) -> str:
        if "y.txt" in name:
            raise StorageError("cut off")
        return real(path, size, name)

    monkeypatch.setattr(stored.remote, "put", put)
    with pytest.raises(StorageError, match="cut off"):
        writer.upload(local(tmp_path / "a", x="two", y="two"))
    monkeypatch.undo()
    manifest = tmp_path / "storage" / PLACE / "manifests" / writer.manifest.key._replace(upload=9).name
    manifest.write_bytes(writer.manifest.encoded()[:-9])  # and one that a kill left half written
    stored.fetch(tmp_path / "b")
    assert contents(tmp_path / "b")["x.txt"] == "one"
    again = FolderWriter(stored)
    again.upload(local(tmp_path / "a", x="three", y="three"))
    stored.fetch(tmp_path / "b")
    assert contents(tmp_path / "b")["y.txt"] == "three"


def test_a_newer_attempt_supersedes_an_older_one(stored: StoredFolder, tmp_path: Path) -> None:
    older = FolderWriter(stored)
    older.upload(local(tmp_path / "a", x="one"))
    newer = FolderWriter(stored)
    assert newer.before == older.manifest
    with pytest.raises(SupersededError, match="Another attempt writes .* \\(number 2, this one is number 1\\)"):
        older.upload(local(tmp_path / "a", x="two"))
    stored.fetch(tmp_path / "b")
    assert contents(tmp_path / "b")["x.txt"] == "one"
    newer.upload(local(tmp_path / "a", x="three"))
    # What the older one was about to write arrives late: nobody reads it.
    late = tmp_path / "storage" / PLACE / "manifests" / older.manifest.key._replace(upload=7).name
    late.write_bytes(older.manifest.encoded())
    assert stored.newest() == newer.manifest


@pytest.mark.parametrize("names", [[], ["x"], ["x", "y"]])
def test_a_first_upload_that_is_cut_off_anywhere_is_none(
    stored: StoredFolder, tmp_path: Path, names: list[str]
) -> None:
    writer = FolderWriter(stored)
    writer.upload(local(tmp_path / "a", first="one"))
    manifest = tmp_path / "storage" / PLACE / "manifests" / writer.manifest.key.name
    whole = writer.manifest._replace(files={name: StoredFile("1", 3, "0") for name in names}).encoded()
    for length in range(len(whole)):
        manifest.write_bytes(whole[:length])
        assert stored.newest() is None
    manifest.write_bytes(whole)
    assert stored.newest() is not None
    manifest.write_bytes(whole[:9])
    FolderWriter(stored).upload(local(tmp_path / "a", first="two"))
    stored.fetch(tmp_path / "b")
    assert contents(tmp_path / "b")["first.txt"] == "two"


def test_of_two_attempts_of_one_number_one_stays(stored: StoredFolder, tmp_path: Path) -> None:
    first = FolderWriter(stored)
    place = tmp_path / "storage" / PLACE / "manifests"
    (place / Key(1, "ffffffff", 0).claim).write_bytes(b"")
    with pytest.raises(SupersededError):
        first.upload(local(tmp_path / "a"))


def test_a_damaged_file_is_told(stored: StoredFolder, tmp_path: Path) -> None:
    writer = FolderWriter(stored)
    writer.upload(local(tmp_path / "a", x="one"))
    path = tmp_path / "storage" / PLACE / writer.manifest.files["x.txt"].place("x.txt")
    path.write_text("0ne")
    with pytest.raises(StorageError, match="x.txt.1-.*-1' is damaged: its SHA-256 is not that of the manifest"):
        stored.fetch(tmp_path / "b")
    assert contents(tmp_path / "b") == {}
    (tmp_path / "storage" / PLACE / "manifests" / writer.manifest.key.name).write_text("{\n}")
    with pytest.raises(StorageError, match="No manifest of '.*lr/seed_0' can be read"):
        stored.newest()


@pytest.mark.parametrize("name", ["../x", "/x", "a/../../x", "a//b", "", "."])
def test_a_manifest_names_no_file_outside(name: str) -> None:
    data = f'{{"format": 1, "files": {{"{name}": {{"version": "1", "bytes": 1, "sha256": ""}}}}}}'
    with pytest.raises(FileError, match="names a file outside of its folder"):
        parse_manifest(Key(1, "00000000", 1), data.encode(), "it")


@pytest.mark.parametrize(
    "data", [b"", b"{", b'{"format": 2, "files": {}}', b'{"format": 1, "files": {"a": {}}}', b"[]"]
)
def test_a_manifest_that_cannot_be_used_is_refused(data: bytes) -> None:
    with pytest.raises(FileError, match="^it"):
        parse_manifest(Key(1, "00000000", 1), data, "it")


def test_keys_are_ordered_as_they_were_given() -> None:
    key = Key(2, "0000000a", 3)
    assert key_of(key.name) == key_of(key.claim) == key
    assert key_of("00000002-0000000a-3.json") is None
    assert sorted([Key(2, "00000001", 9), Key(10, "00000000", 0), key]) == [
        Key(2, "00000001", 9),
        key,
        Key(10, "0" * 8, 0),
    ]


def test_a_checkpoint_is_fetched_whole(stored: StoredFolder, tmp_path: Path) -> None:
    writer = FolderWriter(stored)
    writer.upload(
        local(tmp_path / "a", **{"checkpoints/00000100/manifest.json": "1", "checkpoints/00000100/state.json": "1"})
    )
    stored.fetch(tmp_path / "b")
    (tmp_path / "b" / "checkpoints" / "00000100" / "state.json").unlink()
    (tmp_path / "b" / "eval.txt").write_text("made here")
    (tmp_path / "b" / "checkpoints" / "00000050").mkdir()
    (tmp_path / "b" / "checkpoints" / "00000050" / "old").write_text("")
    stored.fetch(tmp_path / "b")
    assert contents(tmp_path / "b") == {**contents(tmp_path / "a"), "eval.txt": "made here"}
    assert [path.name for path in (tmp_path / "b" / "checkpoints").iterdir()] == ["00000100"]
