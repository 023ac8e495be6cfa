"""The controls: keys of a game's actions, keys that command the player, and the keys that are held down."""

from __future__ import annotations

from collections.abc import Sequence

from worldmodels.envs.games.action_keys import DIRECTIONS, NOTHING, key_label, lay_out, signs
from worldmodels.player.session.controls.key_table import DEFAULT_KEYS, Command, KeyTable
from worldmodels.player.session.events import KeyEvent
from worldmodels.player.session.snapshot import PolicyPanel
from worldmodels.recordings.action_recording import Action

REPEAT_DELAY = 5
"""Ticks for which a key must be held, while the clock is paused, before it steps at every tick."""


REPEATED = (Command.STEP, Command.REWIND, Command.DECREASE, Command.INCREASE)
"""The commands that a held key gives again and again."""


class CommandControls:
    """The part of all controls that handles commands and counts for how long keys are held.

    Attributes:
        keys: the table of keys.
    """

    def __init__(self, keys: KeyTable) -> None:
        self.keys = keys
        self._ticks_held = 0
        self._may_repeat = False
        self._held_command: Command | None = None
        self._command_ticks = 0

    @property
    def repeated_command(self) -> Command | None:
        """The command whose key is held for so long that it is given at every tick, if it is one of `REPEATED`."""
        return self._held_command if self._held_command in REPEATED and self._command_ticks >= REPEAT_DELAY else None

    def end_tick(self) -> None:
        """Count how long keys are held."""
        self._ticks_held += 1
        self._command_ticks += 1

    def stop_repeating(self) -> None:
        """Let the keys that are held by now repeat no more; the next key that goes down may."""
        self._may_repeat = False

    def _begin_holding(self) -> None:
        """Restart the count, because a key of an action went down."""
        self._ticks_held, self._may_repeat = 0, True

    def _handle_command(self, key: str, pressed: bool) -> Command | None:
        command = self.keys.command(key)
        if pressed:
            self._held_command, self._command_ticks = command, 0
            return command
        if command is self._held_command:
            self._held_command = None
        return None


class Controls(CommandControls):
    """The controls know which keys are held down, and which action they mean.

    Args:
        buttons: the buttons of each action; none for the action that does nothing.
        meanings: the meaning of each action in this game; "nothing" for an action without an effect.
        keys: the table of keys.
    """

    def __init__(
        self, buttons: Sequence[Sequence[str]], meanings: Sequence[str], keys: KeyTable = DEFAULT_KEYS
    ) -> None:
        super().__init__(keys)
        self.meanings = tuple(meanings)
        self.names = tuple(_name(i, names, meanings[i]) for i, names in enumerate(buttons))
        """The name of each action in a list of all actions."""
        self._actions: dict[frozenset[str], int] = {}
        for action, names in enumerate(buttons):
            self._actions.setdefault(frozenset(name.lower() for name in names), action)
        self.idle = self._actions.get(frozenset(), 0)
        self.keys_of_button = lay_out(buttons, meanings, keys.directions, keys.specials)
        self.signs = signs(buttons, meanings, self.keys_of_button)
        """The name of each action in a character or two."""
        self._button_of_key = {key: button for button, keys in self.keys_of_button.items() for key in keys}
        self._held: list[str] = []  # buttons, the newest last
        self._tapped: list[str] = []  # buttons that came up within the tick in which they went down
        self._fresh: set[str] = set()  # buttons that went down within this tick
        self._last_was_special = False

    def handle(self, event: KeyEvent) -> Command | None:
        """Take one key event; return the command, if the key that went down is one."""
        button = self._button_of_key.get(event.key)
        if button is None:
            return self._handle_command(event.key, event.pressed)
        if event.pressed and button not in self._held:
            self._held.append(button)
            self._fresh.add(button)
            self._begin_holding()
        elif not event.pressed and button in self._held:
            self._held.remove(button)
            if button in self._fresh:
                self._tapped.append(button)
        return None

    @property
    def touched(self) -> bool:
        """Whether an action key went down within this tick."""
        return bool(self._fresh)

    @property
    def repeats(self) -> bool:
        """Whether an action key is held long enough to step the paused worlds at every tick."""
        return bool(self._held) and self._may_repeat and self._ticks_held >= REPEAT_DELAY

    @property
    def asks_for_step(self) -> bool:
        """Whether the keys of this tick step the paused worlds."""
        return self.touched or self.repeats

    def choose(self) -> int:
        """Return the action of the step that comes now, from the buttons that are held or were just tapped.

        If no action has exactly these buttons, the best action with some of them: special actions win over moves, then
        more buttons over fewer, then newer over older. Of left and right together, the later one counts. A held special
        action
        alternates with a held move, so that a person can fly and fire.
        """
        down = [*self._held, *self._tapped]
        best = self._best(down)
        fresh = any(name in best and name not in DIRECTIONS for name in self._fresh)
        if self._last_was_special and not fresh and not any(name in DIRECTIONS for name in best):
            best = self._best([name for name in down if name in DIRECTIONS]) or best
        self._last_was_special = any(name not in DIRECTIONS for name in best)
        return self._actions.get(best, self.idle)

    def end_tick(self) -> None:
        """Forget taps, and count how long keys are held."""
        self._tapped.clear()
        self._fresh.clear()
        super().end_tick()

    def release_all(self) -> None:
        """Release all keys, because the window lost the keyboard."""
        self._held.clear()
        self._held_command = None
        self.end_tick()

    def text(self, action: Action) -> str:
        """Return the meaning of an action in this game."""
        return self.meanings[action] if isinstance(action, int) else ""

    def name(self, action: Action) -> str:
        """Return the name of an action in a list of all actions."""
        return self.names[action] if isinstance(action, int) else ""

    def held_actions(self) -> list[tuple[Action, str]]:
        """Return the actions that branches hold, one each, with their names."""
        return list(enumerate(self.names))

    def panel(self, policy: PolicyPanel | None, last: Action | None, shows_choice: bool = True) -> None:
        """Return nothing: an action here is no numbers to show (`BoxControls`)."""

    def help(self) -> list[tuple[str, str]]:
        """Return the rows of the help screen for the game's actions: keys and their meaning."""
        rows = [(" ".join(map(key_label, keys)), meaning) for _, keys, meaning in self.bound_buttons()]
        return [*rows, ("Gamepad", "cross or stick, and buttons")]

    def bound_buttons(self) -> list[tuple[str, tuple[str, ...], str]]:
        """Return each button that does something by itself, its keys and its meaning in the game."""
        found = []
        for button, keys in self.keys_of_button.items():
            action = self._actions.get(frozenset({button}))
            if action is not None and keys and self.meanings[action] != NOTHING:
                found.append((button, keys, self.meanings[action]))
        return found

    def _best(self, down: list[str]) -> frozenset[str]:
        """Return the buttons of the action that fits best to the buttons `down`."""
        fitting = [names for names in self._actions if names <= set(down)]
        return max(fitting, key=lambda names: _rank(names, down), default=frozenset())


def _name(action: int, buttons: Sequence[str], meaning: str) -> str:
    """Return the name of an action; one that does nothing has its number, too, since there may be several."""
    return f"action {action} ({meaning})" if buttons and meaning == NOTHING else meaning or f"action {action}"


def _rank(names: frozenset[str], down: list[str]) -> tuple[int, int, int]:
    specials = sum(name not in DIRECTIONS for name in names)
    return specials, len(names), max((down.index(name) for name in names), default=-1)
