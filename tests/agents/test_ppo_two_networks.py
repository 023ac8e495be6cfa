"""PPO whose value has a network of its own, and whose policy may go only so far."""

from __future__ import annotations

from dataclasses import replace

import bandits
import numpy as np
import pytest

from worldmodels.agents import build_agent
from worldmodels.agents.on_policy.config import PPOConfig
from worldmodels.core.errors import CheckpointError
from worldmodels.models.config import HeadConfig, LayerStyle, OptimizerConfig

FAST, EPOCHS = OptimizerConfig(learning_rate=0.03, weight_decay=0.0), 20
SHARED = PPOConfig(vectors=HeadConfig(1, 8), epochs=EPOCHS, minibatch=1000, discount=0.5, optimizer=FAST)
OWN = replace(SHARED, value_optimizer=FAST)


def updated(config: PPOConfig, **changes):
    """An agent after one update, and its metrics."""
    agent = build_agent(replace(config, **changes), bandits.CHOICES, bandits.key(0))
    return agent, agent.update_from_rollouts(bandits.play(agent, bandits.CHOICES, 0), bandits.key(0))


def test_the_steps_of_the_policy_end_and_those_of_the_value_go_on():
    agent, metrics = updated(OWN, target_kl=0.002)
    steps = agent.save()["optimizer"]["updates"]
    assert 0 < steps < EPOCHS
    # One more was looked at, and found to be too far: its mean KL is of the steps before as well.
    assert float(metrics["policy/steps"]) == steps + 1
    assert agent.save()["value_optimizer"]["updates"] == EPOCHS
    assert metrics["policy/finite"] == 1


def test_where_both_share_a_network_all_steps_end():
    agent, metrics = updated(SHARED, target_kl=0.002)
    assert 0 < agent.save()["optimizer"]["updates"] == metrics["policy/steps"] - 1 < EPOCHS
    assert "value_optimizer" not in agent.save()


def test_without_a_target_no_step_is_left_out():
    for config in (SHARED, OWN):
        agent, metrics = updated(config)
        assert agent.save()["optimizer"]["updates"] == EPOCHS
        assert "policy/steps" not in metrics


def test_the_value_does_not_change_what_the_policy_learns():
    slow, fast = (updated(OWN, value_optimizer=replace(FAST, learning_rate=rate))[0].save() for rate in (1e-3, 1e-1))
    for name, value in slow["network"].items():
        assert np.array_equal(value, fast["network"][name]) == name.startswith("policy/"), name


def test_the_activation_is_that_of_the_style():
    kernels = [
        updated(OWN, style=LayerStyle(activation=activation))[0].save()["network"]["policy/actor/kernel"].tobytes()
        for activation in ("elu", "tanh", "relu")
    ]
    assert len(set(kernels)) == 3


def test_a_checkpoint_with_one_network_does_not_fit_two():
    with pytest.raises(CheckpointError, match="lacks 'value/"):
        updated(OWN)[0].load(updated(SHARED)[0].save())
