from __future__ import annotations

import json

import numpy as np

from worldmodels.core.seeding import Streams, fold, generator_state, restore_generator


def test_the_same_seed_and_name_give_the_same_numbers() -> None:
    first, second = Streams(3), Streams(3)
    first.generator("something else").random(7)  # asking for other streams changes nothing
    np.testing.assert_array_equal(first.generator("replay").random(5), second.generator("replay").random(5))
    np.testing.assert_array_equal(first.key("model"), second.key("model"))
    assert first.integer("env") == second.integer("env")


def test_the_numbers_are_fixed_forever() -> None:
    streams = Streams(0)
    assert streams.generator("replay").integers(0, 1000, 4).tolist() == [449, 449, 784, 885]
    assert streams.key("model").tolist() == [240137417, -262485976]
    assert streams.integer("env") == 1771824198
    assert fold(streams.key("model"), 1).tolist() == [1270745894, -379416835]


def test_names_and_seeds_are_independent() -> None:
    numbers = {(seed, name, use) for seed in (0, 1) for name in ("a", "b") for use in ("key", "integer")}
    values = {
        tuple(Streams(seed).key(name)) if use == "key" else Streams(seed).integer(name) for seed, name, use in numbers
    }
    assert len(values) == len(numbers)
    assert Streams(0).generator("a").random() != Streams(0).generator("b").random()


def test_keys_are_two_signed_words() -> None:
    for key in (Streams(1).key("x"), fold(Streams(1).key("x"), 2**40), fold(np.array([-1, 2**31 - 1], np.int32), 0)):
        assert key.dtype == np.int32 and key.shape == (2,)
    words = np.concatenate([Streams(1).key(str(name)) for name in range(50)]).astype(np.int64)
    assert words.min() < -(2**30) and words.max() > 2**30


def test_integers_have_31_bits() -> None:
    values = [Streams(seed).integer("env") for seed in range(200)]
    assert all(0 <= value < 2**31 for value in values) and max(values) > 2**30


def test_folded_keys_all_differ() -> None:
    key = Streams(0).key("x")
    assert len({tuple(fold(key, counter)) for counter in range(1000)}) == 1000


def test_a_generator_goes_on_where_it_stood_after_json() -> None:
    generator = Streams(5).generator("policy")
    generator.integers(0, 2, 3, dtype=np.uint32)  # leaves half a 64-bit draw behind
    state = json.loads(json.dumps(generator_state(generator)))
    expected = generator.integers(0, 2**31, 9, dtype=np.uint32)
    np.testing.assert_array_equal(restore_generator(state).integers(0, 2**31, 9, dtype=np.uint32), expected)
