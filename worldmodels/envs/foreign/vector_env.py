"""Copies of a foreign environment behind the interface of native games."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from contextlib import suppress
from functools import partial
from typing import Any, NoReturn, TypeAlias, cast

import numpy as np
import numpy.typing as npt
from gymnasium.spaces import Discrete
from gymnasium.vector import AutoresetMode, SyncVectorEnv, VectorEnv
from gymnasium.vector.utils import batch_space

from worldmodels.core.errors import ForeignEnvError, UserError
from worldmodels.core.files.tree import tree_from_bytes, tree_to_bytes
from worldmodels.core.specs import ActionSpec, ObservationSpec
from worldmodels.envs.config import NO_INFO, InfoConfig
from worldmodels.envs.foreign.copy_state import why_not_saved
from worldmodels.envs.foreign.given import Factory
from worldmodels.envs.foreign.guard import ForeignGuard, described
from worldmodels.envs.foreign.shared_arrays import Layout
from worldmodels.envs.foreign.wrappers import ImageFormat
from worldmodels.envs.readings import ObservationReading
from worldmodels.envs.spaces import action_space, action_spec, checked_actions, observation_space

Array: TypeAlias = npt.NDArray[Any]
Seeds: TypeAlias = int | Sequence[int | None] | None
"""The seed of the first copy, whose successors the other copies take; or one for each."""
Steps: TypeAlias = tuple[Any, npt.NDArray[np.float32], npt.NDArray[np.bool_], npt.NDArray[np.bool_], dict[str, Any]]
"""Observations, rewards float32 (N,), terminated bool (N,), truncated bool (N,) and info."""


class ForeignVectorEnv(VectorEnv[Any, Array, Array]):
    """Copies of a foreign environment that behave like a `GameVectorEnv`, except that some cannot be saved.

    What it shows and takes stands in `observation_spec` and `action_spec`. A Box of actions is scaled to the bounds of
    the environment, and what lies outside of [-1, 1] is clipped.

    Their `info` holds `recorded`, float32 (N, K): the numbers of the K names that were asked for, NaN after a reset.

    What fails in one of them, or breaks Gymnasium's rules, is a `ForeignEnvError`: see `ForeignGuard`, which each is.
    """

    notes: tuple[str, ...] = ()
    """Sentences about the observations that are converted; see `envs/readings.py`."""
    why_not_saved: str
    """Why its state cannot be saved, in a clause; "" where it can (`copy_state.py`)."""

    def __init__(self, id: str, num_envs: int, observation: ObservationSpec, action: ActionSpec) -> None:
        self.observation_spec, self.action_spec = observation, action
        self._id = id
        self._shown: Any = None
        self._seed: Seeds = None
        self.num_envs = num_envs
        self.render_mode = None
        self.autoreset_mode = AutoresetMode.NEXT_STEP
        self.metadata = {"autoreset_mode": self.autoreset_mode, "render_modes": []}
        self.single_observation_space = observation_space(observation)
        self.single_action_space = action_space(action)
        self.observation_space = batch_space(self.single_observation_space, num_envs)
        self.action_space = batch_space(self.single_action_space, num_envs)

    def seed(self, seed: int) -> None:
        """Set the seed of the next `reset()` that is given none."""
        self._seed = seed

    def reset(self, *, seed: Seeds = None, options: dict[str, Any] | None = None) -> tuple[Any, dict[str, Any]]:
        """Begin new episodes everywhere."""
        chosen, self._seed = (self._seed if seed is None else seed), None
        self._shown, info = self._reset(chosen, options)
        return self._shown, info

    def step(self, actions: npt.ArrayLike) -> Steps:
        """Return observations, rewards float32 (N,), terminated bool (N,), truncated bool (N,) and info."""
        self._shown, *others = self._step(checked_actions(actions, self.num_envs, self.action_spec))
        return self._shown, *others

    def observe(self) -> Any:
        """Return the current observations again, for example after `set_state`."""
        return self._shown

    def get_state(self) -> list[bytes]:
        """Return the exact state of each copy; `set_state` takes it, also in another process.

        Raises:
            UserError: this environment cannot be saved (`why_not_saved`), or no episode has begun.
        """
        self._check_saved()
        if self._shown is None:
            raise UserError(f"The state of '{self._id}' can be saved once an episode has begun: call reset() first.")
        return self._states()

    def set_state(self, states: Sequence[bytes]) -> None:
        """Take over what `get_state` gave of as many copies that were made in the same way.

        Raises:
            UserError: the states are of another environment, or of none. Where only a copy's own part is refused, the
                copies before it have theirs already.
        """
        self._check_saved()
        if len(states) != self.num_envs:
            raise UserError(f"There are {self.num_envs} copies of '{self._id}'; received {len(states)} states.")
        self._shown = self._restored(states)

    def _check_saved(self) -> None:
        if self.why_not_saved:
            raise UserError(f"The state of '{self._id}' cannot be saved: {self.why_not_saved}.")

    @abstractmethod
    def action_meanings(self) -> list[str]:
        """Return the environment's own names of its actions, or their numbers where it gives none."""

    @abstractmethod
    def _reset(self, seeds: Seeds, options: dict[str, Any] | None) -> tuple[Any, dict[str, Any]]: ...

    @abstractmethod
    def _step(self, actions: Array) -> Steps: ...

    @abstractmethod
    def _states(self) -> list[bytes]: ...

    @abstractmethod
    def _restored(self, states: Sequence[bytes]) -> Any: ...


