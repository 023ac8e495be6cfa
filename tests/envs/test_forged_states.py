"""A state whose checksum is right but whose contents make no sense is refused, and what is let in can be played.

The large search for states that break something is tests/envs/native/state_fuzz.cpp, run by scripts/sanitize.
"""

from __future__ import annotations

import random
import struct
from collections.abc import Iterator

import numpy as np
import pytest
from game_states import ENVELOPE, start

from worldmodels.core.errors import UserError
from worldmodels.envs import GameEnv, GameVectorEnv
from worldmodels.envs.config import complete_options
from worldmodels.envs.games.native_batch import NativeBatch
from worldmodels.envs.games.table import GAME_INFO
from worldmodels.envs.native import _native

CHECKSUM, CHECKED = 16, 24  # where the checksum is, and where the bytes begin that it covers
NAME = 24  # where the name of the game begins

FORGED = 150  # states per game
WORDS = [0, 1, 2, 0xFFFFFFFF, 0x7FFFFFFF, 0x80000000, 0x7FC00000, 0x7F800000, 0xFF800000, 0x7149F2CA, 0x447A0000, 1000]

PLAYED = 120  # steps per game and mode


def digest(contents: bytes) -> int:
    """FNV-1a, 64 bits."""
    result = 0xCBF29CE484222325
    for byte in contents:
        result = (result ^ byte) * 0x100000001B3 % 2**64
    return result


def sealed(state: bytes) -> bytes:
    """The state with its size and with the checksum of its contents."""
    contents = state[CHECKED:]
    return state[:8] + struct.pack("<QQ", len(state), digest(contents)) + contents


def changed(state: bytes, at: int, part: bytes) -> bytes:
    return sealed(state[:at] + part + state[at + len(part) :])


@pytest.mark.parametrize(
    ("size", "message"),
    [
        ((4000, 15), "'grid/width' is 4000, and must be 15"),
        ((15, 14), "'grid/height' is 14, and must be 15"),
        ((-15, -15), "'grid/width' is -15, and must be 15"),
    ],
)
def test_a_grid_must_be_as_large_as_its_game_says(size, message):
    env = start("maze")
    state = env.get_state()
    assert sealed(state) == state
    at = state.index(struct.pack("<ii", 15, 15), ENVELOPE)
    with pytest.raises(UserError, match=message):
        env.set_state(changed(state, at, struct.pack("<ii", *size)))
    assert env.get_state() == state


@pytest.mark.parametrize(
    ("value", "message"),
    [
        (float("nan"), "field 'entities/0/x' is nan, and must be -3 to 23"),
        (float("-inf"), "field 'entities/0/x' is -inf, and must be -3 to 23"),
        (1e30, r"field 'entities/0/x' is 1\S*e\+30, and must be -3 to 23"),
    ],
)
def test_a_position_must_be_a_number_near_the_world(value, message):
    env = start("bigfish")
    state = env.get_state()
    x, y = env.fields()["entities/0/x"], env.fields()["entities/0/y"]
    at = state.index(struct.pack("<ff", x, y), ENVELOPE)
    with pytest.raises(UserError, match=message):
        env.set_state(changed(state, at, struct.pack("<f", value)))
    assert env.get_state() == state


