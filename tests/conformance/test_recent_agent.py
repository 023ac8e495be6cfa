"""An agent that is not of this package gets recent steps, and a run with it learns from these."""

from __future__ import annotations

import json

import pytest
from members import HEAD, MODELS
from recent_agent import HabitConfig, register

from worldmodels.agents import register_agent
from worldmodels.agents.conformance import check_agent
from worldmodels.config.run_config import RunConfig, ScheduleConfig
from worldmodels.config.training_config import ModelBasedConfig
from worldmodels.core.errors import ConfigError
from worldmodels.envs.config import EnvConfig
from worldmodels.training.launch import launch


@pytest.fixture(scope="module", autouse=True)
def registered(kinds_of_tests):
    register()


def test_it_keeps_the_contract():
    check_agent(HabitConfig())


def test_a_run_gives_it_its_recent_steps(tmp_path):
    """The first updates come before a window is full of the agent's own steps: the prefill is random."""
    config = RunConfig(
        env=EnvConfig(game="maze", num_envs=2, num_levels=3),
        model=MODELS["rssm"],
        agent=HabitConfig(),
        training=ModelBasedConfig(steps=64, prefill=32, collect=8, batch=2, length=8),
        schedule=ScheduleConfig(evaluate_every=0, log_every=8),
        precision="float32",
    )
    run = launch(config, tmp_path / "run")
    lines = [json.loads(line) for line in (run / "metrics.jsonl").read_text().splitlines()]
    given = ["policy/recent_logit" in line for line in lines if "policy/updates" in line]
    assert given and given[-1] and not given[0]


def test_a_configuration_extends_the_base_of_all():
    with pytest.raises(ConfigError, match="'bare' must extend worldmodels.agents.config.AgentConfig"):
        register_agent("bare", type(HEAD), "nowhere:Bare")