def told_layouts(num_envs: int, info: InfoConfig) -> dict[str, Layout]:
    """Return the arrays in which the guards of copies report their moments and numbers."""
    return {"moment": ((num_envs, 3), np.int64), "recorded": ((num_envs, len(info.names)), np.float32)}


class SyncForeignEnv(ForeignVectorEnv):
    """Copies that this process steps, one after the other.

    Args:
        make: makes a copy.
        id: the environment's name for people.
        num_envs: number of copies.
        images: how images are handed on.
        info: names the numbers in their infos that are wanted.
        first: the number of the first copy, for people.
        told: "moment", int64 (N, 3), and "recorded", float32 (N, K): the moments and the recorded numbers of the
            copies; see `ForeignGuard`. Others can read them, in shared memory.
    """

    def __init__(
        self,
        make: Factory,
        id: str,
        num_envs: int,
        images: ImageFormat,
        info: InfoConfig = NO_INFO,
        first: int = 0,
        told: Mapping[str, Array] | None = None,
    ) -> None:
        told = told or {name: np.zeros(*layout) for name, layout in told_layouts(num_envs, info).items()}
        self._format, self._recorded = images, told["recorded"]
        self._copies: list[ForeignGuard] = []
        guarded = [
            partial(self._guarded, make, id, first + index, told["moment"][index], info, told["recorded"][index])
            for index in range(num_envs)
        ]
        try:
            self._envs = self._together(guarded, id)
            self._reading = ObservationReading(self._envs.single_observation_space, id)
            observation = images.spec(self._reading.spec, id)
            super().__init__(id, num_envs, observation, action_spec(self._envs.single_action_space, id))
            self.notes = self._reading.notes
            self.render_mode = self._copies[0].render_mode
            self.metadata |= {"render_fps": self._copies[0].metadata.get("render_fps")}
            self.why_not_saved = why_not_saved(self._copies[0].env)
        except BaseException:
            with suppress(UserError):
                self.close_extras()
            raise

    def render(self) -> tuple[Any, ...] | None:
        """Return what the copies draw, in the mode in which they were made; None where that is none."""
        return tuple(copy.render() for copy in self._copies) if self.render_mode else None

    def action_meanings(self) -> list[str]:
        names = self._copies[0].action_meanings()
        count = self.action_spec.width
        if names is None:
            return [f"action {index}" for index in range(count)]
        if len(names) != count:
            raise ForeignEnvError(f"'{self._id}' has {count} actions and names {len(names)}: {', '.join(names)}.")
        return names

    def close_extras(self, **_: Any) -> None:
        """Close all copies. Raises the first `ForeignEnvError` once it has tried them all."""
        self.closed = True  # at once: what fails to close is not closed again
        failures = []
        for copy in self._copies:
            try:
                copy.close()
            except ForeignEnvError as failure:
                failures.append(failure)
        if failures:
            raise failures[0]

    def _guarded(self, make: Factory, id: str, index: int, *told: Any) -> ForeignGuard:
        env = make()
        if any(copy.unwrapped is env.unwrapped for copy in self._copies):
            raise UserError(f"'{id}' made the same environment twice; a factory makes another one at each call.")
        self._copies.append(ForeignGuard(env, id, index, *told))
        return self._copies[-1]

    @staticmethod
    def _together(guarded: Sequence[Factory], id: str) -> SyncVectorEnv:
        try:
            return SyncVectorEnv(guarded)
        except (KeyboardInterrupt, UserError):
            raise
        except BaseException as error:
            raise ForeignEnvError(
                f"The {len(guarded)} copies of '{id}' do not fit together: {described(error)}."
            ) from error

    def _reset(self, seeds: Seeds, options: dict[str, Any] | None) -> tuple[Any, dict[str, Any]]:
        try:
            observations, info = self._envs.reset(seed=cast(Any, seeds), options=options)
        except BaseException as error:
            self._explain(error)
        return self._converted(observations), self._with_recorded(info)

    def _step(self, actions: Array) -> Steps:
        try:
            observations, rewards, terminated, truncated, info = self._envs.step(self._native_actions(actions))
        except BaseException as error:
            self._explain(error)
        info = self._with_recorded(info)
        return self._converted(observations), rewards.astype(np.float32), terminated, truncated, info

    def _states(self) -> list[bytes]:
        rows = self.observation_spec.to_bytes(self._shown)
        return [
            tree_to_bytes({"env": self._id, "shown": row, "ended": bool(ended), **copy.save()})
            for row, ended, copy in zip(rows, self._envs._autoreset_envs, self._copies, strict=True)
        ]

    def _restored(self, states: Sequence[bytes]) -> Any:
        trees = [tree_from_bytes(state) for state in states]
        for tree in trees:
            if tree.get("env") != self._id:
                raise UserError(f"A state is of '{self._id}' here; received one of '{tree.get('env')}'.")
        for copy, tree in zip(self._copies, trees, strict=True):
            copy.load(tree)
        self._envs._autoreset_envs[:] = [tree["ended"] for tree in trees]
        return self.observation_spec.from_bytes(np.stack([tree["shown"] for tree in trees]))

    def _explain(self, error: BaseException) -> NoReturn:
        """Raise an error of the copies again; what is none of a single one comes from putting their infos together."""
        if isinstance(error, (KeyboardInterrupt, UserError)):
            raise error
        raise ForeignEnvError(
            f"What the copies of '{self._id}' return does not fit together: {described(error)}."
        ) from error

    def _with_recorded(self, info: dict[str, Any]) -> dict[str, Any]:
        return {**info, "recorded": self._recorded.copy()}

    def _native_actions(self, actions: Array) -> Array:
        """Return actions as the environment takes them: choices from its start on; of a box, scaled from [-1, 1] to its
        bounds and shape."""
        spec, space = self.action_spec, self._envs.single_action_space
        if isinstance(space, Discrete):
            shifted: Array = actions.astype(np.int64) + space.start
            return shifted
        low, high = np.array(spec.low), np.array(spec.high)
        scaled = low + (np.clip(actions, -1.0, 1.0) + 1.0) / 2.0 * (high - low)
        native: Array = np.clip(scaled, low, high).astype(space.dtype)
        return native.reshape(self.num_envs, *(space.shape or ()))

    def _converted(self, observations: Any) -> Any:
        spec = self.observation_spec
        arrays = spec.arrays(self._reading(observations))
        images = {name: self._format.images(arrays[name]) for name in spec.images}
        return spec.pack(arrays | images)
