"""Every native game goes through this kit: spaces, determinism, states, variables, autoreset, and golden digests.

Each check takes a game and a distribution mode and raises `ConformanceError`, saying what differs. A new game needs no
tests of its own for any of this.

    python -m worldmodels.envs.conformance tests/golden/games.json    # write the digests of the games as they are now
"""

from __future__ import annotations

import hashlib
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from gymnasium.utils.env_checker import check_env
from gymnasium.vector import AutoresetMode

from worldmodels.core.errors import ConformanceError, UserError
from worldmodels.core.files.writing import write_atomic
from worldmodels.envs.games.game_env import GameEnv
from worldmodels.envs.games.table import GAME_INFO, NUM_ACTIONS, OBSERVATION_SHAPE, variable_units
from worldmodels.envs.games.vector_env import GameVectorEnv

SEED = 20
NUM_ENVS = 6
STEPS = 240

UNITS = ("cells", "cells per step", "steps", "count", "0 or 1", "0 to 1", "-1 to 1")
"""The units in which variables are measured, and the ranges of those without one."""

COMPARED = (
    "observation",
    "reward",
    "terminated",
    "truncated",
    "level_seed",
    "prev_level_seed",
    "prev_level_complete",
    "state hash",
)
"""`_play` yields these of each step."""


def games_and_modes() -> list[tuple[str, str]]:
    """Return every game in every mode that it offers, over which the checks run."""
    return [(name, mode) for name, info in GAME_INFO.items() for mode in info.modes]


def check_spaces(name: str, mode: str) -> None:
    """Check shapes, types and ranges of everything that `reset` and `step` return."""
    env = GameVectorEnv(name, NUM_ENVS, distribution_mode=mode)
    observations, info = env.reset(seed=SEED)
    info = _without_masks(info, f"{name} ({mode})")
    level = info.pop("level")
    results = [observations, *env.step(np.zeros(NUM_ENVS, np.int32))[:4], *info.values(), *level.values()]
    shape = (NUM_ENVS, *OBSERVATION_SHAPE)
    wanted = [(shape, "uint8"), (shape, "uint8"), ((NUM_ENVS,), "float32")]
    wanted += [((NUM_ENVS,), kind) for kind in ("bool", "bool", "int32", "int32", "bool", "int32", "int32")]
    found = [(array.shape, str(array.dtype)) for array in results]
    _require(found == wanted, f"{name} ({mode}): arrays are {found}, wanted {wanted}")
    _require(set(info) == {"level_seed", "prev_level_seed", "prev_level_complete"}, f"{name}: info has {sorted(info)}")
    _require(set(level) == {"seed", "solution"}, f"{name}: info['level'] has {sorted(level)}")
    _require(np.array_equal(level["seed"], info["level_seed"]), f"{name}: info names two levels")
    _require(len(GAME_INFO[name].action_meanings) == NUM_ACTIONS, f"{name}: {NUM_ACTIONS} action meanings are needed")
    _require(bool(np.ptp(observations) > 0), f"{name} ({mode}): the first observations are blank")


def check_determinism(name: str, mode: str) -> None:
    """Check that looking, saving, restoring and the number of threads and environments change no byte."""
    plain = list(_play(name, mode, NUM_ENVS))
    for what, other in (
        ("with 3 threads", _play(name, mode, NUM_ENVS, num_threads=3)),
        ("with reused buffers", _play(name, mode, NUM_ENVS, reuse_buffers=True)),
        ("with renders in between", _play(name, mode, NUM_ENVS, disturb="render")),
        ("with save and restore in between", _play(name, mode, NUM_ENVS, disturb="restore")),
    ):
        _same(plain, list(other), f"{name} ({mode}) {what}")
    few = [tuple(part[:2] for part in step) for step in plain]
    _same(few, list(_play(name, mode, 2)), f"{name} ({mode}) in a batch of 2")


def check_states(name: str, mode: str) -> None:
    """Check that states restore exactly, in another environment too, and that anything else changes nothing."""
    env = GameVectorEnv(name, 2, distribution_mode=mode)
    env.reset(seed=SEED)
    for actions in _actions(2)[:50]:
        env.step(actions)
    states, seen = env.get_state(), env.observe()
    other = GameVectorEnv(name, 2, distribution_mode=mode)
    other.reset(seed=SEED + 1)  # what was drawn of another level must not be remembered
    other.set_state(states)
    _require(other.get_state() == states, f"{name} ({mode}): a restored state is saved differently")
    _require(np.array_equal(other.observe(), seen), f"{name} ({mode}): a restored state looks different")
    for what, bad in broken_states(states[0], name, mode).items():
        try:
            env.set_state([states[0], bad])
        except UserError:
            _require(env.get_state() == states, f"{name} ({mode}): a refused state ({what}) changed something")
        else:
            raise ConformanceError(f"{name} ({mode}): a state that is {what} was accepted")


