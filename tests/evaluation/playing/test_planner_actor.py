from __future__ import annotations

import numpy as np

from worldmodels.agents import build_agent
from worldmodels.agents.dreamer.config import ActorCriticConfig
from worldmodels.core.specs import ActionSpec, ObservationSpec
from worldmodels.evaluation.playing.policy_returns import PlannerActor
from worldmodels.imagination.planner_config import PlannerConfig
from worldmodels.models import build_model
from worldmodels.models.config import HeadConfig, PatchConfig
from worldmodels.models.rssm.config import RSSMConfig

SEED = np.array([1, 2], np.int32)


def test_plans_in_a_model_whose_draws_have_a_gradient_of_their_own() -> None:
    head, patches = HeadConfig(1, 8), PatchConfig(patch=8, depth=4)
    config = RSSMConfig(recurrent=8, hidden=8, latents=2, classes=2, encoder=patches, decoder=patches, heads=head)
    model = build_model(config, ObservationSpec.of(16, 16, 3), ActionSpec(count=3), SEED)
    agent = build_agent(ActorCriticConfig(actor=head, critic=head), model.spec, SEED)
    actor = PlannerActor(model, agent, PlannerConfig(rollouts=3, horizon=2), num_envs=2, key=SEED)
    observation, begins = np.zeros((2, 16, 16, 3), np.uint8), np.ones(2, bool)
    actions = []
    for temperature in (1.0, 0.0, 0.0):
        actor.set_model_temperature(temperature)
        actor.reset(SEED)
        actions.append(actor.act(observation, begins).action)
        assert actions[-1].shape == (2,) and set(actions[-1]) <= {0, 1, 2}
    np.testing.assert_array_equal(actions[1], actions[2])
