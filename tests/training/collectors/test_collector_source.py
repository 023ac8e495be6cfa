"""Steps that other processes collect ahead are those that this one would have taken, whoever waits for whom."""

from __future__ import annotations

import os
import signal
from contextlib import closing
from dataclasses import replace

import numpy as np
import pytest
import tensorflow as tf

from worldmodels.acting.build import Parts, build_parts
from worldmodels.acting.collected_steps import CollectedSteps
from worldmodels.acting.step_source import LocalSource
from worldmodels.config.checks import check_config
from worldmodels.config.environment import build_env
from worldmodels.config.run_config import RunConfig
from worldmodels.core.configuration.sections import from_dict
from worldmodels.core.errors import ConfigError, UserError
from worldmodels.training.collectors.collector_process import CollectorProcess
from worldmodels.training.collectors.collector_source import CollectorSource, share_of

COLLECTORS = 2


def configured(**env) -> RunConfig:
    return from_dict(
        RunConfig,
        {
            "precision": "float32",
            "env": {"game": "maze", "num_envs": 4, "num_levels": 5} | env,
            "training": {"kind": "model_free", "rollout": 8, "collectors": COLLECTORS},
            "model": {"kind": "frames", "frames": 2},
            "agent": {"kind": "ppo"},
        },
    )


def built(config: RunConfig) -> Parts:
    with closing(build_env(config)) as env:
        return build_parts(config, env)


def assert_same(taken, expected) -> None:
    """Raise where steps and what the policy said at them differ in any bit."""
    assert len(taken) == len(expected)
    for one, other in zip(taken, expected, strict=True):
        pairs = zip(tf.nest.flatten(_nest(one)), tf.nest.flatten(_nest(other)), strict=True)
        for left, right in pairs:
            np.testing.assert_array_equal(left, right)
            assert np.asarray(left).dtype == np.asarray(right).dtype


def _nest(item):
    step, output = item
    return step, output.action, output.features, output.extras, output.memory


def joined(items):
    """Return the items of several sources side by side."""
    together = []
    for parts in zip(*items, strict=True):
        step, action, features, extras, memory = tf.nest.map_structure(
            lambda *arrays: np.concatenate(arrays), *[_nest(part) for part in parts]
        )
        together.append((step, replace(parts[0][1], action=action, features=features, extras=extras, memory=memory)))
    return together


def changed(parts: Parts) -> None:
    """Let the agent have learned something."""
    tree = parts.agent.save()
    parts.agent.load(tree | {"network": {name: array + 1.0 for name, array in tree["network"].items()}})


@pytest.fixture(scope="module")
def parts():
    return built(configured())


@pytest.fixture(scope="module")
def source(parts):
    with closing(CollectorSource(parts, COLLECTORS, True, CollectorProcess)) as source:
        yield source


@pytest.fixture
def local(parts):
    """What the collectors see, in this process: the same weights, and shares of the environments."""
    configs = [share_of(parts.config, number, COLLECTORS) for number in range(COLLECTORS)]
    envs = [build_env(config) for config in configs]
    yield [LocalSource(replace(parts, config=config, streams=built(config).streams), env)
           for config, env in zip(configs, envs, strict=True)]  # fmt: skip
    for env in envs:
        env.close()


def test_steps_are_those_of_the_policy_before_it_learned(parts, source, local):
    begun, weights = source.save(), parts.agent.save()
    taken = list(source.steps(3, at_random=True))
    assert taken[0][1].extras == {} and taken[0][1].features is None
    taken = list(source.steps(4, at_random=False))
    source.expect(20)  # more than are sent together
    changed(parts)
    ahead = list(source.steps(18, at_random=False))
    peeked = source.peek()
    last = list(source.steps(2, at_random=False))
    end = source.peek()
    parts.agent.load(weights)
    for one in local:
        list(one.steps(3, at_random=True))
    assert_same(taken, joined([list(one.steps(4, at_random=False)) for one in local]))
    assert_same(ahead, joined([list(one.steps(18, at_random=False)) for one in local]))
    assert_same([peeked], joined([[one.peek()] for one in local]))
    assert_same(last, joined([list(one.steps(2, at_random=False)) for one in local]))
    assert_same([end], joined([[one.peek()] for one in local]))
    source.load(begun)