def test_what_concerns_several_fields_is_checked_too():
    env = start("miner")
    state = env.get_state()
    miner = struct.pack("<ii", *(int(env.fields()[name]) for name in ("miner_x", "miner_y")))
    at = state.index(miner, ENVELOPE + 13)
    messages = set()
    for place in range(100):
        try:
            env.set_state(changed(state, at, struct.pack("<ii", place % 10, place // 10)))
        except UserError as error:
            messages.add(str(error))
    assert messages == {"The saved state does not hold together: the miner stands in a free cell."}


def test_a_flag_is_0_or_1():
    env = start("maze")
    state = env.get_state()
    with pytest.raises(UserError, match="'terminated' is 2, and must be 0 to 1"):
        env.set_state(changed(state, ENVELOPE + 16 + 4, b"\x02"))


def test_a_generator_of_random_numbers_cannot_be_stuck():
    env = start("maze")
    with pytest.raises(UserError, match="'picker/random/increment' is 0, and must be an odd number"):
        env.set_state(changed(env.get_state(), ENVELOPE, bytes(16)))


def test_the_name_of_a_game_need_not_be_text():
    env = start("maze")
    with pytest.raises(UserError, match=r"is of \\xff\\xfe\\x0a\\xc3x \(easy\); this environment plays maze"):
        env.set_state(changed(env.get_state(), NAME, b"\xff\xfe\n\xc3x"))
    with pytest.raises(UserError, match="tail behind the name"):
        env.set_state(changed(env.get_state(), NAME + 10, b"x"))


def test_text_of_bytes_is_quoted_in_messages():
    options = complete_options({})
    with pytest.raises(UserError, match=r"There is no game '\\xff\\xc3'"):
        _native.BatchEnv([b"\xff\xc3"], options, "Disabled", 1)
    with pytest.raises(UserError, match=r"There is no distribution mode '\\xff'"):
        _native.BatchEnv(["maze"], {**options, "distribution_mode": b"\xff"}, "Disabled", 1)
    with pytest.raises(UserError, match="The option 'distribution_mode' cannot be"):
        _native.BatchEnv(["maze"], {**options, "distribution_mode": "\udcff"}, "Disabled", 1)


def test_a_picture_has_a_size():
    batch = NativeBatch(["maze"], {})
    batch.reset(batch.new_outcome())
    for size in (-1, 0, 100000):
        with pytest.raises(UserError, match=f"16 to 8192 pixels wide; received {size}"):
            batch.render(0, size)


def test_one_refused_state_leaves_a_batch_as_it_was():
    env = GameVectorEnv("maze", 3)
    env.reset(seed=1)
    states = env.get_state()
    other = GameVectorEnv("maze", 3)
    other.reset(seed=2)
    before = other.get_state()
    with pytest.raises(UserError, match="Environment 2: The saved state does not hold together"):
        other.set_state([*states[:2], changed(states[2], ENVELOPE, bytes(16))])
    assert other.get_state() == before


def play(env: GameEnv, rng: random.Random) -> Iterator[None]:
    """Random play that holds its actions for a while."""
    while True:
        action = rng.randrange(15)
        for _ in range(rng.choice([1, 2, 5, 12])):
            _, _, terminated, truncated, _ = env.step(action)
            yield
            if terminated or truncated:
                env.reset()
                yield


MODES = [(game, mode, 0) for game, info in GAME_INFO.items() for mode in info.modes]


@pytest.mark.parametrize(("game", "mode", "debug_mode"), [*MODES, ("coinrun", "hard", 14)])
def test_every_moment_of_real_play_is_let_in(game, mode, debug_mode):
    env = GameEnv(game, distribution_mode=mode, debug_mode=debug_mode)
    other = GameEnv(game, distribution_mode=mode, debug_mode=debug_mode)
    env.reset(seed=3)
    other.reset(seed=4)
    for _, _ in zip(range(PLAYED), play(env, random.Random(game + mode)), strict=False):
        state = env.get_state()
        other.set_state(state)
        assert other.get_state() == state


def forged(state: bytes, rng: random.Random) -> bytes:
    """The state with one to three of its words or bytes replaced."""
    for _ in range(rng.choice([1, 1, 1, 2, 3])):
        at = rng.randrange(ENVELOPE, len(state) - 4)
        word = struct.unpack_from("<I", state, at)[0]
        part = rng.choice(
            [
                struct.pack("<I", rng.choice(WORDS)),
                struct.pack("<I", (word + rng.randrange(-20, 21)) % 2**32),
                bytes([rng.choice([0, 1, 2, 4, 0x7F, 0x80, 0xFF])]),
                bytes([state[at] ^ 1 << rng.randrange(8)]),
            ]
        )
        state = state[:at] + part + state[at + len(part) :]
    return sealed(state)


@pytest.mark.parametrize("game", GAME_INFO)
def test_forged_states_are_refused_or_can_be_played(game):
    rng = random.Random(game)
    env = GameEnv(game, distribution_mode=rng.choice(list(GAME_INFO[game].modes)))
    env.reset(seed=5)
    moves = play(env, rng)
    moments = []
    for _ in range(6):
        for _ in range(15):
            next(moves)
        moments.append(env.get_state())
    before, refused = env.get_state(), 0
    for _ in range(FORGED):
        try:
            env.set_state(forged(rng.choice(moments), rng))
        except UserError as error:
            assert "saved state" in str(error)
            assert env.get_state() == before
            refused += 1
            continue
        env.observe()
        assert all(np.isfinite(value) for value in env.fields().values())
        for _ in range(4):
            if env.fields()["over"]:
                env.reset()
            else:
                env.step(rng.randrange(15))
        env.set_state(moments[0])
        before = moments[0]
    assert refused > FORGED / 3
