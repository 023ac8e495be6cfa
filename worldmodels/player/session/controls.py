"""The controls: keys of a game's actions, keys that command the player, and the keys that are held down.

Keys have the names that pygame gives them ("left", "space", "a", "1"), but nothing here needs pygame.

A game names its actions by buttons, for example ("left", "up") or ("d",). The four directions are buttons that lie on
the arrow keys and on W A S D. The others are special actions. Their own letters, D A W S Q E in the native games, would
collide with moving, so they lie, in the order in which the game lists them, on J K L U I O and on 1 2 3 4 5 6, the
first one also on the space bar; those that do nothing in a game, or the same as one before, are passed over.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import Enum

from worldmodels.player.session.latent_commands import LATENT_KEYS
from worldmodels.player.session.snapshot import PolicyPanel
from worldmodels.runtime.action_recording import Action

DIRECTIONS = {"left": ("left", "a"), "right": ("right", "d"), "up": ("up", "w"), "down": ("down", "s")}
SPECIAL_KEYS = (("space", "j", "1"), ("k", "2"), ("l", "3"), ("u", "4"), ("i", "5"), ("o", "6"))
NOTHING = "nothing"
"""The meaning of an action that does nothing in a game; its keys stay free."""
REPEAT_DELAY = 5
"""Ticks for which a key must be held, while the clock is paused, before it steps at every tick."""


class Command(Enum):
    """A command to the player itself; the value is the text of the help screen."""

    PUT_BACK = "put the model back on the real state"
    NEW_EPISODE = "new episode"
    PAUSE = "pause or run; paused, each action key is one step"
    STEP = "one step, then pause"
    REWIND = "one step back, of both worlds"
    TOGGLE_PLAYER = "let somebody else play; any action key takes over"
    NEXT_PLAYER = "who that is: the policy, chance, a script"
    BRANCHES = "branch: many samples from here, then each action, then off"
    UNCERTAINTY = "heat map: where samples of the next step differ"
    LATENTS = "look inside the model: its latents, and what probes read"
    NEXT_SETTING = "choose the setting that - and + change"
    DECREASE = "less of it"
    INCREASE = "more of it"
    SAVE = "save this moment"
    LOAD = "go back to the saved moment"
    PICTURE = "save pictures of the window and of the frames"
    VIEW = "the agent's view, or people's"
    HELP = "show or hide this help"
    QUIT = "quit"


COMMAND_KEYS = {
    Command.PUT_BACK: ("x",),
    Command.NEW_EPISODE: ("r",),
    Command.PAUSE: ("c",),
    Command.STEP: ("n",),
    Command.REWIND: ("backspace",),
    Command.TOGGLE_PLAYER: ("p",),
    Command.NEXT_PLAYER: ("t",),
    Command.BRANCHES: ("b",),
    Command.UNCERTAINTY: ("y",),
    Command.LATENTS: ("m",),
    Command.NEXT_SETTING: ("tab",),
    Command.DECREASE: ("-",),
    Command.INCREASE: ("+", "="),
    Command.SAVE: ("shift+f1",),
    Command.LOAD: ("f1",),
    Command.PICTURE: ("f2",),
    Command.VIEW: ("v",),
    Command.HELP: ("h", "?"),
    Command.QUIT: ("escape",),
}
_COMMAND_OF_KEY = {key: command for command, keys in COMMAND_KEYS.items() for key in keys}
_KEYS = (*DIRECTIONS.values(), *SPECIAL_KEYS, *COMMAND_KEYS.values(), *LATENT_KEYS.values())
KEY_NAMES = tuple(dict.fromkeys(key for keys in _KEYS for key in keys))
"""Every key that can mean something to the player; a game may have no use for some."""


@dataclass(frozen=True)
class KeyEvent:
    """A key event says that a key went down or came up."""

    key: str
    pressed: bool


REPEATED = (Command.STEP, Command.REWIND, Command.DECREASE, Command.INCREASE)
"""The commands that a held key gives again and again."""


class CommandControls:
    """The part of all controls that knows commands, and for how long keys are held."""

    def __init__(self) -> None:
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
        """Count anew, because a key of an action went down."""
        self._ticks_held, self._may_repeat = 0, True

    def _handle_command(self, key: str, pressed: bool) -> Command | None:
        command = _COMMAND_OF_KEY.get(key)
        if pressed:
            self._held_command, self._command_ticks = command, 0
            return command
        if command is self._held_command:
            self._held_command = None
        return None


class Controls(CommandControls):
    """The controls know which keys are held down, and which action they mean.

    Args:
        buttons: for each action of the game, the buttons that mean it; none for the action that does nothing.
        meanings: for each action, its meaning in this game; "nothing" where it does nothing.
    """

    def __init__(self, buttons: Sequence[Sequence[str]], meanings: Sequence[str]) -> None:
        super().__init__()
        self.meanings = tuple(meanings)
        self.names = tuple(_name(i, names, meanings[i]) for i, names in enumerate(buttons))
        """The name of each action where all are shown together."""
        self.signs = tuple(_sign(names) for names in buttons)
        """The name of each action in a character or two."""
        self._actions: dict[frozenset[str], int] = {}
        for action, names in enumerate(buttons):
            self._actions.setdefault(frozenset(name.lower() for name in names), action)
        self.idle = self._actions.get(frozenset(), 0)
        self.keys_of_button = _lay_out(_useful_buttons(buttons, meanings))
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
        """Whether an action key is held for so long that, although the clock is paused, it steps at every tick."""
        return bool(self._held) and self._may_repeat and self._ticks_held >= REPEAT_DELAY

    @property
    def asks_for_step(self) -> bool:
        """Whether the keys of this tick make it a step although the clock is paused."""
        return self.touched or self.repeats

    def choose(self) -> int:
        """Return the action of the step that comes now, from the buttons that are held or were just tapped.

        Where no action means exactly these buttons, the best that means some of them: special actions win over
        moves, then more buttons over fewer, then newer over older (left and right together: the later one). A special
        action that is held together with a move takes turns with it, so that one can fly and fire.
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
        """Return the name of an action where all are shown together."""
        return self.names[action] if isinstance(action, int) else ""

    def held_actions(self) -> list[tuple[Action, str]]:
        """Return the actions that branches hold, one each, with their names."""
        return list(enumerate(self.names))

    def panel(self, policy: PolicyPanel | None, last: Action | None, shows_choice: bool = True) -> None:
        """Return nothing: an action here is no numbers to show (`BoxControls`)."""

    def help(self) -> list[tuple[str, str]]:
        """Return the rows of the help screen for the game's actions: keys and their meaning."""
        return [(" ".join(map(label, keys)), meaning) for _, keys, meaning in self.bound_buttons()]

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


