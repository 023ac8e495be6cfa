"""Texts and trees that are a little wrong, the same ones at every run: what a reader must survive."""

from __future__ import annotations

import copy
import json
import random
from collections.abc import Callable, Iterator
from typing import Any

ODD = [
    *(None, True, False, 0, -1, 1.5, -0.0, 2**31, 2**63, 2**64, 10**30, 10**400, float("nan"), float("inf"), 1e308),
    *(
        "",
        "x",
        "\ud800",
        "\x00",
        "a" * 3000,
        "../..",
        "1e999",
        [],
        {},
        [[]],
        {"": None},
        {"a": {"b": [1]}},
        [None] * 500,
    ),
]
"""Values of other types and sizes than expected."""


def nested(levels: int, as_objects: bool = False) -> Any:
    """Return lists or objects inside each other."""
    value: Any = 1
    for _ in range(levels):
        value = {"a": value} if as_objects else [value]
    return value


def mutated_bytes(data: bytes, count: int, seed: int = 0) -> Iterator[bytes]:
    """Yield `count` versions of a file with bytes changed, taken out, put in, repeated or cut off."""
    generator = random.Random(seed)
    pieces = [
        b"\xff",
        b"\x00",
        b"\n",
        b'"',
        b"[" * 300,
        b"{" * 400,
        b"9" * 400,
        b"9" * 5000,
        b"1e999",
        b"NaN",
        b"-",
        b":",
    ]
    for _ in range(count):
        changed = bytearray(data)
        for _ in range(generator.randint(1, 3)):
            at = generator.randrange(len(changed) + 1)
            end = min(len(changed), at + generator.choice([1, 1, 4, 40]))
            kind = generator.randrange(5)
            if kind == 0 and at < len(changed):
                changed[at] = generator.randrange(256)
            elif kind == 1:
                del changed[at:end]
            elif kind == 2:
                changed[at:at] = generator.choice(pieces)
            elif kind == 3:
                changed[at:at] = changed[at:end]
            else:
                del changed[at:]
        yield bytes(changed)


def mutated_trees(tree: Any, count: int, seed: int = 0) -> Iterator[Any]:
    """Yield `count` versions of a tree of lists and dicts with one value changed, removed, renamed or doubled."""
    generator = random.Random(seed)
    values = [*ODD, nested(99), nested(300), nested(300, as_objects=True)]
    for _ in range(count):
        changed = copy.deepcopy(tree)
        places = list(_places(changed))
        if not places:
            yield generator.choice(values)
            continue
        parent, key = generator.choice(places)
        kind = generator.randrange(6)
        if kind == 0:
            del parent[key]
        elif kind == 1 and isinstance(parent, dict):
            parent[generator.choice(["", "x", "$array", "kind", key + "x"])] = parent.pop(key)
        elif kind == 1:
            parent.insert(key, parent[key])
        else:
            parent[key] = generator.choice(values)
        yield changed


def mutated_json(tree: Any, count: int, seed: int = 0) -> Iterator[bytes]:
    """Yield `count` texts of JSON, half of them with a wrong tree and half with wrong bytes."""
    for changed in mutated_trees(tree, count // 2, seed):
        yield json.dumps(changed).encode()
    yield from mutated_bytes(json.dumps(tree).encode(), count - count // 2, seed)


def survivors(texts: Iterator[bytes], read: Callable[[bytes], Any], allowed: type[Exception]) -> int:
    """Read each text, and return how many could be read; anything but `allowed` fails, with the text that led to it.

    The error must be a sentence of reasonable length.
    """
    good = 0
    for number, text in enumerate(texts):
        try:
            read(text)
            good += 1
        except allowed as error:
            assert 10 < len(str(error)) < 1500, f"mutation {number}: {len(str(error))} characters: {str(error)[:300]}"
        except Exception as error:
            raise AssertionError(f"mutation {number} ended in {error!r}: {text[:300]!r}") from error
    return good


def _places(tree: Any) -> Iterator[tuple[Any, Any]]:
    """Yield the parent and the key of every value in a tree."""
    members = tree.items() if isinstance(tree, dict) else enumerate(tree) if isinstance(tree, list) else ()
    for key, value in list(members):
        yield tree, key
        yield from _places(value)
