"""The way from the command line to a training run: parse, check once, build once, run."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path

from worldmodels.core.config import load_config
from worldmodels.core.run_dir import RunDir
from worldmodels.runtime.config import RunConfig
from worldmodels.training.check import check_run
from worldmodels.training.interrupt import Interrupted

DEFAULT_PRESETS = ("dreamer_small",)
"""The configuration of a new run for which none is given."""


def train_command(files: Sequence[str], overrides: Sequence[str], logdir: str) -> int:
    """Train as `worldmodels train` does; the exit status is 0 at the configured end, 130 when interrupted."""
    try:
        launch(parse_config(files, overrides, logdir), logdir)
    except Interrupted as interrupted:
        print(interrupted, file=sys.stderr)
        return 130
    return 0


def parse_config(files: Sequence[str], overrides: Sequence[str], logdir: str | Path) -> RunConfig:
    """Return the configuration from YAML files (or preset names) and `a.b=value` overrides.

    Without files a run that exists continues with its own configuration, and a new one has that of `DEFAULT_PRESETS`.
    """
    if not files:
        exists = RunDir(logdir).exists()
        files = [str(RunDir.open(logdir).config)] if exists else list(DEFAULT_PRESETS)
    return load_config(RunConfig, files, overrides)


def launch(config: RunConfig, logdir: str | Path) -> Path:
    """Train in the folder `logdir` until the configured end, and return the folder; see `training/run.py`."""
    # A mistake in the configuration is told before TensorFlow takes its seconds to load.
    checked = check_run(config, logdir)
    from worldmodels.runtime.quiet import load_tensorflow

    load_tensorflow()
    from worldmodels.training.run import train

    return train(checked)
