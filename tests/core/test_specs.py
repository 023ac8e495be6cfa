"""Specs of observations and actions: their bytes worked out by hand, what they refuse, and how they read."""

from __future__ import annotations

import numpy as np
import pytest

from worldmodels.core.errors import ConfigError, UserError
from worldmodels.core.specs import ActionSpec, ArraySpec, ObservationSpec

IMAGE, VECTOR = ObservationSpec.of(1, 2, 3), ObservationSpec.of(2)
BOTH = ObservationSpec((("touch", ArraySpec((1,))), ("eye", ArraySpec((1, 1, 2))), ("far", ArraySpec((2,)))))
BOX = ActionSpec(low=(-2.0, 0.0), high=(2.0, 0.5))
ONE = [0, 0, 128, 63]
"""The bytes of 1.0 as a little-endian float32; 2.0 and -1.0 follow."""
TWO, MINUS_ONE = [0, 0, 0, 64], [0, 0, 128, 191]


def both(*leading: int) -> dict[str, np.ndarray]:
    """One observation of three parts, the same in every row."""
    parts = {"far": np.float32([2, -1]), "eye": np.uint8([[[7, 9]]]), "touch": np.float32([1])}
    return {name: np.broadcast_to(part, (*leading, *part.shape)) for name, part in parts.items()}


def test_an_image_is_its_bytes_without_a_copy() -> None:
    images = np.arange(12, dtype=np.uint8).reshape(2, 1, 2, 3)
    rows = IMAGE.to_bytes(images)
    assert rows.tolist() == [[0, 1, 2, 3, 4, 5], [6, 7, 8, 9, 10, 11]]
    again = IMAGE.from_bytes(rows)
    np.testing.assert_array_equal(again, images)
    assert np.shares_memory(rows, images) and np.shares_memory(again, images)


def test_a_vector_is_its_float32_bytes() -> None:
    rows = VECTOR.to_bytes(np.float32([[[1, 2]], [[-1, 1]]]))
    assert rows.tolist() == [[[*ONE, *TWO]], [[*MINUS_ONE, *ONE]]]
    again = VECTOR.from_bytes(rows)
    assert again.dtype == np.float32 and again.tolist() == [[[1, 2]], [[-1, 1]]]


def test_a_dictionary_is_its_parts_in_the_order_of_the_spec() -> None:
    rows = BOTH.to_bytes(both(2))
    assert rows.tolist() == [[*ONE, 7, 9, *TWO, *MINUS_ONE]] * 2
    again = BOTH.from_bytes(rows)
    assert list(again) == ["touch", "eye", "far"]
    assert {name: (part.dtype, part.tolist()) for name, part in again.items()} == {
        "touch": (np.float32, [[1], [1]]),
        "eye": (np.uint8, [[[[7, 9]]]] * 2),
        "far": (np.float32, [[2, -1], [2, -1]]),
    }


def test_sizes_and_names() -> None:
    assert [spec.bytes for spec in (IMAGE, VECTOR, BOTH)] == [6, 8, 14]
    assert IMAGE.only == ArraySpec((1, 2, 3)) and VECTOR.only == ArraySpec((2,)) and BOTH.only is None
    assert (BOTH.images, BOTH.vectors) == (("eye",), ("touch", "far"))
    assert (IMAGE.images, IMAGE.vectors) == (("",), ())


def test_zeros_have_the_leading_axes() -> None:
    assert IMAGE.zeros(4, 2).shape == (4, 2, 1, 2, 3)
    blank = BOTH.zeros(3)
    assert {name: (part.shape, part.dtype) for name, part in blank.items()} == {
        "touch": ((3, 1), np.float32),
        "eye": ((3, 1, 1, 2), np.uint8),
        "far": ((3, 2), np.float32),
    }


def test_what_fits_is_let_through() -> None:
    IMAGE.check(IMAGE.zeros(2), 2)
    BOTH.check(both(2), 2)


