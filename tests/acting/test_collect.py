"""The stream of steps, spelled out: which observation carries which flags, and what a resumed stream gives."""

import gymnasium as gym
import numpy as np
from gymnasium.vector import AutoresetMode

from worldmodels.acting.actor import PolicyOutput
from worldmodels.acting.collect import Collector, EpisodeTracker
from worldmodels.envs.config import InfoConfig

# Environment 0 ends (terminal) at its third observation; environment 1 is cut (truncated) at its second.
LAST = {0: 2, 1: 1}


class CountingVectorEnv(gym.vector.VectorEnv):
    """Shows how many observations its episode has had; pays 1 a step; resets on the step after the last one."""

    metadata = {"autoreset_mode": AutoresetMode.NEXT_STEP}

    def __init__(self):
        self.num_envs = 2
        self.single_observation_space = gym.spaces.Box(0, 255, (1, 1, 1), np.uint8)
        self.single_action_space = gym.spaces.Discrete(3)

    def reset(self, seed=None, options=None):
        self.age = np.zeros(2, np.int64)
        return self._image(), {"recorded": np.full((2, 3), np.nan, np.float32)}

    def step(self, actions):
        ended = self.age == [LAST[0], LAST[1]]
        self.age = np.where(ended, 0, self.age + 1)
        at_end = self.age == [LAST[0], LAST[1]]
        return self._image(), np.where(ended, 0.0, 1.0), at_end & [True, False], at_end & [False, True], self._info()

    def get_state(self):
        return [bytes([age]) for age in self.age]

    def set_state(self, states):
        self.age = np.array([state[0] for state in states])

    def _info(self):
        age = np.where(self.age, self.age, np.nan).astype(np.float32)
        return {"recorded": np.stack([age, 10 * age, -age], 1)}

    def _image(self):
        return self.age.astype(np.uint8).reshape(2, 1, 1, 1)


class OnesActor:
    """Always chooses action 1, and says how often it was asked."""

    def __init__(self):
        self.calls = 0

    def act(self, observation, is_first):
        self.calls += 1
        return PolicyOutput(np.ones(len(observation), np.int32), extras={"calls": self.calls})


def collected(collector, count):
    return [step for step, _ in collector.steps(OnesActor(), count)]


def columns(steps, name):
    return np.stack([getattr(step, name) for step in steps]).astype(int).tolist()


def test_every_observation_occurs_once_with_what_arrived_with_it():
    steps = collected(Collector(CountingVectorEnv(), seed=0), 5)
    assert len(steps) == 5
    assert np.stack([step.observation[:, 0, 0, 0] for step in steps]).tolist() == [
        [0, 0],
        [1, 1],
        [2, 0],
        [0, 1],
        [1, 0],
    ]
    assert columns(steps, "reward") == [[0, 0], [1, 1], [1, 0], [0, 1], [1, 0]]
    assert columns(steps, "is_first") == [[1, 1], [0, 0], [0, 1], [1, 0], [0, 1]]
    assert columns(steps, "is_last") == [[0, 0], [0, 1], [1, 0], [0, 1], [0, 0]]
    assert columns(steps, "is_terminal") == [[0, 0], [0, 0], [1, 0], [0, 0], [0, 0]]
    assert columns(steps, "action") == [[1, 1]] * 5


def test_each_step_comes_with_what_the_policy_said_at_it():
    pairs = list(Collector(CountingVectorEnv(), seed=0).steps(OnesActor(), 3))
    assert [output.extras["calls"] for _, output in pairs] == [1, 2, 3]
    assert all(step.action is output.action for step, output in pairs)


def test_rewards_are_handed_over_before_the_step_of_their_action():
    collector, heard = Collector(CountingVectorEnv(), seed=0), []
    counts = []
    for _ in collector.steps(OnesActor(), 4, lambda reward: heard.append(reward.tolist())):
        counts.append(len(heard))
    assert heard == [[1, 1], [1, 0], [0, 1], [1, 0]] and counts == [1, 2, 3, 4]


def test_a_restored_collector_goes_on_with_the_same_steps():
    collector = Collector(CountingVectorEnv(), seed=0)
    collected(collector, 3)
    tree = collector.save()
    expected = collected(collector, 4)
    resumed = Collector(CountingVectorEnv(), seed=1)
    resumed.load(tree)
    for one, other in zip(expected, collected(resumed, 4), strict=True):
        for field in one._fields:
            np.testing.assert_array_equal(getattr(one, field), getattr(other, field))


def test_episodes_are_counted_from_their_first_to_their_last_observation():
    tracker = EpisodeTracker(2)
    finished = [tracker.add(step) for step in collected(Collector(CountingVectorEnv(), seed=0), 5)]
    one_step, two_steps = {"return": 1.0, "length": 1.0}, {"return": 2.0, "length": 2.0}
    assert finished == [[], [one_step], [two_steps], [one_step], []]


def test_numbers_of_infos_are_recorded_with_their_episodes():
    tracker = EpisodeTracker(2, InfoConfig(sum=("age",), mean=("bag/tens",), max=("age",)))
    steps = collected(Collector(CountingVectorEnv(), seed=0), 5)
    finished = []
    for step in steps:
        resumed = EpisodeTracker(2, InfoConfig(sum=("age",), mean=("bag/tens",), max=("age",)))
        resumed.load(tracker.save())
        finished.append(tracker.add(step))
        assert resumed.add(step) == finished[-1]
    # Ages 1; and 1, 2. The third column, here of a maximum, is the negative age.
    one_step = {"return": 1.0, "length": 1.0, "sum/age": 1.0, "mean/bag/tens": 10.0, "max/age": -1.0}
    two_steps = {"return": 2.0, "length": 2.0, "sum/age": 3.0, "mean/bag/tens": 15.0, "max/age": -1.0}
    assert finished == [[], [one_step], [two_steps], [one_step], []]


def test_an_environment_that_cannot_save_begins_anew_when_resumed():
    class Foreign(CountingVectorEnv):
        get_state = property()

    collector = Collector(Foreign(), seed=0)
    collected(collector, 1)
    collector.load(collector.save())
    (step,) = collected(collector, 1)
    assert step.is_first.all() and (step.observation == 0).all()
