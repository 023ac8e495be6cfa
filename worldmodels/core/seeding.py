"""All randomness of a run comes from one seed, by named streams.

A stream depends on the seed and its own name alone, never on which streams were asked for before it: adding a new
consumer of randomness leaves every other one as it was.
"""

from __future__ import annotations

import hashlib
from typing import Any

import numpy as np
import numpy.typing as npt

Key = npt.NDArray[np.int32]
"""int32 (2,): the seed of one stateless random operation."""


class Streams:
    """The named random streams that come from one seed (any integer)."""

    def __init__(self, seed: int) -> None:
        self.seed = int(seed)

    def generator(self, name: str) -> np.random.Generator:
        """Return a fresh NumPy generator, always at the start of the stream `name`."""
        return np.random.Generator(np.random.PCG64(int.from_bytes(self._digest("generator", name), "little")))

    def key(self, name: str) -> Key:
        """Return the root key of the stream `name` for stateless operations, int32 (2,); see `fold`."""
        return np.frombuffer(self._digest("key", name)[:8], dtype="<i4").astype(np.int32)

    def integer(self, name: str) -> int:
        """Return an integer from 0 to 2**31 - 1, to seed something foreign, an environment say."""
        return int.from_bytes(self._digest("integer", name)[:4], "little") & 0x7FFFFFFF

    def _digest(self, use: str, name: str) -> bytes:
        # The use is part of what is hashed: a generator and a key of one name share nothing.
        return hashlib.sha256(f"{self.seed}/{use}/{name}".encode()).digest()


def fold(key: Key, counter: int) -> Key:
    """Return the key for the `counter`-th use of `key`, int32 (2,); hashed, not added: neighbours share no pattern."""
    low, high = (int(word) & 0xFFFFFFFF for word in key)
    text = f"{low}/{high}/{int(counter)}".encode()
    return np.frombuffer(hashlib.sha256(text).digest()[:8], dtype="<i4").astype(np.int32)


def generator_state(generator: np.random.Generator) -> dict[str, Any]:
    """Return where `generator` stands in its stream, as plain JSON values."""
    return dict(generator.bit_generator.state)


def restore_generator(state: dict[str, Any]) -> np.random.Generator:
    """Return a generator that goes on exactly where the one given to `generator_state` stood."""
    bits: Any = np.random.PCG64(0)  # Any: NumPy's stubs want its own TypedDict for a state
    bits.state = state
    return np.random.Generator(bits)
