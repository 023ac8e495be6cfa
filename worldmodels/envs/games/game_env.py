"""A single native game is a Gymnasium environment here, with the keys that a keyboard plays it by."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations
from typing import Any

import gymnasium
import numpy as np
from gymnasium.spaces import Box, Discrete

from worldmodels.core.errors import UserError, unknown
from worldmodels.envs.games.action_keys import DIRECTIONS, lay_out
from worldmodels.envs.games.layouts import make_batch
from worldmodels.envs.games.native_batch import Images
from worldmodels.envs.games.table import ACTION_KEYS, HUMAN_SIZE, NUM_ACTIONS, OBSERVATION_SHAPE, variable_units

MOST_KEYS = 4
"""Keys that `gymnasium.utils.play` can hold together."""
# The codes of SDL, and so of pygame, which need not be installed. Letters have that of their character.
_CODES = {"right": 0x4000004F, "left": 0x40000050, "down": 0x40000051, "up": 0x40000052, "space": ord(" ")}
_OPPOSITE = ({"left", "right"}, {"up", "down"})
_MASK = np.ones(1, np.bool_)


class GameEnv(gymnasium.Env[Images, np.int64]):
    """An environment of one game has observations uint8 (64, 64, 3) and actions 0 to 14; a time limit truncates.

    Args:
        name: a native game, see `worldmodels.envs.GAMES`.
        render_mode: None, or "rgb_array": `render()` gives the view for people, uint8 (512, 512, 3).
        options: of `worldmodels.envs.EnvConfig`: num_levels, start_level, distribution_mode, ...

    `info` holds `level`, a dictionary with the `seed` of the level and the length of its `solution` (in steps; -1 if
    the generator searched none). It also holds level_seed, prev_level_seed and prev_level_complete. Pickling and
    copying keep the live state.
    """

    metadata: dict[str, Any] = {"render_modes": ["rgb_array"], "render_fps": 15}
    observation_space = Box(0, 255, OBSERVATION_SHAPE, np.uint8)
    action_space = Discrete(NUM_ACTIONS)

    def __init__(self, name: str, render_mode: str | None = None, **options: Any) -> None:
        if render_mode is not None and render_mode not in self.metadata["render_modes"]:
            raise UserError(unknown("render mode", str(render_mode), self.metadata["render_modes"]))
        self.observation_space = Box(0, 255, OBSERVATION_SHAPE, np.uint8)
        self.action_space = Discrete(NUM_ACTIONS)
        self.render_mode = render_mode
        self._batch = make_batch([name], options)
        self._seeded = False
        self.game = self._batch.infos[0]
        self.title = self.game.title
        self.rules = self.game.rules
        self.action_meanings = self.game.action_meanings
        self.action_keys = ACTION_KEYS

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Images, dict[str, Any]]:
        """Begin the next level. With a `seed`, the choice of levels starts afresh; `options` has no entries."""
        super().reset(seed=seed)
        if options:
            raise UserError(f"reset takes no options here; received {', '.join(map(repr, options))}.")
        if seed is not None or not self._seeded:
            self._batch.seed(int(self.np_random.integers(2**31)) if seed is None else seed)
            self._seeded = True
        outcome = self._batch.new_outcome()
        self._batch.reset(outcome)
        return outcome.observations[0], _scalars(outcome.info(_MASK))

    def step(self, action: np.int64 | int) -> tuple[Images, float, bool, bool, dict[str, Any]]:
        """Return observation, reward, terminated, truncated and info. After the end of an episode it is an error."""
        outcome = self._batch.new_outcome()
        actions: Any = [action]  # whatever it is: the batch looks, and converts nothing
        self._batch.step(actions, outcome)
        return (
            outcome.observations[0],
            float(outcome.rewards[0]),
            bool(outcome.terminated[0]),
            bool(outcome.truncated[0]),
            _scalars(outcome.info(_MASK)),
        )

    def observe(self) -> Images:
        """Return the current observation again, uint8 (64, 64, 3), for example after `set_state`."""
        outcome = self._batch.new_outcome()
        self._batch.observe(outcome)
        frame: Images = outcome.observations[0]
        return frame

    def render(self) -> Images | None:
        """Return the view for people, uint8 (512, 512, 3); looking never changes the game."""
        return None if self.render_mode is None else self._batch.render(0, HUMAN_SIZE)

    def get_state(self) -> bytes:
        """Return everything that the future depends on, the choice of the next levels included."""
        return self._batch.get_state()[0]

    def set_state(self, state: bytes) -> None:
        """Restore what `get_state` gave. Raises `UserError` for bytes that are foreign, truncated or corrupted."""
        self._batch.set_state([state])
        self._seeded = True

    def variables(self) -> dict[str, float]:
        """Return what is true of the moment that is shown, by the names of `variable_units`; reading changes nothing.

        What is not there, or not seen, is NaN.
        """
        names = variable_units(self.game.name, self._batch.options["distribution_mode"])
        return dict(zip(names, self._batch.describe(len(names))[0].tolist(), strict=True))

    def fields(self) -> dict[str, float]:
        """Return every field of the state by its path, `{"entities/0/x": 1.5, ...}`; entity 0 is the agent."""
        return self._batch.fields(0)

    def get_keys_to_action(self) -> dict[tuple[int, ...] | str, int]:
        """Return the player's keys for `gymnasium.utils.play`, which needs the render mode "rgb_array"."""
        return keys_to_action(self.action_meanings)

    def get_action_meanings(self) -> list[str]:
        """Return one text per action."""
        return list(self.action_meanings)


def _scalars(info: dict[str, Any]) -> dict[str, Any]:
    """Return the numbers of the only environment, without the masks."""
    return {
        name: _scalars(value) if isinstance(value, dict) else value[0].item()
        for name, value in info.items()
        if not name.startswith("_")
    }


def keys_to_action(meanings: Sequence[str]) -> dict[tuple[int, ...] | str, int]:
    """Return the action that each combination of up to `MOST_KEYS` held keys means, by their key codes.

    Nothing held is "", since `play` takes no empty tuple, and would otherwise take action 0, which moves. Opposite
    directions cancel out; a special action goes before moves, and the first one before the others.

    Args:
        meanings: the meaning of each action in the game, which decides what keys it needs.
    """
    actions = {frozenset(names): action for action, names in enumerate(ACTION_KEYS)}
    keys_of_button = lay_out(ACTION_KEYS, meanings)
    specials = [button for button in keys_of_button if button not in DIRECTIONS]
    button_of_code = {_code(key): button for button, keys in keys_of_button.items() for key in keys}
    found: dict[tuple[int, ...] | str, int] = {}
    for count in range(MOST_KEYS + 1):
        for held in combinations(sorted(button_of_code), count):
            found[held or ""] = actions[_meant({button_of_code[code] for code in held}, specials)]
    return found


def _code(key: str) -> int:
    """Return the code of a key by its name."""
    return _CODES.get(key) or ord(key)


def _meant(held: set[str], specials: list[str]) -> frozenset[str]:
    for special in specials:
        if special in held:
            return frozenset({special})
    for pair in _OPPOSITE:
        if pair <= held:
            held = held - pair
    return frozenset(held)
