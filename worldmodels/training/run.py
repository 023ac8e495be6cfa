"""A training run: a folder, a loop, and what is recorded of it. The same command again continues where it stopped."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

from worldmodels.core.checkpoint import Checkpoints
from worldmodels.core.config import load_config, to_dict
from worldmodels.core.errors import RunError
from worldmodels.core.run_dir import RunDir
from worldmodels.core.schedules import Every
from worldmodels.envs import VectorEnv
from worldmodels.replay import Replay, ReplayReader
from worldmodels.runtime.action_file import read_played
from worldmodels.runtime.build import Parts, build_parts
from worldmodels.runtime.checks import check_config
from worldmodels.runtime.config import LoopConfig, ModelFreeConfig, RunConfig
from worldmodels.runtime.environment import build_env
from worldmodels.telemetry.logger import Logger
from worldmodels.telemetry.sinks import JSONLSink, TensorBoardSink
from worldmodels.telemetry.terminal import Progress
from worldmodels.training.interrupt import Interruption
from worldmodels.training.loop import Loop
from worldmodels.training.model_based import ModelBasedLoop
from worldmodels.training.model_free import ModelFreeLoop
from worldmodels.training.periodic import PeriodicEvaluation
from worldmodels.training.sources import check_sources
from worldmodels.training.speed import Speed


class Interrupted(Exception):
    """The run was asked to stop, and can go on from the checkpoint that it wrote."""


def train(config: RunConfig, path: str | Path) -> Path:
    """Train in the run folder `path`, from the start or from its newest checkpoint, until the configured end.

    Raises:
        ConfigError: the configuration does not fit together, or not to the runs that it starts from.
        RunError: the folder holds a run of another configuration, or another process trains in it.
        Interrupted: on Ctrl-C or termination, after a checkpoint.
        NonFiniteError: a loss is not a number; the last checkpoint is from before.
    """
    check_config(config)
    run_dir = _open_or_create(config, Path(path))
    with ExitStack() as stack:
        stack.enter_context(run_dir.lock())
        interruption = stack.enter_context(Interruption())
        progress = stack.enter_context(Progress(_total_steps(config), f"{config.env.game} · {run_dir.path}"))
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
        progress.message(f"Building what learns ({config.model.kind}, {config.agent.kind})")
        env = build_env(config)
        parts = build_parts(config, env)
        self._loop: Loop
        replay = None
        if isinstance(training, ModelFreeConfig):
            self._loop = ModelFreeLoop(parts, training, env)
        else:
            replay = self._open_replay(training, parts, env)
            self._loop = ModelBasedLoop(parts, training, env, replay)
        self._checkpoints = Checkpoints(run_dir.checkpoints, training.keep_checkpoints)
        self._evaluation = PeriodicEvaluation(parts, run_dir, replay)
        self._speed = Speed(self._loop)
        self._schedules = {
            "log": Every(training.log_every),
            "log_updates": Every(getattr(training, "log_updates", 0)),
            "evaluate": Every(training.evaluate_every),
            "checkpoint": Every(training.checkpoint_every),
            "checkpoint_updates": Every(getattr(training, "checkpoint_updates", 0)),
        }

    def resume(self) -> None:
        """Continue from the newest whole checkpoint; a new run starts with one of step 0."""
        if not self._checkpoints.steps():
            self._loop.begin()
            self._checkpoint()
            return
        step, tree = self._checkpoints.read()
        self._loop.load(tree)
        for name, schedule in self._schedules.items():
            schedule.load(tree["schedules"][name])
        self._logger.load(tree["records"])
        self._progress.message(f"Continuing from the checkpoint at step {step:,}")

    def run(self, interruption: Interruption) -> None:
        loop = self._loop
        while not loop.finished:
            self._speed.iterate()
            self._show(self._speed.rates())
            self._log_and_evaluate()
            if interruption.requested:
                self._checkpoint()
                raise Interrupted(f"Stopped at step {loop.step:,} and saved. The same command again continues the run.")
            if self._due("checkpoint") or loop.finished:
                self._checkpoint()
        updates = " and ".join(f"{count:,} {name.replace('/', ' ')}" for name, count in loop.counters().items())
        self._progress.message(f"Trained for {loop.step:,} environment steps, {updates}")

    def _log_and_evaluate(self) -> None:
        loop, finished = self._loop, self._loop.finished
        values: dict[str, float] = {}
        if self._due("log") or finished:
            values |= loop.metrics.take() | self._speed.take()
        if self._evaluates() and (self._schedules["evaluate"](loop.step) or finished):
            self._progress.message(f"Evaluating at step {loop.step:,}")
            values |= self._evaluation.run(loop.step, self._logger)
        if values:
            self._logger.scalars(loop.step, values | loop.counters())
            self._show(values)

    def _due(self, name: str) -> bool:
        """By environment steps, once the updates that they are owed are done; or by updates, at any time."""
        loop, schedules = self._loop, self._schedules
        by_steps = loop.at_rest and schedules[name](loop.step)
        by_updates = schedules[f"{name}_updates"](sum(loop.counters().values()))
        return by_steps or by_updates

    def _evaluates(self) -> bool:
        learned = any(self._loop.counters().values())
        return learned and self._loop.at_turn_start and self._config.training.evaluate_every > 0

    def _show(self, values: dict[str, float]) -> None:
        self._progress.update(self._loop.step, values, self._loop.progress, self._speed.seconds_left())

    def _checkpoint(self) -> None:
        schedules = {name: schedule.save() for name, schedule in self._schedules.items()}
        more = {"schedules": schedules, "records": self._logger.save()}
        self._checkpoints.write(self._loop.step, self._loop.save() | more)

    def _open_replay(self, training: LoopConfig, parts: Parts, env: VectorEnv) -> Replay:
        replay = Replay(
            self._run_dir.replay,
            env.num_envs,
            parts.model.spec.observation_shape,
            self._config.replay,
            expected_steps=_expected_steps(training),
            checkpoints=training.keep_checkpoints,
        )
        self._progress.message(f"Experience will take about {replay.predicted_bytes() / 1e6:,.0f} MB of disk")
        return replay


def _open_or_create(config: RunConfig, path: Path) -> RunDir:
    run_dir = RunDir(path)
    if not run_dir.exists():
        check_sources(config)
        return RunDir.create(path, config, {})
    run_dir = RunDir.open(path)
    _check_same(load_config(RunConfig, [run_dir.config]), config, path)
    return run_dir


def _total_steps(config: RunConfig) -> int:
    """Real environment steps of the whole run; 0 where it is not they that end it."""
    training = config.training
    return training.steps if isinstance(training, ModelFreeConfig) or training.collect else 0


def _expected_steps(training: LoopConfig) -> int:
    """That the replay store will be given."""
    recording = RunDir(training.recording)
    # When a run is continued, what it once copied may be gone, and is already in its own store.
    recorded = len(ReplayReader(recording.replay)) if training.recording and recording.exists() else 0
    played = [read_played(file) for file in training.demonstrations if Path(file).exists()]
    recorded += sum(one.moments for one in played)
    return recorded + (training.steps if training.collect else training.prefill)


LENGTHS = ("steps", "turns")


def _check_same(saved: RunConfig, asked: RunConfig, path: Path) -> None:
    """A run may be made longer, nothing else: other changes would make its numbers a mixture."""
    lengths = {name: value for name in LENGTHS if (value := getattr(asked.training, name, None)) is not None}
    if type(saved.training) is type(asked.training):
        saved = replace(saved, training=replace(saved.training, **lengths))
    if saved == asked:
        return
    different = ", ".join(
        f"{key} (saved {old!r}, asked for {new!r})" for key, old, new in _differences(to_dict(saved), to_dict(asked))
    )
    raise RunError(
        f"The folder '{path}' holds a run of another configuration. A run continues with its own configuration; only "
        f"training.steps or training.turns may change. Different: {different}. Choose another --logdir, or leave the "
        "differences out."
    )


def _differences(old: dict[str, Any], new: dict[str, Any], prefix: str = "") -> Iterator[tuple[str, Any, Any]]:
    for key in sorted(set(old) | set(new)):
        a, b = old.get(key), new.get(key)
        if isinstance(a, dict) and isinstance(b, dict):
            yield from _differences(a, b, f"{prefix}{key}.")
        elif a != b:
            yield prefix + key, a, b


@contextmanager
def _logger(run_dir: RunDir) -> Iterator[Logger]:
    logger = Logger([JSONLSink(run_dir.metrics), TensorBoardSink(run_dir.path)])
    try:
        yield logger
    finally:
        logger.close()
