"""A guard around each copy of a foreign environment: what breaks the rules ends in a sentence that says where."""

from __future__ import annotations

import math
import textwrap
import traceback
from collections.abc import Callable, Mapping
from pathlib import Path
from statistics import fmean
from typing import Any, NoReturn, TypeAlias

import gymnasium
import numpy as np
import numpy.typing as npt
from gymnasium.spaces import Dict, Discrete, MultiBinary

from worldmodels.core.errors import ForeignEnvError, unknown
from worldmodels.envs.config import InfoConfig
from worldmodels.envs.foreign.copy_state import layers_of, load_copy, save_copy
from worldmodels.envs.foreign.wrappers import RepeatedAction
from worldmodels.envs.spaces import space_text

Moment: TypeAlias = npt.NDArray[np.int64]
"""int64 (3,): episode, step, and whether a call is under way."""

LARGEST_REWARD = 1e12
"""Larger ones are refused: learners square the sums of many rewards in float32, which has nothing above 3.4e38."""

NUMBERS = (float, int, np.integer, np.floating, np.bool_)

OWN_FILES = (str(Path(gymnasium.__file__).parent), str(Path(__file__).parents[1]))
"""Lines of code below these folders are never those of the environment itself."""


class ForeignGuard(gymnasium.Wrapper[Any, Any, Any, Any]):
    """A wrapper that checks what an environment returns, and says which environment failed at which step, and how.

    Args:
        env: the environment.
        id: its name for people.
        index: its place among the copies of a vector environment.
        moment: int64 (3,), in which the guard keeps where the environment is: its episode, its step in it, and whether
            a call is under way. In shared memory, it can be read when the process of the environment is dead.
        info: names numbers in the info of each step (`number_in`).
        numbers: float32 (K,), in which the guard keeps them; NaN after a reset. Where an action is repeated, they are
            the sums, the means or the greatest ones of its steps.

    `reset`, `step`, `render`, `save`, `load`, `close` and `action_meanings` raise `ForeignEnvError`, whatever was
    raised inside, also for `SystemExit`; only `KeyboardInterrupt` passes. The original error is its `__cause__`.
    """

    def __init__(
        self,
        env: gymnasium.Env[Any, Any],
        id: str,
        index: int,
        moment: Moment,
        info: InfoConfig,
        numbers: npt.NDArray[np.float32],
    ) -> None:
        super().__init__(env)
        self._name = copy_name(id, index)
        self._space = env.observation_space
        self._moment = moment
        self._numbers = numbers
        self._wanted = [
            (name, how) for names, how in ((info.sum, sum), (info.mean, fmean), (info.max, max)) for name in names
        ]
        self._repeated = next((layer for layer in layers_of(env) if isinstance(layer, RepeatedAction)), None)
        self._closed = False

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Any, dict[str, Any]]:
        """Begin an episode; return the observation and an info."""
        episode, _, _ = self._moment
        self._moment[:2] = episode + 1, 0
        result = self._call(lambda: self.env.reset(seed=seed, options=options))
        if not isinstance(result, tuple) or len(result) != 2:
            self._refuse(f"it returned {_kind(result)}; reset returns a tuple of 2: observation and info")
        self._check_observation(result[0])
        self._check_info(result[1])
        self._numbers[:] = math.nan
        return result

    def step(self, action: Any) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        """Take a step; return observation, reward, terminated, truncated and info."""
        self._moment[1] += 1
        result = self._call(lambda: self.env.step(action))
        if not isinstance(result, tuple) or len(result) != 5:
            self._refuse(
                f"it returned {_kind(result)}; step returns a tuple of 5: observation, reward, terminated, truncated "
                "and info"
            )
        observation, reward, terminated, truncated, info = result
        self._check_observation(observation)
        self._check_reward(reward)
        self._check_flag("terminated", terminated)
        self._check_flag("truncated", truncated)
        self._check_info(info)
        infos = self._repeated.infos if self._repeated else [info]
        self._numbers[:] = [how([self._number_in(each, name) for each in infos]) for name, how in self._wanted]
        return result

    def render(self) -> Any:
        """Return what the environment draws."""
        return self._call(self.env.render)

    def save(self) -> dict[str, Any]:
        """Return the environment's state as a tree, where it can be saved (`why_not_saved`)."""
        return {"moment": self._moment.copy(), "copy": self._call(lambda: save_copy(self.env))}

    def load(self, tree: dict[str, Any]) -> None:
        """Take over what `save` gave of an environment that was made in the same way."""
        self._call(lambda: load_copy(self.env, tree["copy"]))
        self._moment[:] = tree["moment"]

    def close(self) -> None:
        """Close the environment, once: what fails to close is not closed again."""
        if self._closed:
            return
        self._closed = True
        try:
            self.env.close()
        except KeyboardInterrupt:
            raise
        except BaseException as error:
            raise ForeignEnvError(f"{self._name} failed to close: {described(error)}.") from error

    def action_meanings(self) -> list[str] | None:
        """Return the environment's own names of its actions; None where it gives none."""
        try:
            named: Any = getattr(self.unwrapped, "get_action_meanings", None)
            return None if named is None else [str(name) for name in named()]
        except KeyboardInterrupt:
            raise
        except BaseException as error:
            raise ForeignEnvError(f"{self._name} failed to name its actions: {described(error)}.") from error

    def _call(self, function: Callable[[], Any]) -> Any:
        self._moment[2] = True
        try:
            return function()
        except KeyboardInterrupt:
            raise
        except BaseException as error:
            raise ForeignEnvError(f"{self._where()} failed: {described(error)}.") from error
        finally:
            self._moment[2] = False

    def _check_observation(self, observation: Any) -> None:
        if not isinstance(self._space, Dict):
            self._check_part(observation, self._space, "the observation")
            return
        if not isinstance(observation, dict) or set(observation) != set(self._space.spaces):
            keys = ", ".join(map(repr, observation)) if isinstance(observation, dict) else _kind(observation)
            self._refuse(
                f"the observation holds {keys}; its space says a dictionary of {', '.join(map(repr, self._space))}"
            )
        for key, part in self._space.spaces.items():
            self._check_part(observation[key], part, f"the part '{key}' of the observation")

    def _check_part(self, array: Any, space: gymnasium.Space[Any], what: str) -> None:
        if isinstance(space, (Discrete, MultiBinary)):
            if not space.contains(array):
                self._refuse(f"{what} is {array!r:.100}; its space says {space_text(space)}")
            return
        # A number that NumPy gives for an array without axes is as good as that array.
        if not isinstance(array, (np.ndarray, np.generic)) or array.dtype != space.dtype or array.shape != space.shape:
            self._refuse(f"{what} is {_kind(array)}; its space says {space.dtype} {space.shape}")
        if array.dtype.kind == "f" and not (finite := _finite(array)).all():
            place = tuple(int(i) for i in np.argwhere(~finite)[0])
            self._refuse(
                f"{what} holds {np.asarray(array)[place]} at {place}; all its numbers must be finite in float32"
            )

    def _check_reward(self, reward: Any) -> None:
        if not isinstance(reward, NUMBERS) and not _is_number(reward):
            self._refuse(f"the reward is {_kind(reward)}; a reward is a number")
        number = _as_float(reward)
        if not -LARGEST_REWARD <= number <= LARGEST_REWARD:  # NaN is neither
            self._refuse(f"the reward is {number:g}; a reward is from {-LARGEST_REWARD:g} to {LARGEST_REWARD:g}")

    def _check_flag(self, name: str, flag: Any) -> None:
        if flag is not True and flag is not False and not isinstance(flag, np.bool_):
            self._refuse(f"'{name}' is {_kind(flag)}; it is True or False")

    def _check_info(self, info: Any) -> None:
        if not isinstance(info, dict):
            self._refuse(f"info is {_kind(info)}; it is a dictionary")

    def _number_in(self, info: dict[str, Any], name: str) -> float:
        number = number_in(info, name)
        if number is None:
            wrong = unknown("number", name, number_names(info)).removesuffix(".")
            self._refuse(f"env.info names what info does not hold, or not as a finite number. {wrong}")
        return number

    def _refuse(self, fault: str) -> NoReturn:
        raise ForeignEnvError(f"{self._where()}: {fault}.")

    def _where(self) -> str:
        return f"{self._name}, {moment_name(self._moment)}"


