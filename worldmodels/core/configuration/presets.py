"""Presets, files and grids are found by name, and the presets below a file are read before it.

A file may say at its top what stands below its own values:

    base: dreamer_small             # one preset or file, or a list: their values come first, so this file is whole
    over: [dreamer, dreamer_small]  # an overlay: it is used after one of these, and refused without
"""

from __future__ import annotations

from collections.abc import Mapping, MutableMapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple, cast

from worldmodels.core.configuration.values import received
from worldmodels.core.errors import ConfigError, nearest, plural, unknown
from worldmodels.core.files.yaml_files import place, read_mapping


class PresetFile(NamedTuple):
    """A configuration file, with the presets and files below it."""

    path: Path
    values: Mapping[str, Any]
    """The keys of the configuration: all of the file's but `base` and `over`."""
    base: Sequence[Path]
    """Files whose values come before those of this one, in this order."""
    over: Sequence[Path]
    """Files of which one must come before this one; empty for a file that is no overlay."""

    @property
    def name(self) -> str:
        """The name of a preset, or the path of another file."""
        return _name(self.path)


def presets_folder() -> Path:
    """Return the folder of shipped presets: inside the package where it is installed, beside it in a checkout."""
    package = Path(__file__).parents[2]
    inside = package / "configs"
    return inside if inside.is_dir() else package.parent / "configs"


def preset_names() -> list[str]:
    """Return the names of the shipped presets, sorted."""
    return sorted(path.stem for path in presets_folder().glob("*.yaml"))


def grid_names() -> list[str]:
    """Return the names of the shipped grids of runs, sorted."""
    return sorted(path.stem for path in _grids_folder().glob("*.yaml"))


def find_config(file: Path | str) -> Path:
    """Return the path of a configuration file, or of a preset where `file` is a bare name without slash or suffix."""
    return _find(file, ("preset", "configuration"), presets_folder(), preset_names())


def find_grid(file: Path | str) -> Path:
    """Return the path of a grid's file, or of a shipped grid where `file` is a bare name without slash or suffix."""
    return _find(file, ("grid", "grid"), _grids_folder(), grid_names())


def read_source(file: Path | str) -> PresetFile:
    """Return a configuration file and the files below it, which are found but not read.

    Raises:
        ConfigError: there is no such file, or its `base` or `over` names none.
    """
    path = find_config(file)
    values = cast(MutableMapping[str, Any], read_mapping(path))
    base, over = (_below(path, values, key) for key in ("base", "over"))
    if base and over:
        raise ConfigError(
            f"{path}: a file with a 'base' is whole, and a file with 'over' is an overlay. Received both. Remove one "
            "of the two keys."
        )
    return PresetFile(path, values, base, over)


def read_sources(files: Sequence[Path | str]) -> list[PresetFile]:
    """Return files with all files below them, lowest first; a base that has been read is not read again.

    Raises:
        ConfigError: a file is missing or its own base, a base would cover another file, or an overlay stands over none
            of its presets.
    """
    stack: list[PresetFile] = []
    for file in files:
        source = read_source(file)
        whole = _add(source, [], ()) if source.base else []
        # "dreamer_small demo" is "demo": what stands there is below the preset in any case.
        stack = whole if whole and set(_paths(stack)) <= set(_paths(whole)) else _add(source, stack, ())
    return stack


def _add(source: PresetFile, stack: list[PresetFile], above: tuple[Path, ...]) -> list[PresetFile]:
    """Return a stack with a file on top, on what must be below it; `above` are the files whose base it is."""
    if source.path in above:
        ring = " on ".join(f"'{_name(path)}'" for path in (*above[above.index(source.path) :], source.path))
        raise ConfigError(f"No preset can be its own base: {ring}. Remove one 'base'.")
    if source.base and stack and source.base[0] not in _paths(stack):
        raise ConfigError(
            f"'{source.name}' has the base '{_name(source.base[0])}', whose values come first. Received "
            f"'{source.name}' after {_listed(_paths(stack))}. Put '{source.name}' first, or leave one of them out."
        )
    for base in source.base:
        if base not in _paths(stack):
            stack = _add(read_source(base), stack, (*above, source.path))
    _check_overlay(source, _paths(stack))
    return [*stack, source]


def _check_overlay(source: PresetFile, below: Sequence[Path]) -> None:
    if source.over and not set(source.over) & set(below):
        raise ConfigError(
            f"'{source.name}' is an overlay, and changes another preset. It must come after one of: "
            f"{', '.join(map(_name, source.over))}. Received '{source.name}' "
            f"{f'after {_listed(below)}' if below else 'alone'}. Write '--config {_name(source.over[0])} "
            f"{source.name}', for example."
        )


def _below(path: Path, values: MutableMapping[str, Any], key: str) -> Sequence[Path]:
    """Return the files that a key at the top of a file names, and remove the key."""
    if key not in values:
        return ()
    at, value = place(str(path), values, key), values.pop(key)
    names = [value] if isinstance(value, str) else value
    if not isinstance(names, list) or not names or not all(isinstance(name, str) for name in names):
        raise ConfigError(
            f"{at}: '{key}' must name a preset or a file, or be a list of them. Received {received(value)}."
        )
    try:
        return [find_config(path.parent / name if Path(name).suffix else name) for name in names]
    except ConfigError as error:
        raise ConfigError(f"{at}: '{key}': {error}") from None


def _paths(stack: Sequence[PresetFile]) -> list[Path]:
    return [source.path for source in stack]


def _name(path: Path) -> str:
    return path.stem if path.parent == presets_folder() else str(path)


def _listed(paths: Sequence[Path]) -> str:
    return ", ".join(f"'{_name(path)}'" for path in paths)


def _grids_folder() -> Path:
    return presets_folder() / "grids"


def _find(file: Path | str, kinds: tuple[str, str], folder: Path, names: Sequence[str]) -> Path:
    """Return the path of a file, or of one in `folder` by its name; `kinds` is what either is called."""
    text, path = str(file), Path(file)
    is_name = "/" not in text and not path.suffix
    if is_name and text in names:
        return folder / f"{text}.yaml"
    if is_name:
        raise ConfigError(unknown(kinds[0], text, names) + " A file of your own needs its suffix, .yaml.")
    if not path.is_file():
        neighbours = [str(other) for other in sorted(path.parent.glob("*.yaml"))] if path.parent.is_dir() else []
        guess = nearest(text, neighbours)
        hint = f" Did you mean '{guess}'?" if guess else ""
        listing = f"{plural(kinds[0]).capitalize()}: {', '.join(names) or 'none'}."
        raise ConfigError(f"There is no {kinds[1]} file '{path}'.{hint} {listing}")
    return path
