"""The list of a run's recorded episodes, from which a person chooses the one that becomes reality."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from worldmodels.player.session.controls.key_file import BEGIN_KEYS
from worldmodels.player.session.controls.key_table import Command, KeyTable
from worldmodels.player.session.episodes.episodes_snapshot import EpisodesSnapshot
from worldmodels.player.session.episodes.recorded_world import RecordedWorld
from worldmodels.player.session.events import EpisodeEvent, KeyEvent
from worldmodels.player.session.playthrough import Playthrough
from worldmodels.player.session.rewind import RewindBuffer

if TYPE_CHECKING:
    from worldmodels.replay.episodes import EpisodeSpan

PAGE = 10
"""Lines by which the page keys move."""
ORDERS: dict[str, Callable[[tuple[int, EpisodeSpan]], float]] = {
    "the newest first": lambda entry: -entry[0],
    "the highest return first": lambda entry: -entry[1].total,
    "the lowest return first": lambda entry: entry[1].total,
    "the longest first": lambda entry: -entry[1].length,
}
PASSED = (Command.QUIT, Command.EPISODES, Command.HELP)
"""The commands that keys still have while the list is shown."""
NO_EPISODES = "this run keeps no recorded episodes"


class EpisodeBrowser:
    """The browser of recorded episodes; the real game is the first line of its list.

    Attributes:
        shown: the list is open, and takes all keys.
        world: the recorded world; None if there are no episodes.
    """

    def __init__(self, play: Playthrough, rewind: RewindBuffer, keys: KeyTable, notify: Callable[[str], None]) -> None:
        self._play, self._rewind, self._keys, self._notify = play, rewind, keys, notify
        self.shown = False
        self.world: RecordedWorld | None = None
        self._game = play.real
        self._order, self._line, self._sorted = 0, 1, False

    def toggle(self) -> None:
        """Show or hide the list; the episode that is played is chosen in it."""
        if self.world is None:
            self._notify(NO_EPISODES)
            return
        self.shown = not self.shown
        recorded = self._play.recorded
        if self.shown and recorded:
            self._line = 1 + list(recorded.order).index(recorded.index)
        elif self.shown and not self._sorted:
            self._sort(self.world)

    def take(self, event: object) -> bool:
        """Take an event if the list is shown; return whether it was for the list, and an episode may have begun."""
        if not self.shown or self.world is None:
            return False
        if isinstance(event, EpisodeEvent):
            self._line = min(event.line, len(self.world.order))
            self._open(self.world)
            return True
        # A key that went down before the list was shown has to come up in the game, too.
        if not isinstance(event, KeyEvent) or not event.pressed or self._keys.command(event.key) in PASSED:
            return False
        self._press(event.key, self.world)
        return True

    def snapshot(self) -> EpisodesSnapshot | None:
        """Return the list; None while it is hidden."""
        if not self.shown or self.world is None:
            return None
        spans, order = self.world.spans, self.world.order
        numbers = [index + 1 for index in order]
        return EpisodesSnapshot([spans[index] for index in order], numbers, self._line, list(ORDERS)[self._order])

    def _press(self, key: str, world: RecordedWorld) -> None:
        of, commands = self._keys.directions, self._keys.commands
        moves = {of["up"]: -1, of["down"]: 1, commands[Command.LATER]: -PAGE, commands[Command.EARLIER]: PAGE}
        by = next((by for keys, by in moves.items() if key in keys), 0)
        turned = (key in of["right"]) - (key in of["left"])
        if key in BEGIN_KEYS:
            self._open(world)
        elif by:
            self._line = min(max(self._line + by, 0), len(world.order))
        elif turned:
            self._order = (self._order + turned) % len(ORDERS)
            self._sort(world)

    def _sort(self, world: RecordedWorld) -> None:
        key = list(ORDERS.values())[self._order]
        world.order = [index for index, _ in sorted(enumerate(world.spans), key=key)]
        self._line, self._sorted = 1, True

    def _open(self, world: RecordedWorld) -> None:
        """Begin the chosen episode; one step back is where the person was before."""
        self.shown = False
        if self._line == 0 and self._play.recorded is None:
            return
        self._rewind.push()
        if self._line == 0:
            self._play.begin_episode(self._game)
            self._notify("the real game")
            return
        world.choose(world.order[self._line - 1])
        self._play.log.event("recorded episode", world.order[self._line - 1] + 1)
        self._play.begin_episode(world)
        self._notify("a recorded episode; any other action leaves it to the model alone")
