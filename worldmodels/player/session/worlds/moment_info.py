"""Info about the moment: the seed of the level, the step of the episode, and what is true in the game."""

from __future__ import annotations

import math
from numbers import Real

from worldmodels.player.session.playthrough import Playthrough
from worldmodels.player.session.snapshot import plain

ABSENT = "-"
"""The value of a thing that is not there at the moment."""


class MomentInfo:
    """The info about the present moment of a playthrough, while a person wants it."""

    def __init__(self, play: Playthrough) -> None:
        self._play, self._shown = play, False

    def toggle(self) -> None:
        """Show or hide it."""
        self._shown = not self._shown

    def snapshot(self) -> tuple[tuple[str, str], ...]:
        """Return names and values, or nothing while they are hidden.

        They are the steps, the seed of the level and the game's true variables; without variables, they are all numbers
        of the environment's own info.
        """
        if not self._shown:
            return ()
        now, real = self._play.counters, self._play.real
        wanted = ("level_seed",) if real.variables else real.info
        numbers = {name: value for name, value in real.info.items() if name in wanted and isinstance(value, Real)}
        told = {name.replace("_", " "): float(value) for name, value in numbers.items()}
        rows = [("step of the episode", f"{now.step}"), ("steps alone", f"{now.since_put_back}")]
        return (*rows, *((name, _text(value)) for name, value in {**told, **real.variables}.items()))


def _text(value: float) -> str:
    return ABSENT if math.isnan(value) else plain(value, None if value == round(value) else 2)
