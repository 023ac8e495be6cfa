"""Every kind of agent goes through the kit of `worldmodels.agents.conformance`, with features of every kind."""

from __future__ import annotations

import members
import pytest
import tensorflow as tf

from worldmodels.agents import AGENTS
from worldmodels.agents.config import RandomConfig
from worldmodels.agents.conformance import agent_checks, check_agent
from worldmodels.agents.random_agent import RandomAgent
from worldmodels.core.errors import ConformanceError


def test_the_table_is_complete():
    ours = {kind for kind, config in AGENTS.items() if config.__module__.startswith("worldmodels.")}
    assert {config.kind for config in members.AGENTS.values()} == ours


@pytest.mark.parametrize(("config", "check", "spec"), members.agent_cases(members.AGENTS))
def test_contract(config, check, spec):
    check(config, spec)


def test_who_learns_in_imagination_alone_is_not_given_experience():
    from_reality, in_imagination = (agent_checks(members.AGENTS[name]) for name in ("ppo", "actor_critic"))
    assert len(from_reality) == len(in_imagination) + 3


def test_an_agent_that_breaks_the_contract_is_told(monkeypatch):
    def act(self, features, state, temperature, seed):
        rows = tf.nest.flatten(features)[0].shape[0]
        return tf.constant(self._action.zeros(rows)), state, {}

    monkeypatch.setattr(RandomAgent, "act", act)
    text = "The agent 'random' fails check_acting_depends_on_its_seed_alone with the spaces 'vector': another seed must"
    with pytest.raises(ConformanceError, match=text):
        check_agent(RandomConfig())


def test_the_kit_runs_over_features_and_worlds():
    check_agent(RandomConfig())
