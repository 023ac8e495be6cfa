"""The shared part of VPG, TRPO and PPO: agents that learn from rollouts of their current policy."""

from __future__ import annotations

from typing import Any

import numpy as np
import tensorflow as tf

from worldmodels.agents.api import NO_EXPERIENCE, Agent, Rollouts
from worldmodels.agents.distributions.policy_distributions import policy_distribution
from worldmodels.agents.networks.bodies import BodySettings
from worldmodels.agents.networks.policy_network import PolicyNetwork
from worldmodels.agents.normalization import FeatureNormalizer, MovingDeviation, RewardNormalizer
from worldmodels.agents.on_policy.config import OnPolicyConfig
from worldmodels.agents.on_policy.samples import (
    Samples,
    StepResult,
    StepsResult,
    collect_samples,
    deviation,
    explained_variance,
    normalize,
    run_steps,
    weighted_mean,
)
from worldmodels.agents.returns import reach_weights
from worldmodels.core.types import State
from worldmodels.imagination.rollout import RolloutOptions, rollout
from worldmodels.models import devices, draws
from worldmodels.models.api import ModelSpec
from worldmodels.models.graph import graph, update_graph
from worldmodels.models.optimizers import Descent
from worldmodels.models.variables import load_variables, named_variables, save_variables


