"""An environment is configured here, without heavy imports: a configuration is checked before anything is loaded."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields
from numbers import Integral
from types import MappingProxyType
from typing import Annotated, Any, Literal

from worldmodels.core.configuration.ranges import (
    AnyInteger,
    AnyNumber,
    BelowOne,
    Int32,
    NonNegative,
    Range,
    RangeError,
    Section,
    Size,
    at_least,
    between,
    limits,
)
from worldmodels.core.configuration.values import received
from worldmodels.core.errors import ConfigError, UserError, unknown

LARGEST = 2**31 - 1
"""Games count with 32 bits."""
MOST_THREADS = 1024
MOST_WORKERS = 256
MOST_SKIPPED = 100_000
"""Finding the layout of a level takes about 4 ms."""

PYTHON = "python:"
"""The names of environments that were given in Python, as an object or a function, begin so."""

RESERVED_OPTIONS = {
    "render_mode": "pictures of these environments are their observations",
    "max_episode_steps": "the key for it is env.time_limit",
    "disable_env_checker": "every call is checked anyway",
}
"""Arguments of `gymnasium.make` that no environment takes, and the keys that replace them."""


@dataclass(frozen=True)
class InfoConfig(Section):
    """Numbers in the `info` of a Gymnasium environment's steps, by name: "x_position", or "achievements/eat_cow" of a
    dictionary in it. Of each episode, one number of each is recorded. All steps of a repeated action count."""

    sum: tuple[str, ...] = ()
    """Recorded are sums over the steps of an episode, as "episode/sum/NAME"."""
    mean: tuple[str, ...] = ()
    """Recorded are means over the steps of an episode, as "episode/mean/NAME"."""
    max: tuple[str, ...] = ()
    """Recorded are the greatest numbers of an episode, as "episode/max/NAME"."""

    @property
    def names(self) -> tuple[str, ...]:
        """The names of all three, those of sums first and of maxima last; one may be in each of them."""
        return self.sum + self.mean + self.max

    def __post_init__(self) -> None:
        super().__post_init__()
        for names in (self.sum, self.mean, self.max):
            if twice := [name for name in names if names.count(name) > 1]:
                raise ConfigError(f"each number of info is named once in a list. Received '{twice[0]}' twice.")


NO_INFO = InfoConfig()


@dataclass(frozen=True)
class EnvConfig(Section):
    """A vector environment: its game, its copies, the options of native games (Procgen's names), and wrappers of any
    other Gymnasium environment. The order of the wrappers is theirs here, the innermost first."""

    OTHER_NAMES = MappingProxyType({"id": "game", "env_id": "game", "name": "game", "n_envs": "num_envs"})
    """Keys of other programs, and the keys here that errors name for them."""

    game: str = "coinrun"
    """A native game ("coinrun", see `worldmodels list games`), a mixture ("coinrun,maze"), or the id of any Gymnasium
    environment. In a mixture of k games, environment i plays game i mod k. An id is "ALE/Pong-v5" or
    "package.module:Name-v0"; the module is imported first and registers the environment."""
    num_envs: Size = 16
    """Copies that step together; of a mixture, a multiple of its games (`n_envs` in Stable-Baselines3)."""
    num_threads: Annotated[int, at_least(1), limits(1, MOST_THREADS)] = 1
    """Threads that step the environments; nothing but the speed depends on it."""
    num_levels: Int32 = 0
    """Size of the set of levels; 0 is without limit."""
    start_level: Int32 = 0
    """Lowest level seed; also where levels are without limit."""
    skip_layouts: Annotated[int, between(0, MOST_SKIPPED)] = 0
    """Leave out levels with the layout of one of this many levels before `start_level`; 0 leaves out none."""
    distribution_mode: str = "easy"
    """Difficulty: easy, hard, extreme, memory or exploration; each game offers some of them."""
    use_sequential_levels: bool = False
    """Let a completed level be followed by the next one within the same episode."""
    center_agent: bool = True
    """Let the camera follow the agent in games that allow it; otherwise the whole level is shown."""
    use_backgrounds: bool = True
    """Paint backgrounds; otherwise black."""
    use_generated_assets: bool = False
    """Paint random textures instead of the painted ones. Layouts stay as they are."""
    use_monochrome_assets: bool = False
    """Paint flat rectangles instead of sprites."""
    restrict_themes: bool = False
    """Use one look for everything whose look is decoration only."""
    paint_vel_info: bool = False
    """Paint the agent's velocity as two grey squares, in games where it has momentum."""
    debug_mode: Int32 = 0
    """Sum of bits, which only coinrun reads: 2 no pits, 4 no crates, 8 no changes of height."""
    workers: Annotated[int, between(0, MOST_WORKERS)] = 0
    """Processes that step a Gymnasium environment, each num_envs / workers of its copies; 0: this one. Nothing but the
    speed depends on it. A single copy is never given to another process (`SubprocVecEnv` in Stable-Baselines3)."""
    options: Mapping[str, bool | AnyInteger | AnyNumber | str] = field(default_factory=dict, hash=False)
    """Arguments of a Gymnasium environment's constructor by their names, as in {continuous: true}; {}: its defaults."""
    sticky_actions: BelowOne = 0.0
    """Probability, at each step of a Gymnasium environment, that it repeats the action before instead of the one that
    was chosen; 0.25 in Machado et al. (2018), "Revisiting the Arcade Learning Environment", arXiv:1709.06009."""
    action_repeat: Size = 1
    """Steps of a Gymnasium environment for which each action is repeated; rewards are summed, and the last observation
    is shown (`frame_skip` in Stable-Baselines3)."""
    frame_max: bool = False
    """Show the maximum of the last two observations of `action_repeat`, in which sprites that flicker are whole."""
    reward_clip: NonNegative = 0.0
    """Rewards of a Gymnasium environment are clipped between its negative and this; 0: not."""
    time_limit: Int32 = 0
    """Time limit of an episode of a Gymnasium environment, in the agent's steps. 0 keeps the limit of its
    registration."""
    pixels: Literal["none", "only", "beside"] = "none"
    """Show a Gymnasium environment's own pictures: instead of its observations, or beside them as the part "image". An
    observation that is no dictionary then becomes the part "state"."""
    grey: bool = False
    """Turn the colour images of a Gymnasium environment to grey, one channel."""
    image_size: Annotated[int, between(8, 1024)] = 64
    """Pixels to which each side of a Gymnasium environment's images is resized; each is the mean of what it covers."""
    image_height: Annotated[int, Range("be 0, or between 8 and 1024", lambda rows: rows == 0 or 8 <= rows <= 1024)] = 0
    """Rows of these images, where they are no squares; 0: `image_size`, which then is the number of columns alone."""
    info: InfoConfig = NO_INFO
    """Numbers in the info of a Gymnasium environment that a run records."""

    def __post_init__(self) -> None:
        super().__post_init__()
        self._check_levels()
        for name in RESERVED_OPTIONS.keys() & self.options.keys():
            raise ConfigError(
                f"options are arguments of the environment's own constructor, and '{name}' is none of them: "
                f"{RESERVED_OPTIONS[name]}."
            )
        if self.frame_max and self.action_repeat < 2:
            raise ConfigError(
                "frame_max shows the maximum of the last two frames of a repeated action, so action_repeat must be at "
                f"least 2. Received {self.action_repeat}."
            )
        if self.frame_max and self.pixels != "none":
            raise ConfigError(
                "frame_max is the maximum of two observations of the environment itself, and pixels are drawn once for "
                f"a repeated action: one of the two must be off. Received pixels={self.pixels}."
            )

    def _check_levels(self) -> None:
        last = self.start_level + max(self.num_levels, 1) - 1
        if last >= LARGEST:
            raise ConfigError(
                f"Level seeds are 0 to {LARGEST - 1}; start_level {self.start_level} with num_levels {self.num_levels} "
                f"would end with {last}."
            )
        if self.skip_layouts > self.start_level:
            raise ConfigError(
                "skip_layouts counts levels before start_level, so it is at most start_level. Received "
                f"skip_layouts={self.skip_layouts}, start_level={self.start_level}."
            )
        if self.skip_layouts and self.use_sequential_levels:
            raise ConfigError(
                "skip_layouts chooses the level with which an episode begins, and use_sequential_levels continues with "
                "levels of any layout: one of the two must be off."
            )

    @property
    def games(self) -> tuple[str, ...]:
        """The names in `game`: several where it is a mixture."""
        return split_mixture(self.game)


FOREIGN = (
    *("workers", "options", "sticky_actions", "action_repeat", "frame_max", "reward_clip"),
    *("time_limit", "pixels", "grey", "image_size", "image_height", "info"),
)
"""The keys of Gymnasium environments that are no native games."""
WITHOUT_EFFECT = ("workers", "info")
"""The keys among them on which nothing depends that an agent sees."""

_PLAIN = EnvConfig()

DEFAULTS: dict[str, Any] = {
    key.name: key.default for key in fields(EnvConfig) if key.name not in ("game", "num_envs", "num_threads", *FOREIGN)
}
"""These are the options of a native game, with the values that they have where nothing is asked."""


def check_count(name: str, count: object) -> None:
    """Raise `UserError` unless a count of environments or threads is an integer, 1 or more."""
    if not isinstance(count, Integral) or isinstance(count, bool) or not 1 <= int(count) <= LARGEST:
        raise UserError(f"{name} is an integer from 1 to {LARGEST}; received {count!r}.")


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


def changed(config: EnvConfig, keys: Iterable[str]) -> list[str]:
    """Return those of `keys` whose value is not the default."""
    return [key for key in keys if getattr(config, key) != getattr(_PLAIN, key)]


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
