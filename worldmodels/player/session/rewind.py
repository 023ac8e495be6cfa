"""The saved states of a playthrough: the states of the last steps, and one that the person saved."""

from __future__ import annotations

from collections import deque

from worldmodels.player.session.playthrough import Playthrough, SavedState

CAPACITY = 1000
"""Steps that can be taken back."""


class RewindBuffer:
    """The buffer saves states of a playthrough and loads them again.

    It does nothing if the environment cannot save its state.
    """

    def __init__(self, play: Playthrough) -> None:
        self._play = play
        self._past: deque[SavedState] = deque(maxlen=CAPACITY)
        self._saved: SavedState | None = None

    def push(self) -> None:
        """Add the current state, before the worlds change."""
        state = self._play.save()
        if state is not None:
            self._past.append(state)

    def pop(self) -> bool:
        """Go back to the state that was added last and remove it; return False if there is none."""
        if not self._past:
            return False
        self._play.load(self._past.pop())
        return True

    def save(self) -> bool:
        """Save the current state for the person; return False if the environment cannot save its state."""
        self._saved = self._play.save()
        return self._saved is not None

    def load(self) -> bool:
        """Go to the saved state, as often as wanted; return False if there is none. `pop` then undoes this."""
        if self._saved is None:
            return False
        self.push()
        self._play.load(self._saved)
        return True
