"""Environments that are given in Python, as an object or as a factory, and not by an id."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, TypeAlias
from weakref import WeakValueDictionary

import gymnasium

from worldmodels.core.errors import ForeignEnvError, UserError
from worldmodels.envs.config import PYTHON
from worldmodels.envs.foreign.guard import described

Env: TypeAlias = gymnasium.Env[Any, Any]
Factory: TypeAlias = Callable[[], Env]
Given: TypeAlias = Env | Factory
"""An environment, or a function (or class) that makes another copy at each call without arguments."""

_given: dict[str, Given] = {}


def given_name(env: Given) -> str:
    """Return the name of a given environment in configurations: "python:Blinker".

    Raises:
        UserError: it is neither an environment nor a factory.
    """
    if isinstance(env, gymnasium.Env):
        return PYTHON + type(env.unwrapped).__name__
    if not callable(env):
        raise UserError(
            "An environment is the name of a game, the id of a Gymnasium environment, a gymnasium.Env, or a function "
            f"that makes one. Received {type(env).__name__}."
        )
    function = getattr(env, "func", env)  # of functools.partial
    return PYTHON + getattr(function, "__name__", type(function).__name__).strip("<>")


@contextmanager
def giving(name: str, env: Given | None) -> Iterator[None]:
    """Let `make_vec` find `env` by a name that begins with "python:", within the block; None changes nothing.

    Raises:
        UserError: the name is that of a game or an id.
    """
    if env is not None and not name.startswith(PYTHON):
        raise UserError(
            f"The environment of this run is '{name}', which is made by that name: none is to be given. One is where a "
            f"run was trained with an object or a function, whose name begins with '{PYTHON}'."
        )
    before = _given.copy()
    if env is not None:
        _given[name] = env
    try:
        yield
    finally:
        _given.clear()
        _given.update(before)


def find_given(name: str) -> Given | None:
    """Return the environment that was given in Python under a name; None if the name is a game's or an id.

    Raises:
        UserError: the name is of a given environment, outside of `giving`.
    """
    if name.startswith(PYTHON) and name not in _given:
        raise UserError(
            f"'{name}' was given in Python, as an object or a function of that name, and no id leads to it. It has to "
            "be given again, from Python: worldmodels.train(env, logdir=RUN), worldmodels.load(RUN, env=env), "
            "worldmodels.evaluate(RUN, env=env)."
        )
    return _given.get(name)


def is_object(given: Given) -> bool:
    """Return whether what is given is one environment, and not a factory."""
    return isinstance(given, gymnasium.Env)


def check_copies(name: str, given: Given, num_envs: int) -> None:
    """Raise `UserError` where more than one copy is wanted of an object."""
    if is_object(given) and num_envs != 1:
        raise UserError(
            f"'{name}' is an object, which is one copy of an environment; num_envs is {num_envs}. Give a function that "
            "makes copies, or num_envs=1."
        )


def made_of(given: Given, name: str) -> Env:
    """Return an environment: of a factory a new one; of an object itself, which stays open when it is closed.

    Raises:
        UserError: the object is in use already.
        ForeignEnvError: the factory failed, or made something else.
    """
    if isinstance(given, gymnasium.Env):
        return Borrowed(given, name)
    try:
        env: Any = given()
    except (KeyboardInterrupt, UserError):
        raise
    except BaseException as error:
        raise ForeignEnvError(f"The factory '{name}' failed: {described(error)}.") from error
    if not isinstance(env, gymnasium.Env):
        raise ForeignEnvError(f"The factory '{name}' returned {type(env).__name__}; a factory returns a gymnasium.Env.")
    return env


class Borrowed(gymnasium.Wrapper[Any, Any, Any, Any]):
    """The caller's environment while it is in use here. `close` hands it back and leaves it open.

    Raises:
        UserError: it is in use already.
    """

    _in_use: WeakValueDictionary[int, Borrowed] = WeakValueDictionary()

    def __init__(self, env: Env, name: str) -> None:
        if id(env) in self._in_use:
            raise UserError(
                f"'{name}' is an object that is in use, and a second copy is needed. Give a function that makes copies."
            )
        super().__init__(env)
        self._in_use[id(env)] = self

    def close(self) -> None:
        """Give the environment back."""
        self._in_use.pop(id(self.env), None)
