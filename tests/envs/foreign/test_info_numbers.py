"""Numbers in infos, by name."""

from __future__ import annotations

import math

import numpy as np
import pytest

from worldmodels.core.errors import ConfigError
from worldmodels.envs.config import InfoConfig
from worldmodels.envs.foreign.guard import number_in, number_names

INFO = {
    "x": 0.5,
    "bag": {"coins": np.int32(3), "keys": {"red": True}, "name": "leather", "map": np.zeros((2, 2))},
    "height": np.array(1.25),
    "nothing": None,
    "nan": math.nan,
    "huge": 10**400,
    "beyond float32": 1e39,
    3: 4,
}


@pytest.mark.parametrize("name, number", [("x", 0.5), ("bag/coins", 3.0), ("bag/keys/red", 1.0), ("height", 1.25)])
def test_a_number_is_found_by_its_name(name, number):
    assert number_in(INFO, name) == number


@pytest.mark.parametrize(
    "name",
    ["y", "bag", "bag/coin", "x/y", "bag/name", "bag/map", "nothing", "nan", "huge", "beyond float32", "", "bag/"],
)
def test_what_is_no_finite_number_is_none(name):
    assert number_in(INFO, name) is None


def test_all_numbers_are_named():
    assert number_names(INFO) == ["x", "bag/coins", "bag/keys/red", "height"]


def test_a_number_is_named_once_in_a_list_and_may_be_in_each():
    assert InfoConfig(sum=("x",), max=("bag/coins", "x")).names == ("x", "bag/coins", "x")
    with pytest.raises(ConfigError, match="named once in a list. Received 'x' twice"):
        InfoConfig(max=("x", "y", "x"))
