from __future__ import annotations

import hashlib
import io
import json
import zipfile
from collections.abc import Mapping
from pathlib import Path

import pytest
from mutations import mutated_bytes, survivors

from worldmodels.core.errors import FileError, UserError
from worldmodels.core.files import packs
from worldmodels.core.files.packs import Card, read_card, run_folder, write_pack

CARD = Card("CoinRun, 20 levels", "coinrun", "flow", "ppo", 80_000, "worldmodels train", "abc", "MIT", {"eval/x": 0.5})
FILES = {
    "config.yaml": b"seed: 1\n",
    "meta.json": b"{}",
    "checkpoints/00080000/tensors.safetensors": b"weights",
    "replay/store.json": b"{}",
}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with the files of a pack, and others."""
    for name, data in {**FILES, "metrics.jsonl": b"{}", "eval/step_1.json": b"{}", ".lock": b"7"}.items():
        (tmp_path / "run" / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "run" / name).write_bytes(data)
    return tmp_path / "run"


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    return tmp_path / "cache" / "worldmodels" / "worlds"


def pack(members: Mapping[str, bytes], **more: object) -> bytes:
    """The bytes of a pack with any members, whose card fits them but for `more`."""
    files = {name: hashlib.sha256(data).hexdigest() for name, data in members.items()}
    card = {"title": "t", "game": "maze", "model": "rssm", "agent": "ppo", "step": 1, "command": "", "commit": ""}
    tree = {**card, "licence": "MIT", "files": files, **more}
    archive = io.BytesIO()
    with zipfile.ZipFile(archive, "w") as file:
        for name, data in {"pack.json": json.dumps(tree).encode(), **members}.items():
            file.writestr(name, data)
    return archive.getvalue()


def test_a_pack_comes_back_as_a_folder(folder: Path, tmp_path: Path, cache: Path) -> None:
    write_pack(tmp_path / "coin.world", folder, CARD)
    card = read_card(tmp_path / "coin.world")
    assert (card.title, card.step, card.evaluation) == ("CoinRun, 20 levels", 80_000, {"eval/x": 0.5})
    assert set(card.files) == set(FILES)
    unpacked = run_folder(tmp_path / "coin.world")
    assert unpacked.parent == cache and unpacked.name.startswith("coin-")
    found = {file.relative_to(unpacked).as_posix(): file.read_bytes() for file in unpacked.rglob("*") if file.is_file()}
    assert found == FILES
    (unpacked / "eval").mkdir()  # where a command keeps its results
    assert run_folder(tmp_path / "coin.world") == unpacked
    assert [path.name for path in cache.iterdir()] == [unpacked.name]


def test_equal_worlds_are_equal_bytes(folder: Path, tmp_path: Path) -> None:
    write_pack(tmp_path / "a.world", folder, CARD)
    write_pack(tmp_path / "b.world", folder, CARD)
    assert (tmp_path / "a.world").read_bytes() == (tmp_path / "b.world").read_bytes()


def test_a_folder_is_itself(tmp_path: Path) -> None:
    assert run_folder(tmp_path) == tmp_path
    assert run_folder("runs/a") == Path("runs/a")


def test_the_gallery(folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(packs, "_FOLDER", tmp_path)
    write_pack(tmp_path / "coinrun.world", folder, CARD)
    assert packs.gallery() == {"coinrun": tmp_path / "coinrun.world"}
    assert (run_folder("gallery:coinrun") / "config.yaml").read_bytes() == b"seed: 1\n"
    with pytest.raises(UserError, match=r"Unknown gallery world 'coinrum'\. Did you mean 'coinrun'\?"):
        run_folder("gallery:coinrum")


@pytest.mark.parametrize(
    ("data", "why"),
    [
        (b"", "is not a pack of a world"),
        (b"PK" * 50, "is not a pack of a world"),
        (pack({"../config.yaml": b""}), "'../config.yaml' is no member of a pack"),
        (pack({"checkpoints/00000001/../../x": b""}), "is no member of a pack"),
        (pack({"evil.py": b""}), "'evil.py' is no member of a pack"),
        (pack({"config.yaml": b"a"}, files={"config.yaml": "0" * 64}), r"'config\.yaml' changed since it was made"),
        (pack({"config.yaml": b"a"}, files={}), r"'config\.yaml' is not both in it and on its card"),
        (pack({}, files={"config.yaml": "0" * 64}), r"'config\.yaml' is not both in it and on its card"),
        (pack({}, format=2), "has format 2, and this version reads format 1"),
        (pack({}, step="many"), "step"),
        (pack({f"replay/{i}.bin": b"" for i in range(70)}), "more than 64 members"),
    ],
)
def test_what_is_no_pack_is_refused(tmp_path: Path, cache: Path, data: bytes, why: str) -> None:
    (tmp_path / "a.world").write_bytes(data)
    with pytest.raises(FileError, match=why):
        run_folder(tmp_path / "a.world")
    assert not cache.exists() or not list(cache.iterdir())


def test_compressed_members_are_refused(tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "a.world", "w", zipfile.ZIP_DEFLATED) as file:
        file.writestr("config.yaml", b"\0" * 10**7)
    with pytest.raises(FileError, match=r"'config\.yaml' is compressed, and members are not"):
        run_folder(tmp_path / "a.world")


def test_the_largest_pack(folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_pack(tmp_path / "a.world", folder, CARD)
    monkeypatch.setattr(packs, "MOST_BYTES", 100)
    with pytest.raises(FileError, match="A pack has at most 100 bytes"):
        run_folder(tmp_path / "a.world")
    with pytest.raises(UserError, match="A pack has at most 100 bytes"):
        write_pack(tmp_path / "b.world", folder, CARD)
    assert not (tmp_path / "b.world").exists()


def test_a_missing_pack(tmp_path: Path) -> None:
    with pytest.raises(FileError, match="There is no pack"):
        run_folder(tmp_path / "a.world")


def test_mutated_packs(folder: Path, tmp_path: Path, cache: Path) -> None:
    """A changed byte is found, or it changes nothing."""
    write_pack(tmp_path / "a.world", folder, CARD)
    whole = (tmp_path / "a.world").read_bytes()

    def read(data: bytes) -> None:
        (tmp_path / "b.world").write_bytes(data)
        unpacked = run_folder(tmp_path / "b.world")
        assert {name: (unpacked / name).read_bytes() for name in FILES} == FILES

    assert survivors(mutated_bytes(whole, 300, 5), read, FileError) < 150
