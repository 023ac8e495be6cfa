"""Every agent with every representation: it learns inside every world model, and acts through all of them."""

from __future__ import annotations

import members
import numpy as np
import pytest

from worldmodels.acting.actor import ModelActor
from worldmodels.agents.conformance import check_learning_in_imagination
from worldmodels.agents.conformance.samples import make_agent
from worldmodels.imagination.vector_env import ImaginedVectorEnv
from worldmodels.models.conformance.samples import ACTIONS, BATCH, ROWS, SHAPE, key, shared_model

REPRESENTATIONS = members.one_of_each_kind(members.MODELS)


@pytest.mark.parametrize(("model_name", "agent_name"), members.pairs(members.world_models(REPRESENTATIONS)))
def test_an_agent_learns_in_imagination(model_name, agent_name):
    check_learning_in_imagination(members.AGENTS[agent_name], members.MODELS[model_name])


@pytest.mark.parametrize(("model_name", "agent_name"), members.pairs(REPRESENTATIONS))
def test_an_agent_acts_through_a_representation(model_name, agent_name):
    """The same actions again after a save and a load, and no trace of what an episode was before it began."""
    model = shared_model(members.MODELS[model_name])
    agent = make_agent(members.AGENTS[agent_name], model.spec)
    actor, twin = (ModelActor(model, agent, ROWS, key(3)) for _ in range(2))
    for t in range(4):
        action = actor.act(BATCH.observation[:, t], BATCH.is_first[:, t] | (t == 0)).action
        assert set(action) <= set(range(ACTIONS))
        if t == 1:
            twin.load(actor.save())
        if t > 1:
            np.testing.assert_array_equal(action, twin.act(BATCH.observation[:, t], BATCH.is_first[:, t]).action)


@pytest.mark.usefixtures("bfloat16")
def test_a_pair_learns_and_acts_in_bfloat16():
    test_an_agent_learns_in_imagination("rssm", "actor_critic")
    test_an_agent_acts_through_a_representation("rssm", "actor_critic")


@pytest.mark.parametrize("model_name", members.world_models())
@pytest.mark.parametrize("observe", ["frames", "features"])
def test_a_learned_world_is_a_gymnasium_environment(model_name, observe):
    model = shared_model(members.MODELS[model_name])

    def starts(count, generator):
        rows = generator.integers(0, ROWS, count)
        return type(BATCH)(*(values[rows, :4] for values in BATCH))

    stories = []
    for _ in range(2):
        env = ImaginedVectorEnv(model, starts, num_envs=2, horizon=3, observe=observe, render_mode="rgb_array")
        observation, _ = env.reset(seed=1)
        steps = [env.step(np.array([t, 2])) for t in range(4)]
        assert all(env.observation_space.contains(seen) for seen in (observation, *(step[0] for step in steps)))
        assert [frame.shape for frame in env.render()] == [SHAPE] * 2
        stories.append([observation, *(part for step in steps for part in step[:4])])
    assert all(np.array_equal(one, other) for one, other in zip(*stories, strict=True))
