"""Foreign environments that misbehave: each ends in one sentence that names it, its place and the step."""

from __future__ import annotations

import math
import re

import gymnasium as gym
import numpy as np
import pytest

from worldmodels.core.errors import ForeignEnvError
from worldmodels.envs.config import EnvConfig
from worldmodels.envs.foreign.adapters import make_foreign_vec

SHAPE = (20, 30, 3)
GOOD = np.zeros(SHAPE, np.uint8)


class BareError(BaseException):
    """Not even an Exception."""


class SilentError(Exception):
    """An error whose own text fails."""

    def __str__(self):
        raise RuntimeError


class Rogue(gym.Env):
    """Its second copy misbehaves in its third step, as `FAULTS` says."""

    observation_space = gym.spaces.Box(0, 255, SHAPE, np.uint8)
    action_space = gym.spaces.Discrete(3)
    made = 0
    faults: dict = {}

    def __init__(self):
        type(self).made += 1
        self.rogue = type(self).made == 2
        self._fault("make")

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.steps = 0
        return self._fault("reset", (GOOD, {}))

    def step(self, action):
        self.steps += 1
        good = (GOOD, 0.5, False, False, {})
        if self.steps < 3:
            return good
        return self._fault("step", good) if self.rogue else self.faults.get("others", good)

    def close(self):
        self._fault("close")

    def get_action_meanings(self):
        return self._fault("meanings", ["a", "b", "c"])

    def _fault(self, where, good=None):
        fault = self.faults.get(where) if self.rogue or where == "meanings" else None
        if isinstance(fault, BaseException):
            raise fault
        return good if fault is None else fault


gym.register("test/Rogue-v0", Rogue)
WHERE = r"^Environment 1 \('test/Rogue-v0'\), "


@pytest.fixture
def rogue(monkeypatch):
    def make(num_envs=2, **faults):
        monkeypatch.setattr(Rogue, "made", 0)
        monkeypatch.setattr(Rogue, "faults", faults)
        return make_foreign_vec(EnvConfig("test/Rogue-v0", num_envs))

    return make


def play(env, steps=3):
    env.reset(seed=0)
    for _ in range(steps):
        result = env.step([0, 1])
    return result


def with_(**changes):
    names = ("observation", "reward", "terminated", "truncated", "info")
    return tuple({**dict(zip(names, (GOOD, 0.5, False, False, {}), strict=True)), **changes}.values())


FAULTY_STEPS = {
    "inf": (with_(reward=math.inf), r"the reward is inf; a reward is from -1e\+12 to 1e\+12"),
    "-inf": (with_(reward=-math.inf), "the reward is -inf"),
    "nan": (with_(reward=math.nan), "the reward is nan"),
    "too large": (with_(reward=1e38), r"the reward is 1e\+38; a reward is from"),
    "a huge integer": (with_(reward=10**400), "the reward is inf"),
    "float32 infinity": (with_(reward=np.float32("inf")), "the reward is inf"),
    "no reward": (with_(reward=None), "the reward is None; a reward is a number"),
    "text": (with_(reward="1"), "the reward is a str"),
    "complex": (with_(reward=1j), "the reward is a complex"),
    "array": (with_(reward=np.ones(1)), r"the reward is float64 \(1,\)"),
    "no observation": (with_(observation=None), "the observation is None; its space says uint8"),
    "list": (with_(observation=GOOD.tolist()), r"the observation is a list of 20"),
    "dtype": (
        with_(observation=GOOD.astype(np.float32)),
        r"the observation is float32 \(20, 30, 3\); its space says uint8",
    ),
    "signed": (with_(observation=GOOD.astype(np.int8)), r"the observation is int8"),
    "size": (with_(observation=GOOD[:10]), r"the observation is uint8 \(10, 30, 3\)"),
    "axes": (with_(observation=GOOD[None]), r"the observation is uint8 \(1, 20, 30, 3\)"),
    "kind": (with_(observation={"image": GOOD}), "the observation is a dict"),
    "terminated": (with_(terminated=None), "'terminated' is None; it is True or False"),
    "terminated by number": (with_(terminated=1), "'terminated' is a int"),
    "truncated": (with_(truncated=np.zeros(2, bool)), r"'truncated' is bool \(2,\)"),
    "info": (with_(info=None), "info is None; it is a dictionary"),
    "an old tuple": ((GOOD, 0.5, False, {}), "not enough values|a tuple of 5"),
    "nothing": ("text", "failed|a tuple of 5"),
}


