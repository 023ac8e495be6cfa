"""A Gymnasium vector environment of native games steps them all in one native call."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space

from worldmodels.core.errors import UserError, unknown
from worldmodels.core.processor import check_memory
from worldmodels.core.specs import ActionSpec, ObservationSpec
from worldmodels.envs.config import check_count, split_mixture, spread_mixture
from worldmodels.envs.games.layouts import make_batch
from worldmodels.envs.games.native_batch import Images, Outcome
from worldmodels.envs.games.table import HUMAN_SIZE, NUM_ACTIONS, OBSERVATION_SHAPE, variable_units
from worldmodels.envs.spaces import action_space, observation_space

Flags = npt.NDArray[np.bool_]

BYTES = 90_000
"""Memory of a game with its observations and the bounds in its spaces."""


class GameVectorEnv(VectorEnv[Images, npt.NDArray[np.int32], npt.NDArray[Any]]):
    """A vector environment is N games that step together.

    Observations are uint8 (N, 64, 64, 3), actions (N,) from 0 to 14.

    Args:
        name: a native game, see `worldmodels.envs.GAMES`; or a mixture of k games, "coinrun,maze". Environment i plays
            game i mod k, as it would alone with the same seed and index.
        num_envs: N, 1 or more; of a mixture, a multiple of its games.
        num_threads: threads that step them, and build the next levels while they wait; nothing but the speed depends
            on it. There are never more than N.
        autoreset_mode: as Gymnasium defines them. NEXT_STEP: the last observation of an episode is returned with its
            flags. The next step ignores its action and returns the first observation of the next episode with reward 0.
            SAME_STEP: the last observation is in `info["final_obs"]` (N, 64, 64, 3), valid where `info["_final_obs"]`.
            DISABLED: `reset(options={"reset_mask": bool (N,)})` begins new episodes where the mask is true.
        render_mode: None or "rgb_array".
        reuse_buffers: return the same arrays in every call, overwritten, rather than fresh ones.
        options: of `worldmodels.envs.EnvConfig`: num_levels, start_level, distribution_mode, ...

    `info` holds `level`, a dictionary with two arrays: the `seed` of the levels and the length of their `solution` (in
    steps; -1 if the generator searched none). It also holds the arrays level_seed, prev_level_seed and
    prev_level_complete. In SAME_STEP mode `final_info` holds the last three as they were at the end of an episode. As
    in Gymnasium's own vector environments, each key has a mask `_key`, bool (N,), of the rows with a value. All rows
    have one, except for `final_obs` and `final_info`. The attribute `games` names the game of each environment.

    Threads of Python may take turns with one environment; a call while another thread's goes on is a `UserError`.
    """

    notes: tuple[str, ...] = ()
    """Sentences about observations that are converted: none are."""

    def __init__(
        self,
        name: str,
        num_envs: int = 1,
        num_threads: int = 1,
        autoreset_mode: AutoresetMode | str = AutoresetMode.NEXT_STEP,
        render_mode: str | None = None,
        reuse_buffers: bool = False,
        **options: Any,
    ) -> None:
        modes = {mode.value: mode for mode in AutoresetMode}
        mode = getattr(autoreset_mode, "value", autoreset_mode)
        if mode not in modes:
            raise UserError(unknown("autoreset mode", str(mode), modes))
        if render_mode not in (None, "rgb_array"):
            raise UserError(unknown("render mode", str(render_mode), ["rgb_array"]))
        check_count("num_envs", num_envs)
        check_count("num_threads", num_threads)
        check_memory(f"{num_envs:,} environments of '{name}' (num_envs)", num_envs * BYTES)
        self._batch = make_batch(spread_mixture(split_mixture(name), num_envs), options, mode, num_threads)
        self._seeded = False
        self._buffers = self._batch.new_outcome() if reuse_buffers else None
        self.games = tuple(self._batch.infos)
        self.num_envs = num_envs
        # The mask of infos that hold something for each environment; it is handed out again and again.
        self._everywhere = np.ones(num_envs, np.bool_)
        self._everywhere.setflags(write=False)
        self.render_mode = render_mode
        self.autoreset_mode = modes[mode]
        self.metadata = {"autoreset_mode": self.autoreset_mode, "render_modes": ["rgb_array"], "render_fps": 15}
        self.observation_spec, self.action_spec = ObservationSpec.of(*OBSERVATION_SHAPE), ActionSpec(NUM_ACTIONS)
        self.single_observation_space = observation_space(self.observation_spec)
        self.single_action_space = action_space(self.action_spec)
        self.observation_space = batch_space(self.single_observation_space, num_envs)
        self.action_space = batch_space(self.single_action_space, num_envs)

    def seed(self, seed: int | Sequence[int]) -> None:
        """Start the choice of levels afresh, as `reset` with this seed would; the next reset begins the first level."""
        self._batch.seed(seed)
        self._seeded = True

    def reset(
        self, *, seed: int | Sequence[int] | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Images, dict[str, Any]]:
        """Begin new episodes everywhere, or where `options["reset_mask"]` (bool (N,)) is true; a seed is for those
        alone.

        One `seed` gives each environment a stream of levels of its own, and the first one that of a single environment.
        A list of N seeds gives each environment the levels that a single one has under its seed. Gymnasium's
        `SyncVectorEnv` makes the list [seed, seed + 1, ...] of one seed. Here one seed gives independent streams: with
        that list, environment 1 of a seed would repeat environment 0 of the next seed.
        """
        super().reset(seed=None if isinstance(seed, Sequence) else seed)
        options = dict(options or {})
        mask = options.pop("reset_mask", None)
        if options:
            raise UserError(f"reset takes the option 'reset_mask' only; received {', '.join(map(repr, options))}.")
        if mask is not None:
            mask = self._checked_mask(mask)
        if seed is not None:
            self._seed_where(mask, seed)
        elif not self._seeded:
            self.seed(int(self.np_random.integers(2**31)))
        outcome = self._outcome()
        self._batch.reset(outcome, mask)
        return outcome.observations, outcome.info(self._everywhere)

    def step(self, actions: npt.ArrayLike) -> tuple[Images, npt.NDArray[np.float32], Flags, Flags, dict[str, Any]]:
        """Return observations, rewards float32 (N,), terminated bool (N,), truncated bool (N,) and info."""
        outcome = self._outcome()
        self._batch.step(actions, outcome)
        info = outcome.info(self._everywhere)
        if outcome.final_observations is not None:
            _add_final(outcome, info)
        return outcome.observations, outcome.rewards, outcome.terminated, outcome.truncated, info

    def observe(self) -> Images:
        """Return the current observations again, uint8 (N, 64, 64, 3), for example after `set_state`."""
        outcome = self._batch.new_outcome()
        self._batch.observe(outcome)
        return outcome.observations

    @property
    def variable_units(self) -> Mapping[str, str]:
        """The unit of each column of `variables()`, by its name.

        Raises `UserError` in a mixture of different games, whose variables have no names in common.
        """
        names = {info.name for info in self.games}
        if len(names) > 1:
            raise UserError(
                f"Variables are those of one game; this environment is a mixture of {', '.join(sorted(names))}."
            )
        return variable_units(self.games[0].name, self._batch.options["distribution_mode"])

    @property
    def variable_names(self) -> tuple[str, ...]:
        """The names of the columns of `variables()`. Raises `UserError` in a mixture."""
        return tuple(self.variable_units)

    def variables(self) -> npt.NDArray[np.float32]:
        """Return what is true of the moments that `observe` shows, float32 (N, V), in the order of `variable_names`.

        What is not there, or not seen, is NaN. Reading changes nothing. Raises `UserError` in a mixture.
        """
        return self._batch.describe(len(self.variable_names))

    def render(self) -> tuple[Images, ...] | None:
        """Return the view for people, one uint8 (512, 512, 3) per environment; looking never changes the games."""
        if self.render_mode is None:
            return None
        return tuple(self._batch.render(index, HUMAN_SIZE) for index in range(self.num_envs))

    def get_state(self) -> list[bytes]:
        """Return everything that the future depends on, per environment, level pickers and pending resets included."""
        return self._batch.get_state()

    def set_state(self, states: Sequence[bytes]) -> None:
        """Restore what `get_state` gave, all or nothing. Raises `UserError` if one of the states is refused."""
        self._batch.set_state(states)
        self._seeded = True

    def _seed_where(self, mask: Flags | None, seed: int | Sequence[int]) -> None:
        """Seed the environments that `mask` names, each as if all were seeded; the others stay as they are."""
        before = [] if mask is None else self.get_state()
        self.seed(seed)
        if mask is not None:
            seeded = self.get_state()
            self.set_state([new if chosen else old for new, old, chosen in zip(seeded, before, mask, strict=True)])

    def _outcome(self) -> Outcome:
        return self._buffers or self._batch.new_outcome()

    def _checked_mask(self, mask: npt.ArrayLike) -> Flags:
        checked = np.ascontiguousarray(mask)
        if checked.dtype != np.bool_ or checked.shape != (self.num_envs,):
            raise UserError(
                f"A reset mask is bool ({self.num_envs},); received {checked.dtype} {tuple(checked.shape)}."
            )
        return checked


def _add_final(outcome: Outcome, info: dict[str, Any]) -> None:
    ended = outcome.terminated | outcome.truncated
    if ended.any():
        final = {"final_obs": outcome.final_observations, "final_info": outcome.final_info(ended)}
        info.update(final, _final_obs=ended, _final_info=ended)
