"""An environment is configured here, without heavy imports: a configuration is checked before anything is loaded."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Annotated, Any

from worldmodels.core.config_values import received
from worldmodels.core.errors import ConfigError, UserError
from worldmodels.core.lookup import unknown
from worldmodels.core.ranges import Int32, RangeError, Section, Size, at_least, limits

LARGEST = 2**31 - 1
"""Games count with 32 bits."""
MOST_THREADS = 1024


@dataclass(frozen=True)
class EnvConfig(Section):
    """A vector environment: which game, how many copies, and the options of the games (Procgen's names)."""

    game: str = "coinrun"
    """A native game ("coinrun", see `worldmodels list games`); a mixture of them ("coinrun,maze"), of which
    environment i plays the i-th, round and round; or the id of any Gymnasium environment with discrete actions and
    image observations ("ALE/Pong-v5", or "package.module:Name-v0", whose module is imported first and registers it)."""
    num_envs: Size = 16
    """Copies that step together; of a mixture, a multiple of its games (`n_envs` in Stable-Baselines3)."""
    num_threads: Annotated[int, at_least(1), limits(1, MOST_THREADS)] = 1
    """Threads that step the environments; nothing but the speed depends on it."""
    num_levels: Int32 = 0
    """Size of the set of levels; 0 is without limit."""
    start_level: Int32 = 0
    """Lowest level seed; also where levels are without limit."""
    distribution_mode: str = "easy"
    """Difficulty: easy, hard, extreme, memory or exploration; each game offers some of them."""
    use_sequential_levels: bool = False
    """Let a completed level be followed by the next one within the same episode."""
    center_agent: bool = True
    """Let the camera follow the agent in games that allow it; otherwise the whole level is shown."""
    use_backgrounds: bool = True
    """Paint backgrounds; otherwise black."""
    use_generated_assets: bool = False
    """Paint random textures in place of the painted ones. Layouts stay as they are."""
    use_monochrome_assets: bool = False
    """Paint flat rectangles in place of sprites."""
    restrict_themes: bool = False
    """Use one look for everything whose look is decoration only."""
    paint_vel_info: bool = False
    """Paint the agent's velocity as two grey squares, in games where it has momentum."""
    debug_mode: Int32 = 0
    """Sum of bits, which only coinrun reads: 2 no pits, 4 no crates, 8 no changes of height."""

    def __post_init__(self) -> None:
        super().__post_init__()
        last = self.start_level + max(self.num_levels, 1) - 1
        if last >= LARGEST:
            raise ConfigError(
                f"Level seeds are 0 to {LARGEST - 1}; start_level {self.start_level} with num_levels {self.num_levels} "
                f"would end with {last}."
            )

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
    """Return `given` and the defaults of the rest. Raises `UserError` for an unknown name, a wrong type or range."""
    for name, value in given.items():
        if name not in DEFAULTS:
            raise UserError(unknown("option", name, DEFAULTS))
        wanted = type(DEFAULTS[name])
        if type(value) is not wanted:
            what = f"a value of type {wanted.__name__}; received {received(value)}"
            raise UserError(f"The option '{name}' takes {what}.")
    try:
        return game_options(EnvConfig(**given))
    except RangeError as error:
        raise UserError(f"The option '{error.key}' {error.problem}") from error
