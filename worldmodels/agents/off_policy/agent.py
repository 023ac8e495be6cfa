"""The shared part of DDPG, TD3 and SAC: many updates in one call, from batches of single steps.

Critics give the values of actions, by several networks at once.
"""

from __future__ import annotations

from typing import Any, ClassVar

import keras
import numpy as np
import tensorflow as tf

from worldmodels.agents.api import NO_EXPERIENCE, Agent, Transitions
from worldmodels.agents.networks.bodies import build_head, plain_body
from worldmodels.agents.normalization import FeatureNormalizer
from worldmodels.agents.off_policy.config import OffPolicyAgentConfig
from worldmodels.core.specs import ActionSpec
from worldmodels.imagination.rollout import RolloutOptions, Trajectory, rollout
from worldmodels.models import draws, precision
from worldmodels.models.api import ModelSpec
from worldmodels.models.config import OptimizerConfig
from worldmodels.models.graph import update_graph
from worldmodels.models.networks.layers import Layer
from worldmodels.models.optimizers import Optimizer
from worldmodels.models.variables import load_variables, named_variables, save_variables


class StackedMLP(Layer):
    """Networks of one size side by side: hidden dense layers and a linear output, which is float32 and 0 at first.

    Their weights are stacked, so that one product computes the same layer of all of them.
    """

    def __init__(self, count: int, sizes: tuple[int, ...], activation: str, seeds: np.random.Generator, name: str):
        """Build layers of `sizes`: inputs, units of each hidden layer, outputs."""
        super().__init__(name=name)
        self._function = getattr(tf.nn, activation)
        self._kernels, self._biases = [], []
        for i, (inputs, units) in enumerate(zip(sizes[:-1], sizes[1:], strict=True)):
            # Glorot-uniform by network: Keras takes the first axis for one that adds to what a unit sees.
            scaled = keras.initializers.VarianceScaling(count, "fan_avg", "uniform", int(seeds.integers(2**31)))
            initializer = "zeros" if i == len(sizes) - 2 else scaled
            kernel = self.add_weight(name=f"kernel_{i}", shape=(count, inputs, units), initializer=initializer)
            self._kernels.append(kernel)
            self._biases.append(self.weight(f"bias_{i}", (count, 1, units)))

    def call(self, x: tf.Tensor, count: int | None = None) -> tf.Tensor:
        """Return float32 (C, N, outputs) for rows (N, inputs), of the first `count` networks alone if that is given."""
        x = x[None]
        for i, (kernel, bias) in enumerate(zip(self._kernels, self._biases, strict=True)):
            is_last = i == len(self._kernels) - 1
            kind = "float32" if is_last else self.precision
            if count is not None:
                kernel, bias = kernel[:count], bias[:count]
            product = tf.matmul(precision.narrow(x, kind), precision.narrow(kernel, kind))
            x = precision.full(product) + bias
            x = x if is_last else self._function(x)
        return x


class Critics(Layer):
    """C critics Q(s, a), behind one network for each image among the features."""

    def __init__(
        self, count: int, config: OffPolicyAgentConfig, spec: ModelSpec, seeds: np.random.Generator, name: str
    ):
        super().__init__(name=name)
        self._action: ActionSpec = spec.action
        with keras.name_scope(name):
            self._body = plain_body(config.images, spec.features, seeds)
            hidden = (config.network.units,) * config.network.layers
            sizes = (self._body.size + self._action.size, *hidden, max(1, self._action.count))
            self._heads = StackedMLP(count, sizes, config.style.activation, seeds, "heads")

    def each(self, features: Any) -> tf.Tensor:
        """Return the values of all choices, (C, B, choices)."""
        return self._heads(self._see(features))

    def call(self, features: Any, actions: tf.Tensor, count: int | None = None) -> tf.Tensor:
        """Return the values (C, B) of actions, by the first `count` critics alone if that is given."""
        if self._action.is_discrete:
            chosen = tf.one_hot(actions, self._action.count)
            return tf.reduce_sum(self._heads(self._see(features), count=count) * chosen, -1)
        return self._heads(tf.concat([self._see(features), actions], -1), count=count)[..., 0]

    def _see(self, features: Any) -> tf.Tensor:
        return precision.full(self._body(features))


