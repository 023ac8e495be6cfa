"""The table of all keys: of a game's actions, of the commands to the player, and of the pane of latents.

The keys of actions come from `envs/games/action_keys.py`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum

from worldmodels.envs.games.action_keys import DIRECTIONS, SPECIAL_KEYS, Keys, key_label


class Command(Enum):
    """A command to the player itself; the value is the text of the help screen."""

    PUT_BACK = "put the model back on the real state"
    NEW_EPISODE = "new episode"
    PAUSE = "pause or run; paused, each action key is one step"
    STEP = "one step, then pause"
    REWIND = "one step back, of both worlds"
    MARK_BEFORE = "back to the mark before on the time line"
    MARK_AFTER = "on to the mark after"
    SURPRISE = "the policy plays fast until the model is far off"
    EARLIER = "the same moment, by the checkpoint before"
    LATER = "the same moment, by the checkpoint after"
    EPISODES = "the recorded episodes of the run"
    DRAW = "draw on the real frame: the next tool, then off"
    INFO = "info: seed, step and the game's true variables"
    TOGGLE_PLAYER = "give control to a player; any action key takes over"
    NEXT_PLAYER = "choose the player: the policy, chance, a script"
    BRANCHES = "branch: many samples from here, then each action, then off"
    UNCERTAINTY = "heat map of the differences between samples of the next step"
    LATENTS = "look inside the model: its latents and its probes"
    NEXT_SETTING = "choose the setting that - and + change"
    DECREASE = "decrease the setting"
    INCREASE = "increase the setting"
    SAVE = "save this moment"
    LOAD = "go back to the saved moment"
    PICTURE = "save pictures of the window and of the frames"
    CLIP = "save the last ten seconds as a film"
    GIF = "save them as a GIF"
    FILM = "begin a film, or end and save it"
    VIEW = "the agent's view, or people's"
    FULL_SCREEN = "full screen, or a window again"
    ZOOM = "the next size of the window"
    HELP = "show or hide this help"
    QUIT = "quit"


COMMAND_KEYS = {
    Command.PUT_BACK: ("x",),
    Command.NEW_EPISODE: ("r",),
    Command.PAUSE: ("c",),
    Command.STEP: ("n",),
    Command.REWIND: ("backspace",),
    Command.MARK_BEFORE: ("[",),
    Command.MARK_AFTER: ("]",),
    Command.SURPRISE: ("e",),
    Command.EARLIER: ("page down",),
    Command.LATER: ("page up",),
    Command.EPISODES: ("f9",),
    Command.DRAW: ("shift+f2",),
    Command.INFO: ("home",),
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
    Command.CLIP: ("f6",),
    Command.GIF: ("shift+f6",),
    Command.FILM: ("f7",),
    Command.VIEW: ("v",),
    Command.FULL_SCREEN: ("f11", "alt+return"),
    Command.ZOOM: ("f10",),
    Command.HELP: ("h", "?"),
    Command.QUIT: ("escape",),
}
NUMBER_KEYS: tuple[tuple[Keys, Keys], ...] = tuple(((low,), (up,)) for low, up in ("jl", "ki", "uo", "12", "34", "56"))
"""The keys that push the third to the eighth number of a box down, and the keys that push it up."""


class LatentCommand(Enum):
    """A command of the pane of latents; the value is its name for people."""

    PREVIOUS = "group before"
    NEXT = "group after"
    HOLD = "hold"
    SWAP = "swap"
    RESAMPLE = "resample"
    COPY = "copy all"
    PASTE = "paste all"
    MORE = "more readings"


LATENT_KEYS = {
    LatentCommand.PREVIOUS: ("up", "left"),
    LatentCommand.NEXT: ("down", "right"),
    LatentCommand.HOLD: ("g",),
    LatentCommand.SWAP: ("f",),
    LatentCommand.RESAMPLE: ("z",),
    LatentCommand.COPY: ("f3",),
    LatentCommand.PASTE: ("f4",),
    LatentCommand.MORE: ("f8",),
}
OF_BUTTONS = tuple(command for command in LATENT_KEYS if command is not LatentCommand.MORE)
"""The commands that have buttons in a page, whose readings scroll."""


@dataclass(frozen=True)
class KeyTable:
    """The table of all keys; a game may have no use for some.

    Attributes:
        directions: of the moves, and of the first two numbers of a box of actions.
        specials: of the first special action, of the second, and so on.
        numbers: the keys that push the third number of a box down and up, then the fourth, and so on.
        commands: of the player.
        latents: of the pane of latents, which takes its keys first while it is shown.
    """

    directions: Mapping[str, Keys] = field(default_factory=lambda: DIRECTIONS)
    specials: tuple[Keys, ...] = SPECIAL_KEYS
    numbers: tuple[tuple[Keys, Keys], ...] = NUMBER_KEYS
    commands: Mapping[Command, Keys] = field(default_factory=lambda: COMMAND_KEYS)
    latents: Mapping[LatentCommand, Keys] = field(default_factory=lambda: LATENT_KEYS)

    @property
    def names(self) -> Keys:
        """Every key that can mean something, each once."""
        of_numbers = [keys for pair in self.numbers for keys in pair]
        of_game = [*self.directions.values(), *self.specials, *of_numbers]
        groups = [*of_game, *self.commands.values(), *self.latents.values()]
        return tuple(dict.fromkeys(key for keys in groups for key in keys))

    @property
    def pairs(self) -> tuple[tuple[Keys, Keys], ...]:
        """The keys that push each number of a box down, and the keys that push it up."""
        of = self.directions
        return (of["left"], of["right"]), (of["down"], of["up"]), *self.numbers

    def command(self, key: str) -> Command | None:
        """Return the command of a key, if it has one."""
        return next((command for command, keys in self.commands.items() if key in keys), None)

    def latent_command(self, key: str) -> LatentCommand | None:
        """Return the command that a key has in the pane of latents, if it has one."""
        return next((command for command, keys in self.latents.items() if key in keys), None)

    def label(self, command: Command | LatentCommand) -> str:
        """Return the first key of a command for people."""
        keys = self.commands[command] if isinstance(command, Command) else self.latents[command]
        return key_label(keys[0])


DEFAULT_KEYS = KeyTable()
"""The keys as the documentation lists them."""
