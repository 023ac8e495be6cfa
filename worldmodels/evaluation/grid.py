"""A policy's returns over a grid of sampling temperatures and initial no-ops, beside those of the random policy."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from worldmodels.analysis.aggregate import Estimate, difference
from worldmodels.core.seeding import Streams
from worldmodels.evaluation.policy import Episodes, evaluate_policy
from worldmodels.runtime.actor import ModelActor, RandomActor
from worldmodels.runtime.config import EvaluationConfig


class Cell(NamedTuple):
    """What was played under one setting, on the same levels as every other cell."""

    temperature: float
    noops: int
    policy: Episodes
    random: Episodes
    """Of the random policy, with as many no-ops."""

    def advantage(self) -> Estimate:
        """How much higher the policy's mean return is than the random policy's, with the 95 % interval."""
        return difference(self.policy.returns, self.random.returns)


def evaluate_grid(
    env: Any,
    actor: ModelActor,
    config: EvaluationConfig,
    streams: Streams,
    noop_action: int = 0,
    tell: Callable[[str], None] = lambda text: None,
) -> list[Cell]:
    """One cell for each number of no-ops and each temperature, in that order.

    Args:
        env: a vector environment in NEXT_STEP mode with as many environments as the actor has rows.
        streams: all randomness: the levels, the actor's samples, the random policy.
        tell: is given a line about what is played next.
    """
    num_actions, levels = int(env.single_action_space.n), streams.integer("levels")

    def play(actor: Any, noops: int) -> Episodes:
        return evaluate_policy(env, actor, config.episodes, config.max_steps, levels, noops, noop_action)

    cells = []
    for noops in config.noops:
        tell(f"Playing {config.episodes} episodes at random{_with(noops)}")
        random = play(RandomActor(num_actions, streams.generator(f"random {noops}")), noops)
        for temperature in config.temperatures:
            tell(f"Playing {config.episodes} episodes at temperature {temperature:g}{_with(noops)}")
            actor.reset(streams.key(f"policy {temperature} {noops}"), temperature)
            cells.append(Cell(temperature, noops, play(actor, noops), random))
    return cells


def _with(noops: int) -> str:
    return f", after up to {noops} no-ops" if noops else ""
