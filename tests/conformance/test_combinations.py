"""Every kind of world model with every kind of agent that learns, trained from YAML: one line tells them apart."""

from __future__ import annotations

import json
import math

import pytest

import worldmodels
from worldmodels.config.checks import check_config
from worldmodels.config.run_config import RunConfig
from worldmodels.core.configuration.sections import load_config

LOOP = """\
training: {prefill_policy: random, real_rollout: 0, fit: 3, fit_factors: [], improve: 2}
schedule: {evaluate_every: 0}
"""
MODELS = {
    "rssm": "model: {kind: rssm, recurrent: 8, hidden: 8, latents: 2, classes: 2, heads: {layers: 1, units: 8}, "
    "encoder: {kind: patch, patch: 16, depth: 4}, decoder: {kind: patch, patch: 16, depth: 4}}\n",
    "deterministic": "",  # as the preset has it
    "stochastic_discrete": "model: {kind: stochastic_discrete, frames: 2, memory: 4, head_units: 8, "
    "network: {kind: patch, patch: 16, depth: 8, bottleneck: 16, blocks: 1}, output: {kind: motion, depth: 8}, "
    "latent: {bits: 4, group: 2, units: 4}, sampling: {final: 0}}\n",
}
AGENTS = {
    "ppo": "",
    "actor_critic": "agent: {kind: actor_critic, horizon: 4, actor: {layers: 1, units: 8}, "
    "critic: {layers: 1, units: 8}}\n",
}
each_model = pytest.mark.parametrize("model", MODELS)
each_agent = pytest.mark.parametrize("agent", AGENTS)


@pytest.fixture
def files(tmp_path, model, agent):
    """A preset, and one file whose lines are the loop, the model and the agent."""
    path = tmp_path / "lines.yaml"
    path.write_text(LOOP + MODELS[model] + AGENTS[agent])
    return ["debug_simple", str(path)]


@each_model
@each_agent
def test_the_line_decides_the_kind(files, model, agent):
    config = load_config(RunConfig, files, ["env.game=maze"])
    check_config(config)
    assert (config.model.kind, config.agent.kind) == (model, agent)


@pytest.mark.slow
@each_model
@each_agent
def test_a_run_trains_and_can_be_opened(files, model, agent, tmp_path):
    run = worldmodels.train("maze", files, logdir=tmp_path / "run")
    records = [json.loads(line) for line in (run / "metrics.jsonl").read_text().splitlines()]
    seen = {name: value for record in records for name, value in record.items()}
    assert seen["step"] >= 160
    for group in ("model/", "policy/"):
        learned = {name: value for name, value in seen.items() if name.startswith(group)}
        assert learned
        assert all(math.isfinite(value) for value in learned.values()), learned
    env = worldmodels.dream(run, num_envs=2, horizon=3)
    env.reset(seed=0)
    assert env.step(env.action_space.sample())[0].shape == (2, 64, 64, 3)
