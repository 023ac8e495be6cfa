"""Records a data set: a policy plays in an environment (`worldmodels record`)."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import numpy as np

from worldmodels.acting.actor import Actor, ModelActor, RandomActor
from worldmodels.acting.collect import Collector, EpisodeTracker
from worldmodels.config.run_config import RunConfig, open_config
from worldmodels.core.configuration.sections import load_config
from worldmodels.core.errors import ConfigError, counted
from worldmodels.core.files.run_dir import RunDir
from worldmodels.core.output import print_text
from worldmodels.core.seeding import Streams
from worldmodels.core.types import Batch
from worldmodels.datasets import DatasetSpec, check_free, is_file, open_source, write
from worldmodels.envs import VectorEnv, make_vec
from worldmodels.envs.config import EnvConfig
from worldmodels.envs.games.levels import Levels, on_levels
from worldmodels.loading.load import load_run

RANDOM = "random"


def recorded_env(game: str | None, policy: str, options: list[str], levels: Levels) -> EnvConfig:
    """Return the environment to record: the one of the policy's run, with another game and options if given.

    Raises:
        ConfigError: no game is given, an option is wrong, or there are no test levels.
    """
    if policy == RANDOM and game is None:
        raise ConfigError("Say which game is recorded, as in 'worldmodels record coinrun': random play has none.")
    files = []
    if policy != RANDOM:
        run = RunDir.open(policy)
        open_config(run)
        files = [run.config]
    chosen = [*options, *([] if game is None else [f"game={game}"])]
    return on_levels(load_config(RunConfig, files, [f"env.{option}" for option in chosen]).env, levels)


def record(env_config: EnvConfig, policy: str, steps: int, place: str, seed: int = 0, temperature: float = 1.0) -> None:
    """Record steps, and print a summary. The number of steps is rounded up to whole steps of all environments.

    Args:
        policy: "random", or the folder of a run.
        steps: summed over the environments.
        place: of the new data set; see `datasets/places.py`.
        seed: of the episodes and the actions; the same seed gives the same steps, on a CPU.

    Raises:
        ConfigError: the policy has another environment, or `steps` is below 1.
        FileError, DiskFullError: the data set cannot be written.
    """
    if steps < 1:
        raise ConfigError(f"The number of steps to record must be 1 or more. Received {steps}.")
    check_free(place)
    with closing(make_vec(env_config)) as env:
        played = _PlayedSource(env, _actor(env, policy, seed, temperature), steps, seed)
        if not is_file(place):
            write(place, played)
        else:
            # Some formats read their source more than once, and steps are played once.
            with tempfile.TemporaryDirectory() as scratch:
                store = str(Path(scratch, "store"))
                write(store, played)
                with closing(open_source(store)) as source:
                    write(place, source)
    spec, returns = played.spec, played.returns
    mean = f"; mean return {np.mean(returns):.2f}" if returns else ""
    print_text(
        f"Recorded {spec.steps:,} steps of {env_config.game} "
        f"({counted(spec.num_streams, 'stream')} of {spec.length:,}), "
        f"{counted(len(returns), 'whole episode')}{mean}: {place}"
    )


class _PlayedSource:
    """A source that plays its steps while they are read, once."""

    def __init__(self, env: VectorEnv, actor: Actor, steps: int, seed: int) -> None:
        self._collector, self._actor = Collector(env, Streams(seed).integer("env")), actor
        length = -(-steps // env.num_envs)
        self.spec = DatasetSpec(env.num_envs, length, env.observation_spec, env.action_spec)
        self.returns: list[float] = []

    notes: tuple[str, ...] = ()

    def pieces(self) -> Iterator[Batch]:
        episodes = EpisodeTracker(self.spec.num_streams)
        for step, _ in self._collector.steps(self._actor, self.spec.length):
            self.returns += [episode["return"] for episode in episodes.add(step)]
            yield step.stored().at(np.s_[:, None])

    def close(self) -> None:
        pass


def _actor(env: VectorEnv, policy: str, seed: int, temperature: float) -> Any:
    streams = Streams(seed)
    if policy == RANDOM:
        return RandomActor(env.action_spec, streams.generator("record"))
    run = load_run(policy)
    spec = run.parts.model.spec
    if (spec.observation, spec.action) != (env.observation_spec, env.action_spec):
        raise ConfigError(
            f"The policy of '{policy}' sees {spec.observation} and takes {spec.action}; this environment has "
            f"{env.observation_spec} and {env.action_spec}."
        )
    return ModelActor(run.parts.model, run.parts.agent, env.num_envs, streams.key("record"), temperature)
