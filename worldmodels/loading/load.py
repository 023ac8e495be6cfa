"""Loads a run from its folder: its parts, its policy, or its world model as an environment."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import AbstractContextManager, closing, nullcontext
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from worldmodels.acting.actor import ModelActor
from worldmodels.acting.build import Parts, build_parts
from worldmodels.config.environment import build_env
from worldmodels.config.run_config import RunConfig, open_config
from worldmodels.core.errors import UserError
from worldmodels.core.files.checkpoint import Checkpoints, fitting
from worldmodels.core.files.json_files import parse_strict
from worldmodels.core.files.run_dir import RunDir
from worldmodels.core.files.writing import read_regular
from worldmodels.core.seeding import Streams
from worldmodels.core.specs import Observation
from worldmodels.envs import VectorEnv
from worldmodels.envs.foreign.given import Given, giving
from worldmodels.imagination.replay_starts import ReplayStarts
from worldmodels.imagination.vector_env import ImaginedVectorEnv
from worldmodels.loading.export import Format, check_format, export
from worldmodels.loading.exported import What
from worldmodels.models.devices import computing_processor
from worldmodels.models.precision import Precision
from worldmodels.replay import ReplayReader


class Policy:
    """Chooses actions for N environments by the model and the agent of a run, with a memory of the episode.

        run = worldmodels.load("runs/pendulum")
        env, policy = run.make_env(), run.policy(deterministic=True)
        observation, _ = env.reset(seed=0)
        is_first, ended = np.ones(1, bool), np.zeros(1, bool)
        for _ in range(1000):
            observation, reward, terminated, truncated, _ = env.step(policy(observation, is_first))
            is_first, ended = ended, terminated | truncated  # the step after an episode's last one begins the next

    Args:
        parts: the parts of the run.
        num_envs: N.
        temperature: of the policy's samples; 0 takes the most probable action.
        seed: the seed of the samples.
    """

    def __init__(self, parts: Parts, num_envs: int, temperature: float, seed: int):
        self._spec, self._num_envs = parts.model.spec.observation, num_envs
        self._actor = ModelActor(parts.model, parts.agent, num_envs, Streams(seed).key("policy"), temperature)

    def __call__(self, observation: Observation, is_first: npt.NDArray[np.bool_]) -> npt.NDArray[np.generic]:
        """Return an action for each environment.

        Args:
            observation: leading N, as a vector environment of `make_env` returns it.
            is_first: bool (N,), whether each environment begins an episode.

        Raises:
            UserError: the observation is of another shape or type.
        """
        for name, part in self._spec.parts:
            values = np.asarray(observation[name] if isinstance(observation, dict) else observation)
            if values.shape != (self._num_envs, *part.shape) or not np.can_cast(values.dtype, part.dtype, "same_kind"):
                what = f"the part '{name}' of an observation" if name else "an observation"
                raise UserError(
                    f"The policy takes {what} as {part.dtype} {(self._num_envs, *part.shape)}, images from 0 to 255. "
                    f"Received {values.dtype} {values.shape}."
                )
        return self._actor.act(observation, is_first).action


@dataclass(frozen=True)
class LoadedRun:
    """A run at its newest checkpoint, or at an older one."""

    run_dir: RunDir
    config: RunConfig = field(repr=False)
    step: int
    """Real environment steps after which the checkpoint was written."""
    parts: Parts = field(repr=False)
    given: Given | None = field(default=None, repr=False)
    """The environment, if the run was trained with an object or a function."""

    def steps(self) -> list[int]:
        """Return the steps of all checkpoints that the run kept, ascending."""
        return Checkpoints(self.run_dir.checkpoints).steps()

    def make_env(self, num_envs: int = 1, render_mode: str | None = None) -> VectorEnv:
        """Make a vector environment with `num_envs` copies of the run's environment; see `make_vec`."""
        with _giving(self.config, self.given):
            return build_env(self.config, num_envs, render_mode)

    def policy(self, num_envs: int = 1, deterministic: bool = False, seed: int = 0) -> Policy:
        """Return the run's policy; if `deterministic`, it takes the most probable actions."""
        return Policy(self.parts, num_envs, 0.0 if deterministic else 1.0, seed)

    def export(
        self, out: str | Path, what: What = "policy", format: Format = "savedmodel", num_envs: int = 1
    ) -> dict[str, Any]:
        """Export the policy, the world model or both into a new folder, and return what its `export.json` says.

        The export is compared with the run in the run's environment, and kept only if both give the same.

        Args:
            out: the folder, which must not be there yet.
            what: "policy" (an observation gives an action), "model" (a state and an action give the next state), or
                "both" (those of the model, and a state gives the policy's action).
            format: "savedmodel" (for TensorFlow) or "onnx" (needs the extra `onnx`).
            num_envs: environments side by side in one call of the export.

        Raises:
            UserError: a package is missing, the run has no world model, or the export differs from the run.
        """
        check_format(format)
        parts = self.parts
        if self.config.precision == "bfloat16":  # other programs compute in float32
            parts = load_run(self.run_dir.path, self.step, self.given, "float32").parts
        meta = parse_strict(read_regular(self.run_dir.meta), f"'{self.run_dir.meta}'")
        about = {
            "run": self.run_dir.path.name,
            "game": self.config.env.game,
            "steps": self.step,
            "commit": meta.get("git"),
        }
        with closing(self.make_env(num_envs)) as env:
            return export(parts, env, out, what, format, about)

    def at(self, step: int) -> LoadedRun:
        """Load the weights of another checkpoint into the same parts; compiled functions stay valid.

        Raises CheckpointError if the checkpoint is missing or damaged.
        """
        found, tree = Checkpoints(self.run_dir.checkpoints).read(step)
        _load_parts(self.parts, tree)
        return replace(self, step=found)


