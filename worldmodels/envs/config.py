"""The configuration of an environment imports nothing heavy, so that it is checked before anything is loaded."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any

from worldmodels.core.errors import UserError
from worldmodels.core.lookup import unknown


@dataclass(frozen=True)
class EnvConfig:
    """A configuration says which game a vector environment has, how many copies, and their options (Procgen's names).

    Attributes:
        game: a native game ("coinrun", see `worldmodels.envs.GAMES`); a mixture of them ("coinrun,maze"), of which
            environment i plays the i-th, round and round; or the id of any Gymnasium environment with discrete actions
            and image observations, "module:Name-v0" where a module registers it.
        num_envs: copies that step together, 1 or more; of a mixture, a multiple of its games.
        num_threads: threads that step them, 1 or more; nothing but the speed depends on it.
        num_levels: size of the set of levels; 0 is without limit.
        start_level: the lowest level seed, 0 or more; also where levels are without limit.
        distribution_mode: easy, hard, extreme, memory or exploration; each game offers some of them.
        use_sequential_levels: a completed level is followed by the next one within the same episode.
        center_agent: the camera follows the agent in games that allow it; otherwise the whole level is shown.
        use_backgrounds: paint backgrounds; otherwise black.
        use_generated_assets: random textures in place of the painted ones. Layouts stay as they are.
        use_monochrome_assets: flat rectangles in place of sprites.
        restrict_themes: one look for everything whose look is decoration only.
        paint_vel_info: paint the agent's velocity as two grey squares, in games where it has momentum.
        debug_mode: bits; only coinrun reads them: 2 no pits, 4 no crates, 8 no changes of height.
    """

    game: str = "coinrun"
    num_envs: int = 16
    num_threads: int = 1
    num_levels: int = 0
    start_level: int = 0
    distribution_mode: str = "easy"
    use_sequential_levels: bool = False
    center_agent: bool = True
    use_backgrounds: bool = True
    use_generated_assets: bool = False
    use_monochrome_assets: bool = False
    restrict_themes: bool = False
    paint_vel_info: bool = False
    debug_mode: int = 0

    @property
    def games(self) -> tuple[str, ...]:
        """The names in `game`: several where it is a mixture."""
        return split_mixture(self.game)


DEFAULTS: dict[str, Any] = {
    field.name: field.default for field in fields(EnvConfig) if field.name not in ("game", "num_envs", "num_threads")
}
"""These are the options of a game, with the values that they have where nothing is asked."""


def split_mixture(game: str) -> tuple[str, ...]:
    """Split `"coinrun, maze"` into `("coinrun", "maze")`; a single name stays alone."""
    return tuple(name.strip() for name in game.split(","))


def spread_mixture(games: Sequence[str], num_envs: int) -> list[str]:
    """Return which game each environment plays, in turn. Raises `UserError` unless all are played equally often."""
    if num_envs % len(games):
        raise UserError(
            f"A mixture is spread evenly: num_envs must be a multiple of its {len(games)} games "
            f"({', '.join(games)}); received {num_envs}."
        )
    return [*games] * (num_envs // len(games))


def game_options(config: EnvConfig) -> dict[str, Any]:
    """Return the part of `config` that a game reads."""
    return {name: getattr(config, name) for name in DEFAULTS}


def complete_options(given: Mapping[str, Any]) -> dict[str, Any]:
    """Return `given` and the defaults of the rest. Raises `UserError` for an unknown name or a wrong type."""
    for name, value in given.items():
        if name not in DEFAULTS:
            raise UserError(unknown("option", name, DEFAULTS))
        wanted = type(DEFAULTS[name])
        if type(value) is not wanted:
            raise UserError(f"The option '{name}' takes a value of type {wanted.__name__}; received {value!r}.")
    return {**DEFAULTS, **given}
