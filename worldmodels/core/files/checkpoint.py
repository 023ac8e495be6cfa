"""A checkpoint is a folder that is complete or absent, and checked when it is read; the one before stays in reserve.

checkpoints/00001234/tensors.safetensors   every array
checkpoints/00001234/state.json            everything else
checkpoints/00001234/manifest.json         format version, step, size and SHA-256 of the two
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import shutil
import warnings
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from safetensors import SafetensorError
from safetensors import numpy as safetensors

from worldmodels.core.configuration.values import shown
from worldmodels.core.errors import CheckpointError, FileError, UserError, os_errors_reported, shortened
from worldmodels.core.files.json_files import parse_strict
from worldmodels.core.files.tree import flatten, restore
from worldmodels.core.files.writing import (
    make_own_folder,
    read_regular,
    remove_one,
    sync_folder,
    temporary,
    write_synced,
)

FORMAT = 1
TENSORS, STATE, MANIFEST = "tensors.safetensors", "state.json", "manifest.json"
ATTEMPTS = 100
"""Times that reading starts over at most, each because the run went on meanwhile."""
REPLACED = ".tmp-replaced"
"""The suffix of a checkpoint's name while another one of the same step takes its place."""


class Checkpoints:
    """The checkpoints in one folder go by their steps; one process writes them, and any number may read meanwhile."""

    def __init__(self, folder: Path | str, keep: int = 2) -> None:
        self.folder = Path(folder)
        self.keep = keep

    def steps(self) -> list[int]:
        """Return the steps of which there are checkpoints, ascending; half-written ones do not count."""
        if not self.folder.is_dir():
            return []
        named, there = self._named(), []
        for _ in range(ATTEMPTS):
            there = [step for step in named if self.place(step).is_dir() and not self.place(step).is_symlink()]
            if there or named == (named := self._named()):
                break  # otherwise all were removed after they were listed, and others are there
        return sorted(there)

    def _named(self) -> set[int]:
        """Return the steps of which there is a name in the folder."""
        found = (re.fullmatch(rf"(\d{{8,}})({re.escape(REPLACED)})?", entry.name) for entry in os.scandir(self.folder))
        return {int(match[1]) for match in found if match}

    def write(self, step: int, tree: Mapping[str, Any], passing: int | None = None) -> Path:
        """Write the checkpoint of `step`, in place of one that is there; remove later ones, and old ones but `keep`.

        Later ones are left from a future that was abandoned when the run was taken up again further back. The
        checkpoint of the step `passing` is removed too.

        Raises:
            DiskFullError: the disk is full; every checkpoint is as it was.
            TypeError: a leaf cannot be stored.
        """
        files = _encode(step, tree)
        target = self._plain(step)
        beside = temporary(target)
        try:
            with os_errors_reported(target):
                make_own_folder(self.folder)
                self._remove_leftovers()
                beside.mkdir()
                for name, data in files.items():
                    write_synced(beside / name, data)
                sync_folder(beside)
                if target.exists():
                    os.rename(target, target.with_name(target.name + REPLACED))
                os.rename(beside, target)
                sync_folder(self.folder)
                self._remove_leftovers()
        finally:
            remove_one(beside)
        before = [other for other in self.steps() if other <= step and (other != passing or other == step)]
        for other in set(self.steps()) - set(before[-self.keep :]):
            self._remove(self.place(other))
        return target

    def read(self, step: int | None = None) -> tuple[int, dict[str, Any]]:
        """Return step and tree of the newest checkpoint that is sound, or of `step`.

        A damaged newer one is passed over with a warning that names the file and the damage. One that was removed or
        replaced while it was read is no damage: reading starts over with what is there now.

        Raises:
            CheckpointError: none is left, or the one asked for is missing or damaged.
        """
        for _ in range(ATTEMPTS - 1):
            before = self._folders()
            try:
                return self._read(step, before)
            except _ChangedError:
                continue
        return self._read(step, None)

    def _read(self, step: int | None, before: dict[int, tuple[int, int]] | None) -> tuple[int, dict[str, Any]]:
        """Read as `read` does; raise _ChangedError where that fails and the folder is no more as it was `before`."""
        steps = self.steps()
        if not steps:
            raise CheckpointError(f"There is no checkpoint in '{self.folder}'.")
        if step is not None:
            self.check(step)
        damages: list[str] = []
        for candidate in reversed(steps) if step is None else [step]:
            try:
                tree = _decode(self.place(candidate), candidate)
            except _DamageError as damage:
                if before is not None and self._folders() != before:
                    raise _ChangedError from damage
                damages.append(str(damage))
                continue
            for damage_text in damages:
                warnings.warn(f"{damage_text} Using the checkpoint of step {candidate}.", stacklevel=2)
            return candidate, tree
        raise CheckpointError("No checkpoint can be read.\n" + "\n".join(damages))

    def state(self) -> dict[str, Any]:
        """Return the tree of the newest checkpoint, in which arrays are only named: quick, however large they are.

        Raises:
            CheckpointError: there is none, or it is damaged.
        """
        steps = self.steps()
        if not steps:
            raise CheckpointError(f"There is no checkpoint in '{self.folder}'.")
        folder = self.place(steps[-1])
        try:
            tree = _parse_json(folder / STATE, _read_checked(folder / STATE, _sums(folder, steps[-1])[STATE]))
        except _DamageError as damage:
            raise CheckpointError(str(damage)) from damage
        return dict(tree)

    def check(self, step: int) -> None:
        """Raise `CheckpointError` where there is no checkpoint of `step`."""
        if step not in self.steps():
            there = ", ".join(map(str, self.steps())) or "none"
            raise CheckpointError(f"There is no checkpoint of step {step} in '{self.folder}'. Steps there: {there}.")

    def _folders(self) -> dict[int, tuple[int, int]]:
        """Return what tells each checkpoint's folder from another one of the same step, by step."""
        folders = {}
        for step in self.steps():
            with suppress(FileNotFoundError):
                status = self.place(step).stat()
                folders[step] = (status.st_ino, status.st_mtime_ns)
        return folders

    def _plain(self, step: int) -> Path:
        return self.folder / f"{step:08d}"

    def place(self, step: int) -> Path:
        """Return the folder of a checkpoint; if the process died while it was replaced, that of the replaced one."""
        plain = self._plain(step)
        replaced = plain.with_name(plain.name + REPLACED)
        return replaced if replaced.exists() and not plain.exists() else plain

    def _remove(self, path: Path) -> None:
        """Remove a checkpoint, renamed first: a crash then leaves a leftover, not a checkpoint with files missing."""
        aside = temporary(path)
        os.rename(path, aside)
        shutil.rmtree(aside)

    def _remove_leftovers(self) -> None:
        for leftover in self.folder.glob("*.tmp-*"):
            plain = leftover.name.removesuffix(REPLACED)
            if plain != leftover.name and not (self.folder / plain).exists():
                os.rename(leftover, self.folder / plain)  # the process died in between
            else:
                remove_one(leftover)


