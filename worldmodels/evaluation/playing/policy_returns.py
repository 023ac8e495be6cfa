"""Plays whole episodes of a policy, also after a random number of no-ops, and returns their figures.

Lets the planner act in the real environment.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any, NamedTuple, TypeAlias

import numpy as np
import tensorflow as tf

from worldmodels.acting.actor import Actor, ModelActor, PolicyOutput
from worldmodels.acting.collect import Collector, EpisodeInfo
from worldmodels.agents.api import Agent
from worldmodels.analysis.statistics.bootstrap import ANYWHERE, Estimate, Span, estimate
from worldmodels.core.seeding import Streams
from worldmodels.core.specs import Observation
from worldmodels.core.types import Step
from worldmodels.envs.config import NO_INFO, InfoConfig
from worldmodels.envs.games.table import ACTION_KEYS
from worldmodels.envs.games.vector_env import GameVectorEnv
from worldmodels.imagination.planner import Planner
from worldmodels.imagination.planner_config import PlannerConfig
from worldmodels.models import draws
from worldmodels.models.api import WorldModel


class Episodes(NamedTuple):
    """The figures of n episodes, unfinished ones included."""

    returns: np.ndarray
    """float64 (n,): the sum of rewards; of an unfinished episode, those until it was cut."""
    clipped_returns: np.ndarray
    """float64 (n,): likewise, of rewards that were first clipped to -1 to 1 one by one."""
    lengths: np.ndarray
    """int64 (n,), environment steps."""
    finished: np.ndarray
    """bool (n,): the episode ended by itself or by the game's own time limit, within the steps that were allowed."""
    info: np.ndarray
    """(n,), a field of float64 for each number that `env.info` names, as "max/NAME" (`EpisodeInfo`)."""

    @property
    def unfinished(self) -> int:
        """The number of unfinished episodes."""
        return int((~self.finished).sum())

    def estimate(self, within: Span = ANYWHERE) -> Estimate:
        """Return the mean return of all n episodes with its 95 % interval, cut to the span of possible returns."""
        return estimate(self.returns, within=within)

    def clipped_estimate(self) -> Estimate:
        """Return the mean clipped return with its 95 % interval."""
        return estimate(self.clipped_returns)

    def info_means(self) -> dict[str, float]:
        """Return the mean of each number that is recorded of infos."""
        return {name: float(self.info[name].mean()) for name in self.info.dtype.names or ()}

    def by_game(self, games: Sequence[str]) -> dict[str, Episodes]:
        """Return the episodes of each game of a mixture, whose environments took turns in the order of `games`.

        A game of which no episode was played is left out.
        """
        played = np.resize(games, len(self.returns))
        return {name: Episodes(*(values[played == name] for values in self)) for name in games if name in played}


StepObserver: TypeAlias = Callable[[Step, np.ndarray, np.ndarray], None]
"""A function of a step of N environments, their returns so far, float64 (N,), and whether each still plays its episode,
bool (N,)."""


