"""Loads a run from its folder alone: its parts, or its world model as an environment."""

from __future__ import annotations

from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from worldmodels.acting.build import Parts, build_parts
from worldmodels.config.environment import build_env
from worldmodels.config.run_config import RunConfig
from worldmodels.core.configuration.sections import load_config
from worldmodels.core.files.checkpoint import Checkpoints
from worldmodels.core.files.run_dir import RunDir
from worldmodels.envs import VectorEnv
from worldmodels.envs.foreign.given import Given, giving
from worldmodels.imagination.replay_starts import ReplayStarts
from worldmodels.imagination.vector_env import ImaginedVectorEnv
from worldmodels.loading.policy import Policy
from worldmodels.models.hardware import computing_processor
from worldmodels.replay import ReplayReader


@dataclass(frozen=True)
class LoadedRun:
    """A run as its newest checkpoint left it, or as an older one did."""

    run_dir: RunDir
    config: RunConfig
    step: int
    """Real environment steps after which the checkpoint was written."""
    parts: Parts
    given: Given | None = None
    """The environment, where the run was trained with an object or a function."""

    def steps(self) -> list[int]:
        """Return the steps of all checkpoints that the run kept, ascending."""
        return Checkpoints(self.run_dir.checkpoints).steps()

    def make_env(self, num_envs: int = 1, render_mode: str | None = None) -> VectorEnv:
        """Make the run's environment anew, as a vector environment of so many copies; see `make_vec`."""
        with _giving(self.config, self.given):
            return build_env(self.config, num_envs, render_mode)

    def policy(self, num_envs: int = 1, deterministic: bool = False, seed: int = 0) -> Policy:
        """Return the run's policy as something to act with; deterministic: it takes the most probable actions."""
        return Policy(self.parts, num_envs, 0.0 if deterministic else 1.0, seed)

    def at(self, step: int) -> LoadedRun:
        """Return the same parts with the weights of another checkpoint; what was compiled with them stays good.

        Raises CheckpointError where there is none, or a damaged one.
        """
        found, tree = Checkpoints(self.run_dir.checkpoints).read(step)
        self.parts.model.load(tree["model"])
        self.parts.agent.load(tree["agent"])
        return replace(self, step=found)


def load_run(path: str | Path, step: int | None = None, given: Given | None = None) -> LoadedRun:
    """Open a run folder for looking: playing, evaluating, making videos.

    Args:
        path: the run's folder.
        step: of the checkpoint; the newest one by default.
        given: the environment, where the run was trained with an object or a function.

    Raises:
        RunError: the folder is missing or of another version.
        CheckpointError: there is no whole checkpoint, or not the one asked for.
    """
    run_dir = RunDir.open(path)
    config = load_config(RunConfig, [run_dir.config])
    found, tree = Checkpoints(run_dir.checkpoints).read(step)
    if not computing_processor().multiplies_bfloat16:
        config = replace(config, precision="float32")  # to look at what was learned, float32 does as well, and fast
    config = replace(config, devices=1)  # nothing is learned here
    with _giving(config, given):
        env = build_env(config, num_envs=1)
    parts = build_parts(config, env)
    env.close()
    parts.model.load(tree["model"])
    parts.agent.load(tree["agent"])
    return LoadedRun(run_dir, config, found, parts, given)


def giving_env(path: str | Path, env: Given | None) -> AbstractContextManager[None]:
    """Let a run find its environment, within the block, where it was trained with an object or a function.

    Raises:
        UserError: the run's environment is made by its name.
    """
    if env is None:
        return nullcontext()
    return _giving(load_config(RunConfig, [RunDir.open(path).config]), env)


def _giving(config: RunConfig, env: Given | None) -> AbstractContextManager[None]:
    return nullcontext() if env is None else giving(config.env.game, env)


def dream(path: str | Path, step: int | None = None, context: int | None = None, **options: Any) -> ImaginedVectorEnv:
    """Return the world model of a run as a vector environment, whose episodes start where recorded ones continue.

    Args:
        path: the run's folder.
        step: of the checkpoint; the newest one by default.
        context: recorded frames that the model sees before it goes on alone; by default as many as in the run's
            evaluation.
        options: of `ImaginedVectorEnv`: num_envs, horizon, temperature, observe, autoreset_mode, render_mode.

    Raises:
        UserError: no such run, no whole checkpoint, a run without a world model, or too little recorded experience.
    """
    run = load_run(path, step)
    starts = ReplayStarts(ReplayReader(run.run_dir.replay), context or run.config.evaluation.context)
    return ImaginedVectorEnv(run.parts.world_model, starts, **options)