@contextmanager
def fitting(owner: str) -> Iterator[None]:
    """Report whatever a part raises at a saved value that it never writes: a checksum finds damage, not a forgery.

    Args:
        owner: of the state that is loaded inside the block, for the error.

    Raises:
        CheckpointError: the state is none of this owner's.
    """
    try:
        yield
    except (UserError, OSError, MemoryError):
        raise
    except Exception as error:
        why = shortened(f"{type(error).__name__}: {error}")
        raise CheckpointError(
            f"The checkpoint does not fit {owner}: a value in it is missing, or none that is ever saved there ({why}). "
            "Another version wrote it, or it was changed since. Continue from another one with --checkpoint STEP."
        ) from error


class _ChangedError(Exception):
    """A checkpoint was removed or replaced while it was read."""


class _DamageError(Exception):
    """An error that says which file of a checkpoint is damaged, and how."""

    def __init__(self, path: Path, why: str) -> None:
        super().__init__(f"Checkpoint file '{path}' is damaged: {why}.")


def _encode(step: int, tree: Mapping[str, Any]) -> dict[str, bytes]:
    """Return the files of a checkpoint by name."""
    state, tensors = flatten(tree)
    files = {TENSORS: safetensors.save(tensors), STATE: json.dumps(state, indent=1).encode()}
    sums = {name: {"bytes": len(data), "sha256": _sha256(data)} for name, data in files.items()}
    manifest = {"format": FORMAT, "step": step, "files": sums}
    return {**files, MANIFEST: json.dumps(manifest, indent=1, allow_nan=False).encode()}


def _decode(folder: Path, step: int) -> dict[str, Any]:
    sums = _sums(folder, step)
    tensors_data, state_data = (_read_checked(folder / name, sums[name]) for name in (TENSORS, STATE))
    try:
        tree = restore(_parse_json(folder / STATE, state_data), safetensors.load(tensors_data))
    except (SafetensorError, KeyError, TypeError, ValueError) as error:
        raise _DamageError(
            folder / TENSORS, f"it does not hold the tensors of {STATE} ({shortened(str(error))})"
        ) from error
    if not isinstance(tree, dict):
        raise _DamageError(folder / STATE, "it holds no tree")
    return tree


def _sums(folder: Path, step: int) -> dict[str, Any]:
    """Return the size and the SHA-256 that a checkpoint's files must have, by their names."""
    manifest_path = folder / MANIFEST
    manifest = _parse_json(manifest_path, _read(manifest_path))
    if not isinstance(manifest, dict) or "format" not in manifest:
        raise _DamageError(manifest_path, "it has no format version")
    if manifest["format"] != FORMAT:
        raise _DamageError(
            manifest_path, f"it has format {shown(manifest['format'])}, and this version reads format {FORMAT}"
        )
    if manifest.get("step") != step:
        raise _DamageError(manifest_path, f"it is of step {shown(manifest.get('step'))}, in a folder of step {step}")
    sums = manifest.get("files")
    # The names are ours and fixed: a manifest never decides which paths are opened.
    if not isinstance(sums, dict) or set(sums) != {TENSORS, STATE}:
        raise _DamageError(manifest_path, f"it does not list exactly {TENSORS} and {STATE}")
    return sums


def _read_checked(path: Path, expected: Any) -> bytes:
    data = _read(path)
    if not isinstance(expected, dict) or len(data) != expected.get("bytes"):
        size = shown(expected.get("bytes")) if isinstance(expected, dict) else "an unknown number of"
        raise _DamageError(path, f"it has {len(data)} bytes, and the manifest says {size}")
    if _sha256(data) != expected.get("sha256"):
        raise _DamageError(path, "its content changed since it was written (the SHA-256 differs)")
    return data


def _read(path: Path) -> bytes:
    try:
        return read_regular(path)
    except FileNotFoundError as error:
        raise _DamageError(path, f"it cannot be read ({error.strerror})") from error
    except FileError as error:
        raise _DamageError(path, f"it is not a regular file, or cannot be read ({error})") from error


def _parse_json(path: Path, data: bytes) -> Any:
    try:
        return parse_strict(data, "it", non_finite=True)
    except FileError as error:
        raise _DamageError(path, str(error).rstrip(".")) from error


def _sha256(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()