class OnPolicyAgent(Agent):
    """An `Agent` (see `agents/api.py` for the methods) whose method says in `improve` how it learns from samples.

    Where a rollout was cut, the value of the last state stands for what would have come; only a true end is worth 0. In
    imagination an end is a probability, which discounts later rewards. Later steps count by the probability that they
    are reached. This is the expectation over ends, where drawing them would add noise.

    Args:
        config: of the method.
        body: the settings of the network.
        own_value: whether the value has a network of its own.
        normalizes: whether advantages are normalised over each iteration.
        scales_imagined: whether imagined samples get a `policy_scale` below 1 where real advantages spread further.
    """

    experience = OnPolicyConfig.experience

    def __init__(
        self,
        config: OnPolicyConfig,
        spec: ModelSpec,
        seed: np.ndarray,
        body: BodySettings,
        *,
        own_value: bool = True,
        normalizes: bool = True,
        scales_imagined: bool = False,
    ):
        self.config, self.spec, self._devices = config, spec, devices.current()
        self.distribution = policy_distribution(spec.action)
        seeds = np.random.default_rng(np.asarray(seed).view(np.uint32))
        self.network = PolicyNetwork(body, spec, seeds, own_value)
        self._weights = named_variables([self.network])
        self._averages = {weight.path: weight.value for weight in self.network.non_trainable_weights}
        self._feature_scale = FeatureNormalizer(spec.features) if config.normalize_features else None
        self._reward_scale = RewardNormalizer(config.discount) if config.normalize_rewards else None
        self._real_advantages = MovingDeviation() if scales_imagined else None
        self._normalizes = normalizes
        self.optimizers: dict[str, Descent] = {}
        """The optimizers of the method, by the names under which they are saved."""

    def improve(self, samples: Samples, seed: tf.Tensor, imagined: bool) -> tuple[dict[str, tf.Tensor], tf.Tensor]:
        """Change policy and value; what is not finite may change them too, and is undone.

        Args:
            imagined: whether the samples are imagined ones.

        Returns:
            Figures to report, scalars, and whether all was finite.
        """
        raise NotImplementedError

    @property
    def discount(self) -> float:
        return self.config.discount

    def initial(self, batch: int) -> State:
        return self.network.initial(batch)

    @graph
    def act(self, features, state, temperature, seed) -> tuple[tf.Tensor, Any, dict[str, tf.Tensor]]:
        parameters, value, state = self.network.step(self._seen(features), state)
        action = self.distribution.sample(parameters, seed, temperature)
        return action, state, {self.distribution.extra: parameters, "value": self._reward_unit() * value}

    @update_graph
    def update_from_imagination(self, model, starts, seed, experience=NO_EXPERIENCE) -> dict[str, tf.Tensor]:
        rollout_seed, learn_seed = tf.unstack(draws.split(seed, 2))
        memory = self.initial(starts.continuations.shape[0])

        def policy(features, memory, seed):
            return self.act(features, memory, 1.0, seed)

        def imagine(starts, memory):
            options = RolloutOptions(self.config.horizon, self.config.imagined_temperature)
            return rollout(model, policy, starts, memory, options, rollout_seed)

        trajectory = self._devices.run(imagine, (starts.states, memory), axis=1)
        # Whether a start's episode truly ended is known; only what follows has to be predicted.
        continuations = tf.concat([starts.continuations[None], trajectory.continuations[1:]], 0)
        never = tf.zeros(continuations.shape, tf.bool)
        rollouts = Rollouts(
            trajectory.features,
            trajectory.actions,
            trajectory.rewards,
            continuations,
            never,
            never,
            trajectory.extras,
            memory,
        )
        return self._learn(rollouts, reach_weights(continuations, 1.0)[:-1], learn_seed, imagined=True)

    @update_graph
    def update_from_rollouts(self, rollouts, seed) -> dict[str, tf.Tensor]:
        # Nothing happened between a last observation and the first one of the next episode.
        return self._learn(rollouts, 1.0 - tf.cast(rollouts.is_last[:-1], tf.float32), seed, imagined=False)

    def _learn(self, rollouts: Rollouts, weights: tf.Tensor, seed: tf.Tensor, imagined: bool) -> dict[str, tf.Tensor]:
        weights = weights * self._knows_units()
        samples = collect_samples(
            self._normalized(rollouts), weights, self.distribution, self.config, self.network.has_memory
        )
        spread = deviation(samples.advantages, samples.weights)
        if self._real_advantages and imagined:
            samples = samples._replace(policy_scale=samples.policy_scale * self._real_advantages.share(spread))
        if self._normalizes:
            advantages = normalize(samples.advantages, samples.weights)
            samples = samples._replace(advantages=advantages)
        figures = {
            "return": weighted_mean(samples.returns, samples.weights),
            "value": weighted_mean(samples.values, samples.weights),
            "explained_variance": explained_variance(samples),
        }
        changing = self._changing()
        before = [tf.identity(variable) for variable in changing]
        learned, finite = self.improve(samples, seed, imagined)
        known = (samples.advantages, samples.returns, samples.log_probability, *self._averages.values())
        finite = tf.reduce_all([finite, *(tf.reduce_all(tf.math.is_finite(x)) for x in known)])
        # Steps before the first that is not finite have changed weights, moments and moving averages.
        for variable, value in zip(changing, before, strict=True):
            variable.assign(tf.where(finite, variable, value))
        self._take_in(rollouts, finite, imagined)
        if self._real_advantages and not imagined:
            self._real_advantages.take_in(spread, finite)
        figures |= learned | {"finite": tf.cast(finite, tf.float32)}
        return {f"policy/{name}": value for name, value in figures.items()}

    def _seen(self, features: Any) -> Any:
        """Return features as the network sees them."""
        return self._feature_scale(features) if self._feature_scale else features

    def _reward_unit(self) -> tf.Tensor | float:
        """Return what the network calls a reward of 1."""
        return self._reward_scale.scale if self._reward_scale else 1.0

    def _knows_units(self) -> tf.Tensor | float:
        """Return 0 before the first rollouts where something is normalised, which then teaches units alone, else 1.

        A step towards rewards in thousands, of a network that sees numbers in thousands, could not be undone.
        """
        counts = [scale.count for scale in (self._feature_scale, self._reward_scale) if scale]
        return tf.cast(tf.reduce_all([count > 0 for count in counts]), tf.float32) if counts else 1.0

    def _normalized(self, rollouts: Rollouts) -> Rollouts:
        """Return rollouts in the units in which it was acted on."""
        unit = self._reward_unit()
        return rollouts._replace(
            features=self._seen(rollouts.features),
            rewards=self._reward_scale.normalized(rollouts.rewards) if self._reward_scale else rollouts.rewards,
            extras=rollouts.extras | {"value": rollouts.extras["value"] / unit},
        )

    def _take_in(self, rollouts: Rollouts, when: tf.Tensor, imagined: bool) -> None:
        """Change the units by what was learned from; only now, for until here all had to be in the old ones."""
        if self._reward_scale:
            self._reward_scale.take_in(rollouts, when, imagined)
        if self._feature_scale:
            self._feature_scale.take_in(rollouts.features, when)

    def policy(self, samples: Samples) -> tf.Tensor:
        """Return the parameters (N, P) of the policy at all samples, as it is now."""
        return self.network.evaluate_policy(samples.features, samples.is_first, samples.memory)

    def fit_value(self, samples: Samples, optimizer: Descent, count: int) -> StepsResult:
        """Do so many steps on all samples towards their returns, by the mean squared error."""

        def step(_: tf.Tensor) -> StepResult:
            with tf.GradientTape() as tape:
                values = self.network.evaluate_value(samples.features, samples.is_first, samples.memory)
                loss = weighted_mean(tf.math.squared_difference(values, samples.returns), samples.weights)
            _, finite = optimizer.minimize(tape, loss)
            return StepResult({"value_loss": loss}, finite)

        return run_steps(step, count, ("value_loss",))

    def _changing(self) -> list[tf.Variable]:
        """Return all that an update changes, each once: weights of policies without an optimizer as well."""
        states = [variable for optimizer in self.optimizers.values() for variable in optimizer.state()]
        variables = [*self._weights.values(), *self._averages.values(), *states]
        return list({variable.ref(): variable for variable in variables}.values())

    def save(self) -> dict[str, Any]:
        optimizers = {name: optimizer.save() for name, optimizer in self.optimizers.items()}
        scales = {name: scale.save() for name, scale in self._scales().items()}
        return (
            {"network": save_variables(self._weights), "averages": save_variables(self._averages)} | optimizers | scales
        )

    def load(self, tree: dict[str, Any]) -> None:
        load_variables(self._weights, tree["network"], "the policy")
        load_variables(self._averages, tree["averages"], "the policy's moving averages")
        for name, optimizer in self.optimizers.items():
            optimizer.load(tree.get(name, {}))
        for name, scale in self._scales().items():
            scale.load(tree[name])

    def _scales(self) -> dict[str, Any]:
        scales = {
            "feature_scale": self._feature_scale,
            "reward_scale": self._reward_scale,
            "real_advantages": self._real_advantages,
        }
        return {name: scale for name, scale in scales.items() if scale}
