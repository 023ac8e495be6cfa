"""Saved state as bytes."""

import numpy as np
import pytest

from worldmodels.core.errors import FileError
from worldmodels.core.files.tree import tree_from_bytes, tree_to_bytes

TREE = {"name": "a", "big": 2**127, "list": [1.5, None, True], "data": b"\x00\x01", "deep": {"x": np.float64(1.5)}}


def test_a_tree_comes_back_and_equal_trees_give_equal_bytes():
    tree = {"numbers": np.arange(6, dtype=np.uint16).reshape(2, 3), "empty": {}, "scalar": np.array(2.5), **TREE}
    del tree["deep"]
    data = tree_to_bytes(tree)
    assert data == tree_to_bytes(tree)
    again = tree_from_bytes(data)
    assert list(again) == list(tree)
    for name in ("numbers", "scalar"):
        np.testing.assert_array_equal(again.pop(name), tree[name], strict=True)
        del tree[name]
    assert again == tree


def test_what_cannot_be_stored_is_named():
    with pytest.raises(TypeError, match="'deep/x' is a float64"):
        tree_to_bytes(TREE)


@pytest.mark.parametrize("data", [b"", b"abc", tree_to_bytes({"a": 1})[:-3]])
def test_other_bytes_are_refused(data):
    with pytest.raises(FileError, match=f"These {len(data)} bytes are no saved state"):
        tree_from_bytes(data)
