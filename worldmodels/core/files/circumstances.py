"""The circumstances in which a run begins: the code, the command, the time, and the packages that are installed."""

from __future__ import annotations

import platform
import shlex
import subprocess
import sys
from datetime import datetime, timezone
from importlib import metadata
from pathlib import Path
from typing import Any

from worldmodels.core.errors import DISTRIBUTION

PACKAGES = (
    DISTRIBUTION,
    "numpy",
    "tensorflow",
    "tf-keras",
    "tensorflow-probability",
    "gymnasium",
    "safetensors",
)


def circumstances() -> dict[str, Any]:
    """Return what one wants to know of a run a year later."""
    return {
        "created": datetime.now(timezone.utc).isoformat(timespec="seconds"),
        "command": shlex.join(sys.argv),
        "git": source_commit(),
        "python": platform.python_version(),
        "platform": platform.platform(),
        "packages": {name: _version(name) for name in PACKAGES},
    }


def _version(package: str) -> str | None:
    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        return None


def source_commit(root: Path = Path(__file__).parents[3]) -> str | None:
    """Return the commit of a source tree, with "-dirty" where the package or a preset was changed since.

    None outside of a checkout.
    """
    if not (root / ".git").exists():
        return None

    def git(*words: str) -> str:
        command = ["git", "-C", str(root), *words]
        return subprocess.run(command, capture_output=True, text=True, check=True, timeout=10).stdout.strip()

    try:
        changed = git("status", "--porcelain", "--untracked-files=no", "--", "worldmodels", "configs")
        return git("rev-parse", "HEAD") + ("-dirty" if changed else "")
    except (OSError, subprocess.SubprocessError):
        return None
