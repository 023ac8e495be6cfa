"""Who plays: the person, or one of the players."""

from __future__ import annotations

from collections.abc import Sequence

from worldmodels.player.players import Player

YOU = "you"
NOBODY = "nobody here plays but you"


class Seat:
    """In it is a player, or the person. What changes that gives a message for people.

    Args:
        players: who can play for the person; the first one does when asked.
        playing: the name of who plays from the start; empty, or nobody's: the person.
    """

    def __init__(self, players: Sequence[Player], playing: str = "") -> None:
        self._players = tuple(players)
        self._playing = next((player for player in players if player.name == playing), None)
        self._next = self._playing or next(iter(players), None)

    @property
    def name(self) -> str:
        """Of who plays."""
        return self._playing.name if self._playing else YOU

    def give_or_take(self) -> str:
        """A player takes the seat, or the person takes it back."""
        if self._next is None:
            return NOBODY
        self._playing = None if self._playing else self._next
        return f"{self._playing.title} plays" if self._playing else "you play"

    def choose_next(self) -> str:
        """Another player is the one to play for the person."""
        if self._next is None:
            return NOBODY
        self._next = self._players[(self._players.index(self._next) + 1) % len(self._players)]
        if self._playing:
            self._playing = self._next
        return f"{self._next.title} plays when you press P"

    def take(self) -> str:
        """The person plays; no message if nothing changes."""
        changed, self._playing = self._playing is not None, None
        return "you play" if changed else ""

    def act(self) -> tuple[int | None, str]:
        """The player's action, None where the person is to choose, and a message, mostly empty."""
        if self._playing is None:
            return None, ""
        player, action = self._playing, self._playing.act()
        if action is not None:
            return action, ""
        self._playing = None
        return None, f"{player.title} has come to its end: you play"
