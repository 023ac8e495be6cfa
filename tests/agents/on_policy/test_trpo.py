from __future__ import annotations

from dataclasses import replace

import bandits
import numpy as np
import pytest

from worldmodels.agents import build_agent
from worldmodels.agents.on_policy import trpo
from worldmodels.agents.on_policy.config import TRPOConfig
from worldmodels.models.config import HeadConfig

CONFIG = TRPOConfig(vectors=HeadConfig(1, 8), discount=0.5, value_steps=1)
each_space = pytest.mark.parametrize("spec", [bandits.CHOICES, bandits.BOX], ids=["choices", "box"])


def updates(config: TRPOConfig, spec, count: int = 4) -> list[dict[str, float]]:
    """The metrics of some updates in a row."""
    agent = build_agent(config, spec, bandits.key(0))
    found = []
    for i in range(count):
        metrics = agent.update_from_rollouts(bandits.play(agent, spec, i), bandits.key(i))
        found.append({name.removeprefix("policy/"): float(value) for name, value in metrics.items()})
    return found


@each_space
def test_a_step_costs_what_it_may_and_gains(spec):
    for metrics in updates(replace(CONFIG, damping=0.0), spec):
        assert 0.003 < metrics["kl"] <= 0.01  # half of it is 0.8^3 away
        assert metrics["policy_loss"] < 0
        assert metrics["step_share"] == pytest.approx(0.8 ** metrics["backtracks"])


@each_space
def test_damping_shortens_steps(spec):
    damped, plain = (updates(replace(CONFIG, damping=damping), spec, 1)[0]["kl"] for damping in (10.0, 0.0))
    assert damped < 0.5 * plain


def test_without_line_search_a_step_costs_about_as_much_as_was_estimated():
    for metrics in updates(replace(CONFIG, damping=0.0, line_search=False, kl_limit=1e-4), bandits.CHOICES):
        assert metrics["kl"] == pytest.approx(1e-4, rel=0.1)
        assert (metrics["step_share"], metrics["backtracks"]) == (1, 0)


def test_where_no_length_is_accepted_the_policy_stays_and_the_value_learns(monkeypatch):
    """A KL within the limit is not among the lengths that are tried: the first step is ten times too long."""
    monkeypatch.setattr(trpo, "BACKTRACK_STEPS", 1)
    agent = build_agent(replace(CONFIG, damping=0.0), bandits.CHOICES, bandits.key(0))
    before = agent.save()["network"]
    for i in range(20):
        metrics = agent.update_from_rollouts(bandits.play(agent, bandits.CHOICES, i), bandits.key(i))
        after = agent.save()["network"]
        if metrics["policy/step_share"] == 0:
            break
        before = after
    assert metrics["policy/step_share"] == 0 and metrics["policy/kl"] == 0 and metrics["policy/backtracks"] == 1
    for name, value in after.items():
        assert np.array_equal(value, before[name]) == name.startswith("policy/"), name
