"""Environments are made from a name or a configuration.

Registers the games and Crafter with Gymnasium; `import worldmodels` calls it.
"""

from __future__ import annotations

from dataclasses import fields, replace
from typing import Any, TypeAlias

import gymnasium
from gymnasium.envs import registration

from worldmodels.core.errors import UserError, unknown
from worldmodels.envs.config import DEFAULTS, FOREIGN, PYTHON, EnvConfig, changed, check_count, game_options
from worldmodels.envs.foreign.adapters import make_foreign_vec
from worldmodels.envs.foreign.given import Given, given_name
from worldmodels.envs.foreign.packages import gymnasium_hint, registered
from worldmodels.envs.foreign.vector_env import ForeignVectorEnv
from worldmodels.envs.games.game_env import GameEnv
from worldmodels.envs.games.table import GAME_INFO, GAMES, find_game
from worldmodels.envs.games.vector_env import GameVectorEnv

VectorEnv: TypeAlias = GameVectorEnv | ForeignVectorEnv
"""A Gymnasium vector environment that has an `observation_spec` and an `action_spec`, as `make_vec` makes it."""


def make(name: str, render_mode: str | None = None, **options: Any) -> GameEnv:
    """Make a single native game from its name ("maze") or Gymnasium id and the options of `EnvConfig`."""
    return GameEnv(find_game(name).name, render_mode, **options)


def make_vec(
    config: EnvConfig | str | Given, seed: int | None = None, render_mode: str | None = None, **overrides: Any
) -> VectorEnv:
    """Make a vector environment in NEXT_STEP mode; `observation_spec` and `action_spec` say what it shows and takes.

    Images are uint8 (N, 64, 64, C), or of another `image_size`.

    Args:
        config: a configuration; the name of a game, or of several ("coinrun,maze"); the id of a Gymnasium environment;
            a `gymnasium.Env`, for a single copy; or a function without arguments that makes copies.
        seed: of the choice of levels; the first `reset()` uses it. From the system's randomness by default.
        render_mode: None, or "rgb_array", in which `render()` gives a picture of each copy, uint8 (H, W, 3).
        overrides: fields of `EnvConfig`, for example `num_envs=64, distribution_mode="hard"`.

    Raises `UserError` for a game, option or mode that does not exist, with the nearest one that does.
    """
    for name in overrides:
        if name not in (known := [field.name for field in fields(EnvConfig)]):
            raise UserError(unknown("option", name, known))
    if "num_envs" in overrides:
        check_count("num_envs", overrides["num_envs"])
    if not isinstance(render_mode, str | None):
        raise UserError(unknown("render mode", str(render_mode), ["rgb_array"]))
    given = None if isinstance(config, (EnvConfig, str)) else config
    if not isinstance(config, EnvConfig):
        config = EnvConfig(game=config if isinstance(config, str) else given_name(config))
    final = replace(config, **overrides)
    env = _native_vec(final, render_mode) if is_native(final) else _foreign_vec(final, given, render_mode)
    if seed is not None:
        env.seed(seed)
    return env


def is_native(config: EnvConfig) -> bool:
    """Return whether the configured game is a native one, or a mixture of them."""
    return len(config.games) > 1 or any(config.game in (info.name, info.id) for info in GAME_INFO.values())


def can_save(env: gymnasium.vector.VectorEnv[Any, Any, Any]) -> bool:
    """Return whether `get_state` and `set_state` work: in native games, and in some foreign environments."""
    return not env.why_not_saved if isinstance(env, ForeignVectorEnv) else hasattr(env, "get_state")


def tells_variables(env: gymnasium.vector.VectorEnv[Any, Any, Any]) -> bool:
    """Return whether the environment has `variables`: native environments of one game do."""
    return isinstance(env, GameVectorEnv) and len({info.name for info in env.games}) == 1


def _native_vec(config: EnvConfig, render_mode: str | None) -> GameVectorEnv:
    if foreign := changed(config, FOREIGN):
        raise UserError(
            f"The option '{foreign[0]}' belongs to Gymnasium environments; '{config.game}' is a native game, which has "
            "options of its own, and threads (num_threads)."
        )
    return GameVectorEnv(
        config.game, config.num_envs, config.num_threads, render_mode=render_mode, **game_options(config)
    )


def _foreign_vec(config: EnvConfig, given: Given | None, render_mode: str | None) -> ForeignVectorEnv:
    if given is None and not (config.game.startswith(PYTHON) or ":" in config.game or registered(config.game)):
        raise UserError(
            unknown("game", config.game, GAMES)
            + gymnasium_hint(config.game)
            + " Any id that Gymnasium knows is allowed as well. 'module:Name-v0' imports a module that registers its"
            " environment, of a package or in the current folder."
        )
    if native := changed(config, DEFAULTS):
        raise UserError(f"The option '{native[0]}' belongs to native games; '{config.game}' is not one of them.")
    return make_foreign_vec(config, given, render_mode)


def register() -> None:
    """Register `worldmodels/<Title>-v0` for every native game, and Crafter; calling it again changes nothing."""
    for id, reward in (("CrafterReward-v1", True), ("CrafterNoReward-v1", False)):
        if id not in registration.registry:
            registration.register(
                id, entry_point="worldmodels.envs.foreign.crafter:CrafterEnv", kwargs={"reward": reward}
            )
    for info in GAME_INFO.values():
        if info.id not in registration.registry:
            registration.register(
                info.id,
                entry_point="worldmodels.envs.games.game_env:GameEnv",
                vector_entry_point="worldmodels.envs.games.vector_env:GameVectorEnv",
                kwargs={"name": info.name},
            )
