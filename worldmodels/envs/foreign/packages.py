"""Packages whose environments are made from an id alone: which extra brings them, and how their options are read."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext, suppress
from ctypes import CDLL
from importlib import import_module
from typing import Any, NamedTuple, TypeAlias

import gymnasium
from gymnasium.envs.registration import EnvSpec
from gymnasium.wrappers import FlattenObservation

from worldmodels.core.errors import ForeignEnvError, UserError, nearest, pip_install
from worldmodels.envs.foreign.atari import make_sticky
from worldmodels.envs.foreign.guard import described

Options: TypeAlias = dict[str, Any]
Env: TypeAlias = gymnasium.Env[Any, Any]

BACKEND = "MUJOCO_GL"
"""The environment variable that chooses MuJoCo's renderer: egl, osmesa or glfw. MuJoCo reads it at import.

MuJoCo draws with OpenGL. Without a GPU, Mesa draws with LLVM, and TensorFlow has its own LLVM: in one process the
two end in a segmentation fault. So environments with pictures by MuJoCo live in workers without TensorFlow; no other
process loads OpenGL.
"""

EXTRAS = {
    "gymnasium.envs.mujoco": "mujoco",
    "gymnasium.envs.box2d": "box2d",
    "worldmodels.envs.foreign.crafter": "crafter",
}
"""The extra of this package that brings what an environment needs, by how its entry point begins."""


def make_atari(spec: EnvSpec, size: int, options: Options) -> Env:
    """Make a game of Atari whose actions repeat, if they do, in a way that can be saved."""
    env = gymnasium.make(spec, **options)
    make_sticky(env.unwrapped)
    return env


def make_suite(spec: EnvSpec, size: int, options: Options) -> Env:
    """Make an environment of DeepMind Control.

    Its options are those of Shimmy's bridge, and three more. `flat` makes one vector of the parts of its state, for
    agents that see no dictionaries. `camera`, a number, is by default the one that DreamerV2 takes, 2 of the quadruped
    and otherwise 0. Without `shadows`, drawing takes a fraction of the time where there is no GPU.
    """
    flat = options.pop("flat", False)
    camera = options.pop("camera", 2 if spec.name.startswith("quadruped") else 0)
    shadows = options.pop("shadows", True)
    if options.get("render_mode"):
        flags = {} if shadows else {"shadow": False, "reflection": False}
        options["render_kwargs"] = {"height": size, "width": size, "camera_id": camera, "render_flag_overrides": flags}
    env = gymnasium.make(spec, **options)
    if not shadows:
        quality = env.unwrapped._env.physics.model.vis.quality  # type: ignore[attr-defined]
        quality.offsamples = quality.shadowsize = 0
    return FlattenObservation(env) if flat else env


def make_minigrid(spec: EnvSpec, size: int, options: Options) -> Env:
    """Make an environment of MiniGrid that shows pictures.

    Its options are those of its constructor, and `view`: "agent" for the 7 x 7 cells before the agent, as MiniGrid
    means it, or "grid" for all. Its own observation holds numbers of cells, the agent's direction, and the task in
    words.
    """
    wrappers: Any = import_module("minigrid.wrappers")  # Any: its classes have no types
    views = {"agent": wrappers.RGBImgPartialObsWrapper, "grid": wrappers.RGBImgObsWrapper}
    view = options.pop("view", "agent")
    if view not in views:
        raise UserError(f"The option 'view' of '{spec.id}' is 'agent' or 'grid'; received {view!r}.")
    pictures: Env = wrappers.ImgObsWrapper(views[view](gymnasium.make(spec, **options)))
    return pictures


class Package(NamedTuple):
    """A package with many environments."""

    begins: tuple[str, ...]
    """The beginnings of its ids."""
    modules: tuple[str, ...]
    """The modules that must be there; the last one registers the environments."""
    extra: str
    """The extra of this package that brings it."""
    make: Callable[[EnvSpec, int, Options], Env]
    """Makes an environment from its spec, the size of its pictures, and options, which it may change."""


PACKAGES = (
    Package(("dm_control/",), ("dm_control", "shimmy"), "dmc", make_suite),
    Package(("MiniGrid-", "BabyAI-"), ("minigrid",), "minigrid", make_minigrid),
    Package(("ALE/",), ("ale_py",), "atari", make_atari),
)


def find_package(id: str) -> Package | None:
    """Return the package of an id, of those that have many."""
    return next((package for package in PACKAGES if id.startswith(package.begins)), None)


def registered(id: str, draws: bool = False) -> bool:
    """Return whether an id is registered, after the import of its package.

    Args:
        draws: pictures will be drawn in this process, which has no TensorFlow.

    Raises:
        UserError: the package is not installed.
        ForeignEnvError: it cannot be imported.
    """
    if draws:
        draw_without_window()
    if id in gymnasium.registry:
        return True
    package = find_package(id)
    try:
        with nullcontext() if draws else not_drawing():
            for module in package.modules if package else ("ale_py",):  # whose older ids have no common beginning
                import_module(module)
    except ImportError as error:
        if package:
            raise UserError(missing(id, package.extra, str(error))) from error
    except KeyboardInterrupt:
        raise
    except BaseException as error:
        raise ForeignEnvError(f"The package of '{id}' cannot be imported: {described(error)}.") from error
    return id in gymnasium.registry


def gymnasium_hint(id: str) -> str:
    """Return a sentence, after a space, about an id that is not registered: Gymnasium's own or the nearest id."""
    try:
        gymnasium.spec(id)
    except (gymnasium.error.DeprecatedEnv, gymnasium.error.VersionNotFound) as error:
        return f" Gymnasium says: {error}"
    except gymnasium.error.Error:
        pass
    near = nearest(id, gymnasium.registry)
    return f" The nearest id of Gymnasium is '{near}'." if near else ""


