"""A training run: a folder, a loop, and what is recorded of it. The same command again continues where it stopped."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, closing, contextmanager, suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

from worldmodels.acting.build import Parts, build_parts, resolve_deterministic
from worldmodels.acting.step_source import LocalSource, StepSource
from worldmodels.config.devices import threads_warning
from worldmodels.config.environment import build_env
from worldmodels.config.run_config import RunConfig
from worldmodels.config.training_config import ModelBasedConfig, ModelFreeConfig, OffPolicyConfig
from worldmodels.core.errors import UserError
from worldmodels.core.files.checkpoint import Checkpoints
from worldmodels.core.files.run_dir import RunDir
from worldmodels.core.schedules import Every
from worldmodels.core.unused_memory import release_unused_memory
from worldmodels.envs import VectorEnv
from worldmodels.envs.config import PYTHON
from worldmodels.envs.foreign.given import find_given
from worldmodels.envs.foreign.workers import check_can_be_sent
from worldmodels.envs.games.levels import LEVELS, has_test_levels, level_words
from worldmodels.models.hardware import computing_processor
from worldmodels.replay import Replay
from worldmodels.replay.layout import Layout
from worldmodels.replay.statistics import replay_statistics
from worldmodels.telemetry.dashboard import Progress
from worldmodels.telemetry.logger import Logger
from worldmodels.telemetry.loss_growth import Growth, LossGrowth, growth_warning
from worldmodels.telemetry.sinks import JSONLSink, TensorBoardSink
from worldmodels.training.check import CheckedRun
from worldmodels.training.collectors.collector_process import learner_threads
from worldmodels.training.collectors.collector_source import CollectorSource, StartCollector
from worldmodels.training.interrupt import Interrupted, Interruption
from worldmodels.training.loops.loop import Loop
from worldmodels.training.loops.model_based import ModelBasedLoop
from worldmodels.training.loops.model_free import ModelFreeLoop
from worldmodels.training.loops.off_policy import OffPolicyLoop
from worldmodels.training.periodic import PeriodicEvaluation
from worldmodels.training.precision import build_measured, moved_warning
from worldmodels.training.throughput import Throughput


def train(checked: CheckedRun, start_collector: StartCollector) -> Path:
    """Train from the start or from the newest checkpoint until the configured end, and return the run's folder.

    Raises:
        RunError: another process trains in the folder.
        Interrupted: on Ctrl-C or termination, after a checkpoint.
        NonFiniteError: a loss is not a number; the last checkpoint is from before.
    """
    checked = replace(checked, config=resolve_deterministic(checked.config))
    config, path = checked.config, checked.run_dir.path
    with ExitStack() as stack:
        progress = stack.enter_context(Progress(config.training.step_limit, f"{config.env.game} · {path}"))
        progress.message(f"Building what learns ({config.model.kind}, {config.agent.kind})")
        if warning := threads_warning(learner_threads(config, start_collector)):
            progress.message(warning)
        env = stack.enter_context(_environment(config))
        if checked.is_new:
            parts, estimate, decision = build_measured(config, env, checked.sources.steps)
            progress.message(f"{decision}\n{estimate.text}")
            checked = replace(checked, config=parts.config)
        else:
            parts = build_parts(config, env)
        levels = {name: level_words(config.env, name) for name in LEVELS if has_test_levels(config.env)}
        if levels:
            progress.message(f"Trained on: {levels['train']}; tested on: {levels['test']}")
        new = checked.config if checked.is_new else None
        stack.enter_context(checked.run_dir.training(new, {"levels": levels} if levels else {}))
        interruption = stack.enter_context(Interruption())
        logger = stack.enter_context(_logger(checked.run_dir))
        source = stack.enter_context(_source(parts, env, start_collector))
        session = TrainingSession(checked, source, parts, logger, progress)
        session.resume()
        session.run(interruption)
    return path


class TrainingSession:
    """The share of a run that one process does: the loop, and when it logs, evaluates and saves."""

    def __init__(self, checked: CheckedRun, source: StepSource, parts: Parts, logger: Logger, progress: Progress):
        config, run_dir = checked.config, checked.run_dir
        self._config, self._logger, self._progress = config, logger, progress
        self._loop, replay = _build_loop(checked, source, parts)
        self._from = checked.checkpoint
        self._checkpoints = Checkpoints(run_dir.checkpoints, config.schedule.keep_checkpoints)
        self._replay = replay
        self._evaluation = PeriodicEvaluation(parts, run_dir, replay, progress.message)
        self._throughput = Throughput(self._loop)
        self._losses = LossGrowth()
        schedule = config.schedule
        self._schedules = {
            "log": Every(schedule.log_every),
            "log_updates": Every(schedule.log_updates),
            "evaluate": Every(schedule.evaluate_every),
            "checkpoint": Every(schedule.checkpoint_every),
            "checkpoint_updates": Every(schedule.checkpoint_updates),
        }

    def resume(self) -> None:
        """Continue from the newest whole checkpoint, or the one asked for; a new run starts with one of step 0."""
        if not self._checkpoints.steps():
            self._loop.begin()
            self._checkpoint()
            return
        step, tree = self._checkpoints.read(self._from)
        self._loop.load(tree)
        for name, schedule in self._schedules.items():
            schedule.load(tree["schedules"][name])
        self._logger.load(tree["records"])
        self._losses.load(tree.get("losses", {}))
        self._progress.message(f"Continuing from the checkpoint at step {step:,}")
        if warning := moved_warning(tree.get("processor"), self._config.precision, computing_processor()):
            self._progress.message(warning)
        if step != self._checkpoints.steps()[-1]:
            self._checkpoint()  # in place of itself: those after it go, since their experience does

    def run(self, interruption: Interruption) -> None:
        """Iterate the loop to its end; log, evaluate and save when they are due."""
        loop = self._loop
        while not loop.finished:
            started = time.perf_counter()
            tick = loop.iterate()
            self._throughput.add(tick, time.perf_counter() - started)
            self._show(self._throughput.rates())
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
            means = loop.metrics.take()
            stored = {} if self._replay is None else replay_statistics(self._replay)
            values |= means | stored | self._throughput.take()
            if grown := self._losses.update(means):
                self._progress.message(growth_warning(grown, _learning_rates(self._config, grown)))
        if self._evaluates() and (self._schedules["evaluate"](loop.step) or finished):
            self._progress.message(f"Evaluating at step {loop.step:,}")
            # The time left counts no evaluations: during the last one, 0 would be wrong.
            self._progress.update(loop.step, {}, "evaluating", self._throughput.seconds_left() or None)
            values |= self._evaluation.run(loop.step, self._logger)
            release_unused_memory()
        if values:
            self._logger.scalars(loop.step, values | loop.counters())
            self._show(values)

    def _due(self, name: str) -> bool:
        """Return whether something is due by environment steps, once the updates that they are owed are done; or by
        updates, at any time."""
        loop, schedules = self._loop, self._schedules
        by_steps = loop.at_rest and schedules[name](loop.step)
        by_updates = schedules[f"{name}_updates"](sum(loop.counters().values()))
        return by_steps or by_updates

    def _evaluates(self) -> bool:
        learned = any(self._loop.counters().values())
        return learned and self._loop.at_turn_start and self._config.schedule.evaluate_every > 0

    def _show(self, values: dict[str, float]) -> None:
        self._progress.update(self._loop.step, values, self._loop.progress, self._throughput.seconds_left())

    def _checkpoint(self) -> None:
        schedules = {name: schedule.save() for name, schedule in self._schedules.items()}
        more = {
            "schedules": schedules,
            "records": self._logger.save(),
            "losses": self._losses.save(),
            "processor": computing_processor().instructions,
        }
        self._checkpoints.write(self._loop.step, self._loop.save() | more)
        release_unused_memory()


def _learning_rates(config: RunConfig, grown: Sequence[Growth]) -> dict[str, float | str]:
    """Return the learning rates, by key, of what has the losses that grew."""
    groups = {growth.name.partition("/")[0] for growth in grown}
    sections: dict[str, Any] = {"model": config.model} if "model" in groups else {}
    sections |= {"agent": config.agent} if "policy" in groups else {}
    return {
        f"{section}.{key}.learning_rate": value.learning_rate
        for section, settings in sections.items()
        for key, value in vars(settings).items()
        if hasattr(value, "learning_rate")
    }


def _build_loop(checked: CheckedRun, source: StepSource, parts: Parts) -> tuple[Loop, Replay | None]:
    """Return the loop that the configuration asks for, and its replay store, if it has one."""
    training = checked.config.training
    if isinstance(training, ModelFreeConfig):
        return ModelFreeLoop(parts, training, source), None
    replay = _open_replay(checked, training, parts)
    if isinstance(training, OffPolicyConfig):
        return OffPolicyLoop(parts, training, source, replay), replay
    return ModelBasedLoop(parts, training, source, replay, checked.demonstrations), replay


def _open_replay(checked: CheckedRun, training: ModelBasedConfig | OffPolicyConfig, parts: Parts) -> Replay:
    return Replay(
        checked.run_dir.replay,
        _num_streams(checked, training),
        parts.model.spec.observation,
        parts.model.spec.action,
        checked.config.replay,
        # The sources of a run that continues may be gone, and are in its own store already.
        expected_steps=checked.sources.steps + training.collected_steps,
        checkpoints=checked.config.schedule.keep_checkpoints,
    )


def _num_streams(checked: CheckedRun, training: ModelBasedConfig | OffPolicyConfig) -> int:
    """Return the streams of the replay store: one for each environment, or those of the data from which a run learns
    that collects nothing."""
    if not isinstance(training, ModelBasedConfig) or training.collect or not training.initial_replay:
        return checked.config.env.num_envs
    replayed = checked.sources.replayed
    return replayed.num_streams if replayed else Layout.read(checked.run_dir.replay).num_streams


@contextmanager
def _environment(config: RunConfig) -> Iterator[VectorEnv]:
    """Make the run's environment, and close it in the end; where the run has failed, that error is the one to tell.

    Where others collect, it only shows its spaces.
    """
    if config.training.collectors:
        config = replace(config, env=replace(config.env, num_envs=len(config.env.games), workers=0))
    env = build_env(config)
    try:
        yield env
    except BaseException:
        with suppress(UserError):
            env.close()
        raise
    env.close()


@contextmanager
def _source(parts: Parts, env: VectorEnv, start: StartCollector) -> Iterator[StepSource]:
    """Open the source of real steps: this process's environment, or collectors."""
    config, training = parts.config, parts.config.training
    if not training.collectors:
        yield LocalSource(parts, env)
        return
    given = find_given(config.env.game) if config.env.game.startswith(PYTHON) else None
    if callable(given):
        check_can_be_sent(given, config.env.game, "training.collectors=0")
    outputs = _wants_outputs(config)
    with closing(CollectorSource(parts, training.collectors, outputs, start, given)) as source:
        yield source


def _wants_outputs(config: RunConfig) -> bool:
    """Return whether an agent learns from what it said at real steps, and not from their actions alone."""
    training = config.training
    if config.agent.recent_steps:
        return True
    return isinstance(training, ModelFreeConfig) or (
        isinstance(training, ModelBasedConfig) and training.real_rollout > 0
    )


@contextmanager
def _logger(run_dir: RunDir) -> Iterator[Logger]:
    logger = Logger([JSONLSink(run_dir.metrics), TensorBoardSink(run_dir.path)])
    try:
        yield logger
    finally:
        logger.close()
