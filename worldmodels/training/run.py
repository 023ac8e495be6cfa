"""A training run: a folder, a loop, and what is recorded of it. The same command again continues where it stopped."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

from worldmodels.core.checkpoint import Checkpoints
from worldmodels.core.config import load_config, to_dict
from worldmodels.core.errors import ConfigError, RunError
from worldmodels.core.run_dir import RunDir
from worldmodels.core.schedules import Every
from worldmodels.replay import Replay
from worldmodels.runtime.build import build_parts
from worldmodels.runtime.config import ModelFreeConfig, RunConfig
from worldmodels.runtime.environment import build_env, check_config
from worldmodels.telemetry.logger import Logger
from worldmodels.telemetry.sinks import JSONLSink, TensorBoardSink
from worldmodels.telemetry.terminal import Progress
from worldmodels.training.interrupt import Interruption
from worldmodels.training.model_based import ModelBasedLoop
from worldmodels.training.periodic import PeriodicEvaluation
from worldmodels.training.speed import Speed


class Interrupted(Exception):
    """The run was asked to stop, and can go on from the checkpoint that it wrote."""


def train(config: RunConfig, path: str | Path) -> Path:
    """Train in the run folder `path`, from the start or from its newest checkpoint, until the configured end.

    Raises:
        RunError: the folder holds a run of another configuration, or another process trains in it.
        Interrupted: on Ctrl-C or termination, after a checkpoint.
        NonFiniteError: a loss is not a number; the last checkpoint is from before.
    """
    check_config(config)
    run_dir = _open_or_create(config, Path(path))
    with ExitStack() as stack:
        stack.enter_context(run_dir.lock())
        interruption = stack.enter_context(Interruption())
        progress = stack.enter_context(Progress(config.training.steps, f"{config.env.game} · {run_dir.path}"))
        logger = stack.enter_context(_logger(run_dir))
        session = TrainingSession(config, run_dir, logger, progress)
        session.resume()
        session.run(interruption)
    return run_dir.path


class TrainingSession:
    """One process's share of a run: the loop, and the schedules that hang on it."""

    def __init__(self, config: RunConfig, run_dir: RunDir, logger: Logger, progress: Progress):
        self._config, self._run_dir, self._logger, self._progress = config, run_dir, logger, progress
        training = config.training
        progress.message(f"Building the world model and the policy ({config.model.kind}, {config.agent.kind})")
        env = build_env(config)
        parts = build_parts(config, env)
        replay = Replay(
            run_dir.replay,
            env.num_envs,
            parts.model.spec.observation_shape,
            config.replay,
            expected_steps=training.steps,
            checkpoints=training.keep_checkpoints,
        )
        progress.message(f"Experience will take {replay.predicted_bytes() / 1e6:,.0f} MB of disk")
        if isinstance(training, ModelFreeConfig):
            raise ConfigError("Learning without a model is not there yet.")
        self._loop = ModelBasedLoop(parts, training, env, replay)
        self._checkpoints = Checkpoints(run_dir.checkpoints, training.keep_checkpoints)
        self._evaluation = PeriodicEvaluation(parts, run_dir)
        self._speed = Speed()
        self._schedules = {
            "log": Every(training.log_every),
            "evaluate": Every(training.evaluate_every),
            "checkpoint": Every(training.checkpoint_every),
        }

    def resume(self) -> None:
        """Continue from the newest whole checkpoint; a new run starts with one of step 0."""
        if not self._checkpoints.steps():
            self._checkpoint()
            return
        step, tree = self._checkpoints.read()
        self._loop.load(tree)
        for name, schedule in self._schedules.items():
            schedule.load(tree["schedules"][name])
        self._logger.rewind(step)
        self._progress.message(f"Continuing from the checkpoint at step {step:,}")

    def run(self, interruption: Interruption) -> None:
        loop = self._loop
        while not loop.finished:
            loop.iterate()
            self._progress.update(loop.step, self._speed.rates(loop))
            self._log_and_evaluate()
            if interruption.requested:
                self._checkpoint()
                raise Interrupted(f"Stopped at step {loop.step:,} and saved. The same command again continues the run.")
            if self._schedules["checkpoint"](loop.step) or loop.finished:
                self._checkpoint()
        self._progress.message(f"Trained for {loop.step:,} environment steps, {loop.updates:,} model updates")

    def _log_and_evaluate(self) -> None:
        loop, finished = self._loop, self._loop.finished
        values: dict[str, float] = {}
        if self._schedules["log"](loop.step) or finished:
            values |= loop.metrics.take() | self._speed.take(loop)
        evaluates = loop.updates > 0 and self._config.training.evaluate_every > 0
        if evaluates and (self._schedules["evaluate"](loop.step) or finished):
            self._progress.message(f"Evaluating at step {loop.step:,}")
            values |= self._evaluation.run(loop.step, self._logger)
        if values:
            self._logger.scalars(loop.step, values)
            self._progress.update(loop.step, values)

    def _checkpoint(self) -> None:
        schedules = {name: schedule.save() for name, schedule in self._schedules.items()}
        self._checkpoints.write(self._loop.step, self._loop.save() | {"schedules": schedules})


def _open_or_create(config: RunConfig, path: Path) -> RunDir:
    run_dir = RunDir(path)
    if not run_dir.exists():
        return RunDir.create(path, config, {})
    run_dir = RunDir.open(path)
    _check_same(load_config(RunConfig, [run_dir.config]), config, path)
    return run_dir


def _check_same(saved: RunConfig, asked: RunConfig, path: Path) -> None:
    """A run may be made longer, nothing else: other changes would make its numbers a mixture."""
    same_length = replace(saved, training=replace(saved.training, steps=asked.training.steps))
    if same_length == asked:
        return
    different = ", ".join(
        f"{key} (saved {old!r}, asked for {new!r})" for key, old, new in _differences(to_dict(saved), to_dict(asked))
    )
    raise RunError(
        f"The folder '{path}' holds a run of another configuration. A run continues with its own configuration; only "
        f"training.steps may change. Different: {different}. Choose another --logdir, or leave the differences out."
    )


def _differences(old: dict[str, Any], new: dict[str, Any], prefix: str = "") -> Iterator[tuple[str, Any, Any]]:
    for key in sorted(set(old) | set(new)):
        a, b = old.get(key), new.get(key)
        if isinstance(a, dict) and isinstance(b, dict):
            yield from _differences(a, b, f"{prefix}{key}.")
        elif a != b and prefix + key != "training.steps":
            yield prefix + key, a, b


@contextmanager
def _logger(run_dir: RunDir) -> Iterator[Logger]:
    logger = Logger([JSONLSink(run_dir.metrics), TensorBoardSink(run_dir.path)])
    try:
        yield logger
    finally:
        logger.close()
