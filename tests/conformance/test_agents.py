"""Every kind of agent keeps the contract of `agents/api.py`, with features of every kind."""

from __future__ import annotations

import members
import numpy as np
import pytest
import tensorflow as tf
from members import ACTIONS, ROWS, SPECS, STEPS, key, make_agent
from trees import assert_same, assert_same_tree, differ, leaves, poisoned

from worldmodels.agents import AGENTS
from worldmodels.agents.api import Experience
from worldmodels.core.checkpoint import Checkpoints
from worldmodels.core.errors import CheckpointError

ALL = [(name, kind) for name in members.AGENTS for kind in SPECS]
FROM_REALITY = [(name, kind) for name, kind in ALL if members.AGENTS[name].learns_from_experience]
each = pytest.mark.parametrize(("name", "kind"), ALL)
each_from_reality = pytest.mark.parametrize(("name", "kind"), FROM_REALITY)


def features(kind, *leading):
    random, shape = np.random.default_rng(6), (*leading, *SPECS[kind].feature_shape)
    if kind == "images":
        return tf.constant(random.integers(0, 256, shape, np.uint8))
    return tf.constant(random.normal(size=shape).astype(np.float32))


def learned(agent):
    """Whether there is anything that it could learn."""
    return any(isinstance(value, np.ndarray) and value.ndim > 1 for value in leaves(agent.save()).values())


def experience(agent, kind, seed=0):
    """What the agent itself lived through: in world 1 an episode ends at moment 4, in world 2 one is cut there."""
    is_first, is_last, ends = np.zeros((3, STEPS + 1, ROWS), bool)
    is_first[0] = is_first[5, 1:] = is_last[4, 1:] = ends[4, 1] = True
    seen, memory = features(kind, STEPS + 1, ROWS), agent.initial(ROWS)
    before, actions, extras = memory, [], []
    for t in range(STEPS + 1):
        begins = is_first[t]
        memory = tf.nest.map_structure(lambda x, begins=begins: tf.where(_column(begins, x), 0.0, x), memory)
        action, memory, extra = agent.act(seen[t], memory, 1.0, key(100 * seed + t))
        actions.append(action)
        extras.append(extra)
    rewards = np.random.default_rng(seed).choice([0.0, 1.0], is_first.shape).astype(np.float32)
    flags = tf.constant(1.0 - ends, tf.float32), tf.constant(is_first), tf.constant(is_last)
    stacked = tf.nest.map_structure(lambda *x: tf.stack(x), *extras)
    return Experience(seen, tf.stack(actions), tf.constant(rewards), *flags, stacked, before)


def _column(mask, value):
    return tf.reshape(mask, (-1,) + (1,) * (value.shape.rank - 1))


def test_the_table_is_complete():
    assert {config.kind for config in members.AGENTS.values()} == set(AGENTS)


@each
def test_actions_memory_and_extras(name, kind):
    agent, before = make_agent(name, SPECS[kind]), None
    memory = agent.initial(ROWS)
    for t in range(2):
        before = memory
        action, memory, extras = agent.act(features(kind, ROWS), memory, 1.0, key(t))
        assert (action.dtype, action.shape) == (tf.int32, (ROWS,))
        assert set(action.numpy()) <= set(range(ACTIONS))
        tf.nest.assert_same_structure(memory, before)
        assert [x.shape for x in tf.nest.flatten(memory)] == [x.shape for x in tf.nest.flatten(before)]
    assert extras.keys() <= {"logits", "value"}
    shapes = {"logits": (ROWS, ACTIONS), "value": (ROWS,)}
    assert all(extras[label].shape == shapes[label] for label in extras)


@each
def test_acting_depends_on_its_seed_alone(name, kind):
    agent, seen = make_agent(name, SPECS[kind]), features(kind, 64)
    acts = [agent.act(seen, agent.initial(64), 1.0, key(number)) for number in (1, 1, 2)]
    assert_same(acts[0], acts[1])
    assert differ(acts[0][0], acts[2][0])


@each
def test_temperature_0_takes_the_most_probable_action(name, kind):
    agent, seen = make_agent(name, SPECS[kind]), features(kind, 64)
    if learned(agent) and agent.learns_from_experience:
        agent.update_from_experience(
            experience(agent, kind), key(0)
        )  # from a uniform policy to one that prefers something
    action, _, extras = agent.act(seen, agent.initial(64), 0.0, key(1))
    if "logits" in extras:  # an agent without them is the same at every temperature
        np.testing.assert_array_equal(action, tf.argmax(extras["logits"], -1))
        assert_same(action, agent.act(seen, agent.initial(64), 0.0, key(2))[0])


@each
def test_a_checkpoint_of_other_actions_is_refused(name, kind):
    agent = make_agent(name, SPECS[kind])
    if learned(agent):
        with pytest.raises(CheckpointError, match="shape"):
            agent.load(make_agent(name, SPECS[kind]._replace(num_actions=ACTIONS + 1)).save())


@each_from_reality
def test_learning_from_reality_repeats_bit_for_bit_and_survives_a_checkpoint(name, kind, tmp_path):
    """An update, a checkpoint on disk, another agent that loads it, and one more: the same as two."""
    straight, resumed = make_agent(name, SPECS[kind], 1), make_agent(name, SPECS[kind], 2)
    before = leaves(straight.save())
    metrics = straight.update_from_experience(experience(straight, kind), key(0))
    assert all(label.startswith("policy/") and np.isfinite(value) for label, value in metrics.items())
    if learned(straight):
        assert metrics["policy/finite"] == 1
        assert differ(before, leaves(straight.save()))
    checkpoints = Checkpoints(tmp_path)
    checkpoints.write(7, straight.save())
    resumed.load(checkpoints.read()[1])
    assert_same_tree(straight.save(), resumed.save())
    assert_same(*(agent.update_from_experience(experience(agent, kind, 1), key(1)) for agent in (straight, resumed)))
    assert_same_tree(straight.save(), resumed.save())


@each_from_reality
def test_what_is_not_finite_changes_nothing(name, kind):
    agent = make_agent(name, SPECS[kind])
    if not learned(agent):
        pytest.skip("it has nothing to learn")
    lived, before = experience(agent, kind), agent.save()
    metrics = agent.update_from_experience(lived._replace(rewards=lived.rewards * np.nan), key(0))
    assert metrics["policy/finite"] == 0
    assert_same_tree(agent.save(), before)
    agent.load(poisoned(before))
    before = agent.save()
    assert agent.update_from_experience(lived, key(0))["policy/finite"] == 0
    assert_same_tree(agent.save(), before)


@each_from_reality
def test_the_step_between_two_episodes_teaches_nothing(name, kind):
    """The action at a last moment had no effect: another one changes nothing."""
    lived = None
    trees = []
    for changed in (False, True):
        agent = make_agent(name, SPECS[kind])
        lived = lived or experience(agent, kind)
        actions = lived.actions.numpy()
        actions[lived.is_last.numpy()] = (actions[lived.is_last.numpy()] + changed) % ACTIONS
        agent.update_from_experience(lived._replace(actions=tf.constant(actions)), key(0))
        trees.append(agent.save())
    assert_same_tree(*trees)