def bellman_targets(rewards: tf.Tensor, continuations: tf.Tensor, next_values: tf.Tensor, discount: float) -> tf.Tensor:
    """Return what critics are fitted to, y = r + discount c V(s'), (B,); c is 0 where the episode terminated."""
    return rewards + discount * continuations * next_values


def critic_loss(values: tf.Tensor, targets: tf.Tensor) -> tf.Tensor:
    """Return the mean squared errors of critics, whose values are (C, B), against targets (B,), summed over critics."""
    return tf.reduce_sum(tf.reduce_mean(tf.square(values - targets), -1))


class OffPolicyAgent(Agent):
    """An `Agent` (see `agents/api.py` for the methods) of a policy, of critics, and of target networks, which follow.

    A subclass has `act`, `_update` and the names of the figures that this gives.
    """

    experience = OffPolicyAgentConfig.experience
    figures: ClassVar[tuple[str, ...]]

    def __init__(self, config: Any, spec: ModelSpec, seed: np.ndarray, critics: int, outputs: int):
        """Build a policy with so many outputs, and so many critics."""
        self.config, self.spec = config, spec
        self._seeds = np.random.default_rng(np.asarray(seed).view(np.uint32))
        self._feature_scale = FeatureNormalizer(spec.features) if config.normalize_features else None
        self._weights: dict[str, dict[str, tf.Variable]] = {}
        self._optimizers: dict[str, Optimizer] = {}
        self.actor = self._policy("actor", outputs)
        self.critics = self._add("critics", Critics(critics, config, spec, self._seeds, "critics"))
        self.target_critics = self._add("target_critics", Critics(critics, config, spec, self._seeds, "target_critics"))
        self._follow("critics", 0.0)
        self.actor_optimizer = self._optimizer("actor", config.actor_optimizer)
        self.critic_optimizer = self._optimizer("critics", config.critic_optimizer)

    @property
    def discount(self) -> float:
        return self.config.discount

    def act(self, features, state, temperature, seed) -> tuple[tf.Tensor, Any, dict[str, tf.Tensor]]:
        raise NotImplementedError

    def _update(self, batch: Transitions, seed: tf.Tensor) -> tuple[dict[str, tf.Tensor], tf.Tensor]:
        """Do one update from a batch without the axis K; return its figures, and whether all was finite."""
        raise NotImplementedError

    @update_graph
    def update_from_transitions(self, transitions, seed) -> dict[str, tf.Tensor]:
        changing = self._changing()
        before = [tf.identity(variable) for variable in changing]
        if self._feature_scale:
            self._feature_scale.take_in(transitions.features, tf.constant(True))
        figures, finite = self._updates(
            transitions._replace(
                features=self._seen(transitions.features), next_features=self._seen(transitions.next_features)
            ),
            seed,
        )
        # Updates before the first that is not finite were done.
        for variable, value in zip(changing, before, strict=True):
            variable.assign(tf.where(finite, variable, value))
        figures |= {"finite": tf.cast(finite, tf.float32)}
        return {f"policy/{name}": value for name, value in figures.items()}

    @update_graph
    def update_from_imagination(self, model, starts, seed, experience=NO_EXPERIENCE) -> dict[str, tf.Tensor]:
        rollout_seed, shuffle_seed, learn_seed = tf.unstack(draws.split(seed, 3))

        def policy(features, memory, seed):
            return self.act(features, memory, 1.0, seed)[0], memory, {}

        trajectory = rollout(model, policy, starts.states, (), RolloutOptions(self.config.horizon), rollout_seed)
        batches = imagined_transitions(trajectory, self.config.minibatch, shuffle_seed)
        return self.update_from_transitions(batches, learn_seed)

    def save(self) -> dict[str, Any]:
        optimizers = {f"{name}_optimizer": optimizer.save() for name, optimizer in self._optimizers.items()}
        scale = {"feature_scale": self._feature_scale.save()} if self._feature_scale else {}
        return {name: save_variables(weights) for name, weights in self._weights.items()} | optimizers | scale

    def load(self, tree: dict[str, Any]) -> None:
        for name, weights in self._weights.items():
            load_variables(weights, tree[name], f"the agent's {name.replace('_', ' ')}")
        for name, optimizer in self._optimizers.items():
            optimizer.load(tree[f"{name}_optimizer"])
        if self._feature_scale:
            self._feature_scale.load(tree["feature_scale"])

    def _seen(self, features: Any) -> Any:
        """Return features as the networks see them."""
        return self._feature_scale(features) if self._feature_scale else features

    def _policy(self, name: str, outputs: int) -> keras.layers.Layer:
        config = self.config
        head = build_head(config.network, config.images, self.spec, outputs, self._seeds, name, config.style)
        return self._add(name, head)

    def _add(self, name: str, network: keras.layers.Layer) -> Any:
        self._weights[name] = named_variables([network])
        return network

    def _optimizer(self, name: str, config: OptimizerConfig) -> Optimizer:
        self._optimizers[name] = Optimizer(self._weights[name], config)
        return self._optimizers[name]

    def _follow(self, name: str, keep: float) -> None:
        """Move the target network of `name` towards it: of its weights, it keeps a share."""
        pairs = zip(self._weights[f"target_{name}"].values(), self._weights[name].values(), strict=True)
        for target, weight in pairs:
            target.assign(keep * target + (1.0 - keep) * weight)

    def _changing(self) -> list[tf.Variable]:
        """Return everything that an update changes."""
        units = self._feature_scale.state() if self._feature_scale else []
        learned = [variable for optimizer in self._optimizers.values() for variable in optimizer.state()]
        following = [name for name in self._weights if name not in self._optimizers]
        return units + learned + [variable for name in following for variable in self._weights[name].values()]

    def _updates(self, transitions: Transitions, seed: tf.Tensor) -> tuple[dict[str, tf.Tensor], tf.Tensor]:
        """Do one update from each batch, up to the first that is not finite; return the mean figures, and whether all
        were finite."""
        count = transitions.rewards.shape[0]
        seeds = draws.split(seed, count)

        def go_on(i, finite, sums):
            return finite & (i < count)

        def body(i, finite, sums):
            batch = tf.nest.map_structure(lambda x: x[i], transitions)
            figures, finite = self._update(batch, seeds[i])
            return i + 1, finite, {name: sums[name] + figures[name] for name in self.figures}

        start = (tf.constant(0), tf.constant(True), dict.fromkeys(self.figures, tf.zeros(())))
        done, finite, sums = tf.while_loop(go_on, body, start, parallel_iterations=1)
        return {name: value / tf.cast(done, tf.float32) for name, value in sums.items()}, finite


def imagined_transitions(trajectory: Trajectory, minibatch: int, seed: tf.Tensor) -> Transitions:
    """Return the steps of rollouts in random order, as batches of `minibatch`, or as one where there are fewer.

    An end is a probability, by which what comes after is worth less; it is learned all the same.
    """

    def flat(x: tf.Tensor) -> tf.Tensor:
        return tf.reshape(x, (-1, *x.shape[2:]))

    rewards = flat(trajectory.rewards[1:])
    steps = Transitions(
        flat(trajectory.features[:-1]),
        flat(trajectory.actions[:-1]),
        rewards,
        flat(trajectory.continuations[1:]),
        flat(trajectory.features[1:]),
    )
    rows = min(minibatch, rewards.shape[0])
    batches = rewards.shape[0] // rows
    order = tf.argsort(draws.uniform(rewards.shape, seed))[: batches * rows]
    return Transitions(*(tf.reshape(tf.gather(x, order), (batches, rows, *x.shape[1:])) for x in steps))
