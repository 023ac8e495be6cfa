"""Checks of every agent that learns: in imagination, from rollouts, transitions and recent steps."""

from __future__ import annotations

from functools import cache
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import tensorflow as tf

from worldmodels.agents.api import Experience, Replayed
from worldmodels.agents.config import AgentConfig
from worldmodels.agents.conformance.samples import (
    PushedPoint,
    can_learn,
    features,
    make_agent,
    recent,
    renewed_agent,
    rollouts,
    transitions,
)
from worldmodels.core.files.checkpoint import Checkpoints
from worldmodels.imagination.starts import StartStates, choose_starts
from worldmodels.models import precision
from worldmodels.models.api import ModelSpec
from worldmodels.models.config import ModelConfig
from worldmodels.models.conformance.samples import (
    ACTIONS,
    BATCH,
    differ,
    key,
    leaves,
    make_batch_of,
    make_model,
    poisoned,
    require,
    require_same,
    require_same_tree,
)


def check_learning_from_rollouts(config: AgentConfig, spec: ModelSpec) -> None:
    """Check that an update, a checkpoint on disk, another agent that loads it, and an update are the same as two."""
    straight, resumed = renewed_agent(config, spec, 1), make_agent(config, spec, 2)
    old = leaves(straight.save())
    metrics = straight.update_from_rollouts(rollouts(straight, spec), key(0))
    _require_metrics(metrics, can_learn(straight))
    if can_learn(straight):
        require(differ(old, leaves(straight.save())), "an update must change what is saved; it does not.")
    with TemporaryDirectory() as folder:
        checkpoints = Checkpoints(folder)
        checkpoints.write(7, straight.save())
        resumed.load(checkpoints.read()[1])
    require_same_tree(straight.save(), resumed.save(), "what was saved, and what was loaded,")
    one, other = (agent.update_from_rollouts(rollouts(agent, spec, 1), key(1)) for agent in (straight, resumed))
    require_same(one, other, "the metrics of an agent, and of one that was loaded from its checkpoint,")
    require_same_tree(straight.save(), resumed.save(), "what both saved after that")


def check_what_is_not_finite_changes_nothing(config: AgentConfig, spec: ModelSpec) -> None:
    """Check that an update leaves the agent as it is where rewards or weights are NaN, and says so."""
    agent = renewed_agent(config, spec)
    if not can_learn(agent):
        return
    experienced = rollouts(agent, spec)
    for broken in ("rewards", "weights"):
        if broken == "weights":
            agent.load(poisoned(agent.save()))
        old, factor = agent.save(), np.nan if broken == "rewards" else 1.0
        metrics = agent.update_from_rollouts(experienced._replace(rewards=experienced.rewards * factor), key(0))
        require(metrics.get("policy/finite") == 0, f"the metric policy/finite must be 0 where {broken} are NaN.")
        require_same_tree(agent.save(), old, f"what is saved before and after an update whose {broken} are NaN")


def check_the_step_between_two_episodes_teaches_nothing(config: AgentConfig, spec: ModelSpec) -> None:
    """Check that an action at a last step, which had no effect, has none on what is learned."""
    if not can_learn(make_agent(config, spec)):
        return
    experienced, trees = None, []
    for changed in (False, True):
        agent = renewed_agent(config, spec)
        experienced = experienced or rollouts(agent, spec)
        actions = experienced.actions.numpy()
        actions[experienced.is_last.numpy()] = (actions[experienced.is_last.numpy()] + changed) % ACTIONS
        agent.update_from_rollouts(experienced._replace(actions=tf.constant(actions)), key(0))
        trees.append(agent.save())
    require_same_tree(trees[0], trees[1], "what is learned, whatever the action at the end of an episode was,")


