"""From what a person typed to a training run."""

from __future__ import annotations

import sys
from collections.abc import Sequence

from worldmodels.core.config import load_config
from worldmodels.core.run_dir import RunDir
from worldmodels.runtime.checks import check_config
from worldmodels.runtime.config import RunConfig
from worldmodels.training.sources import check_sources


def train_from_files(files: Sequence[str], overrides: Sequence[str], logdir: str) -> int:
    """Train from YAML files (or preset names) and `a.b=value` overrides in the folder `logdir`.

    Without files, a run that exists continues with its own configuration. Returns the exit status: 0 at the
    configured end, 130 when interrupted.
    """
    if not files and RunDir(logdir).exists():
        files = [str(RunDir.open(logdir).config)]
    # A mistake in the configuration is told before TensorFlow takes its seconds to load.
    config = load_config(RunConfig, files, overrides)
    check_config(config)
    if not RunDir(logdir).exists():
        check_sources(config)
    from worldmodels.runtime.quiet import load_tensorflow

    load_tensorflow()
    from worldmodels.training.run import Interrupted, train

    try:
        train(config, logdir)
    except Interrupted as interrupted:
        print(interrupted, file=sys.stderr)
        return 130
    return 0
