"""Gradients of the actor through imagination: against differences, by hand, and against those of reinforce."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
import tensorflow as tf
from line import Line, Place
from point import ChosenPoint, Point, PointState

from worldmodels.agents import build_agent
from worldmodels.agents.config import ANY_FEATURES
from worldmodels.agents.dreamer.config import ActorCriticConfig
from worldmodels.core.errors import ConfigError, UserError
from worldmodels.core.specs import ObservationSpec
from worldmodels.imagination.starts import StartStates
from worldmodels.models.config import HeadConfig

HEAD = HeadConfig(1, 6)
CONFIG = ActorCriticConfig(
    actor=HEAD,
    critic=HEAD,
    horizon=3,
    discount=0.9,
    return_lambda=0.8,
    entropy=0.0,
    reward_transform="none",
    actor_gradient="dynamics",
)
SEED = np.array([1, 2], np.int32)
EPSILON = 1e-2


class Curved(Point):
    """The same with a bounded force, and the less likely to go on the further away it is."""

    def imagine(self, state, action, temperature, seed):
        return PointState(state.x + tf.sin(state.x * action))

    def continuation(self, state):
        return tf.exp(-0.1 * tf.square(state.x[:, 0]))


def make_agent(config: ActorCriticConfig, spec: Any = Point.spec) -> Any:
    """An agent whose weights are random everywhere, also where they are 0 at first."""
    agent, random = build_agent(config, spec, SEED), np.random.default_rng(3)
    tree = agent.save()
    for part in ("actor", "critic", "target"):
        tree[part] = {name: random.normal(0, 0.5, x.shape).astype(np.float32) for name, x in tree[part].items()}
    agent.load(tree)
    return agent


def run_in(agent: Any, world: Any, starts: PointState) -> Any:
    """A function from a seed to imagined steps, their gradient by the actions and that by the actor's weights."""

    @tf.function
    def run(seed):
        imagined, slopes = agent._imagine(world, StartStates(starts, tf.ones((len(starts.x),))), seed)
        return imagined, slopes, agent._actor_gradients(imagined, slopes)[0].values

    return run


def worth(agent: Any, world: Any, start: PointState, actions: tf.Tensor, weights: np.ndarray) -> float:
    """The mean weighed return of given actions (H, B, D), summed up in another way, with these weights of the steps."""
    config, states = agent.config, [start]
    for action in actions:
        states.append(world.imagine(states[-1], action, 1.0, SEED))
    rewards, goes_on = ([np.float64(f(state)) for state in states] for f in (world.reward, world.continuation))
    values = [np.float64(agent.critic.values(world.features(state), (-1,))[0]) for state in states]
    after, found = values[-1], []
    for t in reversed(range(len(actions))):
        mixed = (1 - config.return_lambda) * values[t + 1] + config.return_lambda * after
        after = rewards[t + 1] + config.discount * goes_on[t + 1] * mixed
        found.insert(0, after)
    return float(np.mean(weights * np.array(found)))


@pytest.mark.parametrize(
    ("box_distribution", "value_distribution"), [("truncated_normal", "normal"), ("tanh_normal", "two_hot")]
)
def test_the_gradient_by_every_action_and_weight_is_that_of_differences(box_distribution, value_distribution):
    config = replace(CONFIG, box_distribution=box_distribution, value_distribution=value_distribution)
    agent, world, start = make_agent(config), Curved(), PointState(tf.constant([[0.5], [-1.0]]))
    imagined, slopes, gradients = run_in(agent, world, start)(tf.constant(SEED))
    actions, weights = imagined.trajectory.actions[:-1].numpy(), imagined.weights.numpy()

    def difference(change: Any) -> float:
        """The slope of what the actions are worth that `change` gives of a step to the left and to the right."""
        ends = [worth(agent, world, start, tf.constant(change(step)), weights) for step in (-EPSILON, EPSILON)]
        return (ends[1] - ends[0]) / (2 * EPSILON)

    for t, row in np.ndindex(*slopes.shape[:2]):
        one = np.zeros_like(actions)
        one[t, row] = 1.0
        found = difference(lambda step, one=one: actions + np.float32(step) * one)
        assert float(slopes[t, row, 0]) == pytest.approx(found, rel=0.02, abs=2e-4)
    for variable, gradient in zip(agent._actor_weights.values(), gradients, strict=True):
        place = (0,) * len(variable.shape)

        def again(step: float, variable: Any = variable, place: Any = place) -> np.ndarray:
            before = variable.numpy()
            moved = before.copy()
            moved[place] += step
            variable.assign(moved)
            parameters = tf.reshape(agent.actor(imagined.features), (3, 2, 2))
            drawn = agent.distribution.draw(parameters, imagined.trajectory.extras["noise"][:-1], 1.0)
            variable.assign(before)
            return drawn.numpy()

        assert float(gradient[place]) == pytest.approx(-difference(again), rel=0.02, abs=2e-4)