def check_learning_from_transitions(config: AgentConfig, spec: ModelSpec) -> None:
    """Check that updates before and after a checkpoint on disk give the same as all updates in one agent."""
    straight, resumed = renewed_agent(config, spec, 1), make_agent(config, spec, 2)
    old = leaves(straight.save())
    metrics = straight.update_from_transitions(transitions(spec), key(0))
    _require_metrics(metrics, True)
    require(differ(old, leaves(straight.save())), "an update must change what is saved; it does not.")
    with TemporaryDirectory() as folder:
        checkpoints = Checkpoints(folder)
        checkpoints.write(7, straight.save())
        resumed.load(checkpoints.read()[1])
    require_same_tree(straight.save(), resumed.save(), "what was saved, and what was loaded,")
    one, other = (agent.update_from_transitions(transitions(spec, 1), key(1)) for agent in (straight, resumed))
    require_same(one, other, "the metrics of an agent, and of one that was loaded from its checkpoint,")
    require_same_tree(straight.save(), resumed.save(), "what both saved after that")


def check_transitions_that_are_not_finite_change_nothing(config: AgentConfig, spec: ModelSpec) -> None:
    """Check that no update of a call is kept where the last batch has a reward that is NaN, or where weights are."""
    agent, steps = renewed_agent(config, spec), transitions(spec)
    rewards = steps.rewards.numpy()
    rewards[-1, -1] = np.nan
    for broken, given in (("rewards", steps._replace(rewards=tf.constant(rewards))), ("weights", steps)):
        if broken == "weights":
            agent.load(poisoned(agent.save()))
        old = agent.save()
        metrics = agent.update_from_transitions(given, key(0))
        require(metrics.get("policy/finite") == 0, f"the metric policy/finite must be 0 where {broken} are NaN.")
        require_same_tree(agent.save(), old, f"what is saved before and after updates whose {broken} are NaN")


def check_a_true_end_alone_ends_the_future(config: AgentConfig, spec: ModelSpec) -> None:
    """Check that what is seen after a step counts, unless the step terminated its episode."""
    agent, steps = renewed_agent(config, spec), transitions(spec)
    fresh, other = agent.save(), tf.nest.map_structure(lambda x: x[:, ::-1], steps.next_features)

    def learned(continuation: float, next_features: Any) -> dict[str, Any]:
        agent.load(fresh)
        continuations = tf.fill(steps.rewards.shape, continuation)
        given = steps._replace(continuations=continuations, next_features=next_features)
        agent.update_from_transitions(given, key(0))
        return agent.save()

    counted = differ(leaves(learned(1.0, steps.next_features)), leaves(learned(1.0, other)))
    require(counted, "what is seen after a step that ended nothing must count; it does not.")
    ended = learned(0.0, steps.next_features), learned(0.0, other)
    require_same_tree(*ended, "what is learned, whatever is seen after a true end,")


def check_learning_in_imagination(config: AgentConfig, world: ModelConfig) -> None:
    """Check one policy update in a world model: finite, of some effect, repeatable; the model stays as it is.

    An agent that cannot have its actions has nothing to learn there.
    """
    if "discrete" not in config.action_kinds:
        return
    model, states = _fitted(world, precision.current())
    starts = choose_starts(states, tf.constant(~BATCH.is_terminal, tf.float32), 0, key(2))
    agent, old, results = make_agent(config, model.spec), leaves(model.save()), []
    fresh = agent.save()
    require_same_tree(fresh, make_agent(config, model.spec).save(), "two agents made from the same key")
    for _ in range(2):
        agent.load(fresh)
        metrics = agent.update_from_imagination(model, starts, key(1), Experience(Replayed.of(states, BATCH)))
        results.append((metrics, leaves(agent.save())))
    require_same(results[0], results[1], "two updates of an agent from the same weights, states and seed")
    _require_metrics(metrics, can_learn(agent))
    if can_learn(agent):
        require(differ(leaves(fresh), leaves(agent.save())), "an update must change what is saved; it does not.")
    require_same(old, leaves(model.save()), "the world model before and after an agent learned in it")


