"""A pack is one file with a learned world: a run's configuration and weights, experience to start from, and a film.

A pack is a ZIP archive without compression. Its card, `pack.json`, has the SHA-256 of every other member. Opening a
pack unpacks it once into a folder of the user's cache, which is the folder of a run. A pack holds no code.
"""

from __future__ import annotations

import hashlib
import io
import json
import os
import re
import struct
import zipfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

from worldmodels.core.configuration.sections import to_dict
from worldmodels.core.errors import FileError, UserError, os_errors_reported, shortened, unknown
from worldmodels.core.files.json_files import parse_json
from worldmodels.core.files.user_folders import cache_folder
from worldmodels.core.files.writing import make_folder, read_regular, remove_one, temporary, write_atomic

FORMAT = 1
GALLERY = "gallery:"
"""Begins the name of a pack that comes with this package."""
SUFFIX = ".world"
CARD, FILM = "pack.json", "film.mp4"
MOST_BYTES, MOST_MEMBERS = 2**25, 64
"""The largest pack: 32 MiB, and so many members."""
_MEMBER = re.compile(
    r"config\.yaml|meta\.json|film\.mp4|checkpoints/\d{8,12}/(tensors\.safetensors|state\.json|manifest\.json)"
    r"|replay/[a-z0-9_]{1,32}\.[a-z]{1,16}"
)
"""The members that a pack may have. So a pack never decides where a file is written."""
_FOLDER = Path(__file__).parents[2] / "gallery"


@dataclass(frozen=True)
class Card:
    """The card of a pack: what the world is, how it was made, and what an evaluation found."""

    title: str
    """A few words for people: "CoinRun, 20 levels"."""
    game: str
    model: str
    """The kind of the world model."""
    agent: str
    """The kind of the agent."""
    step: int
    """Real environment steps of the checkpoint."""
    command: str
    """The command that trained the run; of a run that began with the model of a pack, the commands of both."""
    commit: str
    """The commit of the source that trained it; empty if there was none."""
    licence: str
    evaluation: Mapping[str, float] = field(default_factory=dict)
    """Metrics of `worldmodels eval`, on the levels that `levels` names."""
    levels: str = "train"
    files: Mapping[str, str] = field(default_factory=dict)
    """The SHA-256 of every other member, by its name."""
    format: int = FORMAT


def write_pack(path: Path | str, folder: Path, card: Card) -> None:
    """Write the files of a run's folder that a pack may hold, with a card, into one file.

    Raises:
        FileError, DiskFullError: the file cannot be written.
        UserError: the pack would be too large.
    """
    files = sorted(file for file in folder.rglob("*") if file.is_file() and not file.name.startswith("."))
    named = {file.relative_to(folder).as_posix(): file.read_bytes() for file in files}
    members = {name: data for name, data in named.items() if _MEMBER.fullmatch(name)}
    card = replace(card, files={name: _sha256(data) for name, data in members.items()})
    archive = io.BytesIO()
    with zipfile.ZipFile(archive, "w", zipfile.ZIP_STORED) as file:
        for name, data in {CARD: json.dumps(to_dict(card), indent=1, allow_nan=False).encode(), **members}.items():
            file.writestr(zipfile.ZipInfo(name), data)  # a fixed date, so that equal worlds are equal bytes
    size = len(archive.getvalue())
    if size > MOST_BYTES:
        raise UserError(f"A pack has at most {MOST_BYTES:,} bytes. That of '{folder}' would have {size:,}.")
    write_atomic(path, archive.getvalue())


def read_card(path: Path | str) -> Card:
    """Return the card of a pack, which a file or `gallery:NAME` names.

    Raises:
        FileError: the file is missing, or it is no pack of this version.
        UserError: there is no such world in the gallery.
    """
    file = _file_of(os.fspath(path))
    return _read(file, _bytes_of(file))[0]


def gallery() -> dict[str, Path]:
    """Return the packs that come with this package, by their names."""
    return {file.stem: file for file in sorted(_FOLDER.glob(f"*{SUFFIX}"))}


