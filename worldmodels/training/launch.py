"""The way from the command line to a training run: parse, check once, build once, run."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from dataclasses import is_dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

from worldmodels.config.run_config import RunConfig, open_config
from worldmodels.core.configuration.sections import load_config, to_dict
from worldmodels.core.errors import ConfigError, RunError
from worldmodels.core.files.run_dir import RunDir
from worldmodels.envs.foreign.given import Given, check_copies, giving, is_object
from worldmodels.envs.foreign.workers import check_can_be_sent
from worldmodels.training.callbacks import Callback
from worldmodels.training.check import check_run
from worldmodels.training.collectors.collector_process import CollectorProcess, learner_threads

if TYPE_CHECKING:
    from worldmodels.training.collectors.collector_source import StartCollector

Config: TypeAlias = str | Path | Mapping[str, Any] | RunConfig
"""A configuration in Python: a preset, a YAML file, keys (nested or dotted) with their values, or a whole one."""
DEFAULT_PRESETS = ("dreamer_small",)
"""The configuration of a new run for which none is given."""


def parse_config(files: Sequence[str], overrides: Sequence[str], logdir: str | Path) -> RunConfig:
    """Return the configuration from YAML files (or preset names) and `a.b=value` overrides.

    Without files a run that exists continues with its own configuration, and a new one has that of `DEFAULT_PRESETS`.

    Raises:
        RunError: there is no run, and neither files nor a game are named with which one could begin.
    """
    if files:
        return load_config(RunConfig, files, overrides)
    run, names_game = RunDir(logdir), any(override.startswith(("env.game=", "env=")) for override in overrides)
    if run.exists():
        run = RunDir.open(logdir)
        if not names_game:
            open_config(run)
        return load_config(RunConfig, [str(run.config)], overrides)
    config = load_config(RunConfig, DEFAULT_PRESETS, overrides)
    if not names_game:
        raise RunError(
            f"{run.why_missing()} So there is nothing to continue, and a new run needs a game or a configuration. "
            "Name one: env.game=maze, or --config dreamer_small."
        )
    return config


def parse_given(config: Config | Sequence[Config], overrides: Mapping[str, Any], logdir: str | Path) -> RunConfig:
    """Return the configuration that Python gives: first presets and files, then the others, then `overrides`."""
    parts = [config] if isinstance(config, (str, Path, Mapping)) or is_dataclass(config) else list(config)
    files = [str(part) for part in parts if isinstance(part, (str, Path))]
    trees = [to_dict(part) if is_dataclass(part) else part for part in parts if not isinstance(part, (str, Path))]
    for tree in trees:
        if not isinstance(tree, Mapping):
            raise ConfigError(
                "A configuration is a preset's name, a YAML file, a mapping of keys, a dataclass, or a list of them. "
                f"Received {type(tree).__name__}."
            )
    texts = [f"{key}={_json(key, value)}" for tree in [*trees, overrides] for key, value in tree.items()]
    return parse_config(files, texts, logdir)


def _json(key: str, value: Any) -> str:
    """Return the text of an override's value: numbers and arrays of NumPy, paths and dataclasses are plain values."""

    def plain(other: Any) -> Any:
        if is_dataclass(other):
            return to_dict(other)
        if isinstance(other, os.PathLike):
            return os.fspath(other)
        if isinstance(other, Mapping):
            return dict(other)
        if hasattr(other, "tolist"):
            return other.tolist()
        raise ConfigError(f"The key '{key}' takes numbers, texts, lists and mappings. Received {type(other).__name__}.")

    return json.dumps(value, default=plain)


def launch(
    config: RunConfig,
    logdir: str | Path,
    checkpoint: int | None = None,
    given: Given | None = None,
    start_collector: StartCollector = CollectorProcess,
    callbacks: Sequence[Callback] = (),
    profiled: bool = False,
) -> Path:
    """Train in the folder `logdir` until the configured end, and return the folder; see `training/run.py`.

    A run that is there continues from the `checkpoint` of a step, by default from the newest one. `given` is the
    environment, where that is an object or a factory and not an id. Collectors, if the run has any, are started by
    `start_collector`. The `callbacks` are called when the run has logged, evaluated or saved. If
    `profiled`, some iterations are traced for TensorBoard.
    """
    with giving(config.env.game, given):
        if given is not None:
            _check_given(config, given)
        return _launch(config, logdir, checkpoint, start_collector, callbacks, profiled)


def _launch(
    config: RunConfig,
    logdir: str | Path,
    checkpoint: int | None,
    start_collector: StartCollector,
    callbacks: Sequence[Callback],
    profiled: bool,
) -> Path:
    # A mistake in the configuration is told before TensorFlow takes its seconds to load.
    checked = check_run(config, logdir, checkpoint)
    from worldmodels.loading.quiet import load_tensorflow

    threads = learner_threads(checked.config, start_collector)
    load_tensorflow(checked.config.devices, threads)
    from worldmodels.training.run import train

    return train(checked, threads, start_collector, callbacks, profiled)


def _check_given(config: RunConfig, given: Given) -> None:
    """Raise `UserError` where the run needs more copies of an environment than there are."""
    check_copies(config.env.game, given, config.env.num_envs)
    if is_object(given) and config.schedule.evaluate_every:
        raise ConfigError(
            f"'{config.env.game}' is an object, which trains, and an evaluation needs an environment of its own. Give "
            "a function that makes copies, or schedule.evaluate_every=0."
        )
    if is_object(given) and config.training.collectors:
        raise ConfigError(
            f"'{config.env.game}' is an object, which cannot be sent to a process that collects. Give a function that "
            "makes copies, or training.collectors=0."
        )
    if config.training.collectors:
        check_can_be_sent(given, config.env.game, "training.collectors=0")
