"""A worker process steps some copies of a foreign environment until its parent closes the connection."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from functools import partial
from multiprocessing.connection import Connection
from typing import Any

from worldmodels.core.child_process import obey_parent
from worldmodels.core.errors import UserError
from worldmodels.envs.config import InfoConfig
from worldmodels.envs.foreign.given import Factory
from worldmodels.envs.foreign.shared_arrays import SharedArrays
from worldmodels.envs.foreign.vector_env import Array, SyncForeignEnv
from worldmodels.envs.foreign.wrappers import ImageFormat


def work(
    pipe: Connection,
    make: Factory,
    id: str,
    images: ImageFormat,
    info: InfoConfig,
    copies: range,
    shared: SharedArrays,
) -> None:
    """Answer the calls that come through `pipe`: what failed, "" where all went well, and what was asked for.

    A call is ("reset", seeds), ("step", None), ("get_state", None), ("set_state", states), or None, which closes the
    copies and ends the process. Actions are read from shared memory, and observations and the like are written there.
    """
    obey_parent()
    with suppress(EOFError, BrokenPipeError):
        arrays = shared.views(slice(copies.start, copies.stop))
        _answer_calls(pipe, arrays, partial(SyncForeignEnv, make, id, len(copies), images, info, copies.start, arrays))


def _answer_calls(pipe: Connection, arrays: dict[str, Array], make_copies: Callable[[], SyncForeignEnv]) -> None:
    try:
        env = make_copies()
    except UserError as error:
        pipe.send((str(error), None))
        return
    pipe.send(("", None))
    calls = {"reset": _reset, "step": _step, "get_state": _get_state, "set_state": _set_state}
    while (call := pipe.recv()) is not None:
        pipe.send(_answer(calls[call[0]], env, call[1], arrays))
    pipe.send(_answer(SyncForeignEnv.close, env))


def _answer(function: Any, *arguments: Any) -> tuple[str, Any]:
    try:
        return "", function(*arguments)
    except UserError as error:
        return str(error), None


def _reset(env: SyncForeignEnv, seeds: Any, arrays: dict[str, Any]) -> None:
    observations, _ = env.reset(seed=seeds)
    arrays["observation"][:] = env.observation_spec.to_bytes(observations)


def _step(env: SyncForeignEnv, _: None, arrays: dict[str, Any]) -> None:
    observations, arrays["reward"][:], arrays["terminated"][:], arrays["truncated"][:], _info = env.step(
        arrays["action"]
    )
    arrays["observation"][:] = env.observation_spec.to_bytes(observations)


def _get_state(env: SyncForeignEnv, _: None, arrays: dict[str, Any]) -> list[bytes]:
    return env.get_state()


def _set_state(env: SyncForeignEnv, states: list[bytes], arrays: dict[str, Any]) -> None:
    env.set_state(states)
    arrays["observation"][:] = env.observation_spec.to_bytes(env.observe())
