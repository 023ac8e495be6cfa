"""Experiments with world models: native games, learned worlds, agents that dream, and a player to look at them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from worldmodels.envs.registration import register

__version__ = "0.1.0"
__all__ = ["__version__", "train"]

# Gymnasium looks for no entry points: importing the package is what makes gymnasium.make know the games.
register()


def train(
    env: str,
    config: str | Sequence[str] = "dreamer_small",
    overrides: Mapping[str, Any] | None = None,
    logdir: str | Path | None = None,
) -> Path:
    """Train a world model of an environment and a policy inside it; calling it again continues the run.

    Args:
        env: a native game (`"maze"` or `"worldmodels/Maze-v0"`), a mixture of them (`"coinrun,maze"`), or the id of any
            Gymnasium environment with image observations and discrete actions.
        config: YAML files or preset names, later ones win.
        overrides: dotted configuration keys and their values, for example `{"seed": 3, "training.steps": 50_000}`.
        logdir: the run's folder; `runs/<env>` by default.

    Returns:
        The run's folder.
    """
    import json

    from worldmodels.core.config import load_config
    from worldmodels.runtime.config import RunConfig
    from worldmodels.training.run import train as train_run

    files = [config] if isinstance(config, str) else list(config)
    values = {"env.game": env, **(overrides or {})}
    run_config = load_config(RunConfig, files, [f"{key}={json.dumps(value)}" for key, value in values.items()])
    return train_run(run_config, Path(logdir or f"runs/{env.replace('/', '_')}"))
