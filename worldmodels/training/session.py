"""The session of a training run: it iterates the loop, and logs, evaluates and saves when they are due.

Builds the loop of a run, and the replay store that the loop needs.

A small callable says when something is due, instead of counters and modulo in the loop.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Any

from worldmodels.acting.build import Parts
from worldmodels.acting.collected_steps import CollectedSteps
from worldmodels.acting.step_source import StepSource
from worldmodels.config.run_config import RunConfig
from worldmodels.config.training_config import ModelBasedConfig, ModelFreeConfig, OffPolicyConfig
from worldmodels.core.files.checkpoint import Checkpoints, fitting
from worldmodels.core.files.tree import load_parts
from worldmodels.core.processor import release_unused_memory
from worldmodels.models.devices import computing_processor
from worldmodels.replay import Replay
from worldmodels.telemetry.dashboard import Progress
from worldmodels.telemetry.logger import Logger
from worldmodels.telemetry.loss_growth import Growth, LossGrowth, PolicyHarm, growth_warning
from worldmodels.training.callbacks import Callback, Callbacks, EventKind
from worldmodels.training.check import CheckedRun
from worldmodels.training.interrupt import Interrupted, Interruption
from worldmodels.training.loops.loop import Loop
from worldmodels.training.loops.model_based import ModelBasedLoop
from worldmodels.training.loops.model_free import ModelFreeLoop
from worldmodels.training.loops.off_policy import OffPolicyLoop
from worldmodels.training.periodic import PeriodicEvaluation
from worldmodels.training.precision import moved_warning
from worldmodels.training.throughput import Profile, Throughput


def build_loop(checked: CheckedRun, source: StepSource, parts: Parts) -> tuple[Loop, Replay | None]:
    """Return the loop of a configuration, and its replay store, if it has one."""
    training = checked.config.training
    collected = CollectedSteps(source, training.rollout_steps, checked.config.env.info)
    if isinstance(training, ModelFreeConfig):
        return ModelFreeLoop(parts, training, collected), None
    replay = _open_replay(checked, training, parts)
    if isinstance(training, OffPolicyConfig):
        return OffPolicyLoop(parts, training, collected, replay), replay
    return ModelBasedLoop(parts, training, collected, replay, checked.demonstrations), replay


def _open_replay(checked: CheckedRun, training: ModelBasedConfig | OffPolicyConfig, parts: Parts) -> Replay:
    return Replay(
        checked.run_dir.replay,
        checked.num_streams,
        parts.model.spec.observation,
        parts.model.spec.action,
        checked.config.replay,
        # The sources of a run that continues may be gone, and are in its own store already.
        expected_steps=checked.sources.steps + training.collected_steps,
        checkpoints=checked.config.schedule.keep_checkpoints,
    )


class Every:
    """A schedule that is due once per `interval` steps, at the first call at or past each multiple; 0 is never.

    The phase is that of the multiples, however unevenly the calls come: `Every(10)` called at 4, 13, 19, 20 is
    False, True, False, True. A call that passes several multiples at once is True once.
    """

    def __init__(self, interval: int) -> None:
        self.interval = interval
        self._next = interval

    def __call__(self, step: int) -> bool:
        """Return whether something is due at `step`; steps never go down between calls."""
        if self.interval <= 0 or step < self._next:
            return False
        self._next = (step // self.interval + 1) * self.interval
        return True

    def save(self) -> dict[str, Any]:
        return {"next": self._next}

    def load(self, tree: dict[str, Any]) -> None:
        self._next = int(tree["next"])


class TrainingSession:
    """The share of a run that one process does: the loop, and when it logs, evaluates and saves."""

    def __init__(
        self,
        checked: CheckedRun,
        source: StepSource,
        parts: Parts,
        logger: Logger,
        progress: Progress,
        callbacks: Sequence[Callback] = (),
        profiled: bool = False,
    ):
        config, run_dir = checked.config, checked.run_dir
        self._config, self._logger, self._progress, self._run_dir = config, logger, progress, run_dir
        schedule = config.schedule
        self._schedules = {
            "log": Every(schedule.log_every),
            "log_updates": Every(schedule.log_updates),
            "evaluate": Every(schedule.evaluate_every),
            "checkpoint": Every(schedule.checkpoint_every),
            "checkpoint_updates": Every(schedule.checkpoint_updates),
        }
        self._loop, self._replay = build_loop(checked, source, parts)
        self._evaluation = PeriodicEvaluation(parts, run_dir, self._replay, progress.message)
        self._checkpoints, self._from = Checkpoints(run_dir.checkpoints, schedule.keep_checkpoints), checked.checkpoint
        self._throughput = Throughput(self._loop)
        self._callbacks = Callbacks(callbacks, run_dir.path)
        self._profile = Profile(run_dir.path if profiled else None)
        self._losses, self._harm = LossGrowth(), PolicyHarm()
        self._passing: int | None = None
        """The step of the newest checkpoint if an interruption wrote it, which the next one replaces."""

    def resume(self) -> None:
        """Continue from the newest whole checkpoint, or the one asked for; a new run starts with one of step 0."""
        if not self._checkpoints.steps():
            self._loop.begin()
            self._checkpoint()
            return
        step, tree = self._checkpoints.read(self._from)
        with fitting("this run"):
            self._load(step, tree)
        self._progress.message(f"Continuing from the checkpoint at step {step:,}")
        if warning := moved_warning(tree.get("processor"), self._config.precision, computing_processor()):
            self._progress.message(warning)
        if step != self._checkpoints.steps()[-1]:
            # In place of itself: those after it go, since their experience does.
            self._checkpoint(passing=self._passing is not None)

    def _load(self, step: int, tree: dict[str, Any]) -> None:
        """Restore all state, that of records last: it cuts them."""
        load_parts(self._schedules, tree["schedules"])
        self._losses.load(tree.get("losses", {}))
        self._harm.load(tree.get("policy_harm", {}))
        self._passing = step if tree.get("passing") else None
        self._loop.load(tree)
        if self._loop.step != step:
            raise ValueError(f"'counters/step' must be {step}, as in its name; it is {self._loop.step}")
        load_parts({"records": self._logger}, tree)

    def run(self, interruption: Interruption) -> None:
        """Iterate the loop to its end; log, evaluate and save when they are due."""
        try:
            self._iterate(interruption)
        finally:
            self._tell(self._profile.end())

    def _iterate(self, interruption: Interruption) -> None:
        loop = self._loop
        while not loop.finished:
            self._tell(self._profile.iteration())
            started = time.perf_counter()
            tick = loop.iterate()
            self._throughput.add(tick, time.perf_counter() - started)
            self._run_dir.check_there()
            self._show(self._throughput.rates())
            self._log_and_evaluate()
            due, interrupted = self._due("checkpoint") or loop.finished, interruption.requested
            if due or interrupted or self._callbacks.stopped:
                self._checkpoint(passing=not due)
            if interrupted:
                raise Interrupted(f"Stopped at step {loop.step:,} and saved. The same command again continues the run.")
            if self._callbacks.stopped:
                self._progress.message(f"A callback ended the run at step {loop.step:,}")
                return
        updates = " and ".join(f"{count:,} {name.replace('/', ' ')}" for name, count in loop.counters().items())
        self._progress.message(f"Trained for {loop.step:,} environment steps, {updates}")

    def _log_and_evaluate(self) -> None:
        loop, finished = self._loop, self._loop.finished
        values: dict[str, float] = {}
        kinds: list[EventKind] = []
        if self._due("log") or finished:
            kinds.append("log")
            means = loop.metrics.take()
            stored = {} if self._replay is None else self._replay.statistics()
            values |= means | stored | self._throughput.take()
            if grown := self._losses.update(means):
                self._progress.message(growth_warning(grown, _learning_rates(self._config, grown)))
            self._tell(self._harm.update(means))
        if self._evaluates() and (self._schedules["evaluate"](loop.step) or finished):
            self._progress.message(f"Evaluating at step {loop.step:,}")
            # The time left counts no evaluations: during the last one, 0 would be wrong.
            self._progress.update(loop.step, {}, "evaluating", self._throughput.seconds_left() or None)
            values |= self._evaluation.run(loop.step, self._logger)
            kinds.append("evaluation")
            release_unused_memory()
        if values:
            self._logger.scalars(loop.step, values | loop.counters())
            self._show(values)
        for kind in kinds:
            self._callbacks(kind, loop.step, values | loop.counters())

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

    def _tell(self, message: str | None) -> None:
        if message:
            self._progress.message(message)

    def _show(self, values: dict[str, float]) -> None:
        self._progress.update(self._loop.step, values, self._loop.progress, self._throughput.seconds_left())

    def _checkpoint(self, passing: bool = False) -> None:
        """Write a checkpoint; a `passing` one, of an interruption, goes with the next, so that the same ones stay."""
        schedules = {name: schedule.save() for name, schedule in self._schedules.items()}
        more = {
            "schedules": schedules,
            "records": self._logger.save(),
            "losses": self._losses.save(),
            "policy_harm": self._harm.save(),
            "processor": computing_processor().instructions,
            "passing": passing,
        }
        self._run_dir.check_there()  # an evaluation takes its time
        self._checkpoints.write(self._loop.step, self._loop.save() | more, self._passing)
        self._passing = self._loop.step if passing else None
        self._callbacks("checkpoint", self._loop.step)
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