@pytest.mark.parametrize("what", FAULTY_STEPS)
def test_what_a_step_returns_is_checked(rogue, what):
    result, text = FAULTY_STEPS[what]
    with pytest.raises(ForeignEnvError, match=rf"{WHERE}step 3 of episode 1.*({text})"):
        play(rogue(step=result))


@pytest.mark.parametrize(
    "reward", [2, True, np.float32(0.5), np.int64(-3), np.bool_(True), np.array(1.5), 1e12, -1e12, np.float16(2)]
)
def test_every_kind_of_number_is_a_reward(rogue, reward):
    _, rewards, terminated, truncated, _ = play(rogue(step=with_(reward=reward, terminated=np.bool_(True))))
    assert rewards.tolist() == [0.5, np.float32(reward)]
    assert terminated.tolist() == [False, True] and truncated.tolist() == [False, False]


RAISED = {
    "an error": (ZeroDivisionError("division by zero"), "ZeroDivisionError: division by zero"),
    "the end of the program": (SystemExit(3), "SystemExit: 3"),
    "memory": (MemoryError(), "MemoryError"),
    "a bare one": (BareError("on two\n lines"), "BareError: on two lines"),
    "a silent one": (SilentError(), "SilentError"),
    "a stop": (StopIteration(), "StopIteration"),
}


@pytest.mark.parametrize("what", RAISED)
@pytest.mark.parametrize(("where", "moment"), [("step", "step 3 of episode 1"), ("reset", "reset of episode 1")])
def test_whatever_is_raised_is_named(rogue, what, where, moment):
    raised, text = RAISED[what]
    with pytest.raises(ForeignEnvError, match=rf"{WHERE}{moment} failed: {text}") as error:
        play(rogue(**{where: raised}))
    assert error.value.__cause__ is raised
    assert re.search(r"\(\S*test_guard\.py, line \d+\)\.$", str(error.value)), "the line of their own code"
    assert "\n" not in str(error.value)


@pytest.mark.parametrize("what", RAISED)
def test_whatever_is_raised_while_it_is_made_is_named(rogue, what):
    raised, text = RAISED[what]
    with pytest.raises(ForeignEnvError, match=rf"^Gymnasium cannot make 'test/Rogue-v0': {text}") as error:
        rogue(make=raised)
    assert error.value.__cause__ is not None


@pytest.mark.parametrize(
    ("result", "text"),
    [((GOOD[:3], {}), "the observation is uint8"), ((GOOD, []), "info is|failed"), (GOOD, "failed|a tuple of 2")],
)
def test_what_a_reset_returns_is_checked(rogue, result, text):
    with pytest.raises(ForeignEnvError, match=rf"{WHERE}reset of episode 1.*({text})"):
        rogue(reset=result).reset(seed=0)


@pytest.mark.parametrize("where", ["make", "reset", "step"])
def test_ctrl_c_passes(rogue, where):
    with pytest.raises(KeyboardInterrupt):
        play(rogue(**{where: KeyboardInterrupt()}))


def test_all_copies_are_closed_once_and_the_failure_is_named(rogue):
    env = rogue(3, close=OSError("gone"))
    with pytest.raises(ForeignEnvError, match=r"^Environment 1 \('test/Rogue-v0'\) failed to close: OSError: gone"):
        env.close()
    env.close()


def test_infos_that_do_not_fit_together_are_told(rogue):
    env = rogue(step=with_(info={"x": np.zeros(2)}), others=with_(info={"x": np.zeros(3)}))
    with pytest.raises(ForeignEnvError, match=r"^What the copies of 'test/Rogue-v0' return does not fit together: Val"):
        play(env)


def test_names_of_actions_are_checked(rogue):
    assert rogue().action_meanings() == ["a", "b", "c"]
    with pytest.raises(ForeignEnvError, match="failed to name its actions: KeyError"):
        rogue(meanings=KeyError("names")).action_meanings()
    with pytest.raises(ForeignEnvError, match="has 3 actions and names 2: a, b"):
        rogue(meanings=["a", "b"]).action_meanings()


@pytest.mark.parametrize(
    "actions", [[0], [0, 3], [-1, 0], [0.0, 1.0], [[0], [1]], [2**40, 0], [True, False], [[0], [1, 2]]]
)
def test_actions_are_refused_as_native_games_refuse_them(rogue, actions):
    env = rogue()
    env.reset(seed=0)
    with pytest.raises(Exception, match=r"^Actions are 2 integers from 0 to 2, one per environment.*; received"):
        env.step(actions)
