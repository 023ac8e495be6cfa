"""Defines distribution shifts: environments that differ from a run's own in a few options. Imports no TensorFlow.

Defines the request of `worldmodels shift`. Imports no TensorFlow.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, NamedTuple

from worldmodels.config.environment import build_env
from worldmodels.config.run_config import RunConfig, open_config
from worldmodels.core.configuration.sections import from_dict, to_dict
from worldmodels.core.configuration.values import received
from worldmodels.core.errors import ConfigError, UserError
from worldmodels.core.files.run_dir import RunDir
from worldmodels.core.files.yaml_files import read_mapping
from worldmodels.envs.config import EnvConfig
from worldmodels.envs.games.levels import has_test_levels, on_levels
from worldmodels.envs.games.table import find_game
from worldmodels.envs.making import is_native
from worldmodels.evaluation.request import Request

FLAGS = {
    "use_backgrounds": ("no backgrounds", "backgrounds"),
    "use_generated_assets": ("painted textures", "generated textures"),
    "use_monochrome_assets": ("sprites", "flat rectangles"),
    "restrict_themes": ("all themes", "one theme"),
    "center_agent": ("whole level shown", "camera follows"),
    "paint_vel_info": ("no velocity painted", "velocity painted"),
}
"""The options of native games that are yes or no, and what they are called when switched off and on."""
DEBUG_BITS = {"no pits": 2, "no crates": 4, "no changes of height": 8}
"""The parts of `debug_mode`, which only coinrun reads."""


class DistributionShift(NamedTuple):
    """An environment that differs from the one of training."""

    name: str
    env: EnvConfig


def training_distribution(config: EnvConfig) -> DistributionShift:
    """Return the shift that is none: what a run with this configuration was trained on."""
    return DistributionShift("training levels" if has_test_levels(config) else "as in training", config)


def default_shifts(config: EnvConfig, games: Sequence[str] = ()) -> list[DistributionShift]:
    """Return the test levels, each option turned the other way, the game's other modes, and other games.

    All but the test levels are played on the training levels: one thing changes at a time.

    Raises:
        UserError: the environment is no native game, so its options are unknown; or there is no such other game.
    """
    if not is_native(config) or len(config.games) > 1:
        raise ConfigError(
            f"There are default shifts of single native games only. Received env.game '{config.game}'. Name the "
            "shifts in a file, --shifts FILE, for example 'sticky: {sticky_actions: 0.25}'."
        )
    game = find_game(config.game)
    found = [DistributionShift("test levels", on_levels(config, "test"))] if has_test_levels(config) else []
    for flag, names in FLAGS.items():
        turned: dict[str, Any] = {flag: not getattr(config, flag)}
        found.append(DistributionShift(names[turned[flag]], replace(config, **turned)))
    if game.name == "coinrun":
        for name, bit in DEBUG_BITS.items():
            found.append(DistributionShift(name, replace(config, debug_mode=config.debug_mode ^ bit)))
    for mode in game.modes:
        if mode not in (config.distribution_mode, "exploration"):
            found.append(DistributionShift(f"mode {mode}", replace(config, distribution_mode=mode)))
    return found + [DistributionShift(name, replace(config, game=find_game(name).name)) for name in games]


def read_shifts(path: Path, config: EnvConfig) -> list[DistributionShift]:
    """Return the shifts in a YAML file, `name: {key of env: value, ...}`, each a difference from `config`.

    Raises:
        ConfigError: the file cannot be used, or a key or a value of a shift.
    """
    tree = read_mapping(path)
    if not tree:
        raise ConfigError(f"{path}: a file of shifts holds lines of the form 'name: {{use_backgrounds: false}}'.")
    return [DistributionShift(str(name), _shifted(config, str(name), keys, path)) for name, keys in tree.items()]


def check_shifts(config: RunConfig, shifts: Sequence[DistributionShift]) -> None:
    """Check that a run can play all shifts; leave nothing behind.

    Raises:
        UserError: a shift is no environment, or one with other observations or actions than the run's; or its name is
            there twice. The text names it.
    """
    names = [shift.name for shift in shifts]
    if twice := [name for name in names if names.count(name) > 1]:
        raise ConfigError(f"Each shift has a name of its own; '{twice[0]}' is there twice.")
    ours = _spaces(config, config.env)
    for shift in shifts:
        if len(shift.env.games) > 1 and shift.env.game != config.env.game:
            raise ConfigError(f"The shift '{shift.name}' is a mixture of games; a shift plays one: {shift.env.game}.")
        try:
            theirs = _spaces(config, shift.env)
        except UserError as error:
            raise ConfigError(f"The shift '{shift.name}' cannot be played: {error}") from error
        for what, own, other in zip(("sees", "takes"), ours, theirs, strict=True):
            if own != other:
                raise ConfigError(
                    f"The shift '{shift.name}' does not fit: the run, trained in '{config.env.game}', {what} {own}; "
                    f"'{shift.env.game}' has {other}."
                )


def _shifted(config: EnvConfig, name: str, keys: Any, path: Path) -> EnvConfig:
    if not isinstance(keys, Mapping):
        raise ConfigError(f"{path}: the shift '{name}' takes keys of env and values; received {received(keys)}.")
    changed = {str(key): value for key, value in keys.items()}
    return from_dict(EnvConfig, to_dict(config) | changed, f"{path}, shift '{name}'")


def _spaces(config: RunConfig, env: EnvConfig) -> tuple[Any, Any]:
    made = build_env(replace(config, env=env), num_envs=1)
    try:
        return made.observation_spec, made.action_spec
    finally:
        made.close()


@dataclass(frozen=True)
class ShiftRequest:
    """A request for a table of distribution shifts."""

    evaluation: Request
    """The run, its checkpoint, and the numbers of the evaluation."""
    shifts: str | Path | None = None
    """A file of shifts; by default those of `default_shifts`."""
    games: Sequence[str] = ()
    """Other native games that are played too."""


def chosen_shifts(request: ShiftRequest) -> list[DistributionShift]:
    """Return the environments that a run is to be played in, that of training first; needs no TensorFlow.

    Raises:
        UserError: there is no such run, or a shift that it cannot play.
    """
    config = open_config(RunDir.open(request.evaluation.path))
    if request.shifts is None:
        shifts = default_shifts(config.env, request.games)
    else:
        shifts = read_shifts(Path(request.shifts), config.env)
    shifts = [training_distribution(config.env), *shifts]
    check_shifts(config, shifts)
    return shifts
