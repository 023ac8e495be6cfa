"""A folder in a storage: one process at a time writes it, and any number of processes read it.

PLACE/manifests/00000002-5e0f12ab-00000007.json   the folder as the second attempt left it at its seventh upload
PLACE/files/metrics.jsonl.2-5e0f12ab-7            a file of the folder; each upload writes new names
"""

from __future__ import annotations

import os
import secrets
from collections.abc import Callable, Collection, Mapping
from contextlib import suppress
from pathlib import Path

from worldmodels.cluster.storage.manifest import Key, Manifest, StoredFile, is_whole, key_of, parse_manifest
from worldmodels.cluster.storage.remote import Remote, file_sum
from worldmodels.cluster.storage.snapshot import LocalFile
from worldmodels.core.errors import FileError, StorageError
from worldmodels.core.files.writing import make_folder, remove_one, temporary

CONFIG = "config.yaml"
"""The file beside the manifests of a run that holds the configuration with which it is to be trained."""
ATTEMPTS = 100
"""Reading starts over this many times at most, if the folder is written meanwhile."""
KEPT = 2
"""Manifests that stay, with their files: the newest, and one that may still be read."""


class SupersededError(StorageError):
    """Another process writes the folder now."""


class StoredFolder:
    """A folder in a storage, for reading."""

    def __init__(self, remote: Remote, place: str) -> None:
        self.remote, self.place = remote, place

    def newest(self) -> Manifest | None:
        """Return the newest manifest, or None if there is no whole one.

        Raises:
            StorageError: it cannot be read.
        """
        for _ in range(ATTEMPTS):
            keys, damaged = [key for name, key in self.names() if name == key.name], list[str]()
            for key in reversed(keys):
                if (data := self.remote.read(f"{self.place}/manifests/{key.name}")) is None:
                    break  # it was removed since, so there are newer ones
                if is_whole(data):
                    with suppress(FileError):
                        return parse_manifest(key, data, f"'{self.url}/manifests/{key.name}'")
                    damaged.append(key.name)
            else:
                if damaged:
                    raise StorageError(f"No manifest of '{self.url}' can be read: {', '.join(damaged)}.")
                return None
        raise StorageError(f"'{self.url}' is written faster than it can be read.")

    @property
    def url(self) -> str:
        """Return the address of the folder, for people."""
        return f"{self.remote.url}/{self.place}"

    def names(self) -> list[tuple[str, Key]]:
        """Return the names and the keys of all manifests and claims, the oldest first."""
        found = self.remote.names(f"{self.place}/manifests")
        return sorted(((name, key) for name in found if (key := key_of(name))), key=lambda pair: pair[1])

    def fetch(
        self, folder: Path, known: Manifest | None = None, wanted: Callable[[str], bool] = lambda name: True
    ) -> Manifest | None:
        """Make a local folder equal to the stored one, and return its manifest, or None if nothing is stored.

        Equal files stay. Wanted files that are not stored are removed. A checkpoint appears as a whole.

        Args:
            known: the manifest that the local folder equals already, if that is known.
            wanted: returns whether the file of a name is fetched.
        """
        for _ in range(ATTEMPTS):
            manifest = self.newest()
            if manifest is None or (known is not None and manifest.key == known.key):
                return manifest
            files = {name: file for name, file in manifest.files.items() if wanted(name)}
            if self._fetch(files, folder, known.files if known else {}):
                _remove_others(folder, files, wanted)
                return manifest
        raise StorageError(f"'{self.url}' is written faster than it can be fetched.")

    def _fetch(self, files: Mapping[str, StoredFile], folder: Path, known: Mapping[str, StoredFile]) -> bool:
        """Fetch files to their names in a folder; return False if one is not stored any more."""
        beside = temporary(folder / "fetched")
        make_folder(beside)
        try:
            missing = _missing(files, folder, known)
            for name in missing:
                make_folder((beside / name).parent)
                found = self.remote.get(f"{self.place}/{files[name].place(name)}", beside / name)
                if found is None:
                    return False
                if found != files[name].sha256:
                    raise StorageError(
                        f"'{self.url}/{files[name].place(name)}' is damaged: its SHA-256 is not that of the manifest."
                    )
            _install(missing, beside, folder)
            return True
        finally:
            remove_one(beside)


