"""A state whose checksum is right but whose contents make no sense is refused too."""

from __future__ import annotations

import struct

import pytest
from game_states import ENVELOPE, start

from worldmodels.core.errors import UserError

CHECKSUM, CHECKED = 16, 24  # where the checksum is, and where the bytes begin that it covers


def sealed(state: bytes) -> bytes:
    """The state with the checksum of its contents: FNV-1a, 64 bits."""
    digest = 0xCBF29CE484222325
    for byte in state[CHECKED:]:
        digest = (digest ^ byte) * 0x100000001B3 % 2**64
    return state[:CHECKSUM] + struct.pack("<Q", digest) + state[CHECKED:]


@pytest.mark.parametrize("size", [(4000, 15), (15, 14), (-15, -15)])
def test_a_grid_must_have_as_many_cells_as_its_size_says(size):
    env = start("maze")
    state = env.get_state()
    assert sealed(state) == state
    at = state.index(struct.pack("<ii", 15, 15), ENVELOPE)
    with pytest.raises(UserError, match="do not fill it"):
        env.set_state(sealed(state[:at] + struct.pack("<ii", *size) + state[at + 8 :]))
    assert env.get_state() == state
