"""Values of attributes as trees."""

from collections import deque

import numpy as np
import pytest

from worldmodels.core.errors import UserError
from worldmodels.core.files.tree import tree_from_bytes, tree_to_bytes
from worldmodels.envs.foreign.state_values import tree_value, value_tree


@pytest.mark.parametrize(
    "value",
    [
        None, True, 3, -2.5, "text", b"\x01", (1, (2.5, None)), [1, [2]], {"a": (1,), "list": [2]}, {},
        deque([1, 2], maxlen=3), deque([]), np.float32(0.1), np.int64(7), np.bool_(True),
    ],
)  # fmt: skip
def test_values_come_back_as_they_were(value):
    again = tree_value(tree_from_bytes(tree_to_bytes({"value": value_tree(value)}))["value"])
    assert type(again) is type(value) and again == value
    if isinstance(value, deque):
        assert again.maxlen == value.maxlen


def test_arrays_within_others_come_back():
    again = tree_value(value_tree(deque([np.float32([1, 2])], maxlen=2)))
    np.testing.assert_array_equal(again[0], np.float32([1, 2]), strict=True)


@pytest.mark.parametrize("bits", [np.random.PCG64, np.random.MT19937, np.random.Philox, np.random.SFC64])
def test_generators_go_on_where_they_stood(bits):
    generator = np.random.Generator(bits(5))
    generator.normal(size=3)
    again = tree_value(tree_from_bytes(tree_to_bytes(value_tree(generator))))
    assert again.normal(size=9).tolist() == generator.normal(size=9).tolist()
    old = np.random.RandomState(3)
    old.normal()
    again = tree_value(tree_from_bytes(tree_to_bytes(value_tree(old))))
    assert again.normal(size=9).tolist() == old.normal(size=9).tolist()


def test_other_objects_are_refused():
    with pytest.raises(UserError, match="It holds a object, which cannot be saved"):
        value_tree([object()])
