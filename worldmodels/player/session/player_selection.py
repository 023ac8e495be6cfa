"""The selection of who plays: the person, or one of the players."""

from __future__ import annotations

from collections.abc import Sequence

from worldmodels.player.session.players import Player
from worldmodels.recordings.action_recording import Action

YOU = "you"
NO_PLAYER = "nobody here plays but you"


class PlayerSelection:
    """The selection knows who plays now and who plays next; whatever changes it returns a message for people.

    Args:
        players: can play for the person; the first one does when asked.
        playing: the name of who plays from the start; the person if it is empty or no player's.
    """

    def __init__(self, players: Sequence[Player], playing: str = "") -> None:
        self._players = tuple(players)
        self._playing = next((player for player in players if player.name == playing), None)
        self._next = self._playing or next(iter(players), None)

    @property
    def name(self) -> str:
        """The name of who plays."""
        return self._playing.name if self._playing else YOU

    def toggle(self) -> str:
        """Let the next player play, or the person again."""
        if self._next is None:
            return NO_PLAYER
        self._playing = None if self._playing else self._next
        return f"{self._playing.title} plays" if self._playing else "you play"

    def choose_next(self, key: str) -> str:
        """Choose another player as the one that plays for the person, who presses a key of this name for it."""
        if self._next is None:
            return NO_PLAYER
        self._next = self._players[(self._players.index(self._next) + 1) % len(self._players)]
        if self._playing:
            self._playing = self._next
        return f"{self._next.title} plays when you press {key}"

    def take_over(self) -> str:
        """Let the person play; there is no message if nothing changes."""
        changed, self._playing = self._playing is not None, None
        return "you play" if changed else ""

    @property
    def begins_episode(self) -> bool:
        """Whether who plays goes on in a new episode, although this one is not over."""
        return self._playing is not None and self._playing.begins_episode

    def act(self) -> tuple[Action | None, str]:
        """Return the player's action, or None where the person is to choose, and a message, mostly empty."""
        if self._playing is None:
            return None, ""
        player, action = self._playing, self._playing.act()
        if action is not None:
            return action, ""
        self._playing = None
        return None, f"{player.title} has come to its end: you play"