def run_folder(path: Path | str) -> Path:
    """Return the folder of a run that a path names: a folder, a pack, or `gallery:NAME`. A pack is unpacked.

    Raises:
        FileError: the pack is damaged, or cannot be unpacked.
        UserError: there is no such world in the gallery.
    """
    return _unpacked(_file_of(os.fspath(path))) if is_pack(path) else Path(path)


def is_pack(path: Path | str) -> bool:
    """Return whether a path names a pack, there or not, or a world of the gallery."""
    given = os.fspath(path)
    return given.startswith(GALLERY) or (given.endswith(SUFFIX) and not Path(given).is_dir())


def _file_of(given: str) -> Path:
    """Return the file of a pack; raise UserError if the gallery has no such world."""
    if not given.startswith(GALLERY):
        return Path(given)
    name, worlds = given.removeprefix(GALLERY), gallery()
    if name not in worlds:
        raise UserError(unknown("gallery world", name, worlds))
    return worlds[name]


def _unpacked(path: Path) -> Path:
    """Return the folder of a pack in the cache, made when it is opened for the first time."""
    data = _bytes_of(path)
    folder = cache_folder() / "worlds" / f"{shortened(path.stem, 40)}-{_sha256(data)[:16]}"
    if not folder.is_dir():
        _write_folder(folder, _read(path, data)[1])
    return folder


def _write_folder(folder: Path, members: Mapping[str, bytes]) -> None:
    """Write files beside a folder and rename that, so that it is whole or absent."""
    make_folder(folder.parent)
    beside = temporary(folder)
    try:
        with os_errors_reported(folder):
            for name, content in members.items():
                (beside / name).parent.mkdir(parents=True, exist_ok=True)
                (beside / name).write_bytes(content)
            try:
                os.rename(beside, folder)
            except OSError:
                if not folder.is_dir():  # otherwise another process was faster
                    raise
    finally:
        remove_one(beside)


def _read(path: Path, data: bytes) -> tuple[Card, dict[str, bytes]]:
    """Return the card and the members of a pack, each compared with its SHA-256; raise FileError for anything else."""
    try:
        members = dict(_members(data))
        card = parse_json(members.pop(CARD, b""), Card, f"'{path}', {CARD}")
    except (zipfile.BadZipFile, ValueError, EOFError, NotImplementedError, struct.error) as error:
        raise FileError(f"'{path}' is not a pack of a world: {shortened(str(error))}.") from error
    if card.format != FORMAT:
        raise FileError(f"The pack '{path}' has format {card.format}, and this version reads format {FORMAT}.")
    if wrong := sorted(card.files.keys() ^ members.keys()):
        raise FileError(f"The pack '{path}' is damaged: '{shortened(wrong[0])}' is not both in it and on its card.")
    for name, content in members.items():
        if _sha256(content) != card.files[name]:
            raise FileError(f"The pack '{path}' is damaged: '{name}' changed since it was made (the SHA-256 differs).")
    return card, members


def _members(data: bytes) -> Iterator[tuple[str, bytes]]:
    """Yield the names and contents of an archive; raise ValueError if a pack has no such archive."""
    seen: set[str] = set()
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        for info in archive.infolist():
            name = shortened(info.filename)
            if info.filename in seen or len(seen) == MOST_MEMBERS:
                raise ValueError(f"'{name}' stands in it twice, or it has more than {MOST_MEMBERS} members")
            if info.filename != CARD and not _MEMBER.fullmatch(info.filename):
                raise ValueError(f"'{name}' is no member of a pack")
            # Compressed members could be any number of times larger.
            if info.compress_type != zipfile.ZIP_STORED or info.file_size != info.compress_size:
                raise ValueError(f"'{name}' is compressed, and members are not")
            seen.add(info.filename)
            yield info.filename, archive.read(info)


def _bytes_of(path: Path) -> bytes:
    if not os.path.lexists(path):
        raise FileError(f"There is no pack '{path}'.")
    with os_errors_reported(path, "read"):
        size = os.stat(path).st_size
    if size > MOST_BYTES:
        raise FileError(f"A pack has at most {MOST_BYTES:,} bytes, and '{path}' has {size:,}.")
    return read_regular(path)


def _sha256(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()
