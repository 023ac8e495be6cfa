"""Lets the planner act in the real environment."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import tensorflow as tf

from worldmodels.acting.actor import ModelActor
from worldmodels.agents.api import Agent
from worldmodels.imagination.planner import Planner
from worldmodels.imagination.planner_config import PlannerConfig
from worldmodels.models.api import WorldModel


class PlannerActor(ModelActor):
    """An actor that plans every action in a world model, by one call of one graph for all environments.

    The temperature of the actor is that of the policy in the rollouts.

    Args:
        config: its discount is only used where the agent has none of its own.
    """

    def __init__(self, model: WorldModel, agent: Agent, config: PlannerConfig, num_envs: int, key: np.ndarray):
        discount = config.discount if agent.discount is None else agent.discount
        self._config, self._world = replace(config, discount=discount), model
        # A variable and no argument: the signature of the compiled step is that of every actor.
        self._model_temperature = tf.Variable(1.0)
        super().__init__(model, agent, num_envs, key)

    def set_model_temperature(self, temperature: float) -> None:
        """Set the temperature of the model's own randomness in the rollouts."""
        self._model_temperature.assign(temperature)

    def _choose(self, state: Any, agent_state: Any, temperature: tf.Tensor, seed: tf.Tensor) -> Any:
        at_random, num_actions = self._config.policy == "random", self._world.spec.num_actions

        def policy(features, memory, seed):
            action, memory, extras = self._agent.act(features, memory, temperature, seed)
            if at_random:
                action = tf.random.stateless_uniform(tf.shape(action), seed, 0, num_actions, tf.int32)
            return action, memory, extras

        planner = Planner(self._world, policy, self._config)
        # As a tensor: functions with a gradient of their own, as the RSSM's draws are, take no variables.
        model_temperature = tf.convert_to_tensor(self._model_temperature)
        plan = planner.plan(state, agent_state, model_temperature, seed)
        return plan.action, plan.memory, {}
