from __future__ import annotations

import bandits
import numpy as np
import pytest

from worldmodels.agents import build_agent
from worldmodels.agents.on_policy.config import VPGConfig
from worldmodels.models.config import HeadConfig, OptimizerConfig

PLAIN = OptimizerConfig(learning_rate=0.1, beta1=0.0, epsilon=1e-8, weight_decay=0.0)
CONFIG = VPGConfig(vectors=HeadConfig(0, 1), discount=0.5, value_steps=1, optimizer=PLAIN, value_optimizer=PLAIN)


def test_one_step_by_hand():
    """A policy that is linear in its features; the first step of Adam is as long as its rate, everywhere."""
    agent = build_agent(CONFIG, bandits.CHOICES, bandits.key(0))
    tree = agent.save()
    agent.load(tree | {"network": {name: np.zeros_like(value) for name, value in tree["network"].items()}})
    metrics = agent.update_from_rollouts(bandits.play(agent, bandits.CHOICES, 0), bandits.key(0))
    weights = agent.save()["network"]
    # At place 0 choice 0 pays, at place 1 choice 1.
    np.testing.assert_allclose(weights["policy/actor/kernel"], [[0.1, -0.1], [-0.1, 0.1]], rtol=1e-3)
    # All values were too low.
    np.testing.assert_allclose(weights["value/critic/kernel"][:, 0], [0.1, 0.1], rtol=1e-3)
    # The advantages are normalised, and all actions were as likely.
    assert float(metrics["policy/policy_loss"]) == pytest.approx(0, abs=1e-6)
    # The logits are now 0.2 apart (and the biases up to as much): of the mean over both places it is the KL that tells.
    assert 0.004 < float(metrics["policy/kl"]) < 0.02


def test_the_value_takes_all_its_steps():
    figures = []
    for steps in (1, 20):
        agent = build_agent(VPGConfig(vectors=HeadConfig(0, 1), value_steps=steps), bandits.CHOICES, bandits.key(0))
        agent.update_from_rollouts(bandits.play(agent, bandits.CHOICES, 0), bandits.key(0))
        figures.append(agent.save()["value_optimizer"]["updates"])
    assert figures == [1, 20]
