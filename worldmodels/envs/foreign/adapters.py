"""Adapters put any Gymnasium environment behind the interface of native games."""

from __future__ import annotations

import os
import sys
from dataclasses import replace
from functools import partial
from importlib import import_module
from typing import Any

import gymnasium
from gymnasium.envs.registration import EnvSpec, load_env_creator

from worldmodels.core.errors import ForeignEnvError, UserError
from worldmodels.core.processor import check_memory
from worldmodels.core.specs import ArraySpec, ObservationSpec
from worldmodels.envs.config import EnvConfig
from worldmodels.envs.foreign.given import Factory, Given, check_copies, find_given, made_of
from worldmodels.envs.foreign.guard import described
from worldmodels.envs.foreign.packages import (
    EXTRAS,
    draws_with_opengl,
    find_package,
    make_of_package,
    missing,
    registered,
)
from worldmodels.envs.foreign.vector_env import ForeignVectorEnv, SyncForeignEnv
from worldmodels.envs.foreign.workers import About, WorkerForeignEnv, about_copies
from worldmodels.envs.foreign.wrappers import Env, ImageFormat, wrapped

LEAST_BYTES = 10_000
"""Memory of the smallest copy."""


def make_foreign_vec(config: EnvConfig, given: Given | None = None, render_mode: str | None = None) -> ForeignVectorEnv:
    """Make N copies of a Gymnasium environment in NEXT_STEP mode, in this process or in workers.

    Images are resized to uint8 (N, image_size, image_size, channels), vectors flattened to float32 (N, D), and the
    actions of a Box are numbers from -1 to 1.

    Args:
        config: its `game` is an id; "module:Name-v0" imports the module first, which registers the environment.
        given: an object or a factory instead of the id.
        render_mode: of copies that are made by an id; others have their own.

    Raises:
        UserError: the module or the packages of the environment cannot be imported; there is no such environment; its
            spaces are not supported (`spaces.py`); or one object is given for several copies.
    """
    check_memory(f"{config.num_envs:,} copies of '{config.game}' (num_envs)", config.num_envs * LEAST_BYTES)
    make = partial(_made, _maker(config, given, render_mode), config)
    images = ImageFormat.of(config)
    if given is None and config.pixels != "none" and draws_with_opengl(_spec(config.game)):
        about, workers = _about_drawn(config), max(config.workers, 1)
    elif config.workers and config.num_envs > 1:
        about, workers = about_copies(make, config.game, images), config.workers
    else:
        return SyncForeignEnv(make, config.game, config.num_envs, images, config.info)
    return WorkerForeignEnv(make, config.game, config.num_envs, workers, images, about, config.info)


def _about_drawn(config: EnvConfig) -> About:
    """Describe an environment without drawing it in this process."""
    plain = replace(config, pixels="none", grey=False)
    about = about_copies(
        partial(_made, _maker(plain, None, None), plain),
        config.game,
        ImageFormat(config.image_size, height=config.image_height),
    )
    image = ("image", ArraySpec((*ImageFormat.of(config).shape, 1 if config.grey else 3)))
    if config.pixels == "only":
        return about._replace(observation=ObservationSpec.of(*image[1].shape), notes=())
    state = tuple((name or "state", part) for name, part in about.observation.parts)
    return about._replace(observation=ObservationSpec(tuple(sorted((*state, image)))))


def _maker(config: EnvConfig, given: Given | None, render_mode: str | None) -> Factory:
    """Return what makes a bare copy, and can be sent to another process wherever Python can."""
    if given is None:
        given = find_given(config.game)
    if given is None:
        # Another process imports the package anew, and others' ids may be known to this one alone.
        source = config.game if find_package(config.game) else _spec(config.game)
        return partial(_made_by_id, source, config, render_mode)
    if config.options:
        raise UserError(
            f"env.options are arguments for the constructor of an id; '{config.game}' is given as it is, and makes its "
            f"own. Received {', '.join(config.options)}."
        )
    check_copies(config.game, given, config.num_envs)
    return partial(made_of, given, config.game)


def _made(make: Factory, config: EnvConfig) -> Env:
    return wrapped(make(), config)


def _spec(id: str) -> EnvSpec:
    module, colon, name = id.rpartition(":")
    if colon:
        _import_module(module, id)
    try:
        return gymnasium.spec(name)
    except gymnasium.error.Error as error:
        raise ForeignEnvError(f"Gymnasium cannot make '{id}': {error}") from error


def _made_by_id(source: EnvSpec | str, config: EnvConfig, render_mode: str | None) -> Env:
    if isinstance(source, str):
        registered(source, draws=config.pixels != "none")
    spec = _spec(source) if isinstance(source, str) else source
    try:
        options: dict[str, Any] = dict(config.options)
        if config.time_limit:
            options["max_episode_steps"] = -1  # without the registered limit: `wrapped` has the one that is asked for
        if config.pixels != "none":
            options["render_mode"] = "rgb_array"
        elif render_mode:
            options["render_mode"] = render_mode  # not every constructor has one
        _check_draws(spec, options.get("render_mode"), config.game)
        return make_of_package(spec, config.image_size, options)
    except (KeyboardInterrupt, UserError):
        raise
    except BaseException as error:
        extra = next((extra for module, extra in EXTRAS.items() if str(spec.entry_point).startswith(module)), None)
        if extra and isinstance(error, (ImportError, gymnasium.error.DependencyNotInstalled)):
            raise UserError(missing(config.game, extra, str(error))) from error
        known = isinstance(error, (gymnasium.error.Error, ImportError))
        raise ForeignEnvError(
            f"Gymnasium cannot make '{config.game}'{_with(config)}: {error if known else described(error)}"
        ) from error


def _check_draws(spec: EnvSpec, mode: str | None, id: str) -> None:
    """Raise `UserError` if the class of an environment says that it does not draw in a mode."""
    creator = spec.entry_point if callable(spec.entry_point) else load_env_creator(str(spec.entry_point))
    modes = getattr(creator, "metadata", {}).get("render_modes")
    if mode is not None and modes is not None and mode not in modes and not spec.disable_env_checker:
        raise UserError(
            f"'{id}' cannot draw in the render mode '{mode}', which its pictures need: its class lists the modes "
            f"{', '.join(map(repr, modes)) or 'none'}. Leave out the window or film, or add the mode to its `metadata`."
        )


def _with(config: EnvConfig) -> str:
    return f" with the options {dict(config.options)}" if config.options else ""


def _import_module(module: str, id: str) -> None:
    """Import the module of an environment's id. The current folder is searched too, after everything installed."""
    # The path of an installed command begins with the folder of the command, not with the current one. It stays: the
    # module may import its neighbours later.
    if (folder := os.getcwd()) not in sys.path:
        sys.path.append(folder)
    rule = "An id 'module:Name-v0' begins with a module that Python finds and that registers 'Name-v0' with Gymnasium"
    if not all(part.isidentifier() for part in module.split(".")):
        raise UserError(f"{rule}; received '{id}', and '{module}' is not the name of a module.")
    try:
        import_module(module)
    except (ImportError, SyntaxError) as error:
        raise UserError(
            f"The module '{module}' of the environment '{id}' cannot be imported: {error}. {rule}. "
            f"Python looks in {', '.join(path for path in sys.path if os.path.isdir(path))}."
        ) from error
    except KeyboardInterrupt:
        raise
    except BaseException as error:
        raise ForeignEnvError(
            f"The module '{module}' of the environment '{id}' cannot be imported: {described(error)}."
        ) from error
