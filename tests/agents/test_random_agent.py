from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pytest
import tensorflow as tf

from worldmodels.agents import build_agent
from worldmodels.agents.config import RandomConfig
from worldmodels.core.errors import ConfigError
from worldmodels.imagination.starts import StartStates

SEED = np.array([1, 2], np.int32)


@dataclass(frozen=True)
class Misspelt:
    kind: str = "actor_critc"


def test_acts_uniformly_and_learns_nothing(line, starts):
    agent = build_agent(RandomConfig(), line.spec, SEED)
    actions, _, _ = agent.act(tf.zeros((10_000, 7)), agent.initial(10_000), 1.0, SEED)
    np.testing.assert_allclose(np.bincount(actions) / 10_000, [0.5, 0.5], atol=0.02)
    assert agent.update_from_imagination(line, StartStates(starts, tf.ones((32,))), SEED) == {}
    agent.load(agent.save())


def test_unknown_kind_names_the_nearest(line):
    with pytest.raises(ConfigError, match="Unknown agent 'actor_critc'. Did you mean 'actor_critic'?"):
        build_agent(Misspelt(), line.spec, SEED)
