"""A batch of native games writes into arrays, and both kinds of environment stand on it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from worldmodels.core.errors import UserError
from worldmodels.envs.config import complete_options
from worldmodels.envs.games.table import OBSERVATION_SHAPE, check_mode, find_game
from worldmodels.envs.native import _native

Images = npt.NDArray[np.uint8]

MOST_LENT = 3
"""This many outcomes are remembered to be used again: a loop holds this step's and the last one's, or three."""


class Outcome(NamedTuple):
    """An outcome is what one call reports, with one row per environment (N).

    Attributes:
        observations: uint8 (N, 64, 64, 3).
        rewards: float32 (N,).
        terminated, truncated: bool (N,).
        level_seed: int32 (N,), of the level that is shown.
        solution: int32 (N,), steps of the solution that the generator of that level found; -1 where it sought none.
        prev_level_seed: int32 (N,), of the level in which the step was taken; after a reset, of the level before.
        prev_level_complete: bool (N,), whether that step completed the level.
        final_observations: uint8 (N, 64, 64, 3), the last observations of episodes that ended and restarted in this
            call; other rows hold anything.
    """

    observations: Images
    rewards: npt.NDArray[np.float32]
    terminated: npt.NDArray[np.bool_]
    truncated: npt.NDArray[np.bool_]
    level_seed: npt.NDArray[np.int32]
    solution: npt.NDArray[np.int32]
    prev_level_seed: npt.NDArray[np.int32]
    prev_level_complete: npt.NDArray[np.bool_]
    final_observations: Images | None = None

    @classmethod
    def empty(cls, count: int, with_final: bool) -> Outcome:
        """Return fresh arrays for `count` environments."""
        shape = (count, *OBSERVATION_SHAPE)
        return cls(
            np.empty(shape, np.uint8),
            np.empty(count, np.float32),
            np.empty(count, np.bool_),
            np.empty(count, np.bool_),
            np.empty(count, np.int32),
            np.empty(count, np.int32),
            np.empty(count, np.int32),
            np.empty(count, np.bool_),
            np.empty(shape, np.uint8) if with_final else None,
        )

    @property
    def shown(self) -> tuple[npt.NDArray[Any], ...]:
        """The arrays of the level that is shown."""
        return self.observations, self.level_seed, self.solution

    def info(self, mask: npt.NDArray[np.bool_]) -> dict[str, Any]:
        """Return what concerns levels, under the names of `info`, with `mask` beside each key."""
        # Written out: a loop over the keys would cost the fastest games several percent.
        return {
            "level": {"seed": self.level_seed, "_seed": mask, "solution": self.solution, "_solution": mask},
            "_level": mask,
            "level_seed": self.level_seed,
            "_level_seed": mask,
            "prev_level_seed": self.prev_level_seed,
            "_prev_level_seed": mask,
            "prev_level_complete": self.prev_level_complete,
            "_prev_level_complete": mask,
        }

    def final_info(self, mask: npt.NDArray[np.bool_]) -> dict[str, Any]:
        """Return what `info` said when the episodes ended that `mask` names, as far as it is known."""
        return {
            "level_seed": self.prev_level_seed,
            "_level_seed": mask,
            "prev_level_seed": self.prev_level_seed,
            "_prev_level_seed": mask,
            "prev_level_complete": self.prev_level_complete,
            "_prev_level_complete": mask,
        }


class NativeBatch:
    """A batch is N native games with common options, the same game or different ones.

    `autoreset` is "NextStep", "SameStep" or "Disabled".
    A batch takes one call at a time: while another thread's goes on, a call is a `UserError` and changes nothing.
    Raises `UserError` for a game, option or mode that does not exist.
    """

    def __init__(
        self, names: Sequence[str], options: dict[str, Any], autoreset: str = "Disabled", num_threads: int = 1
    ) -> None:
        infos = [find_game(name) for name in names]
        self.infos = infos
        self.options = complete_options(options)
        self.autoreset = autoreset
        self.num_threads = num_threads
        for info in infos:
            check_mode(info, self.options["distribution_mode"])
        self._lent: list[Outcome] = []
        self._native = _native.BatchEnv([info.name for info in infos], self.options, autoreset, num_threads)

    def __len__(self) -> int:
        return len(self.infos)

    def seed(self, seed: int | Sequence[int]) -> None:
        """Start the choice of levels afresh, so that the next reset begins the first of them.

        One seed gives each environment a stream of its own. A list with one seed per environment gives each the levels
        that a batch of it alone has under that seed.
        """
        if isinstance(seed, (list, tuple)):
            self._native.seed_each([_checked_seed(one) for one in seed])
        else:
            self._native.seed(_checked_seed(seed))

    def new_outcome(self) -> Outcome:
        """Return arrays for the calls below that no other code holds: fresh ones, or released ones."""
        outcome = self._native.spare(self._lent)
        if outcome is None:
            outcome = Outcome.empty(len(self), self.autoreset == "SameStep")
            self._lent = [outcome, *self._lent[: MOST_LENT - 1]]
        return outcome

    def reset(self, outcome: Outcome, mask: npt.NDArray[np.bool_] | None = None) -> None:
        """Begin new episodes (where `mask` is true) and report on all."""
        self._native.reset(mask, outcome)

    def step(self, actions: npt.ArrayLike, outcome: Outcome) -> None:
        """Step every game by one action: N integers of any type, 0 to 14. An error inside one game is a `GameError`
        that names it."""
        self._native.step(actions, outcome)

    def observe(self, outcome: Outcome) -> None:
        """Report the current moment again, and change nothing."""
        self._native.observe(outcome)

    def render(self, index: int, size: int) -> Images:
        """Return one environment as people see it, uint8 (size, size, 3)."""
        return self._native.render(index, size)

    def get_state(self) -> list[bytes]:
        """Return everything that the future depends on, per environment."""
        return self._native.get_states()

    def set_state(self, states: Sequence[bytes]) -> None:
        """Restore what `get_state` gave, all or nothing. Raises `UserError` if one of the states is refused."""
        if isinstance(states, (bytes, str)) or len(states) != len(self):
            raise UserError(f"{len(self)} environments need as many states; received {_counted(states)}.")
        for state in states:
            if not isinstance(state, bytes):
                raise UserError(f"A state is bytes, as get_state gave them; received {type(state).__name__}.")
        self._native.set_states(list(states))

    def hashes(self) -> list[int]:
        """Return a 64-bit digest of each environment's state."""
        return self._native.hashes()

    def describe(self, count: int) -> npt.NDArray[np.float32]:
        """Return the variables of the current moments, float32 (N, count): all environments have so many."""
        return self._native.describe(count)

    def fields(self, index: int) -> dict[str, float]:
        """Return every field of one environment's state under its path, grids left out."""
        return self._native.fields(index)

    def __reduce__(self) -> tuple[Any, ...]:
        # Copies and pickles carry the live state of the games.
        names = [info.name for info in self.infos]
        return _rebuilt, (type(self), names, self.options, self.autoreset, self.num_threads, self.get_state())


def _rebuilt(
    kind: type[NativeBatch],
    names: list[str],
    options: dict[str, Any],
    autoreset: str,
    num_threads: int,
    states: list[bytes],
) -> NativeBatch:
    batch = kind(names, options, autoreset, num_threads)
    batch.set_state(states)
    return batch


def _checked_seed(seed: Any) -> int:
    if not isinstance(seed, (int, np.integer)) or seed < 0:
        raise UserError(f"A seed is an integer, 0 or more, or a list with one for each environment; received {seed!r}.")
    return int(seed) % 2**64


def _counted(states: object) -> str:
    return f"{len(states)}" if isinstance(states, (list, tuple)) else f"a value of type {type(states).__name__}"