def test_the_gradient_of_a_linear_world_with_squared_costs_is_the_analytic_one():
    """Pushes move the point by a half, so that of the costs (x_j - 1)^2 after it each has the slope x_j - 1.

    Without discount, values and lambda, the return of step t is minus the sum of the costs behind it: a push at k
    counts in those of all steps, with the costs that come after both.
    """
    agent = build_agent(replace(CONFIG, discount=1.0, return_lambda=1.0), Point.spec, SEED)  # its critic says 0
    imagined, slopes, _ = run_in(agent, Point(), PointState(tf.constant([[0.5], [-1.0]])))(tf.constant(SEED))
    x = imagined.trajectory.states.x.numpy()
    after = [sum(x[j] - 1.0 for j in range(k + 1, 4)) for k in range(3)]
    # The mean is over 3 steps of 2 rollouts.
    expected = [-sum(after[max(t, k)] for t in range(3)) / 6 for k in range(3)]
    np.testing.assert_allclose(slopes, expected, rtol=1e-4)


@pytest.mark.parametrize(
    ("world", "box_distribution"),
    [(Point, "truncated_normal"), (Point, "tanh_normal"), (ChosenPoint, "truncated_normal")],
    ids=["truncated", "squashed", "choices"],
)
def test_the_gradient_of_reinforce_is_that_through_the_dynamics_on_average(world, box_distribution):
    """One step long, so that both are gradients of one thing: later actions count in returns of earlier steps only
    where gradients flow. The straight-through gradient of choices is exact where the reward is linear in the action."""

    class Paid(world):
        def reward(self, state):
            return 2.0 * state.x[:, 0] if world is ChosenPoint else super().reward(state)

    config = replace(CONFIG, horizon=1, box_distribution=box_distribution, return_lambda=1.0)
    if world is ChosenPoint:
        config = replace(config, discount=0.0)
    starts, means, errors = PointState(tf.fill((500, 1), 0.5)), [], []
    for gradient in ("dynamics", "reinforce"):
        run = run_in(make_agent(replace(config, actor_gradient=gradient), world.spec), Paid(), starts)
        each = [np.concatenate([np.ravel(x) for x in run(tf.constant([i, 7]))[2]]) for i in range(60)]
        means.append(np.mean(each, 0))
        errors.append(np.std(each, 0) / np.sqrt(len(each)))
    assert np.linalg.norm(means[0]) > 10 * np.linalg.norm(errors[1])
    assert (np.abs(means[0] - means[1]) < 4 * np.hypot(*errors) + 1e-6).all()


def test_auto_goes_through_the_model_where_it_can():
    images = ObservationSpec.of(16, 16, 3)
    auto = replace(CONFIG, actor_gradient="auto")
    assert [auto.gradient_in(spec) for spec in (Point.spec, ChosenPoint.spec)] == ["dynamics", "reinforce"]
    assert auto.gradient_in(Point.spec._replace(features=images)) == "reinforce"
    text = "agent.actor_gradient is 'dynamics': gradients flow back through features that are vectors, and not"
    with pytest.raises(ConfigError, match=text):
        build_agent(CONFIG, Point.spec._replace(features=images), SEED)
    assert CONFIG.feature_kinds == ANY_FEATURES


def test_a_world_without_gradients_is_told():
    class Walk(Line):
        """The walk along a line takes choices as one-hot vectors, and tells nothing of them that has a gradient."""

        def imagine(self, state, action, temperature, seed):
            return super().imagine(state, tf.argmax(action, -1), temperature, seed)

    agent = build_agent(CONFIG, Line.spec, SEED)
    with pytest.raises(UserError, match="this world model passes none .* Choose agent.actor_gradient=reinforce"):
        agent.update_from_imagination(Walk(), StartStates(Place(tf.zeros((4, 1))), tf.ones((4,))), SEED)
