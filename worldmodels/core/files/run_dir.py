"""Everything about one run stands in its folder, so that every command takes just a path."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Any

from worldmodels.core.configuration.sections import to_dict
from worldmodels.core.errors import FileError, RunError, nearest, os_errors_reported
from worldmodels.core.files.checkpoint import Checkpoints
from worldmodels.core.files.circumstances import circumstances
from worldmodels.core.files.json_files import read_json
from worldmodels.core.files.packs import run_folder
from worldmodels.core.files.writing import NAME as LOCK
from worldmodels.core.files.writing import (
    check_own,
    is_temporary,
    locked,
    make_folder,
    read_regular,
    remove_one,
    remove_temporary,
    write_atomic,
)
from worldmodels.core.files.yaml_files import to_yaml

FORMAT = 1


@dataclass(frozen=True)
class _Meta:
    """The part of meta.json that is read again; the rest is for people."""

    format: int | None = None
    config_sha256: str | None = None
    """The SHA-256 of config.yaml; None in runs that are older than it."""


class RunDir:
    """The paths inside one run folder; making one touches nothing, see `create` and `open`.

    Attributes:
        config: config.yaml, the resolved configuration.
        meta: meta.json, how the run came about: format version, command, package versions, git hash, time.
        metrics: metrics.jsonl, one line for each record.
        checkpoints, replay, eval, videos: folders, made by those who fill them.
    """

    def __init__(self, path: Path | str) -> None:
        self.path = Path(path)
        self.config = self.path / "config.yaml"
        self.meta = self.path / "meta.json"
        self.metrics = self.path / "metrics.jsonl"
        self.checkpoints = self.path / "checkpoints"
        self.replay = self.path / "replay"
        self.eval = self.path / "eval"
        self.videos = self.path / "videos"
        self._lock = self.path / LOCK
        self._held: tuple[int, int] | None = None
        """The device and the inode of the lock while this process trains in the folder."""

    def __repr__(self) -> str:
        return f"RunDir({str(self.path)!r})"

    @property
    def config_digest(self) -> str:
        """The SHA-256 of the configuration's file."""
        return hashlib.sha256(read_regular(self.config)).hexdigest()

    @property
    def identity(self) -> str:
        """A name of the run that stays when the folder moves."""
        return hashlib.sha256(read_regular(self.meta)).hexdigest()[:16]

    @classmethod
    def create(cls, path: Path | str, config: Any, meta: Mapping[str, Any]) -> RunDir:
        """Create a run with its resolved `config` (a dataclass, or its dict); `meta` is added to what is noted anyway.

        Raises:
            RunError: the folder already holds something; nothing is ever overwritten.
        """
        run = cls(path)
        run.check_free(config)
        run._write(config, meta)
        return run

    @classmethod
    def open(cls, path: Path | str) -> RunDir:
        """Open an existing run; the path may also be that of a pack, or `gallery:NAME` (`core/files/packs.py`).

        Raises:
            RunError: it is missing, damaged or of another format version.
            FileError: a file or folder in it is a link; the run's folder itself may be one.
        """
        run = cls(run_folder(path))
        if not run.exists():
            raise RunError(run.why_missing())
        run._check_own()
        try:
            meta = read_json(run.meta, _Meta, allow_more=True)
        except (FileNotFoundError, FileError) as error:
            raise RunError(f"Run folder '{run.path}' is damaged: {error}") from error
        if meta.format != FORMAT:
            raise RunError(
                f"Run folder '{run.path}' has format {meta.format}; this version of worldmodels expects format "
                f"{FORMAT}. Use the version that meta.json names, or train anew in another folder."
            )
        if not run.config.is_file():
            raise RunError(f"Run folder '{run.path}' is damaged: its configuration '{run.config}' is missing.")
        if meta.config_sha256 not in (None, run.config_digest):
            raise RunError(
                f"The configuration '{run.config}' was changed or damaged since the run was made (its SHA-256 is not "
                f"that in '{run.meta.name}'). A run keeps its configuration: bring the old file back, or train anew in "
                "another folder with this one."
            )
        return run

    def exists(self) -> bool:
        """Return whether the folder holds a run, of whatever version.

        Raises:
            FileError: the path cannot be one, or may not be looked at.
        """
        with os_errors_reported(self.path, "used"):
            return self.meta.is_file()

    @contextmanager
    def training(self, new: Any = None, meta: Mapping[str, Any] = MappingProxyType({})) -> Iterator[None]:
        """Keep the folder for training meanwhile, and remove what killed processes left half written.

        Args:
            new: the configuration of a new run, which is created. If it fails before its first checkpoint, nothing of
                it is left.
            meta: what `meta.json` of a new run tells besides.

        Raises:
            RunError: another process trains in the folder, or a new run finds something there.
        """
        with self.lock():
            self._held = self._lock_there()
            remove_temporary(self.path)
            if new is not None:
                self.check_free(new)
            try:
                if new is not None:
                    self._write(new, meta)
                yield
            except BaseException:
                is_there = self._lock_there() == self._held
                if new is not None and is_there and not Checkpoints(self.checkpoints).steps():
                    self.discard()
                raise

    def check_there(self) -> None:
        """Raise `RunError` if the folder has vanished since `training` began, or another one stands in its place."""
        if self._lock_there() != self._held:
            raise RunError(
                f"Run folder '{self.path}' was removed, moved or replaced while it was trained in, so nothing more "
                "can be saved, and training stopped. Put it back, and the same command continues the run."
            )

    def _lock_there(self) -> tuple[int, int] | None:
        try:
            found = self._lock.stat(follow_symlinks=False)
        except OSError:
            return None
        return found.st_dev, found.st_ino

    @contextmanager
    def lock(self) -> Iterator[None]:
        """Keep other processes from training in this folder meanwhile; they get a `RunError`."""
        with locked(self.path, "training in"):
            yield

    def discard(self) -> None:
        """Remove the folder of a new run that failed before its first checkpoint, with everything in it.

        Until the last moment it is what the same command would go on with: a kill in between loses nothing.
        """
        last = [self.meta, self.config, self._lock]
        for path in [*(path for path in self.path.iterdir() if path not in last), *last]:
            remove_one(path)
        with suppress(OSError):  # it may be a link, or hold what another process has put there since
            self.path.rmdir()

    def check_free(self, *configs: Any) -> Any:
        """Return the one of `configs` with which creating a run was cut off here, or None where nothing is.

        Raises:
            RunError: no new run with one of them can be created. Nothing is left behind.
        """
        if self.exists():
            raise RunError(f"Folder '{self.path}' already holds a run. Choose another one, or continue that run.")
        with os_errors_reported(self.path, "used"):
            self._check_place()
            names_inside = os.listdir(self.path) if self.path.is_dir() else []
        inside = sorted(name for name in names_inside if name != self._lock.name and not is_temporary(name))
        if inside == [self.config.name]:
            found = read_regular(self.config)
            begun = [config for config in configs if config_text(config).encode() == found]
            if begun:
                return begun[0]  # creating this very run was cut off between the two files
        if inside:
            names = ", ".join(inside[:3]) + (", ..." if len(inside) > 3 else "")
            raise RunError(f"Folder '{self.path}' is not empty ({names}) and holds no run. Choose another one.")
        return None

    def _write(self, config: Any, meta: Mapping[str, Any]) -> None:
        """Write the two files that make a run."""
        make_folder(self.path)  # a run's folder as a whole may be a link
        text = config_text(config)
        write_atomic(self.config, text)
        noted = {
            **meta,
            **{"format": FORMAT, **circumstances()},
            "config_sha256": hashlib.sha256(text.encode()).hexdigest(),
        }
        # Last, because its presence is what makes the folder a run.
        write_atomic(self.meta, json.dumps(noted, indent=2, allow_nan=False) + "\n")

    def _check_place(self) -> None:
        """Check that the folder is there and can be written to, or can be made."""
        place = next(path for path in (self.path, *self.path.absolute().parents) if os.path.lexists(path))
        if not place.is_dir():
            what = "a link to nothing" if place.is_symlink() and not place.exists() else "a file"
            raise RunError(f"'{place}' is {what}, and a run needs a folder. Choose another path.")
        if not os.access(place, os.W_OK | os.X_OK):
            raise RunError(f"Nothing can be written in '{place}', and a run needs a folder. Choose another path.")

    def _check_own(self) -> None:
        own = [self.config, self.meta, self.metrics, self.checkpoints, self.replay, self.eval, self.videos, self._lock]
        for path in [*own, *self.path.glob("events.out.tfevents.*")]:
            check_own(path)

    def why_missing(self) -> str:
        """Return why there is no run here, with the names of runs nearby."""
        if self.path.is_dir():
            runs = _runs_in(self.path)
            hint = f" Runs inside it: {', '.join(runs)}." if runs else ""
            return f"Folder '{self.path}' holds no run: there is no meta.json.{hint}"
        runs = _runs_in(self.path.parent)
        guess = nearest(str(self.path), runs)
        hint = f" Did you mean '{guess}'?" if guess else f" Runs beside it: {', '.join(runs)}." if runs else ""
        return f"There is no run folder '{self.path}'.{hint}"


def config_text(config: Any) -> str:
    """Return a configuration, a dataclass or its dict, as it stands in config.yaml."""
    return to_yaml(config if isinstance(config, Mapping) else to_dict(config))


def _runs_in(folder: Path) -> list[str]:
    return sorted(str(meta.parent) for meta in folder.glob("*/meta.json"))
