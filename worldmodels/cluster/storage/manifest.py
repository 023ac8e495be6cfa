"""The manifest of a stored folder lists its files, where each is stored, and which attempt wrote them.

A manifest is written once, after the files that it names, under a unique name. The newest readable manifest is the
folder. So a reader sees a whole upload or nothing, and a manifest that was cut off does not count.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import PurePosixPath
from typing import Any, NamedTuple

from worldmodels.core.configuration.ranges import Count, Section
from worldmodels.core.configuration.sections import from_dict
from worldmodels.core.errors import ConfigError, FileError, shortened
from worldmodels.core.files.json_files import parse_json

FORMAT = 1
_NAME = re.compile(r"(\d{8})-([0-9a-f]{8})-(\d{8})\.(json|claim)")


class Key(NamedTuple):
    """The attempt and the upload by which a manifest was written; the newest manifest has the greatest key.

    Each attempt to train a run has a greater number than all before. So nobody reads what an older attempt still
    writes, on a node that lost the network for example.
    """

    attempt: int
    owner: str
    """Eight random digits, which order two attempts of the same number."""
    upload: int

    @property
    def version(self) -> str:
        """The end of the names of the files that were uploaded under this key."""
        return f"{self.attempt}-{self.owner}-{self.upload}"

    @property
    def name(self) -> str:
        """The name of the manifest."""
        return f"{self.attempt:08d}-{self.owner}-{self.upload:08d}.json"

    @property
    def claim(self) -> str:
        """The name of the empty file that marks the begin of this attempt, before its first manifest."""
        return self.name.replace(".json", ".claim")


def key_of(name: str) -> Key | None:
    """Return the key in the name of a manifest or a claim, or None for another name."""
    match = _NAME.fullmatch(name)
    return Key(int(match[1]), match[2], int(match[3])) if match else None


@dataclass(frozen=True)
class StoredFile(Section):
    """A file of a stored folder."""

    version: str
    """The end of the name of the stored file."""
    bytes: Count
    sha256: str

    def place(self, name: str) -> str:
        """Return the name under which the file of this name is stored."""
        return f"files/{name}.{self.version}"


@dataclass(frozen=True)
class _Tree(Section):
    """A manifest as it is written."""

    format: int
    files: Mapping[str, Mapping[str, Any]]


class Manifest(NamedTuple):
    """A stored folder at one moment."""

    key: Key
    files: Mapping[str, StoredFile]
    """The files by their names in the folder, with slashes."""

    def encoded(self) -> bytes:
        """Return the manifest as it is written."""
        files = {name: asdict(file) for name, file in self.files.items()}
        return json.dumps({"format": FORMAT, "files": files}, indent=1, allow_nan=False).encode()


def is_whole(data: bytes) -> bool:
    """Return whether a manifest was written to its end."""
    return data.endswith(b"\n}")  # the braces before the last are indented


def parse_manifest(key: Key, data: bytes, where: str) -> Manifest:
    """Parse a manifest.

    Args:
        where: the place of the manifest, for errors.

    Raises:
        FileError: the manifest is damaged, of another format, or names a file outside of the folder.
    """
    tree = parse_json(data, _Tree, where)
    if tree.format != FORMAT:
        raise FileError(f"{where} has format {tree.format}; this version of worldmodels reads format {FORMAT}.")
    for name in tree.files:
        path = PurePosixPath(name)
        if path.is_absolute() or ".." in path.parts or str(path) != name or not path.parts:
            raise FileError(f"{where} names a file outside of its folder: '{shortened(name)}'.")
    try:
        return Manifest(
            key, {name: from_dict(StoredFile, file, f"{where}, '{name}'") for name, file in tree.files.items()}
        )
    except ConfigError as error:
        raise FileError(str(error)) from error
