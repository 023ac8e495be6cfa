"""The controls of a box of actions: keys, mouse and gamepad give each of its numbers.

Each of the first numbers has a pair of keys: one pushes the number to its lowest value while it is held, the other to
its highest. Released, the number returns to rest, the value nearest to 0 in the environment's own units. The mouse,
which drags the number's bar, and the stick of a gamepad hold it anywhere in between.

A box of more numbers than pairs has sliders, which keep their positions. Up and down choose a slider, left and right
move it, and space moves all sliders to rest.

The forms of an action: the number of a choice or the numbers of a box, as a tuple or as rows for a model.

The keys that a gamepad presses in a game of choices, with its cross, its left stick and its buttons.

A gamepad is as SDL and browsers know it: the four buttons at the right are south, east, west and north.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from worldmodels.core.specs import ActionSpec
from worldmodels.envs.games.action_keys import Keys, key_label
from worldmodels.player.session.controls.key_table import DEFAULT_KEYS, Command, KeyTable
from worldmodels.player.session.controls.keys import REPEAT_DELAY, CommandControls
from worldmodels.player.session.events import AxisEvent, KeyEvent, StickEvent
from worldmodels.player.session.snapshot import BoxPanel, PolicyPanel, plain
from worldmodels.recordings.action_recording import Action, box_action

SLIDER_STEP = 0.25
"""The part of -1 to 1 by which a key moves a slider."""
DEAD_ZONE = 0.15
"""The deflection below which a stick counts as released."""


class BoxControls(CommandControls):
    """The controls know how far each number of a box is pushed.

    Args:
        spec: the box.
        names: the name of each number.
        keys: the table of keys.
    """

    signs: tuple[str, ...] = ()

    def __init__(self, spec: ActionSpec, names: Sequence[str], keys: KeyTable = DEFAULT_KEYS) -> None:
        super().__init__(keys)
        self.names = tuple(names)
        self._low, self._high = np.array(spec.low), np.array(spec.high)
        own = np.clip(0.0, self._low, self._high)
        self._rest = 2.0 * (own - self._low) / np.where(self._high > self._low, self._high - self._low, 1.0) - 1.0
        self.idle: Action = box_action(self._rest)
        """The action that does nothing, or least."""
        self.has_sliders = spec.size > len(keys.pairs)
        self._push_of_key = {
            key: (number, sign)
            for number, pair in enumerate(() if self.has_sliders else keys.pairs[: spec.size])
            for keys, sign in zip(pair, (-1.0, 1.0), strict=True)
            for key in keys
        }
        self._slider_keys = _slider_keys(keys) if self.has_sliders else {}
        self._sliders = self._rest.copy()
        self._chosen = 0
        self._axes: dict[int, float] = {}  # the numbers that the mouse or a gamepad holds
        self._held: list[str] = []  # keys, the newest last
        self._tapped: list[str] = []  # keys that came up within the tick in which they went down
        self._fresh: set[str] = set()  # keys that went down within this tick
        self._moved = False

    def handle(self, event: KeyEvent | AxisEvent | StickEvent) -> Command | None:
        """Take one event; return the command, if it is a key of one that went down."""
        if not isinstance(event, KeyEvent):
            self._handle_axis(event)
            return None
        if event.key not in self._push_of_key and event.key not in self._slider_keys:
            return self._handle_command(event.key, event.pressed)
        if event.pressed and event.key not in self._held:
            self._held.append(event.key)
            self._fresh.add(event.key)
            self._begin_holding()
            self._move_slider(event.key)
        elif not event.pressed and event.key in self._held:
            self._held.remove(event.key)
            if event.key in self._fresh:
                self._tapped.append(event.key)
        return None

    @property
    def touched(self) -> bool:
        """Whether a key, the mouse or a gamepad has moved a number within this tick."""
        return bool(self._fresh) or self._moved

    @property
    def asks_for_step(self) -> bool:
        """Whether the keys of this tick make it a step although the clock is paused; sliders are only put."""
        repeats = bool(self._held) and self._may_repeat and self._ticks_held >= REPEAT_DELAY
        return not self.has_sliders and (bool(self._fresh) or repeats)

    def choose(self) -> Action:
        """Return the action of the step that comes now: of two opposite keys the newer one counts."""
        values = self._sliders.copy() if self.has_sliders else self._rest.copy()
        for key in [*self._held, *self._tapped]:
            if key in self._push_of_key:
                number, sign = self._push_of_key[key]
                values[number] = sign
        for number, value in self._axes.items():
            values[number] = value
        return box_action(values)

    def end_tick(self) -> None:
        """Forget taps, count how long keys are held, and move a slider on whose key is held for long."""
        self._tapped.clear()
        self._fresh.clear()
        self._moved = False
        super().end_tick()
        if self._held and self._ticks_held >= REPEAT_DELAY and self._slider_keys.get(self._held[-1], "") in _MOVES:
            self._move_slider(self._held[-1])

    def release_all(self) -> None:
        """Release all keys, the mouse and the gamepad, because the window lost them."""
        self._held.clear()
        self._axes.clear()
        self._held_command = None
        self.end_tick()

    def text(self, action: Action) -> str:
        """Return the first numbers of an action in the environment's units."""
        numbers = self._own_units(action)
        return "  ".join(plain(float(number), 2) for number in numbers[:4]) + ("  …" if len(numbers) > 4 else "")

    name = text

    def held_actions(self) -> list[tuple[Action, str]]:
        """Return the actions that branches hold: each number at its lowest and at its highest, the others at rest."""
        actions = []
        for number, name in enumerate(self.names):
            for value, word in ((-1.0, "lowest"), (1.0, "highest")):
                values = self._rest.copy()
                values[number] = value
                actions.append((box_action(values), f"{name} {word}"))
        return actions

    def panel(self, policy: PolicyPanel | None, last: Action | None, shows_choice: bool = True) -> BoxPanel:
        """Return the panel of the box.

        Args:
            policy: the policy's choice and value at the real frame, if there is a policy.
            last: the action that another player than the person took; None: show what the person holds now.
        """
        chosen = policy.action if policy and shows_choice else None
        return BoxPanel(
            names=self.names,
            keys=() if self.has_sliders else tuple(_both(low, high) for low, high in self.keys.pairs),
            low=tuple(self._low.tolist()),
            high=tuple(self._high.tolist()),
            values=self._own_units(self.choose() if last is None else last),
            choice=None if chosen is None else self._own_units(chosen),
            value=policy.value if policy else None,
            slider=self._chosen if self.has_sliders else None,
        )

    def help(self) -> list[tuple[str, str]]:
        """Return the rows of the help screen for the box: keys and what they push."""
        if self.has_sliders:
            of = self.keys.directions
            rows = [
                (_both(of["up"], of["down"]), f"choose one of {len(self.names)} numbers"),
                (_both(of["left"], of["right"]), "push it down, or up; it stays there"),
                (key_label(self.keys.specials[0][0]), "put all of them to rest"),
            ]
        else:
            limits = zip(self.keys.pairs, self.names, self._low, self._high, strict=False)
            rows = [
                (_both(low, high), f"{name}: down to {below:g}, up to {above:g}")
                for (low, high), name, below, above in limits
            ]
        return [*rows, ("Mouse", "drag a bar of the action"), ("Gamepad", "the sticks push the first numbers")]

    def _handle_axis(self, event: AxisEvent | StickEvent) -> None:
        if event.number >= len(self.names):
            return
        of_mouse = isinstance(event, AxisEvent)
        value = event.value if isinstance(event, AxisEvent) else self._deflected(event)
        if value is None:
            self._axes.pop(event.number, None)
            return
        self._moved, self._chosen = True, event.number
        if self.has_sliders and of_mouse:
            self._sliders[event.number] = value
        else:
            self._axes[event.number] = value

    def _deflected(self, event: StickEvent) -> float | None:
        if abs(event.deflection) < DEAD_ZONE:
            return None
        rest = float(self._rest[event.number])
        return rest + event.deflection * (1.0 - rest if event.deflection > 0 else 1.0 + rest)

    def _move_slider(self, key: str) -> None:
        what = self._slider_keys.get(key)
        if what is None:
            return
        if what in _MOVES:
            moved = self._sliders[self._chosen] + _MOVES[what]
            self._sliders[self._chosen] = np.clip(moved, -1.0, 1.0)
            self._moved = True
        elif what == "rest":
            self._sliders = self._rest.copy()
        else:
            self._chosen = (self._chosen + (1 if what == "down" else -1)) % len(self.names)

    def _own_units(self, action: Action) -> tuple[float, ...]:
        numbers = self._low + (np.array(action) + 1.0) / 2.0 * (self._high - self._low)
        return tuple(numbers.tolist())