@pytest.mark.parametrize(
    ("spec", "observation", "text"),
    [
        (IMAGE, np.zeros((2, 1, 2, 3), np.float32), r"observations of shape \(2, 1, 2, 3\) and type uint8; .* float32"),
        (IMAGE, np.zeros((3, 1, 2, 3), np.uint8), r"received shape \(3, 1, 2, 3\) and type uint8"),
        (IMAGE, [[0]], "observations of shape .* received list"),
        (VECTOR, np.zeros((2, 2)), r"shape \(2, 2\) and type float32; received shape \(2, 2\) and type float64"),
        (BOTH, np.zeros((2, 1), np.float32), r"of the parts \['touch', 'eye', 'far'\]; received ndarray"),
        (BOTH, {"touch": 0, "eye": 0}, r"of the parts \['touch', 'eye', 'far'\]; received \['eye', 'touch'\]"),
        (
            BOTH,
            {**both(2), "eye": np.zeros((2, 1, 1, 2), np.int8)},
            r"the part 'eye' of its observations of shape \(2, 1, 1, 2\) and type uint8; .* int8",
        ),
    ],
)
def test_what_does_not_fit_is_refused(spec: ObservationSpec, observation: object, text: str) -> None:
    with pytest.raises(UserError, match=text):
        spec.check(observation, 2)


@pytest.mark.parametrize("shape", [(), (2, 3), (0,), (2, 0, 3), (1, 2, 3, 4)])
def test_a_part_is_an_image_or_a_vector(shape: tuple[int, ...]) -> None:
    with pytest.raises(ConfigError, match=r"an image of shape .* or a vector of shape .* Received"):
        ArraySpec(shape)


@pytest.mark.parametrize("names", [(), ("a", "a"), ("", "a")])
def test_parts_have_names_of_their_own(names: tuple[str, ...]) -> None:
    with pytest.raises(ConfigError, match="one part without a name, or parts with different names"):
        ObservationSpec(tuple((name, ArraySpec((1,))) for name in names))


def test_choices() -> None:
    spec = ActionSpec(4)
    assert (spec.is_discrete, spec.kind, spec.shape, spec.dtype, spec.width) == (True, "discrete", (), np.int32, 4)
    assert spec.zeros(2, 3).shape == (2, 3)
    # The same numbers as before there were boxes: runs that continue draw on from their generators.
    expected = np.random.default_rng(3).integers(4, size=5, dtype=np.int32)
    drawn = spec.random(5, np.random.default_rng(3))
    assert drawn.dtype == np.int32 and drawn.tolist() == expected.tolist()


def test_a_box() -> None:
    assert (BOX.is_discrete, BOX.kind, BOX.shape, BOX.dtype, BOX.width) == (False, "box", (2,), np.float32, 2)
    assert BOX.zeros(3).tolist() == [[0, 0]] * 3
    drawn = BOX.random(1000, np.random.default_rng(0))
    assert drawn.shape == (1000, 2) and drawn.dtype == np.float32
    assert -1 <= drawn.min() < -0.99 and 0.99 < drawn.max() <= 1


@pytest.mark.parametrize(
    "arguments", [{}, {"count": -1}, {"count": 2, "low": (0.0,), "high": (1.0,)}, {"low": (0.0, 1.0), "high": (1.0,)}]
)
def test_actions_are_choices_or_a_box(arguments: dict) -> None:
    with pytest.raises(ConfigError, match="one of 1 or more choices, or numbers with a lower and an upper bound each"):
        ActionSpec(**arguments)


def test_words() -> None:
    assert str(IMAGE) == "image uint8 (1, 2, 3)"
    assert str(BOTH) == "touch: vector float32 (1,), eye: image uint8 (1, 1, 2), far: vector float32 (2,)"
    assert str(ActionSpec(4)) == "one of 4 choices"
    assert str(BOX) == "a box of 2 numbers from -2 to 2, 0 to 0.5"
    assert str(ActionSpec(low=(-1.0,) * 3, high=(1.0,) * 3)) == "a box of 3 numbers from -1 to 1"
