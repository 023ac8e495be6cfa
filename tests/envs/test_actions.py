"""Actions are taken as they are or refused: nothing is rounded, wrapped or flattened on the way to a game."""

from __future__ import annotations

import numpy as np
import pytest

from worldmodels.core.errors import UserError
from worldmodels.envs import make
from worldmodels.envs.games.vector_env import GameVectorEnv

ACTIONS = [7, 0, 14, 4]
INTEGERS = ["int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", ">i4", ">i8", "<i2", ">u2"]


def env_of_four():
    env = GameVectorEnv("coinrun", 4)
    env.reset(seed=0)
    return env


@pytest.mark.parametrize(
    "actions",
    [
        *(np.array(ACTIONS, dtype) for dtype in INTEGERS),
        ACTIONS,
        tuple(ACTIONS),
        np.repeat(ACTIONS, 2)[::2],
        np.array(ACTIONS[::-1])[::-1],
    ],
    ids=lambda actions: f"{type(actions).__name__} {getattr(actions, 'dtype', '')}",
)
def test_integers_of_any_type_mean_the_same(actions):
    one, other = env_of_four(), env_of_four()
    for _ in range(3):
        one.step(np.array(ACTIONS, np.int32))
        other.step(actions)
    assert one.get_state() == other.get_state()


BAD = {
    "beyond": ([2**40, 0, 0, 0], "received 1099511627776 for environment 0 (coinrun)"),
    "beyond 32 bits": (np.array([0, 2**32, 0, 0]), "received 4294967296 for environment 1"),
    "beyond 63 bits": (np.array([0, 0, 2**64 - 1, 0], np.uint64), "received 18446744073709551615 for environment 2"),
    "beyond all": ([2**70, 0, 0, 0], "received object (4,)"),
    "lowest": (np.array([0, 0, 0, -(2**63)]), "received -9223372036854775808 for environment 3"),
    "negative": ([0, 0, 0, -1], "received -1 for environment 3"),
    "fraction": ([1.7, 0, 0, 0], "received float64 (4,)"),
    "whole fractions": (np.zeros(4, np.float32), "received float32 (4,)"),
    "flags": ([True, False, True, False], "received bool (4,)"),
    "texts": (["1", "2", "3", "4"], "received <U1 (4,)"),
    "nothing": (None, "received object ()"),
    "column": (np.zeros((4, 1), np.int32), "received int32 (4, 1)"),
    "row": (np.zeros((1, 4), np.int64), "received int64 (1, 4)"),
    "square": (np.zeros((2, 2), np.int64), "received int64 (2, 2)"),
    "number": (3, "received int64 ()"),
    "few": ([0, 0, 0], "received int64 (3,)"),
    "none": ([], "received float64 (0,)"),
    "ragged": ([[1], [2, 3], [4], [5]], "received [[1], [2, 3], [4], [5]]"),
}


@pytest.mark.parametrize("what", BAD)
def test_anything_else_is_refused_and_changes_nothing(what):
    actions, received = BAD[what]
    env = env_of_four()
    states = env.get_state()
    with pytest.raises(UserError, match=r"^Actions are (4 )?integers from 0 to 14") as error:
        env.step(actions)
    assert received in str(error.value)
    assert env.get_state() == states


@pytest.mark.parametrize("action", [2**40, 1.7, 1.0, True, "1", None, [1], np.array([1]), 15, -1])
def test_the_single_environment_refuses_the_same(action):
    env = make("coinrun")
    env.reset(seed=0)
    state = env.get_state()
    with pytest.raises(UserError, match="Actions are"):
        env.step(action)
    assert env.get_state() == state


@pytest.mark.parametrize("action", [3, np.int64(3), np.uint8(3), np.array(3)])
def test_the_single_environment_takes_any_integer(action):
    one, other = make("coinrun"), make("coinrun")
    for env in (one, other):
        env.reset(seed=0)
    one.step(3)
    other.step(action)
    assert one.get_state() == other.get_state()
