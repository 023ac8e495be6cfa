"""Moments of a playthrough to go back to: the last ones, and one that is kept for as long as the person likes."""

from __future__ import annotations

from collections import deque

from worldmodels.player.playthrough import Playthrough, SavedMoment

REWIND = 1000
"""Steps that can be taken back."""


class Tape:
    """Goes back in a playthrough."""

    def __init__(self, play: Playthrough) -> None:
        self._play = play
        self._past: deque[SavedMoment] = deque(maxlen=REWIND)
        self._kept: SavedMoment | None = None

    def remember(self) -> None:
        """Before the worlds change. Does nothing where the environment cannot save its state."""
        now = self._play.save()
        if now is not None:
            self._past.append(now)

    def rewind(self) -> bool:
        """To the moment that was remembered last, which is then forgotten; False if there is none."""
        if not self._past:
            return False
        self._play.load(self._past.pop())
        return True

    def keep(self) -> bool:
        """This moment; False where the environment cannot save its state."""
        self._kept = self._play.save()
        return self._kept is not None

    def go_to_kept(self) -> bool:
        """As often as wanted; False if none is kept. What was until now can be come back to by `rewind`."""
        if self._kept is None:
            return False
        self.remember()
        self._play.load(self._kept)
        return True
