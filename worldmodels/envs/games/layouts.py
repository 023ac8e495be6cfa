"""Tells the layouts of levels apart, and plays levels whose layout is none of those of other levels."""

from __future__ import annotations

from functools import lru_cache
from hashlib import blake2b
from typing import Any

import numpy as np
import numpy.typing as npt

from worldmodels.core.errors import UserError
from worldmodels.envs.games.native_batch import NativeBatch, Outcome
from worldmodels.envs.games.table import HUMAN_SIZE, NUM_ACTIONS

PLAIN = {"use_backgrounds": False, "restrict_themes": True, "use_monochrome_assets": True, "center_agent": False}
"""The options with which levels of one layout look the same."""
ACTIONS = np.random.default_rng(0).integers(NUM_ACTIONS, size=20)
"""The steps that are played before the second look at a level."""


@lru_cache(maxsize=2**16)
def layout(game: str, mode: str, level: int, debug_mode: int = 0) -> bytes:
    """Return a digest of the layout of a level.

    Two levels have one layout if they look the same at their beginning and after 20 steps of the same random actions,
    painted with the options in `PLAIN`.
    """
    chosen = {"distribution_mode": mode, "debug_mode": debug_mode, "start_level": level, "num_levels": 1}
    batch = NativeBatch([game], {**PLAIN, **chosen})
    outcome = batch.new_outcome()
    batch.seed(0)
    batch.reset(outcome)
    digest = blake2b(batch.render(0, HUMAN_SIZE).tobytes(), digest_size=16)
    for action in ACTIONS:
        batch.step([action], outcome)
        if outcome.terminated[0] or outcome.truncated[0]:
            break
    digest.update(outcome.observations[0].tobytes())
    return digest.digest()


@lru_cache(maxsize=64)
def layouts(game: str, mode: str, first: int, count: int, debug_mode: int = 0) -> frozenset[bytes]:
    """Return the layouts of some levels that follow each other."""
    return frozenset(layout(game, mode, level, debug_mode) for level in range(first, first + count))


def make_batch(
    names: list[str], options: dict[str, Any], autoreset: str = "Disabled", num_threads: int = 1
) -> NativeBatch:
    """Make a batch of games that plays the levels which its options choose."""
    batch = NewLayoutBatch if options.get("skip_layouts") else NativeBatch
    return batch(names, options, autoreset, num_threads)


class NewLayoutBatch(NativeBatch):
    """A batch that plays no level with the layout of one of the `skip_layouts` levels before `start_level`.

    A game that begins such a level is reset, until it begins another one; nobody sees the levels between. Which levels
    are played depends on the seed alone, as in any batch.
    """

    def __init__(
        self, names: list[str], options: dict[str, Any], autoreset: str = "Disabled", num_threads: int = 1
    ) -> None:
        super().__init__(names, options, autoreset, num_threads)
        first, count, skipped = (self.options[name] for name in ("start_level", "num_levels", "skip_layouts"))
        for game in {info.name for info in self.infos} if count else ():
            if all(self._is_known(game, level) for level in range(first, first + count)):
                raise UserError(
                    f"There is no level to play: all levels from {first:,} to {first + count - 1:,} of '{game}' have "
                    f"the layout of one of the {skipped:,} levels before (skip_layouts). Choose more levels "
                    "(num_levels), or skip fewer."
                )

    def reset(self, outcome: Outcome, mask: npt.NDArray[np.bool_] | None = None) -> None:
        super().reset(outcome, mask)
        self._leave_known(outcome)

    def step(self, actions: npt.ArrayLike, outcome: Outcome) -> None:
        super().step(actions, outcome)
        self._leave_known(outcome)

    def _leave_known(self, outcome: Outcome) -> None:
        """Reset the games that begin a level of a known layout, and put what they show then into the outcome."""
        (begun,) = np.nonzero(outcome.level_seed != outcome.prev_level_seed)
        known = np.zeros(len(self), np.bool_)
        while True:
            seeds = outcome.level_seed
            known[begun] = [self._is_known(self.infos[index].name, int(seeds[index])) for index in begun]
            if not known.any():
                return
            again = Outcome.empty(len(self), with_final=False)
            super().reset(again, known)
            for new, old in zip(again.shown, outcome.shown, strict=True):
                old[known] = new[known]

    def _is_known(self, game: str, level: int) -> bool:
        mode, debug_mode, skipped = (self.options[name] for name in ("distribution_mode", "debug_mode", "skip_layouts"))
        before = layouts(game, mode, self.options["start_level"] - skipped, skipped, debug_mode)
        return layout(game, mode, level, debug_mode) in before