def test_two_collections_at_most_are_under_way_each_by_the_policy_of_its_time(parts, source, local):
    begun, weights = source.save(), parts.agent.save()
    source.expect(5)
    changed(parts)
    source.expect(5)  # none is added, and so the policy is the one before
    source.expect(18, ahead=2)
    saved, later = source.save(), parts.agent.save()
    changed(parts)
    source.expect(5, ahead=3)
    first = list(source.steps(5, at_random=False))
    peeked = source.peek()
    second = list(source.steps(18, at_random=False))
    parts.agent.load(weights)
    assert_same(first, joined([list(one.steps(5, at_random=False)) for one in local]))
    assert_same([peeked], joined([[one.peek()] for one in local]))
    parts.agent.load(later)
    assert_same(second, joined([list(one.steps(18, at_random=False)) for one in local]))
    assert [one["left"] for one in saved["expected"]] == [5, 18]
    parts.agent.load(weights)
    source.load(saved)
    assert_same(list(source.steps(5, at_random=False)), first)
    between = source.save()
    source.load(between)
    assert_same(list(source.steps(18, at_random=False)), second)
    source.load(begun)


def test_what_an_agent_learns_from_is_the_same(parts, source, local):
    begun = source.save()
    experiences = []
    for one in (source, *local):
        collected = CollectedSteps(one, 8)
        list(collected.steps(8, at_random=False))
        experiences.append(collected.take_rollouts())
    together = tf.nest.map_structure(lambda *arrays: np.concatenate(arrays, axis=1), *experiences[1:])
    for taken, expected in zip(tf.nest.flatten(experiences[0]), tf.nest.flatten(together), strict=True):
        np.testing.assert_array_equal(taken, expected)
        assert taken.dtype == expected.dtype
    source.load(begun)


def test_what_is_saved_while_steps_come_in_continues_with_the_same_ones(parts, source):
    weights = parts.agent.save()
    source.expect(20)
    changed(parts)
    list(source.steps(5, at_random=False))
    saved = source.save()
    expected = list(source.steps(15, at_random=False))
    parts.agent.load(weights)
    list(source.steps(7, at_random=False))
    source.load(saved)
    assert_same(list(source.steps(15, at_random=False)), expected)


def test_what_is_saved_between_collections_continues_as_well(source):
    list(source.steps(3, at_random=True))
    saved = source.save()
    assert saved["expected"] == []
    expected = list(source.steps(6, at_random=False))
    source.load(saved)
    peeked = source.peek()
    again = list(source.steps(6, at_random=False))
    assert_same(again, expected)
    assert_same([peeked], expected[:1])


def test_collectors_differ_in_their_seeds_alone():
    config = configured()
    assert share_of(config, 0, 2) == replace(config, env=replace(config.env, num_envs=2))
    other = share_of(config, 1, 2)
    assert other.seed != config.seed and other == replace(share_of(config, 0, 2), seed=other.seed)


def test_a_collector_that_dies_is_told_by_name(parts):
    source = CollectorSource(parts, COLLECTORS, True, CollectorProcess)
    try:
        os.kill(source._collectors[1].process.pid, signal.SIGKILL)
        with pytest.raises(UserError, match="Collector 1, .* was killed by SIGKILL"):
            list(source.steps(4, at_random=False))
    finally:
        source.close()
    assert not any(collector.process.is_alive() for collector in source._collectors)


def test_environments_are_shared_out_evenly():
    with pytest.raises(ConfigError, match=r"a multiple of training.collectors, 2. Received 3"):
        check_config(configured(num_envs=3))
    with pytest.raises(ConfigError, match=r"a multiple of training.collectors x 2 games, 4. Received 6"):
        check_config(configured(game="maze,coinrun", num_envs=6))
