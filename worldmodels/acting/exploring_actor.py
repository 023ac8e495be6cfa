"""Explores while steps are collected: held random actions and noise replace the actions of the policy.

Plays held random actions, prefers some of them, and repeats the ways of playing that were rewarded.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from worldmodels.acting.actor import Actor, PolicyOutput
from worldmodels.config.training_config import ExplorationConfig
from worldmodels.core.seeding import generator_state, restore_generator
from worldmodels.core.specs import ActionSpec, Observation


class ExploringActor:
    """Takes the actions of another actor, except during stretches of one held random action, and adds noise.

    This is temporally extended epsilon-greedy exploration (Dabney et al. 2021, https://arxiv.org/abs/2006.01782), with
    geometrically distributed lengths. The policy alone would not reach the states in which such a stretch ends;
    imagination starts there, too.
    """

    def __init__(
        self,
        actor: Actor,
        config: ExplorationConfig,
        num_envs: int,
        action: ActionSpec,
        generator: np.random.Generator,
    ):
        self._actor, self._config, self._spec, self._generator = actor, config, action, generator
        self._held = action.zeros(num_envs)
        self._left = np.zeros(num_envs, np.int64)

    def act(self, observation: Observation, is_first: np.ndarray) -> PolicyOutput:
        output = self._actor.act(observation, is_first)
        self._begin(is_first)
        explores = self._left > 0
        self._left -= explores
        if not explores.any() and not self._config.noise:
            return output
        action = np.where(self._in_rows(explores), self._held, self._noisy(output.action)).astype(self._spec.dtype)
        self._actor.correct(action)
        return output.with_action(action)

    def _in_rows(self, mask: np.ndarray) -> np.ndarray:
        """Return a mask (N,) in the shape of actions."""
        return mask.reshape(-1, *[1] * len(self._spec.shape))

    def _noisy(self, action: np.ndarray) -> np.ndarray:
        """Return actions with noise; choices have none."""
        if not self._config.noise:
            return action
        noise = self._generator.normal(0.0, self._config.noise, action.shape)
        noisy: np.ndarray = np.clip(action + noise, -1.0, 1.0)
        return noisy

    def _begin(self, is_first: np.ndarray) -> None:
        """Draw the environments in which a stretch begins; an episode begins without one."""
        generator, num_envs = self._generator, len(is_first)
        begins = generator.random(num_envs) < self._config.epsilon
        actions = self._spec.random(num_envs, generator)
        lengths = generator.geometric(1 / self._config.mean_length, num_envs)
        self._left = np.where(is_first, 0, self._left)
        begins &= self._left == 0
        self._held = np.where(self._in_rows(begins), actions, self._held)
        self._left = np.where(begins, lengths, self._left)

    def correct(self, action: np.ndarray) -> None:
        self._actor.correct(action)

    def save(self) -> dict[str, Any]:
        return {
            "generator": generator_state(self._generator),
            "held": self._held,
            "left": self._left,
            "actor": self._actor.save(),
        }

    def load(self, tree: dict[str, Any]) -> None:
        self._generator = restore_generator(tree["generator"])
        self._held, self._left = tree["held"], tree["left"]
        self._actor.load(tree["actor"])


KEPT = 64
"""Number of recent rewards whose preceding ways of play are kept."""


class Holding(NamedTuple):
    """The numbers by which environments hold actions, and come to prefer some of them."""

    mean_length: float = 2.0
    """Mean number of steps for which an action is held; the numbers are geometrically distributed."""
    preference_steps: float = 50.0
    """Mean number of steps after which an environment gets another preference; each episode brings one, too."""
    concentration: float = 0.1
    """Concentration, for each action, of the Dirichlet distribution of holding. Far below 1, an environment prefers
    one action or two; far above 1, none."""
    uniform: float = 0.5
    """Probability that a drawn preference is the mean one, and that actions are not held. In some games nothing finds
    more rewards."""
    reuse: float = 0.75
    """Probability that a preference is not drawn, but taken from those that preceded the last rewards above 0."""


DEFAULTS = Holding()


class HeldActor:
    """Chooses random actions for N environments and holds each for some steps.

    Actions are held as in temporally extended exploration (Dabney et al. 2021, https://arxiv.org/abs/2006.01782), but
    with geometrically distributed lengths. Each environment plays in one way for some time. A way is a row of A + 1
    probabilities: of the A actions, and of drawing another action at a step. Ways are drawn at random, or from those
    of the last rewards: so the share of a way follows its rewards.
    """

    def __init__(
        self,
        num_envs: int,
        num_actions: int,
        generator: np.random.Generator,
        holding: Holding = DEFAULTS,
    ):
        self._holding, self._generator = holding, generator
        self._mean_preference = np.ones(num_actions) / num_actions
        self._ways = np.tile([*self._mean_preference, 1.0], (num_envs, 1))
        self._action = np.zeros(num_envs, np.int32)
        self._rewarded, self._rewards = np.zeros((KEPT, num_actions + 1)), 0

    def act(self, observation: Observation, is_first: np.ndarray) -> PolicyOutput:
        random, num_envs = self._generator.random, len(is_first)
        changes = is_first | (random(num_envs) < 1 / self._holding.preference_steps)
        for env in np.flatnonzero(changes):
            self._ways[env] = self._draw_way()
        drawn = changes | (random(num_envs) < self._ways[:, -1])
        cumulative = self._ways[:, :-1].cumsum(1)
        actions = (cumulative <= random((num_envs, 1)) * cumulative[:, -1:]).sum(1)
        self._action = np.where(drawn, actions, self._action).astype(np.int32)
        return PolicyOutput(self._action)

    def correct(self, action: np.ndarray) -> None:
        self._action = action

    def reinforce(self, reward: np.ndarray) -> None:
        """Add the rewards (N,) of the last actions."""
        for env in np.flatnonzero(reward > 0):
            self._rewarded[self._rewards % KEPT] = self._ways[env]
            self._rewards += 1

    def save(self) -> dict[str, Any]:
        return {
            "generator": generator_state(self._generator),
            "ways": self._ways.copy(),
            "action": self._action,
            "rewarded": self._rewarded.copy(),
            "rewards": self._rewards,
        }

    def load(self, tree: dict[str, Any]) -> None:
        self._generator = restore_generator(tree["generator"])
        self._ways, self._rewarded = tree["ways"].copy(), tree["rewarded"].copy()
        self._action, self._rewards = tree["action"], tree["rewards"]

    def _draw_way(self) -> np.ndarray:
        holding, generator = self._holding, self._generator
        if generator.random() < holding.reuse and self._rewards:
            return self._rewarded[generator.integers(min(self._rewards, KEPT))]
        if generator.random() < holding.uniform:
            return np.array([*self._mean_preference, 1.0])
        concentrations = holding.concentration * len(self._mean_preference) * self._mean_preference
        return np.array([*generator.dirichlet(concentrations), 1 / holding.mean_length])