def registered_spec(id: str) -> EnvSpec | None:
    """Return the registered spec of an id; None if the environment was given in Python."""
    return gymnasium.registry.get(id.rpartition(":")[2])


def draws_with_opengl(spec: EnvSpec) -> bool:
    """Return whether MuJoCo draws an environment's pictures."""
    return spec.id.startswith("dm_control/") or str(spec.entry_point).startswith("gymnasium.envs.mujoco")


def make_of_package(spec: EnvSpec, size: int, options: Options) -> Env:
    """Make an environment from its spec, as it suits its package.

    Args:
        size: of its pictures, in pixels, where it draws them for their own sake (`render_mode`).
        options: of its constructor, and more; see the functions of this module.
    """
    if package := find_package(spec.id):
        return package.make(spec, size, options)
    if str(spec.entry_point).startswith("ale_py."):
        return make_atari(spec, size, options)
    if not draws_with_opengl(spec):
        return gymnasium.make(spec, **options)
    if options.get("render_mode"):
        draw_without_window()
        sized: Options = {"width": size, "height": size} | options
        return gymnasium.make(spec, **sized)
    with not_drawing():
        return gymnasium.make(spec, **options)


def missing(id: str, extra: str, text: str) -> str:
    """Return how errors say that an extra is not installed."""
    return f"'{id}' needs packages that are not installed: {pip_install(extra)} brings them. {text}"


def draw_without_window() -> None:
    """Let MuJoCo draw in this process, without a window where there is no display."""
    if sys.platform == "linux" and not os.environ.get("DISPLAY"):
        with suppress(OSError):
            CDLL("libEGL.so.1")
            os.environ.setdefault(BACKEND, "egl")


@contextmanager
def not_drawing() -> Iterator[None]:
    """Let packages of MuJoCo that are imported within the block load nothing to draw with."""
    before = os.environ.get(BACKEND)
    os.environ[BACKEND] = "disabled"
    try:
        yield
    finally:
        if before is None:
            del os.environ[BACKEND]
        else:
            os.environ[BACKEND] = before
