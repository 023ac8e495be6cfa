"""Experiments with world models: native games, learned worlds, agents that dream, and a player to look at them."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from worldmodels.envs.registration import register

if TYPE_CHECKING:
    from worldmodels.imagination.vector_env import ImaginedVectorEnv

__version__ = "0.1.0"
__all__ = ["__version__", "dream", "train"]

# On processors without AVX-512 TensorFlow leaves oneDNN off. There too it multiplies large matrices a quarter faster,
# at the price of slower single steps, and repeats bit for bit. It is read when TensorFlow is imported, later than here.
os.environ.setdefault("TF_ENABLE_ONEDNN_OPTS", "1")

# Gymnasium looks for no entry points: importing the package is what makes gymnasium.make know the games.
register()


def train(
    env: str,
    config: str | Sequence[str] = (),
    overrides: Mapping[str, Any] | None = None,
    logdir: str | Path | None = None,
) -> Path:
    """Train a world model of an environment and a policy inside it; calling it again continues the run.

    Args:
        env: a native game (`"maze"` or `"worldmodels/Maze-v0"`), a mixture of them (`"coinrun,maze"`), or the id of any
            Gymnasium environment with image observations and discrete actions.
        config: YAML files or preset names, later ones win; by default `dreamer_small`, or a run's own configuration.
        overrides: dotted configuration keys and their values, for example `{"seed": 3, "training.steps": 50_000}`.
        logdir: the run's folder; `runs/<env>` by default.

    Returns:
        The run's folder.
    """
    import json

    from worldmodels.training.launch import launch, parse_config

    files = [config] if isinstance(config, str) else list(config)
    values = {"env.game": env, **(overrides or {})}
    folder = Path(logdir or f"runs/{env.replace('/', '_')}")
    return launch(parse_config(files, [f"{key}={json.dumps(value)}" for key, value in values.items()], folder), folder)


def dream(run: str | Path, num_envs: int = 16, horizon: int = 50, **how: Any) -> ImaginedVectorEnv:
    """The learned world of a run as a Gymnasium vector environment, in which any agent can act and learn.

    Args:
        run: its folder. Episodes begin at moments that it recorded.
        num_envs: episodes side by side.
        horizon: steps after which an episode is truncated.
        how: temperature, observe ("frames" or "features"), autoreset_mode, render_mode, as in `ImaginedVectorEnv`; and
            step (of the checkpoint) and context (recorded frames seen before each episode).
    """
    from worldmodels.runtime.quiet import load_tensorflow

    load_tensorflow()
    from worldmodels.runtime.imagined import dream as dream_run

    return dream_run(run, num_envs=num_envs, horizon=horizon, **how)