class FolderWriter:
    """Writes a stored folder, until another writer is made.

    Making a writer claims the folder: the next upload of an older writer raises SupersededError.

    Attributes:
        before: the manifest that was found; None for a new folder.
        manifest: the manifest of the last upload, or the one that was found.
    """

    def __init__(self, folder: StoredFolder) -> None:
        self._folder = folder
        attempt = max((key.attempt for _, key in folder.names()), default=0) + 1
        self._key = Key(attempt, secrets.token_hex(4), 0)
        folder.remote.write(f"{folder.place}/manifests/{self._key.claim}", b"")
        # From here on nobody else removes files, so what is found can be fetched.
        self.before = folder.newest()
        self.manifest = self.before or Manifest(self._key, {})
        self._sent: dict[str, tuple[LocalFile, StoredFile]] = {}

    def upload(self, files: Mapping[str, LocalFile], others: Collection[str] = ()) -> None:
        """Make the stored folder equal to these files; unchanged files are not sent again.

        Args:
            others: names of stored files that stay.

        Raises:
            SupersededError: another process writes the folder now.
            StorageError: the storage cannot be written; the stored folder has not changed.
            ShorterError: a local file became shorter.
        """
        self._check_ours()
        key = self._key._replace(upload=self._key.upload + 1)
        stored = {name: file for name, file in self.manifest.files.items() if name in others}
        for name, file in files.items():
            stored[name] = self._stored(name, file, key)
            self._sent[name] = (file, stored[name])
        if stored == self.manifest.files:
            return
        manifest = Manifest(key, stored)
        self._folder.remote.write(f"{self._folder.place}/manifests/{key.name}", manifest.encoded())
        self._key, self.manifest = key, manifest
        self._clean()

    def _stored(self, name: str, file: LocalFile, key: Key) -> StoredFile:
        """Return the stored file of a local one, and send it if needed."""
        sent = self._sent.get(name)
        if sent and sent[0].identity == file.identity:
            return sent[1]
        found = self.manifest.files.get(name)
        if found and found.bytes == file.size and file_sum(file.path) == found.sha256:
            return found
        stored = StoredFile(key.version, file.size, "")
        digest = self._folder.remote.put(file.path, file.size, f"{self._folder.place}/{stored.place(name)}")
        return StoredFile(key.version, file.size, digest)

    def _check_ours(self) -> list[tuple[str, Key]]:
        """Return the names and keys of all manifests and claims; raise SupersededError if one is newer than ours."""
        names = self._folder.names()
        if names and names[-1][1] > self._key:
            raise SupersededError(
                f"Another attempt writes '{self._folder.url}' (number {names[-1][1].attempt}, this one is number "
                f"{self._key.attempt}): nothing more is sent there."
            )
        return names

    def _clean(self) -> None:
        """Remove older manifests, and all files that the kept manifests do not name."""
        names, place, remote = self._check_ours(), self._folder.place, self._folder.remote
        kept = [key.name for name, key in names if name == key.name][-KEPT:]
        needed = set()
        for name in kept:
            if (data := remote.read(f"{place}/manifests/{name}")) is None:
                return
            with suppress(FileError):  # its writing was cut off
                files = parse_manifest(self._key, data, name).files
                needed |= {file.place(name) for name, file in files.items()}
        remote.remove(f"{place}/manifests/{name}" for name, _ in names if name not in kept)
        stored = [f"files/{name}" for name in remote.names(f"{place}/files")]
        remote.remove(f"{place}/{name}" for name in stored if name not in needed)


def _is_there(path: Path, file: StoredFile, known: StoredFile | None) -> bool:
    """Return whether a local file is the stored one."""
    try:
        if path.is_symlink() or path.stat().st_size != file.bytes:
            return False
        return known == file or file_sum(path) == file.sha256
    except OSError:
        return False


def _missing(files: Mapping[str, StoredFile], folder: Path, known: Mapping[str, StoredFile]) -> list[str]:
    """Return the names of the missing files of a folder; a checkpoint with a missing file is missing as a whole."""
    missing = {name for name, file in files.items() if not _is_there(folder / name, file, known.get(name))}
    torn = {_checkpoint(name) for name in missing} - {None}
    return [name for name in files if name in missing or _checkpoint(name) in torn]


def _checkpoint(name: str) -> str | None:
    """Return the folder of the checkpoint to which a file belongs, or None."""
    return name.rpartition("/")[0] if name.startswith("checkpoints/") else None


def _install(names: Collection[str], beside: Path, folder: Path) -> None:
    """Move fetched files to their names; the files of a checkpoint move together, and last."""
    for name in names:
        if _checkpoint(name) is None:
            make_folder((folder / name).parent)
            os.replace(beside / name, folder / name)
    for checkpoint in sorted({found for name in names if (found := _checkpoint(name))}):
        make_folder((folder / checkpoint).parent)
        remove_one(folder / checkpoint)
        os.rename(beside / checkpoint, folder / checkpoint)


def _remove_others(folder: Path, files: Collection[str], wanted: Callable[[str], bool]) -> None:
    """Remove wanted checkpoints and experience of a local folder that are not stored."""
    for path in [*folder.glob("checkpoints/*/*"), *folder.glob("replay/**/*")]:
        name = path.relative_to(folder).as_posix()
        if not path.is_dir() and name not in files and wanted(name):
            path.unlink(missing_ok=True)
    for checkpoint in folder.glob("checkpoints/*"):
        with suppress(OSError):  # it is not empty, and stays
            checkpoint.rmdir()