def check_variables(name: str, mode: str) -> None:
    """Check that variables have fixed names, follow the play and go with the state, and that reading only looks."""
    env = GameVectorEnv(name, NUM_ENVS, distribution_mode=mode)
    env.reset(seed=SEED)
    names, where, found = env.variable_names, f"{name} ({mode})", []
    _require(set(variable_units(name, mode).values()) <= set(UNITS), f"{where}: units are {', '.join(UNITS)}")
    for actions in _actions(NUM_ENVS):
        env.step(actions)
        hashes, rows = env._batch.hashes(), env.variables()
        _require(rows.dtype == np.float32 and rows.shape == (NUM_ENVS, len(names)), f"{where}: variables are {rows!r}")
        _require(not np.isinf(rows).any(), f"{where}: a variable is infinite")
        _require(np.array_equal(rows, env.variables(), equal_nan=True), f"{where}: read twice, variables differ")
        _require(env._batch.hashes() == hashes, f"{where}: reading the variables changed the state")
        found.append(rows)
    changes = np.array([not np.array_equal(found[0], rows, equal_nan=True) for rows in found[1:]])
    _require(bool(changes.any()), f"{where}: the variables never change")
    other = GameVectorEnv(name, NUM_ENVS, num_threads=3, distribution_mode=mode, use_backgrounds=False)
    other.reset(seed=SEED + 1)
    other.set_state(env.get_state())
    _require(np.array_equal(other.variables(), found[-1], equal_nan=True), f"{where}: a restored state has others")
    distant = GameVectorEnv(name, NUM_ENVS, distribution_mode=mode, center_agent=False)
    distant.reset(seed=SEED)
    _require(distant.variables().shape == rows.shape, f"{where}: the variables depend on the camera")


def broken_states(state: bytes, name: str, mode: str) -> dict[str, bytes]:
    """Return byte strings that must be refused instead of `state`, by their fault."""
    middle = len(state) // 2
    flipped = state[:middle] + bytes([state[middle] ^ 1]) + state[middle + 1 :]
    other_name = next(other for other in GAME_INFO if other != name)
    foreign = GameEnv(other_name)
    foreign.reset(seed=SEED)
    broken = {
        "empty": b"",
        "truncated": state[:-1],
        "longer": state + b"\0",
        "corrupted": flipped,
        "not a state": b"x" * len(state),
        "of another version": state[:4] + b"\xff" + state[5:],
        "of another game": foreign.get_state(),
    }
    for other_mode in GAME_INFO[name].modes:
        if _rules_of(other_mode) != _rules_of(mode):
            alike = GameEnv(name, distribution_mode=other_mode)
            alike.reset(seed=SEED)
            broken[f"of {other_mode} mode"] = alike.get_state()
    return broken


def check_autoreset(name: str, mode: str) -> None:
    """Check that the three modes give the same episodes, and that a time limit truncates."""
    limit = GAME_INFO[name].modes[mode]
    env = GameVectorEnv(name, 1, distribution_mode=mode, autoreset_mode=AutoresetMode.NEXT_STEP)
    env.reset(seed=SEED)
    steps, over = 0, False
    while not over:
        last, _, terminated, truncated, info = env.step([4])
        over, steps = bool(terminated[0] or truncated[0]), steps + 1
    _require(steps == limit if truncated[0] else steps <= limit, f"{name} ({mode}): ended after {steps} steps")
    first, reward, terminated, truncated, next_info = env.step([4])
    neutral = reward[0] == 0 and not terminated[0] and not truncated[0]
    _require(bool(neutral), f"{name} ({mode}): a reset step is not neutral")
    remembered = next_info["prev_level_seed"][0] == info["level_seed"][0]
    _require(bool(remembered), f"{name} ({mode}): the level before is forgotten")

    same = GameVectorEnv(name, 1, distribution_mode=mode, autoreset_mode=AutoresetMode.SAME_STEP)
    same.reset(seed=SEED)
    for _ in range(steps):
        observation, _, _, _, same_info = same.step([4])
    kept = np.array_equal(same_info["final_obs"][0], last[0])
    _require(kept, f"{name} ({mode}): SAME_STEP loses the last observation")
    _require(np.array_equal(observation, first), f"{name} ({mode}): SAME_STEP begins another episode than NEXT_STEP")

    manual = GameVectorEnv(name, 1, distribution_mode=mode, autoreset_mode=AutoresetMode.DISABLED)
    manual.reset(seed=SEED)
    for _ in range(steps):
        manual.step([4])
    observation, _ = manual.reset(options={"reset_mask": np.array([True])})
    _require(np.array_equal(observation, first), f"{name} ({mode}): DISABLED begins another episode than NEXT_STEP")