def _both(first: Keys, second: Keys) -> str:
    """Return the first one of each of two groups of keys for people."""
    return f"{key_label(first[0])} {key_label(second[0])}"


def _slider_keys(keys: KeyTable) -> dict[str, str]:
    """Return the effect of each key on sliders: the keys of directions, and of the first special action."""
    moves = {key: name for name, group in keys.directions.items() for key in group}
    return moves | dict.fromkeys(keys.specials[0], "rest")


_MOVES = {"left": -SLIDER_STEP, "right": SLIDER_STEP}


def action_rows(action: Action, rows: int, spec: ActionSpec) -> npt.NDArray[Any]:
    """Return an action so many times, as a model takes it: int32 (B,) or float32 (B, D)."""
    return np.full((rows, *spec.shape), action, spec.dtype)


def action_of(row: npt.ArrayLike) -> Action:
    """Return an action from one row, int32 () or float32 (D,); values outside the box are clipped."""
    array = np.asarray(row)
    return box_action(array) if array.ndim else int(array)


SPECIALS = ("south", "east", "west", "north", "left shoulder", "right shoulder")
"""The buttons of the first special actions."""
OF_BOX = ("up", "down", "left", "right", "start", "back")
"""The buttons that also work in a box of actions."""
PUSHED, LET_GO = 0.5, 0.35
"""Stick thresholds: a direction is pressed above the first and released below the second."""


def keys_of_buttons(table: KeyTable) -> dict[str, str]:
    """Return the key that each button of a gamepad presses."""
    keys = {name: keys[0] for name, keys in table.directions.items()}
    keys |= {button: keys[0] for button, keys in zip(SPECIALS, table.specials, strict=False)}
    return keys | {"start": table.commands[Command.PAUSE][0], "back": table.commands[Command.HELP][0]}


def directions_of_stick(x: float, y: float, held: frozenset[str]) -> frozenset[str]:
    """Return the directions that a stick presses.

    Args:
        x: from -1, left, to 1, right.
        y: from -1, up, to 1, down.
        held: the directions that are pressed now; they are released below the lower threshold.
    """
    pushed = {"left": -x, "right": x, "up": -y, "down": y}
    return frozenset(name for name, by in pushed.items() if by >= (LET_GO if name in held else PUSHED))