def load_run(
    path: str | Path, step: int | None = None, given: Given | None = None, precision: Precision | None = None
) -> LoadedRun:
    """Open a run's folder to play, evaluate or film it.

    Args:
        path: the run's folder.
        step: the step of the checkpoint; by default the newest one.
        given: the environment, if the run was trained with an object or a function.
        precision: of the parts; None takes the run's own where the processor has it.

    Raises:
        RunError: the folder is missing or of another version.
        CheckpointError: the checkpoint is missing or damaged.
    """
    run_dir = RunDir.open(path)
    config = open_config(run_dir)
    found, tree = Checkpoints(run_dir.checkpoints).read(step)
    if precision is None and not computing_processor().multiplies_bfloat16:
        precision = "float32"  # plays as well, and faster
    config = replace(config, precision=precision or config.precision)
    config = replace(config, devices=1)  # nothing is learned here
    with _giving(config, given):
        env = build_env(config, num_envs=1)
    parts = build_parts(config, env)
    env.close()
    _load_parts(parts, tree)
    return LoadedRun(run_dir, config, found, parts, given)


def _load_parts(parts: Parts, tree: Mapping[str, Any]) -> None:
    with fitting("this run"):
        parts.model.load(tree["model"])
        parts.agent.load(tree["agent"])


def giving_env(path: str | Path, env: Given | None) -> AbstractContextManager[None]:
    """Give a run its environment within the block, if it was trained with an object or a function.

    Raises:
        UserError: the run's environment is made by its name.
    """
    if env is None:
        return nullcontext()
    return _giving(open_config(RunDir.open(path)), env)


def _giving(config: RunConfig, env: Given | None) -> AbstractContextManager[None]:
    return nullcontext() if env is None else giving(config.env.game, env)


def dream(path: str | Path, step: int | None = None, context: int | None = None, **options: Any) -> ImaginedVectorEnv:
    """Return the world model of a run as a vector environment, whose episodes start from recorded ones.

    Args:
        path: the run's folder.
        step: the step of the checkpoint; by default the newest one.
        context: the number of recorded frames that the model observes first; by default that of the run's evaluation.
        options: of `ImaginedVectorEnv`: num_envs, horizon, temperature, observe, autoreset_mode, render_mode.

    Raises:
        UserError: the run, its checkpoint or its world model is missing, or there is too little experience.
    """
    run = load_run(path, step)
    world_model = run.parts.world_model  # before the experience, which other runs do not keep
    starts = ReplayStarts(ReplayReader(run.run_dir.replay), context or run.config.evaluation.context)
    return ImaginedVectorEnv(world_model, starts, **options)