def check_single(name: str, mode: str) -> None:
    """Run Gymnasium's own checker, and check that the single environment plays what a batch of one plays."""
    env = GameEnv(name, render_mode="rgb_array", distribution_mode=mode)
    check_env(env, skip_render_check=True)
    frame = env.render()
    large = frame is not None and frame.shape == (512, 512, 3)
    _require(large, f"{name} ({mode}): the view for people has another size")
    vector = GameVectorEnv(name, 1, distribution_mode=mode)
    observation, _ = env.reset(seed=SEED)
    observations, _ = vector.reset(seed=SEED)
    _require(np.array_equal(observation, observations[0]), f"{name} ({mode}): single and vector environment differ")


def digest(name: str, mode: str) -> dict[str, str]:
    """Return the SHA-256 of what happens ("rules": rewards, flags, levels, states) and of what is seen ("frames")."""
    rules, frames = hashlib.sha256(), hashlib.sha256()
    for observations, *others in _play(name, mode, NUM_ENVS):
        frames.update(observations.tobytes())
        for array in others:
            rules.update(array.tobytes())
    env = GameEnv(name, render_mode="rgb_array", distribution_mode=mode)
    env.reset(seed=SEED)
    frames.update(np.asarray(env.render()).tobytes())
    return {"rules": rules.hexdigest(), "frames": frames.hexdigest()}


def digests() -> dict[str, dict[str, str]]:
    """Return the digests of every game and mode, by "name mode"."""
    return {f"{name} {mode}": digest(name, mode) for name, mode in games_and_modes()}


def _rules_of(mode: str) -> str:
    return "hard" if mode == "exploration" else mode  # exploration is hard mode on one level


def _actions(num_envs: int) -> npt.NDArray[np.int32]:
    # One stream per environment, so that a smaller batch sees the first columns of a larger one.
    columns = [np.random.default_rng(SEED + index).integers(0, NUM_ACTIONS, STEPS) for index in range(num_envs)]
    return np.stack(columns, axis=1).astype(np.int32)


def _play(
    name: str, mode: str, num_envs: int, disturb: str = "", **arguments: Any
) -> Iterator[tuple[npt.NDArray[Any], ...]]:
    env = GameVectorEnv(name, num_envs, distribution_mode=mode, render_mode="rgb_array", **arguments)
    env.reset(seed=SEED)
    for step, actions in enumerate(_actions(num_envs)):
        if disturb == "render" and step % 60 == 30:
            env.render()
        if disturb == "restore" and step % 20 == 10:
            states = env.get_state()
            env = GameVectorEnv(name, num_envs, distribution_mode=mode)
            env.set_state(states)
        *results, info = env.step(actions)
        # The solution's length is part of the state, and so of the hash.
        levels = [info[key] for key in ("level_seed", "prev_level_seed", "prev_level_complete")]
        hashes = np.array(env._batch.hashes(), np.uint64)
        yield tuple(np.copy(array) for array in (*results, *levels, hashes))


def _without_masks(info: dict[str, Any], where: str) -> dict[str, Any]:
    """Return `info` without the masks `_key` that Gymnasium wants beside each key, which are checked."""
    values = {key: value for key, value in info.items() if not key.startswith("_")}
    _require(set(info) == {*values, *(f"_{key}" for key in values)}, f"{where}: info has {sorted(info)}")
    for key in values:
        mask = info[f"_{key}"]
        _require(mask.dtype == np.bool_ and mask.tolist() == [True] * NUM_ENVS, f"{where}: _{key} is {mask}")
    return {key: _without_masks(value, where) if isinstance(value, dict) else value for key, value in values.items()}


def _same(one: list[Any], other: list[Any], where: str) -> None:
    for step, (left, right) in enumerate(zip(one, other, strict=True)):
        for index, (first, second) in enumerate(zip(left, right, strict=True)):
            _require(np.array_equal(first, second), f"{where}: step {step} differs in its {COMPARED[index]}")


def _require(condition: bool, text: str) -> None:
    if not condition:
        raise ConformanceError(text)


def main(path: str) -> None:
    """Write the digests of the games as they are now."""
    import json

    write_atomic(Path(path), json.dumps(digests(), indent=2, allow_nan=False) + "\n")


if __name__ == "__main__":
    main(sys.argv[1])
