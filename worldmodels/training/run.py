"""A training run in its folder. The same command again continues where the run stopped."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import ExitStack, closing, contextmanager, suppress
from dataclasses import replace
from pathlib import Path

from worldmodels.acting.build import Parts, build_parts, resolve_deterministic
from worldmodels.acting.step_source import LocalSource, StepSource
from worldmodels.config.devices import threads_warning
from worldmodels.config.environment import build_env
from worldmodels.config.run_config import RunConfig, imports_module, trust
from worldmodels.core.configuration.sections import to_dict
from worldmodels.core.errors import FileError, UserError
from worldmodels.envs import VectorEnv
from worldmodels.envs.games.levels import MEASURED, has_test_levels, level_words
from worldmodels.telemetry.dashboard import Progress
from worldmodels.telemetry.trackers import opened_logger
from worldmodels.training.callbacks import Callback
from worldmodels.training.check import CheckedRun
from worldmodels.training.collectors.collector_source import CollectorSource, StartCollector
from worldmodels.training.interrupt import Interruption
from worldmodels.training.precision import build_measured
from worldmodels.training.session import TrainingSession


def train(
    checked: CheckedRun,
    threads: int,
    start_collector: StartCollector,
    callbacks: Sequence[Callback] = (),
    profiled: bool = False,
) -> Path:
    """Train from the start or from the newest checkpoint until the configured end, and return the run's folder.

    Args:
        threads: the threads that TensorFlow was to start with; see `claim_threads`.
        start_collector: starts each collector, if the run has any.
        callbacks: called when the run has logged, evaluated or saved.
        profiled: whether some iterations are traced for TensorBoard.

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
        if warning := threads_warning(threads):
            progress.message(warning)
        env = stack.enter_context(_environment(config))
        for note in env.notes:
            progress.message(note)
        if checked.is_new:
            parts, estimate, decision = build_measured(config, env, checked.sources.steps)
            progress.message(f"{decision}\n{estimate.text}")
            checked = replace(checked, config=parts.config)
        else:
            parts = build_parts(config, env)
        levels = {name: level_words(config.env, name) for name in MEASURED if has_test_levels(config.env)}
        if levels:
            progress.message(f"Trained on: {levels['train']}; tested on: {levels['test']}")
        new = checked.config if checked.is_new else None
        stack.enter_context(checked.run_dir.training(new, {"levels": levels} if levels else {}))
        if imports_module(config):  # who trains names the game
            with suppress(FileError):
                trust(checked.run_dir)
        interruption = stack.enter_context(Interruption())
        logger = stack.enter_context(opened_logger(checked.run_dir, config.telemetry.sinks, to_dict(config)))
        source = stack.enter_context(_source(parts, env, start_collector))
        session = TrainingSession(checked, source, parts, logger, progress, callbacks, profiled)
        session.resume()
        session.run(interruption)
    return path


@contextmanager
def _environment(config: RunConfig) -> Iterator[VectorEnv]:
    """Make the run's environment, and close it in the end. If the run fails, its error hides one of closing.

    With collectors in other processes, it only shows its spaces.
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
    if training.collectors:
        outputs = config.agent.recent_steps > 0 or training.rollout_steps > 0
        with closing(CollectorSource(parts, training.collectors, outputs, start)) as source:
            yield source
    else:
        yield LocalSource(parts, env)