def copy_name(id: str, index: int) -> str:
    """Return how errors call a copy of an environment."""
    return f"Environment {index} ('{id}')"


def moment_name(moment: Moment) -> str:
    """Return how errors call what a guard keeps in its `moment`."""
    episode, step, _ = moment
    return f"{f'step {step}' if step else 'reset'} of episode {episode}"


def described(error: BaseException) -> str:
    """Return an error of foreign code in one line: its kind, its text, and its line of code."""
    try:
        text = textwrap.shorten(str(error), 300, placeholder=" ...").rstrip(".")
    except Exception:  # their code too
        text = ""
    frames = traceback.extract_tb(error.__traceback__)
    places = [
        f" ({frame.filename}, line {frame.lineno})" for frame in frames if not frame.filename.startswith(OWN_FILES)
    ]
    return f"{type(error).__name__}{': ' if text else ''}{text}{places[-1] if places else ''}"


def _finite(array: Any) -> npt.NDArray[np.bool_]:
    """Return which numbers are finite in float32, the type in which vectors are handed on."""
    array = np.asarray(array)
    if array.dtype != np.float32:  # as few are
        with np.errstate(over="ignore"):
            array = array.astype(np.float32)
    finite: npt.NDArray[np.bool_] = np.isfinite(array)
    return finite


def _as_float(number: Any) -> float:
    try:
        return float(number)
    except OverflowError:  # an integer without end
        return math.inf


def _is_number(value: Any) -> bool:
    return isinstance(value, np.ndarray) and value.shape == () and value.dtype.kind in "biuf"


def _kind(value: Any) -> str:
    """Return "uint8 (20, 30, 3)", "None", "a tuple of 4" or "a str"."""
    if isinstance(value, np.ndarray):
        return f"{value.dtype} {value.shape}"
    if value is None:
        return "None"
    return f"a {type(value).__name__}" + (f" of {len(value)}" if isinstance(value, (tuple, list)) else "")


def number_in(info: Mapping[str, Any], name: str) -> float | None:
    """Return the number of an info by its name, such as "achievements/eat_cow" of a dictionary in it.

    None if there is no such number, or none that float32 can hold.
    """
    value: Any = info
    for key in name.split("/"):
        if not isinstance(value, Mapping) or key not in value:
            return None
        value = value[key]
    return _finite_number(value)


def number_names(info: Mapping[Any, Any], above: str = "") -> list[str]:
    """Return the names of all numbers of an info, in their order."""
    names = []
    for key, value in info.items():
        if not isinstance(key, str):
            continue
        if isinstance(value, Mapping):
            names += number_names(value, f"{above}{key}/")
        elif _finite_number(value) is not None:
            names.append(f"{above}{key}")
    return names


def _finite_number(value: Any) -> float | None:
    array = np.asarray(value) if isinstance(value, (bool, int, float, np.generic, np.ndarray)) else np.array("")
    if array.shape != () or array.dtype.kind not in "biuf":
        return None
    with np.errstate(over="ignore"):
        number = np.float32(array[()])
    return float(number) if np.isfinite(number) else None