def evaluate_policy(
    env: Any,
    actor: Any,
    episodes: int,
    max_steps: int,
    seed: int,
    noops: int = 0,
    observer: StepObserver | None = None,
    info: InfoConfig = NO_INFO,
) -> Episodes:
    """Play exactly `episodes` episodes, N at a time, and return the figures of every one of them.

    In each round every environment gets a new seed and plays one episode. To count whatever episodes end first would
    favour short ones, and to drop those that are cut would favour policies that get stuck. Equal seeds give equal
    levels, so two policies are compared on the same ones.

    Args:
        env: a vector environment in NEXT_STEP mode with N environments. It is reset.
        actor: chooses N actions; see `acting.actor`.
        max_steps: after which an episode is cut and counts as unfinished.
        noops: the most no-ops at the start of an episode, each of 1 to that number being as likely; 0 for none. They
            count as steps, and their rewards count.
        observer: is called in the first round only.
        info: what the environment was made to record of its infos.
    """
    streams = Streams(seed)
    if noops:
        actor = NoopActor(actor, noops, noop_action(env), streams.generator("noops"))
    rounds = []
    for index in range(-(-episodes // env.num_envs)):
        collector = Collector(env, streams.integer(f"levels {index}"))
        recorded = EpisodeInfo(env.num_envs, info)
        played = _first_episodes(collector, actor, recorded, max_steps, None if index else observer)
        # The last round may have more environments than episodes are missing: the first of them count, however long.
        rounds.append(Episodes(*(values[: episodes - index * env.num_envs] for values in played)))
    return Episodes(*map(np.concatenate, zip(*rounds, strict=True)))


def _first_episodes(
    collector: Collector, actor: Any, recorded: EpisodeInfo, max_steps: int, observer: StepObserver | None
) -> Episodes:
    """Play one episode of each environment; those that end early go on, but count no more."""
    num_envs = collector.env.num_envs
    returns, clipped, lengths = np.zeros(num_envs), np.zeros(num_envs), np.zeros(num_envs, np.int64)
    info = recorded.values(lengths)
    finished = np.zeros(num_envs, bool)
    for steps_done, (step, _) in enumerate(collector.steps(actor, max_steps + 1)):
        playing = ~finished
        returns[playing] += step.reward[playing]
        clipped[playing] += np.clip(step.reward[playing], -1, 1)
        lengths[playing] = steps_done
        recorded.add(step)
        info[playing] = recorded.values(lengths)[playing]
        if observer is not None:
            observer(step, returns, playing)
        finished |= step.is_last
        if finished.all():
            break
    table = np.zeros(num_envs, [(name, np.float64) for name in recorded.names])
    for column, name in enumerate(recorded.names):
        table[name] = info[:, column]
    return Episodes(returns, clipped, lengths, finished, table)


class NoopActor:
    """An actor that plays as `actor` does, but begins each episode with 1 to `most` no-ops, drawn for each episode.

    Args:
        noop_action: a choice, or each number of an action that is a point of a box.

    The actor observes those frames too, and receives the actions that were really taken.
    """

    def __init__(self, actor: Actor, most: int, noop_action: int, generator: np.random.Generator) -> None:
        self._actor, self._most, self._noop_action, self._generator = actor, most, noop_action, generator
        self._left: Any = 0

    def act(self, observation: Observation, is_first: np.ndarray) -> PolicyOutput:
        """Choose actions for observations, leading N, of which bool (N,) begin an episode."""
        output = self._actor.act(observation, is_first)
        # Drawn for all at every step, so that the numbers do not depend on when other episodes end.
        drawn = self._generator.integers(1, self._most + 1, size=len(is_first))
        self._left = np.where(is_first, drawn, self._left)
        waits = (self._left > 0).reshape(-1, *(1,) * (output.action.ndim - 1))
        action = np.where(waits, self._noop_action, output.action).astype(output.action.dtype)
        if (self._left > 0).any():
            self._actor.correct(action)
        self._left = np.maximum(self._left - 1, 0)
        return output.with_action(action)


def noop_action(env: Any) -> int:
    """Return the action that does nothing; foreign environments that have one call it 0, as a rule.

    Of a box it is the middle, where each number is 0.
    """
    return ACTION_KEYS.index(()) if isinstance(env, GameVectorEnv) else 0


class PlannerActor(ModelActor):
    """An actor that plans every action in a world model, by one call of one graph for all environments.

    The temperature of the actor is that of the policy in the rollouts.

    Args:
        config: its discount is only used where the agent has none of its own.
    """

    def __init__(self, model: WorldModel, agent: Agent, config: PlannerConfig, num_envs: int, key: np.ndarray):
        discount = config.discount if agent.discount is None else agent.discount
        self._config, self._world = replace(config, discount=discount), model
        # A variable and no argument: the signature of the compiled step is that of every actor.
        self._model_temperature = tf.Variable(1.0)
        super().__init__(model, agent, num_envs, key)

    def set_model_temperature(self, temperature: float) -> None:
        """Set the temperature of the model's own randomness in the rollouts."""
        self._model_temperature.assign(temperature)

    def _choose(self, state: Any, agent_state: Any, temperature: tf.Tensor, seed: tf.Tensor) -> Any:
        at_random, num_actions = self._config.policy == "random", self._world.spec.num_actions

        def policy(features, memory, seed):
            action, memory, extras = self._agent.act(features, memory, temperature, seed)
            if at_random:
                action = draws.uniform(tf.shape(action), seed, 0, num_actions, tf.int32)
            return action, memory, extras

        planner = Planner(self._world, policy, self._config)
        # As a tensor: functions with a gradient of their own, as the RSSM's draws are, take no variables.
        model_temperature = tf.convert_to_tensor(self._model_temperature)
        plan = planner.plan(state, agent_state, model_temperature, seed)
        return plan.action, plan.memory, {}
