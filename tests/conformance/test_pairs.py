"""Every agent with every representation: it learns inside every world model, and acts through all of them."""

from __future__ import annotations

from functools import cache

import members
import numpy as np
import pytest
import tensorflow as tf
from members import ACTIONS, ROWS, SHAPE, key, make_agent, make_batch, renewed_learner, shared_model
from trees import assert_same, differ, leaves

from worldmodels.imagination.starts import choose_starts
from worldmodels.imagination.vector_env import ImaginedVectorEnv
from worldmodels.runtime.actor import ModelActor

BATCH = make_batch()
CONTINUES = tf.constant(~BATCH.is_terminal, tf.float32)
each = pytest.mark.parametrize("agent_name", members.AGENTS)
REPRESENTATIONS = members.one_of_each_kind(members.MODELS)


@cache
def fitted(name):
    """A world model after one update, and its states along the batch."""
    model = renewed_learner(name)
    return model, model.fit(BATCH, key(0))[1]


@pytest.mark.parametrize("model_name", members.world_models(REPRESENTATIONS))
@each
def test_an_agent_learns_in_imagination(model_name, agent_name):
    """One policy update: finite, of some effect, repeatable bit for bit; the model stays as it is."""
    model, states = fitted(model_name)
    starts = choose_starts(states, CONTINUES, 0, key(2))
    before = leaves(model.save())
    stories = []
    for _ in range(2):
        agent = make_agent(agent_name, model.spec)
        fresh = leaves(agent.save())
        metrics = agent.update_from_imagination(model, *starts, key(1))
        stories.append((metrics, leaves(agent.save())))
    assert_same(*stories)
    assert all(label.startswith("policy/") and np.isfinite(value) for label, value in metrics.items())
    if len(fresh) > 1:
        assert metrics["policy/finite"] == 1
        assert differ(fresh, leaves(agent.save()))
    assert_same(before, leaves(model.save()))


@pytest.mark.parametrize("model_name", REPRESENTATIONS)
@each
def test_an_agent_acts_through_a_perception(model_name, agent_name):
    """The same actions again after a save and a load, and no trace of what an episode was before it began."""
    model = shared_model(model_name)
    agent = make_agent(agent_name, model.spec)
    actor, twin = (ModelActor(model, agent, ROWS, key(3)) for _ in range(2))
    for t in range(4):
        action = actor.act(BATCH.observation[:, t], BATCH.is_first[:, t] | (t == 0)).action
        assert set(action) <= set(range(ACTIONS))
        if t == 1:
            twin.load(actor.save())
        if t > 1:
            np.testing.assert_array_equal(action, twin.act(BATCH.observation[:, t], BATCH.is_first[:, t]).action)


@pytest.mark.parametrize("model_name", members.world_models())
@pytest.mark.parametrize("observe", ["frames", "features"])
def test_a_learned_world_is_a_gymnasium_environment(model_name, observe):
    model = shared_model(model_name)

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
