"""Measures whether a world model predicts the effects of actions: it tries all from real states, in game and model.

The game can be saved and restored, so that every action starts at the very same moment. One letter per axis: A actions,
N states, S steps for which an action is held.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any, NamedTuple

import numpy as np

from worldmodels.core.seeding import fold
from worldmodels.evaluation.evaluator import Evaluator
from worldmodels.evaluation.measure import Measure, Occasion
from worldmodels.evaluation.predictions.open_loop import Outcomes
from worldmodels.evaluation.predictions.windows import Moments, play_moments
from worldmodels.evaluation.report.numbers import metrics_tree, number
from worldmodels.telemetry.run_table import print_table

MOMENTS = 128
"""Moments at which all actions are tried, at most, but for a last round of all environments."""
HELD = 5
"""Steps for which each action is then held."""


class ActionEffects(NamedTuple):
    """The figures that say how well a world model tells actions apart."""

    states: int
    """The number N of states."""
    steps: int
    """The steps S for which each action was held."""
    reproduced: float
    """The share of the differences between actions' frames that the model reproduces, 1 - error / variance. Differences
    are from the mean of all actions. 0 for a model that ignores actions; NaN if actions change nothing.
    """
    ranked: float
    """The share of pairs of actions whose rewards truly differ that the model ranks right; a tie is half right. NaN
    where none differs."""
    pairs: int
    """The number of these pairs."""


def try_actions(evaluator: Evaluator, occasion: Occasion) -> ActionEffects:
    """Try all actions at moments of the policy's play, really and in the model."""
    settings, env, streams = evaluator.settings, evaluator.env, evaluator.streams
    actions, rounds = evaluator.spec.action.count, -(-min(settings.windows, MOMENTS) // env.num_envs)
    evaluator.report(f"Trying all {actions} actions at {rounds * env.num_envs} moments, really and in the model")
    evaluator.actor.reset(streams.key("moments"))
    moments = play_moments(env, evaluator.actor, rounds, settings.context, streams.integer("moments"))
    return compare_outcomes((_tried(evaluator, each, i) for i, each in enumerate(moments)), HELD)


def _tried(evaluator: Evaluator, moments: Moments, number: int) -> tuple[Outcomes, Outcomes]:
    """Return what follows from each action, really and in the model, if the episode is not over."""
    real = real_outcomes(evaluator.env, moments.states, HELD)
    key = fold(evaluator.streams.key("held actions"), number)
    predicted = evaluator.predictor.hold_actions(moments.windows, len(real.reward), HELD, key)
    goes_on = ~moments.windows.is_last[:, -1]
    real, predicted = (Outcomes(*(values[:, goes_on] for values in each)) for each in (real, predicted))
    return real, predicted


def real_outcomes(env: Any, states: list[bytes], steps: int) -> Outcomes:
    """Hold each action for `steps` steps in each of the N environments, which start from these states every time.

    Args:
        env: a vector environment in NEXT_STEP mode that can be saved. It is left somewhere else.
    """
    outcomes = [_hold(env, states, action, steps) for action in range(env.single_action_space.n)]
    return Outcomes(*(np.stack(values) for values in zip(*outcomes, strict=True)))


def _hold(env: Any, states: list[bytes], action: int, steps: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    env.set_state(states)
    frame = env.observe()
    gained, ended = np.zeros(env.num_envs), np.zeros(env.num_envs, bool)
    for _ in range(steps):
        after, reward, terminated, truncated, _ = env.step(np.full(env.num_envs, action, np.int32))
        frame = np.where(ended[:, None, None, None], frame, after)
        gained += np.where(ended, 0, reward)
        ended = ended | terminated | truncated
    return frame, gained, ended


def compare_outcomes(outcomes: Iterable[tuple[Outcomes, Outcomes]], steps: int) -> ActionEffects:
    """Return how well predicted outcomes tell actions apart.

    States from which some action ends the episode have no frame to compare, and count for rewards alone.

    Args:
        outcomes: real and predicted ones of some states, again and again: all frames at once would be large.
    """
    states = pairs = 0
    error = variance = right = 0.0
    for real, predicted in outcomes:
        states += real.reward.shape[1]
        for n in np.flatnonzero(~real.ended.any(0)):
            truth, mine = (_deviations(frames[:, n]) for frames in (real.frame, predicted.frame))
            error, variance = error + np.square(mine - truth).sum(), variance + np.square(truth).sum()
        gained, foreseen = _pairs(real.reward), _pairs(predicted.reward)
        differ = np.abs(gained) > 1e-6
        pairs += int(differ.sum())
        right += float(np.where(foreseen == 0, 0.5, np.sign(foreseen) == np.sign(gained))[differ].sum())
    reproduced = 1 - error / variance if variance else math.nan
    return ActionEffects(states, steps, float(reproduced), right / pairs if pairs else math.nan, pairs)


def action_metrics(effects: ActionEffects) -> dict[str, float]:
    """Return the figures as metrics: `eval/actions_reproduced` and `eval/actions_ranked`."""
    figures = {"eval/actions_reproduced": effects.reproduced, "eval/actions_ranked": effects.ranked}
    return {name: value for name, value in figures.items() if math.isfinite(value)}


def print_action_effects(effects: ActionEffects, levels: str) -> None:
    """Print how well the model predicts the effects of actions."""
    rows = [
        ["of what actions change in the frame, the model reproduces", number(effects.reproduced)],
        [f"of {effects.pairs} pairs with other rewards, it ranks right", number(effects.ranked)],
    ]
    title = f"Every action held for {effects.steps} steps from {effects.states} moments, {levels}"
    print_table(title, ["share", ""], rows)


def _deviations(frames: np.ndarray) -> np.ndarray:
    """Return how frames (A, ...) differ from their mean, pixels from 0 to 1."""
    values = frames.astype(np.float64) / 255
    deviations: np.ndarray = values - values.mean(0)
    return deviations


def _pairs(rewards: np.ndarray) -> np.ndarray:
    """Return the differences of rewards (A, N) between all pairs of actions, (pairs, N)."""
    first, second = np.triu_indices(len(rewards), 1)
    differences: np.ndarray = rewards[first] - rewards[second]
    return differences


ACTION_EFFECTS = Measure(
    name="actions",
    run=try_actions,
    metrics=action_metrics,
    needs=("world model", "frames and choices", "saved states"),
    occasions=("real", "model", "training"),
    table=print_action_effects,
    tree=lambda effects: metrics_tree(effects._asdict()),
)
"""The world model's prediction of the effects of actions."""
