"""From what a person typed to a training run."""

from __future__ import annotations

import platform
import subprocess
import sys
from collections.abc import Sequence
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from worldmodels.core.config import load_config
from worldmodels.core.run_dir import RunDir
from worldmodels.runtime.config import RunConfig

_RECORDED_PACKAGES = ("worldmodels", "tensorflow", "keras", "tensorflow-probability", "numpy", "gymnasium")


def train_from_files(files: Sequence[str], overrides: Sequence[str], logdir: str, command: Sequence[str]) -> int:
    """Train from YAML files (or preset names) and `a.b=value` overrides in the folder `logdir`.

    Without files, a run that exists continues with its own configuration. Returns the exit status: 0 at the
    configured end, 130 when interrupted.
    """
    if not files and RunDir(logdir).exists():
        files = [str(RunDir.open(logdir).config)]
    # A mistake in the configuration is told before TensorFlow takes its seconds to load.
    config = load_config(RunConfig, files, overrides)
    from worldmodels.training.run import Interrupted, train

    try:
        train(config, logdir, _meta(command))
    except Interrupted as interrupted:
        print(interrupted, file=sys.stderr)
        return 130
    return 0


def _meta(command: Sequence[str]) -> dict[str, Any]:
    return {
        "command": list(command),
        "python": platform.python_version(),
        "packages": {name: _version(name) for name in _RECORDED_PACKAGES},
        "git": _git_hash(),
    }


def _version(package: str) -> str | None:
    try:
        return version(package)
    except PackageNotFoundError:
        return None


def _git_hash() -> str | None:
    folder = Path(__file__).parent
    try:
        found = subprocess.run(["git", "rev-parse", "HEAD"], cwd=folder, capture_output=True, text=True, check=True)
    except (OSError, subprocess.CalledProcessError):
        return None
    return found.stdout.strip()