def label(key: str) -> str:
    """Return the name of a key for people."""
    names = {
        "left": "←",
        "right": "→",
        "up": "↑",
        "down": "↓",
        "escape": "Esc",
        "space": "Space",
        "shift+f1": "Shift F1",
        "backspace": "Back",
        "tab": "Tab",
    }
    return names.get(key, key.upper())


def _name(action: int, buttons: Sequence[str], meaning: str) -> str:
    """Return the name of an action; one that does nothing is named by its buttons, since there may be several."""
    return f"{'+'.join(buttons)} ({meaning})" if buttons and meaning == NOTHING else meaning or f"action {action}"


def _sign(buttons: Sequence[str]) -> str:
    """Return an arrow for a move, the button for anything else."""
    arrows = {
        **{frozenset({"left"}): "←", frozenset({"right"}): "→", frozenset({"up"}): "↑", frozenset({"down"}): "↓"},
        **{frozenset({"left", "up"}): "↖", frozenset({"right", "up"}): "↗"},
        **{frozenset({"left", "down"}): "↙", frozenset({"right", "down"}): "↘", frozenset(): "·"},
    }
    names = frozenset(name.lower() for name in buttons)
    return arrows.get(names) or "".join(_letter(name) for name in buttons)


def _letter(button: str) -> str:
    """Return the first letter of a button, or its number: "3" of "button 3"."""
    last = button.split()[-1]
    return last if last.isdigit() else button[0].upper()


def _useful_buttons(buttons: Sequence[Sequence[str]], meanings: Sequence[str]) -> list[str]:
    """Return the buttons of all actions, without special ones that do nothing or repeat one before."""
    useful = []
    seen = {NOTHING}
    for names, meaning in zip(buttons, meanings, strict=True):
        moves = all(name.lower() in DIRECTIONS for name in names)
        if moves or meaning not in seen:
            useful += [name.lower() for name in names]
        seen.add(meaning)
    return useful


def _lay_out(buttons: Iterable[str]) -> dict[str, tuple[str, ...]]:
    """Return the keys of each button: fixed ones for directions, the next free ones for special actions."""
    names = list(dict.fromkeys(buttons))
    specials = [name for name in names if name not in DIRECTIONS]
    keys = dict(zip(specials, SPECIAL_KEYS))  # noqa: B905  a game's seventh special action has no key
    return {name: DIRECTIONS.get(name) or keys.get(name, ()) for name in [*DIRECTIONS, *specials] if name in names}


def _rank(names: frozenset[str], down: list[str]) -> tuple[int, int, int]:
    specials = sum(name not in DIRECTIONS for name in names)
    return specials, len(names), max((down.index(name) for name in names), default=-1)
