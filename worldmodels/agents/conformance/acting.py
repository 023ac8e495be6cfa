"""Checks of every agent: how it chooses actions."""

from __future__ import annotations

import numpy as np
import tensorflow as tf

from worldmodels.agents.config import AgentConfig
from worldmodels.agents.conformance.samples import (
    can_learn,
    features,
    make_agent,
    renewed_agent,
    rollouts,
    transitions,
)
from worldmodels.core.errors import CheckpointError, ConformanceError
from worldmodels.core.specs import ActionSpec
from worldmodels.models.api import ModelSpec
from worldmodels.models.conformance.samples import ACTIONS, ROWS, differ, key, require, require_same

MANY = 64
"""Rows among which different seeds are bound to choose different actions somewhere."""

EXPERIENCE = frozenset({"imagination", "rollouts", "transitions", "recent"})
"""The kinds of experience from which an agent may learn."""

OF_BOXES = ("gaussian", "truncated_normal", "squashed_normal")
"""The names under which an agent may give the parameters of a policy of boxes."""


def check_actions_memory_and_extras(config: AgentConfig, spec: ModelSpec) -> None:
    """Check shapes and types of what `act` gives, at two steps in a row."""
    agent = renewed_agent(config, spec)
    memory = agent.initial(ROWS)
    for t in range(2):
        before = memory
        action, memory, extras = agent.act(features(spec, ROWS), memory, 1.0, key(t))
        _require_actions(action, spec.action)
        tf.nest.assert_same_structure(memory, before)
        shapes = [[tuple(x.shape) for x in tf.nest.flatten(one)] for one in (before, memory)]
        require(shapes[0] == shapes[1], f"the shapes of the memory must stay {shapes[0]}. Received {shapes[1]}.")
    if spec.action.is_discrete:
        parameters = {"logits": (ROWS, spec.action.count)}
    else:
        parameters = {name: (ROWS, 2 * spec.action.size) for name in OF_BOXES}
    wanted = {**parameters, "value": (ROWS,)}
    found = {label: tuple(value.shape) for label, value in extras.items()}
    sound = all(wanted.get(label) == shape for label, shape in found.items())
    require(sound, f"what act gives besides must be some of {wanted}. Received {found}.")


def _require_actions(action: tf.Tensor, spec: ActionSpec) -> None:
    shape, values = (ROWS, *spec.shape), action.numpy()
    fits = (action.dtype, tuple(action.shape)) == (tf.as_dtype(spec.dtype), shape)
    if spec.is_discrete:
        fits, rule = fits and bool(((values >= 0) & (values < spec.count)).all()), f"from 0 to {spec.count - 1}"
    else:
        # Samples may lie outside of the box: the caller clips them before an environment gets them.
        fits, rule = fits and bool(np.isfinite(values).all()), "and finite"
    require(fits, f"actions must be {spec.dtype} {shape} {rule}. Received {action}.")


def check_acting_depends_on_its_seed_alone(config: AgentConfig, spec: ModelSpec) -> None:
    """Check that the same features and seed give the same actions, and another seed others."""
    agent, seen = renewed_agent(config, spec), features(spec, MANY)
    acts = [agent.act(seen, agent.initial(MANY), 1.0, key(number)) for number in (1, 1, 2)]
    require_same(acts[0], acts[1], "actions of the same features and seed")
    require(differ(acts[0][0], acts[2][0]), "another seed must give other actions at temperature 1; it does not.")


def check_temperature_0_takes_the_most_probable_action(config: AgentConfig, spec: ModelSpec) -> None:
    """Check that at temperature 0 an agent with logits takes the best of them, and one with a Gaussian its mean,
    whatever the seed."""
    agent, seen = renewed_agent(config, spec), features(spec, MANY)
    # From a uniform policy to one that prefers something.
    if can_learn(agent) and "rollouts" in agent.experience:
        agent.update_from_rollouts(rollouts(agent, spec), key(0))
    if "transitions" in agent.experience and spec.action.is_discrete:
        agent.update_from_transitions(transitions(spec), key(0))
    action, _, extras = agent.act(seen, agent.initial(MANY), 0.0, key(1))
    if "logits" in extras:
        best = tf.argmax(extras["logits"], -1, tf.int32)
        require(np.array_equal(action, best), "actions at temperature 0 must be those of the largest logits.")
    if "gaussian" in extras:
        mean = tf.split(extras["gaussian"], 2, -1)[0]
        require(np.array_equal(action, mean), "actions at temperature 0 must be the means of the Gaussian.")
    if "logits" in extras or can_learn(agent):  # random play is the same at every temperature
        other = agent.act(seen, agent.initial(MANY), 0.0, key(2))[0]
        require_same(action, other, "actions at temperature 0 under two seeds")


def check_its_facts(config: AgentConfig, spec: ModelSpec) -> None:
    """Check what an agent says of itself: its kinds of experience, the agent that collects, and its discount."""
    agent = make_agent(config, spec)
    require(
        agent.experience == config.experience and config.experience <= EXPERIENCE,
        f"experience must be the same of agent and configuration, some of {sorted(EXPERIENCE)}. Received "
        f"{sorted(agent.experience)} and {sorted(config.experience)}.",
    )
    require(
        "recent" in config.experience or not config.recent_steps,
        f"recent_steps must be 0 unless experience holds 'recent'. Received {config.recent_steps}.",
    )
    collected, memory, _ = agent.collector.act(features(spec, ROWS), agent.collector.initial(ROWS), 1.0, key(0))
    _require_actions(collected, spec.action)
    tf.nest.assert_same_structure(memory, agent.collector.initial(ROWS))
    discount = agent.discount
    require(discount is None or 0 <= discount <= 1, f"discount must be None, or 0 to 1. Received {discount}.")


def check_a_checkpoint_of_other_actions_is_refused(config: AgentConfig, spec: ModelSpec) -> None:
    """Check that what does not fit raises CheckpointError, which names the shapes."""
    agent = make_agent(config, spec)
    if not can_learn(agent):
        return
    low, high = spec.action.low, spec.action.high
    more = ActionSpec(ACTIONS + 1) if spec.action.is_discrete else ActionSpec(low=(*low, 0.0), high=(*high, 1.0))
    try:
        agent.load(make_agent(config, spec._replace(action=more)).save())
    except CheckpointError as error:
        require("shape" in str(error), f"the CheckpointError must name the shapes. Received: {error}")
    else:
        raise ConformanceError("load must raise CheckpointError for weights of another number of actions.")


CHECKS = (
    check_its_facts,
    check_actions_memory_and_extras,
    check_acting_depends_on_its_seed_alone,
    check_temperature_0_takes_the_most_probable_action,
    check_a_checkpoint_of_other_actions_is_refused,
)
"""Properties of every agent."""