def check_learning_in_a_differentiable_world(config: AgentConfig, spec: ModelSpec) -> None:
    """Check updates in a world of vectors with any kind of action.

    An update, a checkpoint on disk, another agent that loads the checkpoint, and an update give the same as two
    updates. An update with weights of NaN leaves the agent as it is.
    """
    if spec.feature_kind != "vector":
        return
    world, states = PushedPoint(spec), (features(spec, 12),)
    batch = make_batch_of(spec.observation, spec.action)
    straight, resumed = renewed_agent(config, spec, 1), make_agent(config, spec, 2)
    replayed = Replayed.of((features(spec, *batch.reward.shape),), batch)
    recorded = Experience(replayed, recent(straight, spec) if config.recent_steps else None)
    given = world, StartStates(states, tf.ones((12,)))
    if not can_learn(straight):
        return
    old = leaves(straight.save())
    _require_metrics(straight.update_from_imagination(*given, key(0), recorded), True)
    require(differ(old, leaves(straight.save())), "an update must change what is saved; it does not.")
    with TemporaryDirectory() as folder:
        checkpoints = Checkpoints(folder)
        checkpoints.write(7, straight.save())
        resumed.load(checkpoints.read()[1])
    one, other = (agent.update_from_imagination(*given, key(1), recorded) for agent in (straight, resumed))
    require_same(one, other, "the metrics of an agent, and of one that was loaded from its checkpoint,")
    require_same_tree(straight.save(), resumed.save(), "what both saved after that")
    straight.load(poisoned(straight.save()))
    old = straight.save()
    metrics = straight.update_from_imagination(*given, key(2), recorded)
    require(metrics.get("policy/finite") == 0, "the metric policy/finite must be 0 where weights are NaN.")
    require_same_tree(straight.save(), old, "what is saved before and after an update whose weights are NaN")


@cache
def _fitted(config: ModelConfig, _: precision.Precision) -> tuple[Any, Any]:
    """Return a world model after one update, and its states along the batch."""
    model = make_model(config)
    return model, model.fit(BATCH, key(0))[1]


def _require_metrics(metrics: dict[str, Any], learns: bool) -> None:
    sound = all(label.startswith("policy/") and np.isfinite(value) for label, value in metrics.items())
    require(sound, f"metrics must be named policy/... and be finite. Received {metrics}.")
    if learns:
        require(metrics.get("policy/finite") == 1, "the metric policy/finite must be 1 after a sound update.")


def check_learning_from_recent_steps(config: AgentConfig, spec: ModelSpec) -> None:
    """Check that recent steps change what an update learns, and that rewards of NaN leave the agent as it is."""
    if spec.feature_kind != "vector" or not config.recent_steps:
        return
    world, starts = PushedPoint(spec), StartStates((features(spec, 12),), tf.ones((12,)))
    found = []
    for given in (False, True):
        agent = renewed_agent(config, spec)
        steps = recent(agent, spec)
        agent.update_from_imagination(world, starts, key(0), Experience(recent=steps if given else None))
        found.append(leaves(agent.save()))
    require(differ(*found), "recent steps must change what is learned; they do not.")
    agent, old = renewed_agent(config, spec), leaves(renewed_agent(config, spec).save())
    broken = steps._replace(rewards=steps.rewards * np.nan)
    metrics = agent.update_from_imagination(world, starts, key(0), Experience(recent=broken))
    require(metrics.get("policy/finite") == 0, "the metric policy/finite must be 0 where recent rewards are NaN.")
    require_same(leaves(agent.save()), old, "what is saved before and after an update with recent rewards that are NaN")


CHECKS_IN_IMAGINATION = (check_learning_in_a_differentiable_world, check_learning_from_recent_steps)
"""Properties of every agent that learns in imagination."""
CHECKS_FROM_ROLLOUTS = (
    check_learning_from_rollouts,
    check_what_is_not_finite_changes_nothing,
    check_the_step_between_two_episodes_teaches_nothing,
)
"""Properties of every agent that learns from real rollouts."""
CHECKS_FROM_TRANSITIONS = (
    check_learning_from_transitions,
    check_transitions_that_are_not_finite_change_nothing,
    check_a_true_end_alone_ends_the_future,
)
"""Properties of every agent that learns from single recorded steps."""
