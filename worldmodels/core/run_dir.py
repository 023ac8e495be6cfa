"""Everything about one run stands in its folder, so that every command takes just a path."""

from __future__ import annotations

import fcntl
import json
import os
import platform
import shlex
import shutil
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from datetime import datetime, timezone
from importlib import metadata
from pathlib import Path
from typing import Any, TextIO

from worldmodels.core.config import to_dict
from worldmodels.core.errors import RunError, disk_full_reported
from worldmodels.core.files import write_atomic
from worldmodels.core.lookup import nearest
from worldmodels.core.yaml_text import to_yaml

FORMAT = 1
PACKAGES = ("worldmodels", "numpy", "tensorflow", "tf-keras", "tensorflow-probability", "gymnasium", "safetensors")


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

    @classmethod
    def create(cls, path: Path | str, config: Any, meta: Mapping[str, Any]) -> RunDir:
        """Create a run with its resolved `config` (a dataclass, or its dict); `meta` is added to what is noted anyway.

        Raises:
            RunError: the folder already holds something; nothing is ever overwritten.
        """
        run = cls(path)
        run.check_free(config)
        with disk_full_reported(run.path):
            run.path.mkdir(parents=True, exist_ok=True)
        write_atomic(run.config, _config_text(config))
        # Last, because its presence is what makes the folder a run.
        write_atomic(run.meta, json.dumps({**meta, **_circumstances()}, indent=2, allow_nan=False) + "\n")
        return run

    @classmethod
    def open(cls, path: Path | str) -> RunDir:
        """Open an existing run.

        Raises:
            RunError: it is missing, damaged or of another format version.
        """
        run = cls(path)
        if not run.exists():
            raise RunError(run._why_missing())
        try:
            found = json.loads(run.meta.read_text()).get("format")
        except (OSError, ValueError, AttributeError) as error:
            raise RunError(f"Run folder '{run.path}': '{run.meta}' is damaged ({error}).") from error
        if found != FORMAT:
            raise RunError(
                f"Run folder '{run.path}' has format {found}; this version of worldmodels expects format {FORMAT}. "
                "Use the version that meta.json names, or train anew in another folder."
            )
        if not run.config.is_file():
            raise RunError(f"Run folder '{run.path}' is damaged: its configuration '{run.config}' is missing.")
        return run

    def exists(self) -> bool:
        """Return whether the folder holds a run, of whatever version."""
        return self.meta.is_file()

    @contextmanager
    def lock(self) -> Iterator[None]:
        """Keep other processes from training in this folder meanwhile; they get a `RunError`."""
        with open(self.path / ".lock", "a+") as file:
            self._acquire(file)
            yield

    def _acquire(self, file: TextIO) -> None:
        try:
            # The kernel drops the lock when its holder dies, however it dies; the number inside is for people.
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            file.seek(0)
            holder = file.read().strip() or "unknown"
            raise RunError(
                f"Another process (number {holder}) is training in '{self.path}'. Wait for it, stop it, or choose "
                "another folder."
            ) from error
        with disk_full_reported(self.path):
            file.truncate(0)
            file.write(str(os.getpid()))
            file.flush()

    def discard(self) -> None:
        """Remove the folder of a new run that failed before its first checkpoint, with everything in it."""
        shutil.rmtree(self.path, ignore_errors=True)

    def check_free(self, config: Any) -> None:
        """Raise `RunError` where a new run with this `config` cannot be created; leave nothing behind."""
        if self.exists():
            raise RunError(f"Folder '{self.path}' already holds a run. Choose another one, or continue that run.")
        if self.path.exists() and not self.path.is_dir():
            raise RunError(f"'{self.path}' is a file, and a run needs a folder. Choose another path.")
        inside = sorted(os.listdir(self.path)) if self.path.is_dir() else []
        if inside == [self.config.name] and self.config.read_bytes() == _config_text(config).encode():
            return  # creating this very run was cut off between the two files
        if inside:
            names = ", ".join(inside[:3]) + (", ..." if len(inside) > 3 else "")
            raise RunError(f"Folder '{self.path}' is not empty ({names}) and holds no run. Choose another one.")

    def _why_missing(self) -> str:
        if self.path.is_dir():
            runs = _runs_in(self.path)
            hint = f" Runs inside it: {', '.join(runs)}." if runs else ""
            return f"Folder '{self.path}' holds no run: there is no meta.json.{hint}"
        runs = _runs_in(self.path.parent)
        guess = nearest(str(self.path), runs)
        hint = f" Did you mean '{guess}'?" if guess else f" Runs beside it: {', '.join(runs)}." if runs else ""
        return f"There is no run folder '{self.path}'.{hint}"


def _config_text(config: Any) -> str:
    return to_yaml(config if isinstance(config, Mapping) else to_dict(config))


def _runs_in(folder: Path) -> list[str]:
    return sorted(str(meta.parent) for meta in folder.glob("*/meta.json"))


def _circumstances() -> dict[str, Any]:
    """Return what one wants to know of a run a year later."""
    return {
        "format": FORMAT,
        "created": datetime.now(timezone.utc).isoformat(timespec="seconds"),
        "command": shlex.join(sys.argv),
        "git": _git_hash(),
        "python": platform.python_version(),
        "platform": platform.platform(),
        "packages": {name: _version(name) for name in PACKAGES},
    }


def _version(package: str) -> str | None:
    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        return None


def _git_hash() -> str | None:
    """Return the commit of this source tree, with "-dirty" where it was changed since; None outside of a checkout."""
    root = Path(__file__).parents[2]
    if not (root / ".git").exists():
        return None
    command = ["git", "-C", str(root), "describe", "--always", "--dirty", "--abbrev=40", "--exclude=*"]
    try:
        return subprocess.run(command, capture_output=True, text=True, check=True, timeout=10).stdout.strip()
    except (OSError, subprocess.SubprocessError):
        return None
